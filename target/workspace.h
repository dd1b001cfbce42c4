// The memory that the host gets for the temporaries of a call.
#pragma once

#include "target/program.h"

namespace heddle {

/// The plan for all allocated temporaries that the kernel uses. Those that called kernels want lie where their call is, in the
/// order that the callee's own plan allows.
std::vector<Slot> plan_workspace(const KernelData& kernel, const std::map<Name, Storage>& storage,
                                 const std::map<std::size_t, CallPlan>& calls);

/// Bytes to which every block in the memory of a call is rounded, and at whose multiples it starts: a line of the cache.
constexpr std::int64_t block_alignment = 64;
/// The same for memory of a device: at such multiples every OpenCL device lets a buffer start.
constexpr std::int64_t device_alignment = 512;

}  // namespace heddle
