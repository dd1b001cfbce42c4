#include "tools/heddle/input.h"

#include "transform/script.h"

namespace heddle::tools {

Loaded load(const Selection& selection) {
    Unit unit = parse_file(selection.file);
    if (!selection.scheduled) {
        Kernel kernel = unit.kernel(selection.kernel);
        return {std::move(unit), std::move(kernel), std::nullopt};
    }
    ScheduleText schedule = unit.schedule(selection.schedule, selection.kernel);
    Kernel kernel = unit.kernel(selection.kernel.empty() ? schedule.kernel : selection.kernel);
    return {std::move(unit), std::move(kernel), std::move(schedule)};
}

Kernel apply_schedule(const Kernel& kernel, const ScheduleText& schedule) { return run(read_script(schedule), kernel); }

Kernel load_kernel(const Selection& selection) {
    const Loaded loaded = load(selection);
    return loaded.schedule ? apply_schedule(loaded.written, *loaded.schedule) : loaded.written;
}

}  // namespace heddle::tools
