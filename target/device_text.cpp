// Files of programs whose functions run on a device.
#include "target/dialect.h"
#include "target/host.h"
#include "target/runtime_header.h"

namespace heddle {
namespace {

/// The functions of all launches, and what they need.
struct DeviceFile {
    std::vector<DeviceText> functions;
    std::string text;
};

DeviceFile device_file(const Program& program, const NameTable& names) {
    HelperSet helpers;
    helpers.device = program.options.device;
    helpers.owner = c_identifier(program.kernel->name.str());
    DeviceFile out;
    std::string tables, functions;
    for (std::size_t k = 0; k < program.launches.size(); ++k) {
        out.functions.push_back(emit_launch(program, k, names, helpers));
        const DeviceText& f = out.functions.back();
        tables += f.tables;
        functions += f.signature() + " " + f.body + "\n";
    }
    const std::string body = helpers.text() + (tables.empty() ? "" : tables + "\n") + functions;
    out.text = device_prelude(program.options.device, body) + body;
    return out;
}

struct HostFile {
    std::string functions, header;
};

HostFile host_file(const Program& program, const NameTable& names, const DeviceFile& device) {
    HelperSet helpers;
    helpers.owner = c_identifier(program.kernel->name.str());
    HostEmitter host(program, names, device.functions, helpers);
    const std::string functions = host.functions();
    const std::string text = helpers.text() + functions + "\n" + host.entry();
    return {text, host.header()};
}

}  // namespace

std::string emit_device_text(const Program& program) { return device_file(program, NameTable(*program.kernel)).text; }

std::string emit_device_host(const Program& program) {
    const NameTable names(*program.kernel);
    const HostFile host = host_file(program, names, device_file(program, names));
    return prelude(false, host.functions) + std::string(runtime_header) + "\n" + host.functions;
}

std::vector<SourceFile> emit_for_device(const Program& program) {
    const NameTable names(*program.kernel);
    const DeviceFile device = device_file(program, names);
    const HostFile host = host_file(program, names, device);
    const std::string name = c_identifier(program.kernel->name.str());
    const std::string suffix = program.options.device == Device::Cuda ? ".cu" : ".cl";
    return {{name + ".h", host.header},
            {name + "_host.c", "#include \"" + name + ".h\"\n\n" + prelude(false, host.functions) + host.functions},
            {name + "_device" + suffix, device.text},
            {"heddle_runtime.h", runtime_header}};
}

}  // namespace heddle
