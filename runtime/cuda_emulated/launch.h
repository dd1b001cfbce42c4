// A launch, and what can go wrong in one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/cuda_emulated.h"
#include "runtime/cuda_emulated/heddle_cuda_abi.h"

namespace heddle::runtime {

/// What all blocks of a launch have in common.
struct CudaLaunch {
    const heddle_cuda_kernel* kernel;
    heddle_cuda_attach_function* attach;
    dim3 grid, block;
    std::size_t shared_bytes;
    std::vector<void*> arguments;
    CudaOptions options;
    bool checked;
    const std::string& object;  ///< the bytes of the compiled text
};

/// What is wrong in a block; %1 and %2 in the text stand for the lines of the two addresses.
struct CudaFailure {
    std::string text;
    const void *first = nullptr, *second = nullptr;
};

/// Runs all blocks. Throws RuntimeError(Check) with the kernel, the block and the failure.
void run_grid(const CudaLaunch& launch);

/// The failure with lines of the text in place of addresses, for which the compiled text is asked.
std::string failure_text(const CudaFailure& failure, const std::string& object);

/// "(1, 0, 0)"
std::string cuda_index_text(uint3 index);

}  // namespace heddle::runtime
