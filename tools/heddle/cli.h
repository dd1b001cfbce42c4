// The command line as a function.
#pragma once

namespace heddle::tools {

/// Runs `heddle` with these words; writes to the standard output and error. The exit status: 0 done, 1 refused or wrong input,
/// 2 wrong usage, 3 failure at run time (memory, compiler, device, file system), 4 a fault of ours.
int run_cli(int argc, const char* const* argv);

}  // namespace heddle::tools
