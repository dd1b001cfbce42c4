// Sums of polynomials over the integer points of a conjunct, one dimension after another.
#pragma once

#include <vector>

#include "ir/count/piecewise.h"

namespace heddle {

/// A sum still to be taken: of `value` over all values of `dims` that fulfil `where`.
struct Sum {
    Conjunct where;
    Polynomial value;
    std::vector<Name> dims;
};

/// Normalises the constraints, keeps the tightest of parallel ones, makes equalities of opposite ones. False: there is no
/// point.
bool tidy(Conjunct& c);
// Changes towards constraints that are inequalities, linear in the dims. Each makes one and tells whether it did; all keep the
// value.

/// An equality with dims is solved for one of them; by Euclid's algorithm on the coefficients where none is 1.
bool remove_equality(Sum& s);
/// floor(e/d) >= r becomes e >= d*r.
bool clear_floor(Sum& s);
/// A floor with dims in an equality (in any constraint) becomes a dim q of its own: d*q <= e < d*q + d.
bool name_floor(Sum& s, bool inequalities_too);
/// Dims o and k with constant bounds 0 <= k < d that occur as d*o + k become one: the inverse of a split.
bool join_digits(Sum& s);
/// The smallest m > 0 such that m*dim + r for dim clears the dim from the floors of the sum; 0: too large.
std::int64_t period_of(const Sum& s, Name dim);

/// Sum of `value` over the points, as pieces over the remaining symbols; pieces may overlap (they add up). `context` is what is
/// known about the parameters; the result is right for these only. Errors (User, "count"): a dimension without bounds, or more
/// cases than `max_cases`; "overflow".
std::vector<PolynomialPiece> sum_points(Sum s, const Domain& context, int max_cases = 4000);

}  // namespace heddle
