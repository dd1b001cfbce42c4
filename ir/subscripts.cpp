#include "ir/subscripts.h"

#include "ir/checked_int.h"
#include "ir/poly.h"

namespace heddle {

namespace {

/// The value of floor(numerator / denominator) where one is certain in every piece.
std::optional<std::int64_t> settled(const Atom& atom, const Domain& domain) {
    const Affine& n = *atom.numerator;
    const auto low = poly::constant_min(n, domain), high = poly::constant_max(n, domain);
    if (!low || !high) return std::nullopt;
    const std::int64_t first = floor_quotient(*low, atom.denominator);
    return first == floor_quotient(*high, atom.denominator) ? std::optional(first) : std::nullopt;
}

}  // namespace

Affine settle_floors(const Affine& form, const Domain& domain) {
    if (!form.has_floor()) return form;
    Affine out(form.constant);
    for (const auto& [atom, c] : form.terms) {
        if (!atom.is_floor()) {
            out = out + Affine::symbol(atom.symbol, c);
            continue;
        }
        const Affine inner = Affine::floor_div(settle_floors(*atom.numerator, domain), atom.denominator);
        const bool plain = inner.terms.size() == 1 && inner.terms[0].first.is_floor();
        const auto value =
            plain && inner.constant == 0 && inner.terms[0].second == 1 ? settled(inner.terms[0].first, domain) : std::nullopt;
        out = out + c * (value ? Affine(*value) : inner);
    }
    return out;
}

std::pair<Expr, Expr> block_and_entry(const Expr& subscript, std::int64_t by, const Domain& domain) {
    const Expr size = int_literal(by, index_type);
    const auto form = affine_of(subscript);
    if (!form) return {make(Op::FloorDiv, index_type, {subscript, size}), make(Op::Mod, index_type, {subscript, size})};
    const Affine block = settle_floors(Affine::floor_div(*form, by), domain);
    if (block.has_floor()) return {expr_of(block), make(Op::Mod, index_type, {expr_of(*form), size})};
    return {expr_of(block), expr_of(*form - by * block)};
}

Array folded(Array array, std::size_t axis, std::int64_t modulus) {
    array.is_let = false;
    if (modulus == 1)
        array.shape.erase(array.shape.begin() + static_cast<std::ptrdiff_t>(axis));
    else
        array.shape[axis] = int_literal(modulus, index_type);
    return array;
}

std::vector<Expr> folded(std::vector<Expr> subscripts, std::size_t axis, std::int64_t modulus, const Domain& domain) {
    if (modulus == 1)
        subscripts.erase(subscripts.begin() + static_cast<std::ptrdiff_t>(axis));
    else
        subscripts[axis] = block_and_entry(subscripts[axis], modulus, domain).second;
    return subscripts;
}

}  // namespace heddle
