// heddle explain
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "ir/depend.h"
#include "ir/error.h"
#include "ir/kernel_data.h"
#include "ir/tree.h"
#include "tools/heddle/commands.h"
#include "tools/heddle/draw.h"
#include "tools/heddle/input.h"
#include "tools/heddle/storage_text.h"
#include "transform/script.h"
#include "transform/step.h"

namespace heddle::tools {
namespace {

using Json = nlohmann::ordered_json;

/// Applies the steps one by one until one is refused.
struct Walk {
    Script script;
    Scheduled scheduled;
    std::optional<Error> refusal;
};

Walk walk_through(const Kernel& kernel, const ScheduleText& text) {
    Walk out{read_script(text), Scheduled(kernel), std::nullopt};
    for (const ScriptStep& s : out.script.steps) {
        try {
            out.scheduled.apply(s.step, s.loc);
        } catch (const Error& e) {
            if (e.kind() != ErrorKind::User) throw;
            out.refusal = e;
            out.refusal->locate(s.loc);
            break;
        }
    }
    return out;
}

Json refusal_json(const Error& e) {
    Json notes = Json::array();
    for (const Note& n : e.notes()) notes.push_back(n.text);
    return {{"code", e.code()}, {"message", e.message()}, {"notes", std::move(notes)}, {"hint", e.hint_text()}};
}

/// Launches, barriers and memory of a device program; nothing for the processor.
std::string device_text(const Kernel& kernel, const CodeOptions& options) {
    const TargetOptions target = target_options(options);
    if (target.device == Device::C) return "";
    const auto program = lower(kernel, target);
    std::string out = "\nLaunches\n";
    for (const LaunchReport& r : launch_reports(*program)) {
        out += fmt::format("{}: {}, {} x {} x {} lanes\n", r.function, r.blocks.empty() ? "one block" : r.blocks, r.lanes[0], r.lanes[1], r.lanes[2]);
        for (const std::string& barrier : r.barriers) out += "  barrier " + barrier + "\n";
    }
    const std::string storage = storage_text(*program, {});
    return out + (storage.empty() ? "" : "\n" + storage);
}

Json launches_json(const Kernel& kernel, const CodeOptions& options) {
    Json out = Json::array();
    for (const LaunchReport& r : launch_reports(*lower(kernel, target_options(options))))
        out.push_back({{"function", r.function}, {"blocks", r.blocks}, {"lanes", r.lanes}, {"barriers", r.barriers}});
    return out;
}

void explain_schedule(const Loaded& loaded, const ExplainOptions& options, Report& report) {
    const bool json = options.json;
    const Walk w = walk_through(loaded.written, *loaded.schedule);
    const std::size_t done = w.scheduled.history().steps.size();
    Json rows = Json::array();
    for (std::size_t k = 0; k < w.script.steps.size(); ++k) {
        const char* how = k < done ? "proved" : w.refusal && k == done ? "refused" : "not tried";
        const std::string step = print(w.script.steps[k].step);
        if (json) {
            rows.push_back({{"step", step}, {"result", how}});
            if (w.refusal && k == done) rows.back()["refusal"] = refusal_json(*w.refusal);
            continue;
        }
        report.out += fmt::format("{:3}. {:<10} {}\n", k + 1, how, step);
        if (w.refusal && k == done) report.out += w.refusal->render();
    }
    if (json) {
        Json out{{"kernel", loaded.written.name()}, {"schedule", w.script.name}, {"steps", std::move(rows)}};
        if (!w.refusal && options.device != "c") out["launches"] = launches_json(w.scheduled.kernel(), options);
        report.out = out.dump(2) + "\n";
    } else if (!w.refusal) {
        report.out += device_text(w.scheduled.kernel(), options);
    }
    report.status = w.refusal ? 1 : 0;
}

/// What keeps the iterations of a loop in order; empty: nothing.
std::string obstacle(const KernelData& kernel, const Node& loop) {
    const auto witness = carried_by(kernel, &loop, true);
    return witness ? witness->text(kernel) : std::string();
}

Json loops_json(const KernelData& kernel) {
    Json rows = Json::array();
    walk(kernel.root, [&](const NodePtr& n) {
        if (n->kind != Node::Kind::Loop) return;
        const std::string text = obstacle(kernel, *n);
        Json row{{"loop", n->loop.str()}, {"parallel", text.empty()}};
        if (!text.empty()) row["witness"] = text;
        rows.push_back(std::move(row));
    });
    return rows;
}

std::string loops_text(const KernelData& kernel) {
    std::string out;
    walk(kernel.root, [&](const NodePtr& n) {
        if (n->kind != Node::Kind::Loop) return;
        const std::string text = obstacle(kernel, *n);
        const bool sums = text.empty() && !reductions_carried(kernel, n.get()).empty();
        out += fmt::format("{}: {}\n", loop_title(*n),
                           !text.empty() ? "its iterations depend on each other: " + text
                           : sums        ? "its iterations are independent but for reductions that commute"
                                         : "its iterations are independent");
    });
    return out;
}

void explain_kernel(const Kernel& kernel, const ExplainOptions& options, Report& report) {
    const bool json = options.json;
    const KernelData& data = kernel.data();
    const std::vector<Dependence> all = dependences(data);
    if (json) {
        Json out = dependences_json(data, all);
        out["loops"] = loops_json(data);
        if (options.device != "c") out["launches"] = launches_json(kernel, options);
        report.out = out.dump(2) + "\n";
        return;
    }
    const std::string storage = options.device == "c" ? storage_text(*place(kernel), {}) : device_text(kernel, options).substr(1);
    report.out = "Dependences\n" + dependences_text(data, all) + "\nLoops\n" + loops_text(data) +
                 (storage.empty() ? "" : "\n" + storage);
}

}  // namespace

void explain_command(const ExplainOptions& options, Report& report) {
    const Loaded loaded = load(options);
    if (loaded.schedule)
        explain_schedule(loaded, options, report);
    else
        explain_kernel(loaded.written, options, report);
}

}  // namespace heddle::tools
