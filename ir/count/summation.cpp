// The sum itself: a dimension is chosen, its floors are split by residue, its bounds by which of them is the tightest, and the
// polynomial is summed between two bounds by Faulhaber's formula.
#include "ir/count/summation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "ir/checked_int.h"
#include "ir/poly.h"
#include "ir/poly/feasible.h"

namespace heddle {

namespace {

constexpr std::int64_t small_period = 16;     ///< up to it residues are cheaper than a dim for the floor
constexpr std::int64_t largest_period = 256;  ///< residues that we are willing to list

/// What is known of a dimension's bounds: indices of constraints with positive (lower) and negative coefficient (upper).
struct Bounds {
    Name dim;
    std::int64_t period = 1;
    std::vector<std::size_t> lower, upper;
    bool unit = true;  ///< all coefficients are 1 or -1, or the bounds have no other dim
    std::uint64_t cost() const { return std::uint64_t(period) * lower.size() * upper.size() * (unit ? 1 : 16); }
};

class Summation {
public:
    Summation(const Domain& context, int max_cases) : context_(context), cases_left_(max_cases) {}

    void run(Sum s);
    std::vector<PolynomialPiece> take() { return std::move(pieces_); }

private:
    void sum(Sum s, Bounds b);
    void split_residues(const Sum& s, const Bounds& b);
    void between(const Sum& s, const Bounds& b, std::size_t lower, std::size_t upper);
    Bounds bounds_of(const Sum& s, Name dim) const;
    Bounds cheapest(const Sum& s) const;
    bool superfluous(const Conjunct& c, std::size_t k) const;
    Bounds drop_superfluous(Sum& s, Bounds b) const;
    bool possible(const Conjunct& c) const;
    void spend();

    const Domain& context_;
    int cases_left_;
    std::vector<PolynomialPiece> pieces_;
};

/// Is there a point, for some parameters in the context?
bool Summation::possible(const Conjunct& c) const {
    const Domain d = intersect(Domain{{c}}, context_);
    return std::any_of(d.pieces.begin(), d.pieces.end(), [](const Conjunct& piece) {
        const Truth truth = feasible(piece);
        return truth == Truth::Unknown ? !poly::is_empty(Domain{{piece}}) : truth == Truth::True;
    });
}

void Summation::spend() {
    if (--cases_left_ < 0) throw user_error("count", "the count falls into too many cases for a formula");
}

/// A bound of x as a form: |a|*x >= form (lower) or |a|*x <= form (upper).
Affine bound_form(const Constraint& c, Name dim) {
    const std::int64_t a = c.form.coefficient(dim);
    const Affine rest = c.form - Affine::symbol(dim, a);
    return a > 0 ? -rest : rest;
}

std::int64_t size_of_coefficient(const Constraint& c, Name dim) { return std::abs(c.form.coefficient(dim)); }

bool others_mentioned(const Sum& s, const Constraint& c, Name dim) {
    return std::any_of(s.dims.begin(), s.dims.end(), [&](Name d) { return d != dim && c.form.mentions(d); });
}

Bounds Summation::bounds_of(const Sum& s, Name dim) const {
    Bounds b;
    b.dim = dim;
    b.period = period_of(s, dim);
    for (std::size_t k = 0; k < s.where.size(); ++k) {
        const std::int64_t a = s.where[k].form.coefficient(dim);
        if (a > 0) b.lower.push_back(k);
        if (a < 0) b.upper.push_back(k);
        if (std::abs(a) > 1 && others_mentioned(s, s.where[k], dim)) b.unit = false;
    }
    return b;
}

Bounds Summation::cheapest(const Sum& s) const {
    std::optional<Bounds> best;
    for (auto dim = s.dims.rbegin(); dim != s.dims.rend(); ++dim) {
        Bounds b = bounds_of(s, *dim);
        if (b.period == 0 || b.period > largest_period) continue;
        if (!best || b.cost() < best->cost()) best = std::move(b);
        if (best->cost() <= 1) break;
    }
    if (!best) throw user_error("count", "a divisor in the bounds is too large for a formula");
    return *best;
}

/// Is constraint k a consequence of the others?
bool Summation::superfluous(const Conjunct& c, std::size_t k) const {
    Conjunct others = c;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
    if (implied(c[k], others) == Truth::True) return true;
    others.push_back({-c[k].form - Affine(1), false});
    return !possible(others);
}

/// Drops bounds of the dim that the rest makes superfluous.
Bounds Summation::drop_superfluous(Sum& s, Bounds b) const {
    const auto dropped = [&](const std::vector<std::size_t>& side) {
        if (side.size() < 2) return false;
        for (const std::size_t k : side)
            if (superfluous(s.where, k)) {
                s.where.erase(s.where.begin() + static_cast<std::ptrdiff_t>(k));
                return true;
            }
        return false;
    };
    while (dropped(b.lower) || dropped(b.upper)) b = bounds_of(s, b.dim);
    return b;
}

/// The constraint that bound `a` is at least as tight as bound `b` of the same side; strictly tighter where `strict`.
Constraint tighter(const Constraint& a, const Constraint& b, Name dim, bool strict) {
    const bool lower = a.form.coefficient(dim) > 0;
    const Affine left = size_of_coefficient(b, dim) * bound_form(a, dim),
                 right = size_of_coefficient(a, dim) * bound_form(b, dim);
    const Affine by = lower ? left - right : right - left;
    return {by - Affine(strict ? 1 : 0), false};
}

void Summation::between(const Sum& s, const Bounds& b, std::size_t lower, std::size_t upper) {
    const Constraint &low = s.where[b.lower[lower]], &high = s.where[b.upper[upper]];
    const std::int64_t a = size_of_coefficient(low, b.dim), c = size_of_coefficient(high, b.dim);
    Sum rest;
    for (const Constraint& k : s.where)
        if (k.form.coefficient(b.dim) == 0) rest.where.push_back(k);
    for (std::size_t k = 0; k < b.lower.size(); ++k)
        if (k != lower) rest.where.push_back(tighter(low, s.where[b.lower[k]], b.dim, k < lower));
    for (std::size_t k = 0; k < b.upper.size(); ++k)
        if (k != upper) rest.where.push_back(tighter(high, s.where[b.upper[k]], b.dim, k < upper));
    const Affine from = bound_form(low, b.dim), to = bound_form(high, b.dim);
    rest.where.push_back({a * to - c * from, false});
    if (!tidy(rest.where)) return;
    if (b.lower.size() * b.upper.size() > 1 && !possible(rest.where)) return;
    spend();
    const Polynomial first(-Affine::floor_div(-from, a)), last(Affine::floor_div(to, c));
    rest.value = sum_over(s.value, b.dim, first, last);
    rest.dims = s.dims;
    std::erase(rest.dims, b.dim);
    run(std::move(rest));
}

void Summation::sum(Sum s, Bounds b) {
    b = drop_superfluous(s, std::move(b));
    if (b.lower.empty() || b.upper.empty()) {
        if (!possible(s.where)) return;
        throw user_error("count", fmt::format("'{}' has no {} bound: the points are not finite in number", b.dim.str(),
                                              b.lower.empty() ? "lower" : "upper"));
    }
    for (std::size_t lower = 0; lower < b.lower.size(); ++lower)
        for (std::size_t upper = 0; upper < b.upper.size(); ++upper) between(s, b, lower, upper);
}

void Summation::split_residues(const Sum& s, const Bounds& b) {
    for (std::int64_t r = 0; r < b.period; ++r) {
        const Affine value = Affine::symbol(b.dim, b.period) + Affine(r);
        Sum part = s;
        for (Constraint& c : part.where) c.form = c.form.substitute(b.dim, value);
        if (!tidy(part.where)) continue;
        spend();
        part.value = part.value.substitute(b.dim, value);
        run(std::move(part));
    }
}

/// Do floors with dims stand in inequalities, and are they too many cases to split?
bool needs_names(const Sum& s) {
    std::int64_t least = 0;
    for (const Constraint& c : s.where)
        for (const auto& [atom, k] : c.form.terms)
            for (const Name dim : s.dims) {
                if (!atom.is_floor() || !atom.numerator->mentions(dim)) continue;
                const std::int64_t period = period_of(s, dim);
                least = least == 0 ? period : std::min(least, period);
            }
    return least == 0 ? false : least > small_period;
}

bool rewrite(Sum& s) {
    return remove_equality(s) || clear_floor(s) || name_floor(s, false) || join_digits(s) ||
           (needs_names(s) && name_floor(s, true));
}

void Summation::run(Sum s) {
    do {
        if (!tidy(s.where)) return;
    } while (rewrite(s));
    if (s.value.is_zero()) return;
    if (s.dims.empty()) {
        pieces_.push_back({Domain{{std::move(s.where)}}, collect_floors(s.value)});
        return;
    }
    Bounds b = cheapest(s);
    if (b.period > 1)
        split_residues(s, b);
    else
        sum(std::move(s), std::move(b));
}

}  // namespace

std::vector<PolynomialPiece> sum_points(Sum s, const Domain& context, int max_cases) {
    Summation summation(context, max_cases);
    summation.run(std::move(s));
    return summation.take();
}

}  // namespace heddle
