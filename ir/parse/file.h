// A whole kernel file. Internal to the reader.
#pragma once

#include "ir/kernel.h"

namespace heddle {

/// Reads operators, externs, kernels and schedules. Kernels are read callees first, whatever their order in the file; schedules
/// are kept as text.
Unit read_file(std::shared_ptr<const Source> source);

}  // namespace heddle
