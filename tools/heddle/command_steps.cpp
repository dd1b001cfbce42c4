// heddle steps
#include <nlohmann/json.hpp>

#include "ir/error.h"
#include "tools/heddle/commands.h"
#include "transform/step.h"

namespace heddle::tools {
namespace {

using Json = nlohmann::ordered_json;

Json as_json(const StepInfo& step) {
    Json fields = Json::array();
    for (const StepInfo::Field& f : step.fields)
        fields.push_back({{"name", f.name},
                          {"keyword", f.keyword},
                          {"type", f.type},
                          {"doc", f.doc},
                          {"required", f.required},
                          {"default", f.fallback}});
    return {{"step", step.verb},       {"function", step.function}, {"summary", step.summary}, {"usage", step.usage()},
            {"example", step.example}, {"before", step.before},     {"after", step.after},     {"fields", std::move(fields)}};
}

std::string json_of(const std::string& verb) {
    if (!verb.empty()) step_help(verb);  // an unknown verb is refused there
    Json out = Json::array();
    for (const StepInfo& step : step_table())
        if (verb.empty() || step.verb == verb) out.push_back(as_json(step));
    return out.dump(2) + "\n";
}

}  // namespace

void steps_command(const StepsOptions& options, Report& report) {
    if (options.json)
        report.out = json_of(options.verb);
    else if (options.markdown)
        report.out = steps_markdown();
    else
        report.out = options.verb.empty() ? steps_help() : step_help(options.verb);
}

}  // namespace heddle::tools
