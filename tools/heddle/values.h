// NAME=VALUE on the command line -> arguments of a run.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ir/interpret.h"
#include "ir/kernel_data.h"

namespace heddle::tools {

/// Splits "name=value"; errors (Usage) when there is no '='.
std::pair<std::string, std::string> name_and_value(const std::string& text, const char* option);
/// A scalar of the given type: 3, 0x10, 2.5, 1e-3, inf, nan, true, 1+2j. Errors (User, "value") when it is none, or does not
/// fit.
Buffer scalar_from(const std::string& text, DType type, const std::string& name);
/// Puts a value into `arguments`: a size where `kernel` has an index parameter of that name, else a scalar argument.
void set_value(const KernelData& kernel, const std::string& text, Arguments& arguments);

}  // namespace heddle::tools
