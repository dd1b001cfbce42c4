// Kernel files and schedules as the commands ask for them.
#pragma once

#include <optional>
#include <string>

#include "ir/kernel.h"
#include "tools/heddle/commands.h"

namespace heddle::tools {

struct Loaded {
    Unit unit;
    Kernel written;                        ///< as it stands in the file
    std::optional<ScheduleText> schedule;  ///< the one asked for
};
/// Reads the file and picks kernel and schedule; nothing is applied yet.
Loaded load(const Selection& selection);
/// The kernel that was asked for, its schedule applied.
Kernel load_kernel(const Selection& selection);
Kernel apply_schedule(const Kernel& kernel, const ScheduleText& schedule);

}  // namespace heddle::tools
