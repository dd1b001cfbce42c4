// Kernels back to text.
#pragma once

#include <string>

#include "ir/kernel_data.h"

namespace heddle {

/// Text that parses to an equal kernel.
std::string print(const KernelData& kernel);
std::string print(const Expr& e);
std::string print(const Affine& a);
std::string print(const Constraint& c);
std::string print(const Domain& d);                                         ///< "0 <= i < n and 0 <= j < m"
std::string print_statement(const KernelData& kernel, const Statement& s);  ///< one line, without label and domain
/// Equal meaning as data: same arrays, statements, tree; domains equal as sets.
bool equal(const KernelData& a, const KernelData& b);

}  // namespace heddle
