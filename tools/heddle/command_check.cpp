// heddle check
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "ir/bounds.h"
#include "ir/error.h"
#include "ir/kernel_data.h"
#include "tools/heddle/commands.h"
#include "tools/heddle/input.h"

namespace heddle::tools {
namespace {

using Json = nlohmann::ordered_json;

/// A kernel to check, and what it is called: "gemm", or "gemm after blocked". No kernel where the schedule was refused.
struct Subject {
    std::string title;
    std::optional<Kernel> kernel;
    std::optional<Error> refusal;
};

/// A refusal is a finding of its schedule: the others are looked at as well.
Subject scheduled(const Kernel& kernel, const ScheduleText& schedule) {
    Subject out{kernel.name() + " after " + schedule.name, {}, {}};
    try {
        out.kernel = apply_schedule(kernel, schedule);
    } catch (const Error& e) {
        if (e.kind() != ErrorKind::User) throw;
        out.refusal = e;
    }
    return out;
}

std::vector<Subject> subjects(const CheckOptions& options) {
    if (options.scheduled) {
        const Loaded loaded = load(options);
        return {scheduled(loaded.written, *loaded.schedule)};
    }
    const Unit unit = parse_file(options.file);
    std::vector<Subject> out;
    for (const Kernel& k : unit.kernels) {
        if (!options.kernel.empty() && k.name() != options.kernel) continue;
        out.push_back({k.name(), k, {}});
        for (const ScheduleText& s : unit.schedules)
            if (s.kernel == k.name()) out.push_back(scheduled(k, s));
    }
    if (out.empty()) unit.kernel(options.kernel);
    return out;
}

std::vector<Finding> findings(const KernelData& kernel) {
    std::vector<Finding> out;
    for (auto* check : {check_bounds, check_races, check_defined}) {
        std::vector<Finding> some = check(kernel);
        out.insert(out.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
    }
    return out;
}

const char* word_of(Finding::Kind kind) {
    switch (kind) {
        case Finding::Kind::OutOfBounds:
            return "out-of-bounds";
        case Finding::Kind::Unproved:
            return "unproved";
        case Finding::Kind::ReadBeforeWrite:
            return "read-before-write";
        case Finding::Kind::Race:
            return "race";
        case Finding::Kind::NegativeShape:
            break;
    }
    return "negative-shape";
}

Json json_of(const KernelData& kernel, const Finding& f) {
    Json out{{"kind", word_of(f.kind)}, {"error", f.is_error()}, {"text", f.text}, {"array", f.array.str()}};
    if (f.statement < kernel.statements.size()) out["statement"] = kernel.statements[f.statement]->label.str();
    if (f.loc) out["place"] = f.loc.str();
    for (const auto& [name, value] : f.parameters) out["parameters"][name.str()] = value;
    for (const auto& [name, value] : f.point) out["point"][name.str()] = value;
    return out;
}

/// A finding as an error's text: place, line with caret, sentence.
std::string text_of(const Finding& f) {
    if (f.is_error()) return user_error(word_of(f.kind), f.text, f.loc).render();
    return (f.loc ? f.loc.str() + ": " : std::string()) + "unproved: " + f.text + "\n";
}

/// What is said of one kernel; gives its row of the JSON answer.
Json checked(const Subject& s, bool json, Report& report) {
    std::size_t errors = 0, open = 0;
    Json found = Json::array();
    for (const Finding& f : findings(s.kernel->data())) {
        ++(f.is_error() ? errors : open);
        if (json)
            found.push_back(json_of(s.kernel->data(), f));
        else
            (f.is_error() ? report.err : report.out) += text_of(f);
    }
    if (errors > 0) report.status = 1;
    if (errors > 0)
        report.out += fmt::format("{}: {} error{}\n", s.title, errors, errors == 1 ? "" : "s");
    else if (open > 0)
        report.out += fmt::format("{}: no error found; {} access{} unproved, which --checked tests at run time\n", s.title,
                                  open, open == 1 ? " is" : "es are");
    else
        report.out += fmt::format("{}: all accesses are inside their arrays, no races\n", s.title);
    return {{"kernel", s.title}, {"errors", errors}, {"unproved", open}, {"findings", std::move(found)}};
}

Json refused(const Subject& s, Report& report) {
    const Error& e = *s.refusal;
    report.status = 1;
    report.err += e.render();
    report.out += s.title + ": refused\n";
    Json finding{{"kind", e.code()}, {"error", true}, {"text", e.message()}};
    if (e.loc()) finding["place"] = e.loc().str();
    for (const Note& n : e.notes()) finding["notes"].push_back(n.text);
    if (!e.hint_text().empty()) finding["hint"] = e.hint_text();
    return {{"kernel", s.title}, {"errors", 1}, {"unproved", 0}, {"findings", Json::array({finding})}};
}

}  // namespace

void check_command(const CheckOptions& options, Report& report) {
    Json rows = Json::array();
    for (const Subject& s : subjects(options))
        rows.push_back(s.refusal ? refused(s, report) : checked(s, options.json, report));
    if (options.json) report.out = rows.dump(2) + "\n";
}

}  // namespace heddle::tools
