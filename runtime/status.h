// Results of runtime calls: codes and text. The runtime includes nothing of the compiler.
#pragma once

#include <stdexcept>
#include <string>

namespace heddle::runtime {

enum class Code {
    Ok = 0,
    BadArgument = 1,
    OutOfMemory = 2,
    CompilerMissing = 3,
    CompileFailed = 4,
    LoadFailed = 5,
    Io = 6,
    Check = 7
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
