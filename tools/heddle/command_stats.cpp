// heddle stats
#include <nlohmann/json.hpp>

#include "ir/error.h"
#include "ir/stats.h"
#include "target/storage_report.h"
#include "tools/heddle/commands.h"
#include "tools/heddle/input.h"
#include "tools/heddle/storage_text.h"
#include "tools/heddle/values.h"

namespace heddle::tools {
namespace {

using Json = nlohmann::ordered_json;

/// The sizes given with --set.
Env sizes(const Kernel& kernel, const std::vector<std::string>& sets) {
    Arguments given;
    for (const std::string& text : sets) set_value(kernel.data(), text, given);
    Env out;
    for (const auto& [name, value] : given.sizes) out[Name(name)] = value;
    return out;
}

/// A quantity as its formula, and as a number where sizes are given (as text: it may not fit a double).
Json json_of(const Quantity& q, const Env& values) {
    Json out{{"formula", q.str()}};
    if (values.empty()) return out;
    if (const auto number = q.at(values)) out["value"] = to_text(*number);
    return out;
}

const char* word_of(OperationKind kind) {
    switch (kind) {
        case OperationKind::Arithmetic:
            return "arithmetic";
        case OperationKind::Call:
            return "call";
        case OperationKind::Index:
            return "index";
        case OperationKind::FmaPair:
            return "fma pair";
    }
    return "";
}

Json json_of(const Stats& s, const Env& values) {
    Json out{{"kernel", s.kernel}};
    for (const InstanceCount& i : s.instances)
        out["instances"].push_back({{"statement", i.statement.str()}, {"count", json_of(i.count, values)}});
    for (const OperationCount& o : s.operations)
        out["operations"].push_back(
            {{"kind", word_of(o.kind)}, {"type", name_of(o.type)}, {"operation", o.name}, {"count", json_of(o.count, values)}});
    for (const AccessCount& a : s.accesses)
        out["accesses"].push_back({{"array", a.array.str()},
                                   {"type", name_of(a.type)},
                                   {"direction", a.store ? "store" : "load"},
                                   {"stride", a.stride.str()},
                                   {"count", json_of(a.count, values)}});
    for (const FootprintCount& f : s.footprints)
        out["footprints"].push_back(
            {{"array", f.array.str()}, {"elements", json_of(f.elements, values)}, {"bytes", json_of(f.bytes, values)}});
    out["flops"] = json_of(s.flops, values);
    out["loaded_bytes"] = json_of(s.loaded_bytes, values);
    out["stored_bytes"] = json_of(s.stored_bytes, values);
    out["touched_bytes"] = json_of(s.touched_bytes, values);
    out["notes"] = s.notes;
    return out;
}

Json json_of(const Program& program, const Env& values) {
    Json out{{"temporaries", Json::array()}, {"workspace", workspace_formula(program)}};
    for (const TemporaryReport& t : report_storage(program))
        out["temporaries"].push_back({{"name", t.name.str()},
                                      {"type", name_of(t.type)},
                                      {"extent", t.extent},
                                      {"space", t.space},
                                      {"bytes", t.bytes},
                                      {"for_each_thread", t.for_each_thread},
                                      {"live_from", t.first},
                                      {"live_to", t.last},
                                      {"reason", t.reason}});
    if (const auto bytes = values.empty() ? std::nullopt : workspace_bytes(program, values, thread_count())) {
        out["workspace_bytes"] = bytes->planned;
        out["workspace_bytes_without_plan"] = bytes->separate;
        out["threads"] = thread_count();
    }
    return out;
}

}  // namespace

void stats_command(const StatsOptions& options, Report& report) {
    const Kernel kernel = load_kernel(options);
    const Stats counted = stats(kernel.data());
    const Env values = sizes(kernel, options.sets);
    if (!values.empty()) counted.require_values(values);
    const auto program = place(kernel, target_options(options));
    if (options.json) {
        Json out = json_of(counted, values);
        out["storage"] = json_of(*program, values);
        report.out = out.dump(2) + "\n";
    } else {
        report.out = (values.empty() ? counted.str() : counted.str(values)) + storage_text(*program, values);
    }
}

}  // namespace heddle::tools
