// The invariants that concern declarations, and what they share with those of the tree. Internal to `ir`.
#pragma once

#include <vector>

#include "ir/error.h"
#include "ir/kernel_data.h"

namespace heddle {

/// "invariant 3: …", code "invalid".
Error broken_invariant(int number, const std::string& what, const Loc& loc);
/// Invariant 1 as far as declarations go, and that rules use only their parameters and the kernel's names.
void check_names(const KernelData& kernel);
/// Invariant 6.
void check_arrays(const KernelData& kernel);
/// Invariant 7 for unrolled loops.
void check_unrolled(const KernelData& kernel);

/// The array whose memory a name stands for: views are followed.
Name memory_of(const KernelData& kernel, Name array);
/// Every array an expression reads, also through rules, each once.
std::vector<Name> arrays_read(const KernelData& kernel, const Expr& e);

}  // namespace heddle
