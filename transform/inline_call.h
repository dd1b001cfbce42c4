// Putting a called kernel's statements in the place of the call.
#pragma once

#include "ir/kernel.h"

namespace heddle {

/// The call's statement becomes the callee's loops, statements and temporaries, with the arguments in place of its parameters and
/// names that are free. Errors (User, "inline"): an argument of another shape or layout, `where` conditions of the callee that
/// are not known to hold.
Kernel inline_call(const Kernel& kernel, std::size_t statement);

}  // namespace heddle
