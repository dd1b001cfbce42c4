// Parallel and vector loops: proof that their iterations may overlap, and what makes their updates safe.
#pragma once

#include "target/program.h"

namespace heddle {

/// Gives each loop tagged Parallel or Vector its reduction clauses, and marks the updates in it that are to be atomic. Errors
/// (User): "race" where two iterations conflict otherwise, with the two instances; "reduction" where an update has no safe
/// form.
CodePtr make_concurrent(const CodePtr& code, const KernelData& kernel);

}  // namespace heddle
