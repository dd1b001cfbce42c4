// Where temporaries live, as a table for people.
#pragma once

#include <string>

#include "target/program.h"

namespace heddle::tools {

/// A line for each temporary, and the memory of a call: as a formula, and in bytes where sizes are given. Empty for a kernel
/// without temporaries.
std::string storage_text(const Program& program, const Env& parameters);
/// Threads that a parallel loop would get here.
int thread_count();

}  // namespace heddle::tools
