// Files of emitted C.
#include "ir/error.h"
#include "target/externs.h"
#include "target/host.h"
#include "target/runtime_header.h"
#include "target/tables.h"

namespace heddle {

std::string prelude(bool openmp, const std::string& body) {
    const auto uses = [&](const char* word) { return body.find(word) != std::string::npos; };
    std::string out;
    if (uses("fabs") || uses("sqrt") || uses("INFINITY") || uses("NAN") || uses("(")) out += "#include <math.h>\n";
    out += "#include <stdbool.h>\n#include <stdint.h>\n";
    if (uses("snprintf(")) out += "#include <stdio.h>\n";
    if (uses("free(")) out += "#include <stdlib.h>\n";
    if (uses("omp_get_")) out += "#ifdef _OPENMP\n#include <omp.h>\n#endif\n";
    out += "\n";
    if (uses("HEDDLE_RESTRICT"))
        out += "#ifdef __cplusplus\n#define HEDDLE_RESTRICT __restrict\n#else\n#define HEDDLE_RESTRICT restrict\n#endif\n";
    if (uses("HEDDLE_THREAD_LOCAL"))
        out +=
            "#ifdef __cplusplus\n#define HEDDLE_THREAD_LOCAL thread_local\n#else\n#define HEDDLE_THREAD_LOCAL "
            "_Thread_local\n#endif\n";
    if (!openmp && uses("HEDDLE_OMP(")) out += "#define HEDDLE_OMP(...)\n";
    if (openmp && uses("HEDDLE_OMP("))
        out +=
            "#ifdef _OPENMP\n#define HEDDLE_PRAGMA(text) _Pragma(#text)\n#define HEDDLE_OMP(...) HEDDLE_PRAGMA(omp "
            "__VA_ARGS__)\n"
            "#else\n#define HEDDLE_OMP(...)\n#endif\n";
    if (uses("heddle_failure"))
        out +=
            "#ifndef HEDDLE_FAILURE_DEFINED\n#define HEDDLE_FAILURE_DEFINED\ntypedef struct {\n    const char *where;\n"
            "    int64_t index, extent;\n} heddle_failure;\n#endif\n";
    if (openmp && uses("HEDDLE_OMP(simd"))  // it is a wish, and no fault where a compiler does not fulfil it
        out += "#ifdef __clang__\n#pragma clang diagnostic ignored \"-Wpass-failed\"\n#endif\n";
    for (const DType type : {DType::C64, DType::C128})
        if (uses(c_type(type).c_str())) out += complex_type_text(type);
    return out + "\n";
}

namespace {

Error tables_need_a_file(const std::vector<LargeTable>& tables) {
    const Array& first = *tables[0].table;
    return user_error("table",
                      "the table '" + first.name.str() + "' has " + std::to_string(first.table->bytes.size()) +
                          " bytes, too many for one text",
                      first.loc)
        .hint("emit into a folder: large tables then come as an object file");
}

/// Device code: helpers, tables, callees, the function.
std::string device_text(const Program& program, const DeviceText& device, const HelperSet& helpers, bool alone) {
    std::string text = extern_text(*program.kernel) + helpers.text() + device.callees;
    if (!device.tables.empty()) text += device.tables + "\n";
    if (alone) text += "#ifdef __cplusplus\nextern \"C\"\n#endif\n" + device.signature() + ";\n\n";
    return text + (alone ? "" : "static ") + device.signature() + " " + device.body;
}

}  // namespace

std::string emit_c_single(const Program& program, std::vector<SourceFile>* objects) {
    const NameTable names(*program.kernel);
    HelperSet helpers;
    helpers.owner = c_identifier(program.kernel->name.str());
    const std::vector<DeviceText> functions{emit_device(program, names, helpers)};
    const DeviceText& device = functions[0];
    if (!helpers.large_tables.empty() && !objects) throw tables_need_a_file(helpers.large_tables);
    HostEmitter host(program, names, functions, helpers);
    const std::string function = host.functions();
    std::string text = device_text(program, device, helpers, false) + "\n" + host.declarations() + "\n" + function;
    if (program.options.entry) text += "\n" + host.entry();
    if (!helpers.large_tables.empty()) objects->push_back({helpers.owner + "_tables.o", object_file(helpers.large_tables)});
    return prelude(program.options.openmp, text) + (host.has_allocator() ? std::string(runtime_header) + "\n" : "") + text;
}

std::vector<SourceFile> emit_c(const Program& program) {
    const NameTable names(*program.kernel);
    HelperSet device_helpers, host_helpers;
    const std::string name = c_identifier(program.kernel->name.str());
    device_helpers.owner = name;
    const std::vector<DeviceText> functions{emit_device(program, names, device_helpers)};
    const DeviceText& device = functions[0];
    HostEmitter host(program, names, functions, host_helpers);
    const std::string function = host.functions();
    std::string host_text =
        host_helpers.text() + "#ifdef __cplusplus\nextern \"C\"\n#endif\n" + device.signature() + ";\n\n" + function;
    if (program.options.entry) host_text += "\n" + host.entry();
    const std::string device_body = device_text(program, device, device_helpers, true);
    std::vector<SourceFile> out = {
        {name + ".h", host.header()},
        {name + "_host.c", "#include \"" + name + ".h\"\n\n" + prelude(program.options.openmp, host_text) + host_text},
        {name + "_device.c", prelude(program.options.openmp, device_body) + device_body}};
    if (host.has_allocator()) out.push_back({"heddle_runtime.h", runtime_header});
    if (!device_helpers.large_tables.empty()) out.push_back({name + "_tables.o", object_file(device_helpers.large_tables)});
    return out;
}

}  // namespace heddle
