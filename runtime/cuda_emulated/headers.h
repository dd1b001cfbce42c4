// The headers that go in front of CUDA text, as texts.
#pragma once

#include <string>

namespace heddle::runtime {

/// All of them, each included once, with their names for the compiler's messages.
const std::string& cuda_prelude();

}  // namespace heddle::runtime
