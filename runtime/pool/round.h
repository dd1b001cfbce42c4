#pragma once

#include <cstddef>

namespace heddle::runtime {

/// The next multiple of a power of two.
constexpr std::size_t round_up(std::size_t n, std::size_t unit) { return (n + unit - 1) & ~(unit - 1); }

}  // namespace heddle::runtime
