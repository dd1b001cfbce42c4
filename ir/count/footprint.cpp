#include "ir/count/footprint.h"

#include <algorithm>
#include <cstdlib>

#include "ir/count/stride.h"
#include "ir/poly.h"

namespace heddle {

std::vector<Name> element_symbols(std::size_t rank) {
    std::vector<Name> out;
    for (std::size_t k = 0; k < rank; ++k) out.push_back("@" + std::to_string(k));
    return out;
}

namespace {

bool in_floor(const Conjunct& c, Name symbol) {
    for (const Constraint& k : c)
        for (const auto& [atom, coefficient] : k.form.terms)
            if (atom.is_floor() && atom.numerator->mentions(symbol)) return true;
    return false;
}

/// Is Fourier-Motzkin elimination of the symbol exact on integers: an equality with coefficient 1, or one side all of
/// coefficient 1?
bool exact_to_eliminate(const Conjunct& c, Name symbol) {
    if (in_floor(c, symbol)) return false;
    bool equality = false, lower = true, upper = true;
    for (const Constraint& k : c) {
        const std::int64_t a = k.form.coefficient(symbol);
        if (a == 0) continue;
        if (k.equality && std::abs(a) == 1) return true;
        equality = equality || k.equality;
        lower = lower && (a < 0 || a == 1);
        upper = upper && (a > 0 || a == -1);
    }
    return !equality && (lower || upper);
}

/// Eliminates the symbols by plain arithmetic; nothing where that would not be exact.
std::optional<Conjunct> projected(Conjunct c, std::vector<Name> gone) {
    while (!gone.empty()) {
        const auto next = std::find_if(gone.rbegin(), gone.rend(), [&](Name n) { return exact_to_eliminate(c, n); });
        if (next == gone.rend()) return std::nullopt;
        c = eliminate(c, *next);
        gone.erase(std::next(next).base());
        for (Constraint& k : c)
            if (normalise(k) == Truth::False) return Conjunct{{Affine(-1), false}};
    }
    return c;
}

bool impossible(const Conjunct& c) {
    return std::any_of(c.begin(), c.end(), [](Constraint k) { return normalise(k) == Truth::False; });
}

}  // namespace

Domain image_of(const Access& a, const Domain& domain, const std::vector<Name>& loops) {
    const std::vector<Name> elements = element_symbols(a.affine.size());
    Domain joint = intersect(domain, a.when);
    for (Conjunct& c : joint.pieces)
        for (std::size_t k = 0; k < elements.size(); ++k) c.push_back(equal(Affine::symbol(elements[k]), *a.affine[k]));
    Domain out = Domain::nothing();
    for (const Conjunct& c : joint.pieces) {
        const auto quick = projected(c, loops);
        if (!quick) return poly::project(joint, loops);
        if (!impossible(*quick)) out.pieces.push_back(*quick);
    }
    return out;
}

void Footprint::add(const Access& a, const Domain& domain, const std::vector<Name>& loops, const Counter& counter) {
    at_most_ = at_most_ || a.conditional;
    bool data = !a.exact();
    if (!data) {
        std::vector<Name> symbols;
        intersect(domain, a.when).symbols(symbols);
        for (const auto& subscript : a.affine) subscript->symbols(symbols);
        data = std::any_of(symbols.begin(), symbols.end(), [&](Name n) { return counter.is_data(n, loops); });
    }
    if (data)
        unknown_ = true;
    else if (!unknown_)
        images_.number_of(image_of(a, domain, loops), {});
}

namespace {

/// The constant that an image fixes its element symbols to, by position; equal for images that may overlap.
std::vector<std::optional<std::int64_t>> fixed_elements(const Domain& image, const std::vector<Name>& elements) {
    std::vector<std::optional<std::int64_t>> out(elements.size());
    if (!image.convex()) return out;
    for (const Constraint& c : image.pieces[0]) {
        if (!c.equality || c.form.terms.size() != 1 || c.form.terms[0].first.is_floor()) continue;
        const auto at = std::find(elements.begin(), elements.end(), c.form.terms[0].first.symbol);
        if (at != elements.end() && c.form.terms[0].second == 1)
            out[static_cast<std::size_t>(at - elements.begin())] = -c.form.constant;
    }
    return out;
}

/// Groups images so that images of different groups surely share no element.
std::vector<Domain> separate_groups(const DomainTable& images, const std::vector<Name>& elements) {
    using Key = std::vector<std::optional<std::int64_t>>;
    std::vector<Key> keys;
    for (std::size_t k = 0; k < images.size(); ++k) keys.push_back(fixed_elements(images.domain(k), elements));
    for (std::size_t axis = 0; axis < elements.size(); ++axis)
        if (std::any_of(keys.begin(), keys.end(), [&](const Key& k) { return !k[axis]; }))
            for (Key& k : keys) k[axis].reset();
    std::map<Key, Domain> groups;
    for (std::size_t k = 0; k < images.size(); ++k) {
        const auto [it, fresh] = groups.emplace(keys[k], images.domain(k));
        if (!fresh) it->second = unite(it->second, images.domain(k));
    }
    std::vector<Domain> out;
    for (auto& [key, group] : groups) out.push_back(std::move(group));
    return out;
}

}  // namespace

Quantity Footprint::elements(const Counter& counter) const {
    Quantity out;
    out.at_most = at_most_ || unknown_;
    if (unknown_) {
        const auto size = element_count(*array_);
        if (size)
            out.formula = Piecewise::everywhere(*size);
        else
            out.data.push_back({1, {}, {}, {array_->name}, "the size of " + array_->name.str() + " is no polynomial"});
        return out;
    }
    const std::vector<Name> elements = element_symbols(array_->shape.size());
    for (const Domain& group : separate_groups(images_, elements)) {
        Count c = count(group, elements, counter.context());
        if (c.formula)
            out.formula.pieces.insert(out.formula.pieces.end(), c.formula->pieces.begin(), c.formula->pieces.end());
        else
            out.counted.emplace_back(1, std::move(c));
    }
    out.formula = simplify(out.formula, counter.context());
    return out;
}

}  // namespace heddle
