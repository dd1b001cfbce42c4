// How far an access moves in memory from one iteration of a loop to the next.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ir/access.h"
#include "ir/count/polynomial.h"

namespace heddle {

/// In elements; nothing when it differs from iteration to iteration or depends on data.
struct Stride {
    std::optional<Polynomial> elements;
    std::string str() const;  ///< "0", "1", "m", "unknown"
};
bool operator==(const Stride& a, const Stride& b);

/// Integer arithmetic without division but of constants, as a polynomial: shapes, strides.
std::optional<Polynomial> polynomial_of(const Expr& e);
/// Elements between neighbours along each axis; nothing for the axis that is one array for each entry, and beyond what
/// polynomials say.
std::vector<std::optional<Polynomial>> axis_strides(const Array& array);
/// Number of elements of the shape, without padding.
std::optional<Polynomial> element_count(const Array& array);

/// For iterations of `loop` that differ by `step` (negative: it runs downward). `varies` tells of a scalar whether its value
/// may change from iteration to iteration.
Stride stride_of(const Array& array, const Access& a, Name loop, std::int64_t step, const std::function<bool(Name)>& varies);
/// The distance between successive values that a domain allows a loop, as far as an equality "loop = r mod s" says: s, else 1.
std::int64_t step_of(const Domain& d, Name loop);

}  // namespace heddle
