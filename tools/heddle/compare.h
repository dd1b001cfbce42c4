// Are two results the same?
#pragma once

#include <string>

#include "ir/interpret.h"

namespace heddle::tools {

/// How two arrays of one type and shape differ.
struct Difference {
    double largest = 0;  ///< largest absolute difference, relative to the largest magnitude of `wanted`; integers: 0 or 1
    std::int64_t element = -1;  ///< where, row-major; -1: nowhere
    bool within = true;         ///< no more than rounding: 1e-12 for f64 and c128, 1e-5 for f32 and c64, nothing for integers
};
/// NaN equals NaN, infinities equal themselves.
Difference difference(const Buffer& got, const Buffer& wanted);
/// "[3, 5]": the subscripts of a row-major position.
std::string subscripts_text(const Buffer& buffer, std::int64_t element);

}  // namespace heddle::tools
