// Random kernels and random steps, as text: the input of the comparison between compiled code and the interpreter.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "ir/kernel.h"

namespace heddle::random_test {

using Rng = std::mt19937;

/// A kernel file with operators, a kernel `inner`, and a kernel `name(n, m, alpha; arrays…)`: nests of depth 1 to 3 over affine
/// domains (triangles, strides, unions) and over bounds that are data; assignments, updates of elements and scalars, tuples,
/// lets, scoped temporaries with layouts, reductions, argmin, operators, rules, a table, a view, calls, affine and
/// data-dependent conditions, indirect subscripts; floats and integers of several widths. Every subscript is inside its array
/// for 1 <= n, m <= 9.
std::string random_kernel(Rng& rng, const std::string& name);

/// A small kernel without data in its conditions and subscripts, whose statements depend on each other at many places;
/// 1 <= n, m <= 6.
std::string random_affine_kernel(Rng& rng, const std::string& name);

/// A line of a schedule that names loops and labels of this kernel; it may well be refused.
std::string random_step(Rng& rng, const Kernel& kernel);

/// A number in [0, bound).
inline int pick(Rng& rng, int bound) { return static_cast<int>(rng() % static_cast<unsigned>(bound)); }
inline bool chance(Rng& rng, int percent) { return pick(rng, 100) < percent; }

}  // namespace heddle::random_test
