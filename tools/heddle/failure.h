// Errors -> text and exit status.
#pragma once

#include <exception>

#include "tools/heddle/commands.h"

namespace heddle::tools {

/// Says in `report` what went wrong, for the standard error and, where `json`, as an object {"error": …} for the standard
/// output.
void report_failure(std::exception_ptr failure, bool json, Report& report);

}  // namespace heddle::tools
