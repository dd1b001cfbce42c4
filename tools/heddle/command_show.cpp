// heddle show
#include <nlohmann/json.hpp>

#include "ir/error.h"
#include "ir/kernel_data.h"
#include "target/target.h"
#include "tools/heddle/commands.h"
#include "tools/heddle/draw.h"
#include "tools/heddle/files.h"
#include "tools/heddle/input.h"
#include "transform/script.h"
#include "transform/step.h"

namespace heddle::tools {
namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& json) { return json.dump(2) + "\n"; }

void check_format(const ShowOptions& o) {
    const bool drawn = o.what == "tree" || o.what == "dependences";
    if (!drawn && o.format != "text")
        throw Error(ErrorKind::Usage, "usage", "only tree and dependences can be shown as " + o.format);
    if (o.json && o.format != "text")
        throw Error(ErrorKind::Usage, "usage", "--json and --format " + o.format + " exclude each other");
}

std::string show_tree(const KernelData& kernel, const ShowOptions& o) {
    if (o.json) return dump(tree_json(kernel));
    return o.format == "dot" ? tree_dot(kernel) : o.format == "svg" ? tree_svg(kernel) : tree_text(kernel);
}

std::string show_dependences(const KernelData& kernel, const ShowOptions& o) {
    const std::vector<Dependence> all = dependences(kernel);
    if (o.json) return dump(dependences_json(kernel, all));
    return o.format == "dot"   ? dependences_dot(kernel, all)
           : o.format == "svg" ? dependences_svg(kernel, all)
                               : dependences_text(kernel, all);
}

std::string show_code(const Kernel& kernel, const ShowOptions& o) {
    const TargetOptions target = target_options(o);
    const auto program = lower(kernel, target);
    const std::string text =
        target.device == Device::C ? emit_c_single(*program) : emit_device_text(*program) + "\n" + emit_device_host(*program);
    return o.json ? dump({{"kernel", kernel.name()}, {"code", text}}) : text;
}

/// The steps as they were read: in the language, or as JSON.
std::string show_script(const Selection& selection) {
    Selection wanted = selection;
    wanted.scheduled = true;
    const Loaded loaded = load(wanted);
    const Script script = read_script(*loaded.schedule);
    run(script, loaded.written);
    if (!selection.json) return print(script);
    Json steps = Json::array();
    for (const ScriptStep& s : script.steps) steps.push_back(Json::parse(to_json(s.step)));
    return dump({{"schedule", script.name}, {"kernel", loaded.written.name()}, {"steps", std::move(steps)}});
}

std::string shown(const ShowOptions& o) {
    check_format(o);
    if (o.what == "script") return show_script(o);
    const Kernel kernel = load_kernel(o);
    if (o.what == "tree") return show_tree(kernel.data(), o);
    if (o.what == "dependences") return show_dependences(kernel.data(), o);
    if (o.what == "code") return show_code(kernel, o);
    return o.json ? dump({{"kernel", kernel.name()}, {"text", kernel.str()}}) : kernel.str();
}

}  // namespace

void show_command(const ShowOptions& options, Report& report) {
    const std::string text = shown(options);
    if (options.output == "-") {
        report.out = text;
        return;
    }
    Outputs outputs;
    outputs.add(options.output, text);
    outputs.commit();
}

}  // namespace heddle::tools
