// Full tiles apart from partial ones.
#pragma once

#include "target/program.h"

namespace heddle {

/// At each loop marked `separate`: the condition under which no bound or guard inside its perfect nest cuts a constant box
/// short, then the nest without those, else the nest as it is.
CodePtr separate_full_tiles(const CodePtr& code, const Domain& assumptions);

}  // namespace heddle
