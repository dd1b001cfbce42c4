// Results of runtime calls: codes and text. The runtime includes nothing of the compiler.
#pragma once

#include <stdexcept>
#include <string>

#include "runtime/heddle_runtime.h"

namespace heddle::runtime {

/// The status codes of emitted functions, for C++.
enum class Code {
    Ok = heddle_ok,
    BadArgument = heddle_bad_argument,
    OutOfMemory = heddle_out_of_memory,
    CompilerMissing = heddle_compiler_missing,
    CompileFailed = heddle_compile_failed,
    LoadFailed = heddle_load_failed,
    Io = heddle_io,
    Check = heddle_check,
    NoDevice = heddle_no_device,
    DeviceFailed = heddle_device_failed
};

/// What went wrong while compiling, loading or running; `what()` is a full sentence.
class RuntimeError : public std::runtime_error {
public:
    RuntimeError(Code code, const std::string& text) : std::runtime_error(text), code_(code) {}
    Code code() const { return code_; }

private:
    Code code_;
};

}  // namespace heddle::runtime
