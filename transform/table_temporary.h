// `precompute` of a temporary: its statements run once for each value they can take, in front of the loops that repeat them.
#pragma once

#include "transform/table.h"

namespace heddle {

/// Moves the statements that give a temporary its values (a sum with its start, a `let`) out to the loop `at`, into a table over
/// the loops between that they depend on. Errors (User): "definition" when these statements do other things too or stand among
/// others, "scope" when they use what is not in sight outside, "footprint", and "illegal-order" when something that they read is
/// written between the fill and the place where they stood.
Kernel precompute_temporary(const Kernel& kernel, const TableRequest& request);

}  // namespace heddle
