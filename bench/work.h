// The work that the benchmarks time: kernels as text, by name and size.
#pragma once

#include <string>

namespace heddle::bench {

/// S_k reads A(k-1) and writes A(k), each in a nest of two loops of its own: `count` statements.
std::string chain(int count);
/// `count` statements in one nest of two loops, statement k on row k of one array, reading row k-1.
std::string rows(int count);
/// `count` independent nests of two loops, each on its own array.
std::string separate_nests(int count);
/// y[i] += a[i, j] * x[j] over a constant square of `size`.
std::string square(int size);
/// Substitution rules f1 … fN, each using the one before once.
std::string nested_rules(int depth);

}  // namespace heddle::bench
