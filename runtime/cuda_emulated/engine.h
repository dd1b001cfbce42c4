// The functions that compiled text calls.
#pragma once

#include "runtime/cuda_emulated/heddle_cuda_abi.h"

namespace heddle::runtime {

extern const heddle_cuda_engine cuda_engine;

}  // namespace heddle::runtime
