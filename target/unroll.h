// Unrolled loops written out.
#pragma once

#include "target/program.h"

namespace heddle {

/// Replaces each loop tagged Unroll by copies of its body, the variable replaced by its values and guards evaluated. Errors
/// (User): "unroll" where the number of iterations is not a constant or a statement would have more copies than `limit`.
CodePtr unroll(const CodePtr& code, const KernelData& kernel, std::int64_t limit);

}  // namespace heddle
