#include "ir/access/map.h"

#include <algorithm>

#include "ir/poly.h"

namespace heddle {
namespace {

Name element_symbol(std::size_t k) { return Name("@" + std::to_string(k)); }

/// element = subscript, as a domain over the loops and the element's symbol.
Domain subscript_domain(const Access& a, std::size_t dimension, Name element) {
    if (a.affine[dimension]) return domain_of(equal(Affine::symbol(element), *a.affine[dimension]));
    const auto pieces = pieces_of(a.subscripts[dimension]);
    if (!pieces) return Domain::everything();
    Domain out = Domain::nothing();
    for (const Piece& p : *pieces) {
        out.pieces.push_back(p.when);
        out.pieces.back().push_back(equal(Affine::symbol(element), p.value));
    }
    return out;
}

}  // namespace

isl::map access_map(const KernelData& kernel, const Access& a, const std::vector<Name>& loops, const std::vector<Name>& scope,
                    Name tuple) {
    std::vector<Name> elements;
    Domain d = a.when;
    for (Name loop : scope) {
        elements.push_back(element_symbol(elements.size()));
        d = intersect(d, domain_of(equal(Affine::symbol(elements.back()), Affine::symbol(loop))));
    }
    const Array* array = kernel.find_array(a.array);
    const std::size_t rank = a.whole && array ? array->shape.size() : a.subscripts.size();
    for (std::size_t k = 0; k < rank; ++k) {
        elements.push_back(element_symbol(elements.size()));
        if (!a.whole) d = intersect(d, subscript_domain(a, k, elements.back()));
    }
    return poly::to_map(d, loops, tuple, elements, a.array);
}

std::optional<isl::pw_aff> pw_aff_of(const Expr& e, const std::vector<Name>& dims, Name tuple) {
    const auto pieces = pieces_of(e);
    if (!pieces) return std::nullopt;
    return poly::guarded("", [&] {
        std::optional<isl::pw_aff> sum;
        for (const Piece& p : *pieces) {
            isl::pw_aff part(poly::to_aff(p.value, dims, tuple));
            part = part.intersect_domain(poly::to_set(Domain{{p.when}}, dims, tuple));
            if (sum)
                sum.emplace(sum->union_add(part));
            else
                sum.emplace(part);
        }
        return sum;
    });
}

}  // namespace heddle
