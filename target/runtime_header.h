// The text of runtime/heddle_runtime.h, which emitted code includes or repeats.
#pragma once

namespace heddle {

extern const char* const runtime_header;

}  // namespace heddle
