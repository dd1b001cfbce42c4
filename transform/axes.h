// The axes of a temporary, for steps that change them.
#pragma once

#include "transform/declared.h"

namespace heddle {

/// A temporary without a layout of its own. Errors (User): those of `declared`, "layout".
Declared plain_temporary(const KernelData& kernel, Name name, const std::string& verb);
/// The axis as an index. Errors (User, "layout"): there is none of that number.
std::size_t checked_axis(const Array& array, std::int64_t axis);
/// floor(e/by) and e mod by, settled where the statement's domain decides.
std::pair<Expr, Expr> block_and_entry(const Expr& subscript, std::int64_t by, const Domain& domain);

}  // namespace heddle
