// What a kernel computes whatever its data are: a run in which values are terms over the initial elements.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "ir/kernel.h"

namespace heddle::random_test {

/// Is the sequence of instances, and which elements each of them accesses, the same for all data? Then a run of terms says
/// exactly what the kernel does at a size.
bool is_affine(const KernelData& kernel);

/// The kernel with every statement's loops noted under names of their own ("@i" for i), which steps carry along.
Kernel marked(const Kernel& kernel);

/// The end of a run. Terms are hashes: equal terms mean equal values (integers wrap, extremes are put into any order, floating
/// point sums only where the statement says `reassociate`), different terms mean that some data tell them apart.
struct Provenance {
    std::unordered_map<std::uint64_t, std::uint64_t>
        elements;  ///< of arguments, by place: those that do not hold what they held
    std::unordered_map<std::uint64_t, std::uint64_t> instances;  ///< of marked statements: the value that each computes
    std::optional<std::string> race;   ///< a loop that runs concurrently and an element that two of its iterations share
    std::optional<std::string> fault;  ///< a read of what was never written, an element outside its array
};

/// Runs an affine kernel. `seed` chooses the initial terms. With `instances`, no two instances of the statements that were
/// marked write the same value, so that terms tell which of them a read sees: steps kept these statements, or made copies that
/// share their instances out.
Provenance provenance(const Kernel& kernel, const std::map<std::string, std::int64_t>& sizes, unsigned seed, bool instances);

}  // namespace heddle::random_test
