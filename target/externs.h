// Functions from outside that emitted C links to.
#pragma once

#include <string>
#include <vector>

#include "ir/kernel_data.h"

namespace heddle {

/// Refuses (User, "name") a function whose name C and its headers keep for something else. Functions of math.h may be declared
/// with their own types.
void check_callable(const ExternDef& function);
/// The extern functions of a kernel and of those it calls, each once, in the order of their names. Errors (User, "type"): two
/// kernels declare a name with different types; (User, "name"): one that is not callable.
std::vector<ExternDef> all_externs(const KernelData& kernel);
/// Their declarations, for C and C++.
std::string extern_text(const KernelData& kernel);
/// "heddle_call_bessel": the name of the uniform face of a function.
std::string extern_face(Name function);
/// C text of a face for each function, `void heddle_call_bessel(const void *const *arguments, void *result)`: by these the
/// interpreter calls what compiled code links to.
std::string emit_extern_faces(const KernelData& kernel);

}  // namespace heddle
