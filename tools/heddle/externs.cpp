#include "tools/heddle/externs.h"

#include "target/externs.h"

namespace heddle::tools {

ExternTable extern_functions(const Kernel& kernel, const runtime::CompileOptions& compiler) {
    const std::vector<ExternDef> all = all_externs(kernel.data());
    if (all.empty()) return {};
    ExternTable out;
    const runtime::Module module = runtime::compile_c(emit_extern_faces(kernel.data()), compiler);
    for (const ExternDef& e : all) {
        const auto face = reinterpret_cast<void (*)(const void* const*, void*)>(module.symbol(extern_face(e.name)));
        out[e.name.str()] = [module, face](const void* const* arguments, void* result) { face(arguments, result); };
    }
    return out;
}

}  // namespace heddle::tools
