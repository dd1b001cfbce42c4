// Deterministic arguments for a kernel, small enough to run and exact under any order of additions.
#pragma once

#include <optional>
#include <vector>

#include "ir/interpret.h"
#include "ir/kernel_data.h"

namespace heddle::test {

/// Up to `count` different assignments of the parameters that the kernel's `where` allows, values from -1 to about 13.
std::vector<Env> sample_sizes(const KernelData& kernel, std::size_t count);
/// All arguments for these sizes: floats are small multiples of 1/8, integers hold different values that stay inside
/// one-dimensional arrays. Nothing when a shape is negative.
std::optional<Arguments> sample_arguments(const KernelData& kernel, const Env& sizes);
/// The first argument whose bytes differ, or nothing.
std::optional<std::string> difference(const KernelData& kernel, const Arguments& a, const Arguments& b);

}  // namespace heddle::test
