// 64-bit arithmetic that refuses to overflow.
#pragma once

#include <cstdint>

#include "ir/error.h"

namespace heddle {

[[noreturn]] inline void overflow() {
    throw user_error("overflow", "a coefficient of an affine form does not fit 64 bits").hint("use smaller constants");
}
inline std::int64_t add(std::int64_t a, std::int64_t b) {
    std::int64_t r;
    if (__builtin_add_overflow(a, b, &r)) overflow();
    return r;
}
inline std::int64_t sub(std::int64_t a, std::int64_t b) {
    std::int64_t r;
    if (__builtin_sub_overflow(a, b, &r)) overflow();
    return r;
}
inline std::int64_t mul(std::int64_t a, std::int64_t b) {
    std::int64_t r;
    if (__builtin_mul_overflow(a, b, &r)) overflow();
    return r;
}
/// The quotient rounded down; b > 0.
inline std::int64_t floor_quotient(std::int64_t a, std::int64_t b) { return a >= 0 ? a / b : -((-(a + 1)) / b) - 1; }
/// The remainder of floor_quotient, in [0, b).
inline std::int64_t floor_remainder(std::int64_t a, std::int64_t b) { return a - floor_quotient(a, b) * b; }

}  // namespace heddle
