// The axes of a temporary, for steps that change them.
#pragma once

#include "transform/declared.h"

namespace heddle {

/// A temporary without a layout of its own. Errors (User): those of `declared`, "layout".
Declared plain_temporary(const KernelData& kernel, Name name, const std::string& verb);
/// The axis as an index. Errors (User, "layout"): there is none of that number.
std::size_t checked_axis(const Array& array, std::int64_t axis);

}  // namespace heddle
