#include "transform/script.h"

#include <fmt/format.h>

#include "ir/error.h"
#include "transform/step.h"

namespace heddle {

namespace {

Kernel applied(const Kernel& kernel, const Step& step, const std::string& prefix, const Loc& loc) {
    try {
        return std::visit([&](const auto& s) { return run_step(kernel, s); }, step);
    } catch (Error& e) {
        e.prefix(prefix);
        e.locate(loc);
        throw;
    }
}

}  // namespace

Kernel apply(const Kernel& kernel, const Step& step) { return applied(kernel, step, print(step) + ": ", {}); }

Script read_script(const ScheduleText& text) {
    Script out{text.name, text.kernel, {}};
    for (const ScheduleText::Line& line : text.lines) out.steps.push_back({read_step(line), line.loc});
    return out;
}

std::string print(const Script& script) {
    std::string out = "schedule " + script.name + (script.kernel.empty() ? "" : " for " + script.kernel) + " {\n";
    for (const ScriptStep& s : script.steps) out += "  " + print(s.step) + "\n";
    return out + "}\n";
}

Kernel run(const Script& script, const Kernel& kernel) {
    if (!script.kernel.empty() && script.kernel != kernel.name())
        throw user_error("name",
                         fmt::format("schedule {} is for kernel {}, not for {}", script.name, script.kernel, kernel.name()));
    Kernel now = kernel;
    std::size_t number = 0;
    for (const auto& [step, loc] : script.steps)
        now = applied(now, step, fmt::format("step {} ({}): ", ++number, print(step)), loc);
    return now;
}

Scheduled& Scheduled::apply(const Step& step, const Loc& loc) {
    const std::size_t number = kernels_.size();
    kernels_.push_back(applied(kernel(), step, fmt::format("step {} ({}): ", number, print(step)), loc));
    history_.kernel = original().name();
    history_.steps.push_back({step, loc});
    return *this;
}

bool Scheduled::undo() {
    if (history_.steps.empty()) return false;
    kernels_.pop_back();
    history_.steps.pop_back();
    return true;
}

}  // namespace heddle
