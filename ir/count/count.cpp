#include "ir/count/count.h"

#include <algorithm>

#include "ir/count/summation.h"
#include "ir/error.h"
#include "ir/poly.h"

namespace heddle {

namespace {

bool apart(const Conjunct& a, const Conjunct& b) {
    for (const Constraint& c : a)
        if (implied(c, b) == Truth::False) return true;
    return poly::is_empty(intersect(Domain{{a}}, Domain{{b}}));
}

}  // namespace

Domain disjoint(const Domain& d) {
    bool overlap = false;
    for (std::size_t a = 0; a < d.pieces.size() && !overlap; ++a)
        for (std::size_t b = 0; b < a && !overlap; ++b) overlap = !apart(d.pieces[a], d.pieces[b]);
    if (!overlap) return d;
    return poly::simplify(d);
}

namespace {

Piecewise formula_of(const Domain& d, const std::vector<Name>& dims, const Domain& context) {
    Piecewise sum;
    for (const Conjunct& c : disjoint(d).pieces)
        for (PolynomialPiece& piece : sum_points({c, Polynomial(1), dims}, context)) sum.pieces.push_back(std::move(piece));
    return simplify(sum, context);
}

}  // namespace

Count count(const Domain& d, const std::vector<Name>& dims, const Domain& context) {
    Count result{d, dims, std::nullopt, {}};
    try {
        result.formula = formula_of(d, dims, context);
    } catch (const Error& e) {
        if (e.kind() != ErrorKind::User) throw;
        result.reason = e.message();
    }
    return result;
}

std::optional<Wide> Count::at(const Env& parameters) const {
    if (!formula) return count_points(domain, dims, parameters);
    const Rational value = formula->evaluate(parameters);
    require(value.is_integer(), "a count is whole");
    return value.numerator();
}

std::string Count::str() const { return formula ? formula->str() : "unknown: " + reason; }

namespace {

/// Counts by running through the points, with bounds from Fourier-Motzkin elimination.
class Walk {
public:
    Walk(std::vector<Name> dims, std::int64_t limit) : dims_(std::move(dims)), left_(limit) {}

    /// Points of the conjunct; nothing once the limit is passed.
    std::optional<Wide> count(const Conjunct& c);

private:
    Wide level(std::size_t depth, const std::vector<Conjunct>& shadows);
    std::optional<std::pair<std::int64_t, std::int64_t>> range(const Conjunct& c, Name dim) const;

    std::vector<Name> dims_;
    std::int64_t left_;
    Env point_;
};

/// The values of a dim that the constraints allow when all other symbols have values.
std::optional<std::pair<std::int64_t, std::int64_t>> Walk::range(const Conjunct& c, Name dim) const {
    std::optional<std::int64_t> low, high;
    for (const Constraint& k : c) {
        const std::int64_t a = k.form.coefficient(dim);
        const Affine rest = k.form - Affine::symbol(dim, a);
        if (a == 0 || rest.mentions(dim)) continue;
        const std::int64_t r = evaluate(rest, point_);
        if (a > 0 || k.equality) {
            const auto v = static_cast<std::int64_t>(-floor_divide(a > 0 ? r : -r, a > 0 ? a : -a));
            low = low ? std::max(*low, v) : v;
        }
        if (a < 0 || k.equality) {
            const auto v = static_cast<std::int64_t>(floor_divide(a < 0 ? r : -r, a < 0 ? -a : a));
            high = high ? std::min(*high, v) : v;
        }
    }
    if (!low || !high) throw user_error("count", "'" + dim.str() + "' has no bounds: the points are not finite in number");
    return std::pair(*low, *high);
}

Wide Walk::level(std::size_t depth, const std::vector<Conjunct>& shadows) {
    if (left_ < 0) return 0;
    if (depth == dims_.size()) {
        --left_;
        const Conjunct& all = shadows.back();
        return std::all_of(all.begin(), all.end(), [&](const Constraint& k) { return holds(k, point_); }) ? 1 : 0;
    }
    const auto [low, high] = *range(shadows[depth], dims_[depth]);
    Wide sum = 0;
    for (std::int64_t v = low; v <= high && left_ >= 0; ++v) {
        point_[dims_[depth]] = v;
        sum += level(depth + 1, shadows);
    }
    return sum;
}

std::optional<Wide> Walk::count(const Conjunct& c) {
    std::vector<Conjunct> shadows(dims_.size(), c);
    for (std::size_t k = dims_.size(); k-- > 1;) shadows[k - 1] = eliminate(shadows[k], dims_[k]);
    shadows.push_back(c);
    const Wide sum = level(0, shadows);
    return left_ < 0 ? std::nullopt : std::optional(sum);
}

}  // namespace

std::optional<Wide> count_points(const Domain& d, const std::vector<Name>& dims, const Env& parameters, std::int64_t limit) {
    Domain fixed = d;
    for (const auto& [name, value] : parameters)
        if (std::find(dims.begin(), dims.end(), name) == dims.end()) fixed = fixed.substitute(name, value);
    const Count whole = count(fixed, dims);
    if (whole.formula) return whole.at({});
    Wide sum = 0;
    for (const Conjunct& c : disjoint(fixed).pieces) {
        const auto part = Walk(dims, limit).count(c);
        if (!part) return std::nullopt;
        sum += *part;
    }
    return sum;
}

}  // namespace heddle
