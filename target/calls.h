// Calls of other kernels.
#pragma once

#include "target/program.h"

namespace heddle {

/// Lowers every kernel that is called, once each (and without threads of its own where a parallel loop calls it), and takes
/// over the temporaries that their functions want from outside: arrays of ours, one for each call, with the callee's shapes in
/// our terms. Returns the kernel with those arrays; fills `calls` and `storage`. Errors (User): "call" where a size depends on
/// more than our parameters, where layouts or written arguments clash.
std::shared_ptr<const KernelData> link_calls(const std::shared_ptr<const KernelData>& kernel, const TargetOptions& options,
                                             std::map<std::size_t, CallPlan>& calls, std::map<Name, Storage>& storage);

}  // namespace heddle
