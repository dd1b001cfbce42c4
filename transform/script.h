// Schedules: steps in order, read, run, recorded.
#pragma once

#include <string>
#include <vector>

#include "ir/kernel.h"
#include "transform/steps.h"

namespace heddle {

struct ScriptStep {
    Step step;
    Loc loc;
};

/// A schedule whose lines have been read. `kernel` is the name it was written for; empty: any.
struct Script {
    std::string name = "recorded";
    std::string kernel;
    std::vector<ScriptStep> steps;
};

/// Reads every line; errors (User, "syntax") carry line and column.
Script read_script(const ScheduleText& text);
/// "schedule NAME for KERNEL { … }", which reads back to the same steps.
std::string print(const Script& script);

/// Applies all steps. An error says "step 3 (tile i, j by 64, 64): …" at the step's place; the kernel given stays as it is.
Kernel run(const Script& script, const Kernel& kernel);

/// A kernel under way: every step that was applied and every kernel in between, so that steps can be taken back and replayed.
class Scheduled {
public:
    explicit Scheduled(Kernel kernel) : kernels_{std::move(kernel)} {}

    const Kernel& original() const { return kernels_.front(); }
    const Kernel& kernel() const { return kernels_.back(); }
    /// Applies a step; when it is refused, nothing changes.
    Scheduled& apply(const Step& step, const Loc& loc = {});
    /// Takes the last step back; false when there is none.
    bool undo();
    /// The steps so far: printed, they are a schedule that leads from the original to an equal kernel.
    const Script& history() const { return history_; }

private:
    std::vector<Kernel> kernels_;
    Script history_;
};

}  // namespace heddle
