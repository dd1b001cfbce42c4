#include "ir/parse/lattice.h"

#include <algorithm>

#include "ir/error.h"

namespace heddle {
namespace {

constexpr std::size_t most_forms = 4096;

void check_size(std::size_t forms) {
    if (forms > most_forms)
        throw user_error("limit", "min and max are combined in too many ways for a formula").hint("write the cases with 'or'");
}

void push_distinct(std::vector<Affine>& out, Affine a) {
    if (std::find(out.begin(), out.end(), a) == out.end()) out.push_back(std::move(a));
}

template <class F>
Lattice each(const Lattice& a, F f) {
    Lattice out = a;
    for (auto& all : out.any)
        for (Affine& form : all) form = f(form);
    return out;
}

/// Every choice of one piece of `a` and one of `b`, joined by `f`.
template <class F>
Lattice pairs(const Lattice& a, const Lattice& b, F f) {
    Lattice out;
    std::size_t forms = 0;
    for (const auto& x : a.any)
        for (const auto& y : b.any) {
            out.any.push_back(f(x, y));
            check_size(forms += out.any.back().size());
        }
    return out;
}

std::vector<Affine> joined(std::vector<Affine> x, const std::vector<Affine>& y) {
    for (const Affine& form : y) push_distinct(x, form);
    return x;
}

std::vector<Affine> sums(const std::vector<Affine>& x, const std::vector<Affine>& y) {
    check_size(x.size() * y.size());
    std::vector<Affine> out;
    for (const Affine& a : x)
        for (const Affine& b : y) push_distinct(out, a + b);
    return out;
}

}  // namespace

Lattice operator+(const Lattice& a, const Lattice& b) {
    if (a.single() && b.single()) return Lattice::of(a.form() + b.form());
    return pairs(a, b, sums);
}

Lattice operator-(const Lattice& a) {
    if (a.single()) return Lattice::of(-a.form());
    Lattice out{{{}}};  // the smallest of nothing: neutral for `smaller`
    for (const auto& all : a.any) {
        Lattice largest;
        for (const Affine& form : all) largest.any.push_back({-form});
        out = smaller(out, largest);
    }
    return out;
}

Lattice scaled(std::int64_t k, const Lattice& a) {
    if (k < 0 && !a.single()) return scaled(-k, -a);
    return each(a, [&](const Affine& form) { return k * form; });
}

Lattice floor_div(const Lattice& a, std::int64_t denominator) {
    return each(a, [&](const Affine& form) { return Affine::floor_div(form, denominator); });
}

Lattice smaller(const Lattice& a, const Lattice& b) { return pairs(a, b, joined); }

Lattice larger(const Lattice& a, const Lattice& b) {
    Lattice out = a;
    out.any.insert(out.any.end(), b.any.begin(), b.any.end());
    std::size_t forms = 0;
    for (const auto& all : out.any) check_size(forms += all.size());
    return out;
}

Domain nonnegative(const Lattice& a) {
    Domain out = Domain::nothing();
    for (const auto& all : a.any) {
        Domain piece = Domain::everything();
        for (const Affine& form : all) piece = intersect(piece, domain_of(Constraint{form, false}));
        out = unite(out, piece);
    }
    return out;
}

}  // namespace heddle
