// The extern functions of a kernel for the interpreter.
#pragma once

#include "ir/interpret.h"
#include "runtime/compile.h"

namespace heddle::tools {

/// What the interpreter calls for a kernel's extern functions: the same ones that compiled code links to, found by the compiler
/// with the same flags (those of the C library always). Compiles nothing where there are none. Throws like
/// `runtime::compile_c`.
ExternTable extern_functions(const Kernel& kernel, const runtime::CompileOptions& compiler);

}  // namespace heddle::tools
