// heddle emit
#include <nlohmann/json.hpp>

#include "target/program.h"
#include "target/target.h"
#include "tools/heddle/commands.h"
#include "tools/heddle/files.h"
#include "tools/heddle/input.h"

namespace heddle::tools {
namespace {

using Json = nlohmann::ordered_json;

std::vector<SourceFile> sources(const Kernel& kernel, const EmitOptions& o) {
    const auto program = lower(kernel, target_options(o));
    if (program->options.device != Device::C) {
        if (o.folder == "-") return {{kernel.name(), emit_device_text(*program)}};
        return emit_for_device(*program);
    }
    if (!o.single && o.folder != "-") return emit_c(*program);
    std::vector<SourceFile> out;
    const std::string text = emit_c_single(*program, o.folder == "-" ? nullptr : &out);
    out.insert(out.begin(), {kernel.name() + ".c", text});
    return out;
}

}  // namespace

TargetOptions target_options(const CodeOptions& options) {
    TargetOptions out;
    out.device = options.device == "c" ? Device::C : options.device == "opencl" ? Device::OpenCl : Device::Cuda;
    out.shared_limit = options.shared_limit;
    out.checked = options.checked;
    out.openmp = !options.no_openmp;
    out.allocation = options.allocator == "malloc" ? Allocation::Malloc : Allocation::Interface;
    out.stack_limit = options.stack_limit;
    return out;
}

void emit_command(const EmitOptions& options, Report& report) {
    const std::vector<SourceFile> files = sources(load_kernel(options), options);
    Json written = Json::array();
    if (options.folder == "-") {
        if (options.json)
            for (const SourceFile& f : files) written.push_back({{"name", f.name}, {"text", f.text}});
        else
            for (const SourceFile& f : files) report.out += f.text;
    } else {
        Outputs outputs;
        outputs.folder(options.folder);
        for (const SourceFile& f : files) {
            const std::string path = options.folder + "/" + f.name;
            outputs.add(path, f.text);
            written.push_back(path);
            if (!options.json) report.out += path + "\n";
        }
        outputs.commit();
    }
    if (options.json) report.out = Json{{"files", std::move(written)}}.dump(2) + "\n";
}

}  // namespace heddle::tools
