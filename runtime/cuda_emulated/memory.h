// Where the shared variables of a text lie for the calling thread of the system.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/cuda_emulated/launch.h"
#include "runtime/cuda_emulated/shadow.h"

namespace heddle::runtime {

struct SharedMemory {
    unsigned long* slot = nullptr;  ///< takes the thread that runs
    std::uintptr_t begin = 0;       ///< of all shared variables, the guards included
    std::size_t bytes = 0;
    std::uintptr_t dynamic = 0;                           ///< where dynamic shared memory begins; 0: the text has none
    std::size_t dynamic_bytes = 0;                        ///< as the launch says
    std::vector<std::pair<char*, std::size_t>> poisoned;  ///< to be overwritten before each block
    std::vector<std::pair<char*, std::size_t>> guards;    ///< of it, what nobody may touch
};

/// The thread-local variables of the text are its shared variables, in its .tbss; the loader says where that is.
SharedMemory find_shared_memory(const CudaLaunch& launch);
/// Whether the access leaves the dynamic shared memory.
std::optional<CudaFailure> memory_failure(const SharedMemory& memory, const SharedAccess& access);
/// What the shadow found, in words.
CudaFailure conflict_failure(const SharedAccess& access, const SharedConflict& conflict, uint3 other);

}  // namespace heddle::runtime
