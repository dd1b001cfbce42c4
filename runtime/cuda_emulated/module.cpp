#include <fmt/format.h>

#include <cstdlib>

#include "runtime/compile.h"
#include "runtime/cuda_emulated.h"
#include "runtime/cuda_emulated/headers.h"
#include "runtime/cuda_emulated/launch.h"
#include "runtime/cuda_emulated/scan.h"
#include "runtime/status.h"

namespace heddle::runtime {

struct CudaModule::State {
    std::shared_ptr<const std::string> object;  // the bytes, for the lines in reports
    Module module;
    heddle_cuda_attach_function* attach = nullptr;
    const heddle_cuda_kernel* kernels = nullptr;  // the last has no name
    bool checked = false;
};

struct CudaKernel::State {
    std::shared_ptr<const CudaModule::State> module;
    const heddle_cuda_kernel* kernel;
};

namespace {

std::vector<std::string> candidates(const CudaTextOptions& options) {
    if (!options.compiler.empty()) return {options.compiler};
    for (const char* variable : {"HEDDLE_CXX", "CXX"})
        if (const char* value = std::getenv(variable); value != nullptr && *value != 0) return {value};
    return {"g++", "c++"};
}

/// The memory of the dynamic shared arrays, all at one address as in CUDA: a piece of .tbss with their names.
std::string dynamic_memory(const std::vector<std::string>& names) {
    if (names.empty()) return "#define HEDDLE_CUDA_DYNAMIC nullptr\n";
    std::string labels;
    for (const std::string& name : names)
        labels += fmt::format(".globl {0}\\n.hidden {0}\\n.type {0}, %object\\n{0}:\\n", name);
    return fmt::format(
        "asm(\".pushsection .tbss,\\\"awT\\\",%nobits\\n.balign 1024\\n.zero {0}\\n.globl heddle_cuda_dynamic\\n"
        ".hidden heddle_cuda_dynamic\\n.type heddle_cuda_dynamic, %object\\nheddle_cuda_dynamic:\\n{1}"
        ".zero {2}\\n.popsection\");\nextern thread_local char heddle_cuda_dynamic[];\n"
        "#define HEDDLE_CUDA_DYNAMIC heddle_cuda_dynamic\n",
        heddle_cuda_guard_bytes, labels, heddle_cuda_dynamic_bytes + heddle_cuda_guard_bytes);
}

/// What is found by name in the loaded text: its kernels, and where its variables lie.
std::string tables(const CudaText& scanned, const std::vector<std::string>& more) {
    std::string out = dynamic_memory(scanned.dynamic) + "extern \"C\" const heddle_cuda_kernel heddle_cuda_kernels[] = {\n";
    for (const auto& [name, bound] : scanned.kernels)
        out += fmt::format("    HEDDLE_CUDA_KERNEL({}, {}),\n", bound.empty() ? "0" : bound, name);
    for (const std::string& name : more) out += fmt::format("    HEDDLE_CUDA_KERNEL(0, {}),\n", name);
    return out +
           "    {}};\nextern \"C\" HEDDLE_CUDA_EXPORT void heddle_cuda_attach(heddle_cuda_place* place) {\n"
           "    place->slot = &heddle_cuda_slot;\n    place->dynamic = HEDDLE_CUDA_DYNAMIC;\n}\n";
}

/// Symbols are bound within the text: a kernel may have the name of a function of the system ("access").
CompileOptions compile_options(const CudaTextOptions& options) {
    CompileOptions out;
    for (const std::string& word : find_compiler(candidates(options), "C++", "install g++, or name one in HEDDLE_CXX"))
        out.compiler += (out.compiler.empty() ? "" : " ") + word;
    out.flags = {"-xc++",
                 "-std=c++17",
                 "-g",
                 "-w",
                 "-fno-exceptions",
                 "-fno-extern-tls-init",
                 "-fno-gnu-unique",
                 "-ffp-contract=off",
                 "-nodefaultlibs",
                 "-Wl,-Bsymbolic"};
    if (options.checked)
        out.flags.insert(out.flags.end(), {"-Og", "-fsanitize=thread,bounds", "-DHEDDLE_CUDA_CHECKED"});
    else
        out.flags.push_back("-O2");
    out.extra = options.extra;
    out.extra.insert(out.extra.end(), {"-lc", "-lgcc"});
    out.time_limit_s = options.time_limit_s;
    out.cached = options.cached;
    out.cache = options.cache;
    return out;
}

[[noreturn]] void refuse(const char* kernel, const std::string& why) {
    throw RuntimeError(Code::BadArgument, fmt::format("launch of kernel '{}': {}", kernel, why));
}

void check_shape(const heddle_cuda_kernel& k, CudaShape grid, CudaShape block, std::size_t shared_bytes) {
    const auto text = [](CudaShape s) { return fmt::format("{} x {} x {}", s.x, s.y, s.z); };
    const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
    if (threads == 0 || block.x > 1024 || block.y > 1024 || block.z > 64 || threads > 1024)
        refuse(k.name, "a block of " + text(block) + " threads; CUDA allows 1 to 1024, of these 64 along z");
    if (k.bound != 0 && threads > k.bound)
        refuse(k.name, fmt::format("a block of {} threads, above the {} of its __launch_bounds__", threads, k.bound));
    if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > 0x7fffffffu || grid.y > 65535 || grid.z > 65535)
        refuse(k.name, "a grid of " + text(grid) + " blocks; CUDA allows 1 to 2147483647, 65535 and 65535");
    if (shared_bytes > heddle_cuda_dynamic_bytes)
        refuse(k.name,
               fmt::format("{} bytes of dynamic shared memory; at most {} exist", shared_bytes, heddle_cuda_dynamic_bytes));
}

void check_arguments(const heddle_cuda_kernel& k, const std::vector<CudaArgument>& arguments) {
    if (arguments.size() != k.count) refuse(k.name, fmt::format("{} arguments for {} parameters", arguments.size(), k.count));
    for (unsigned i = 0; i < k.count; i++)
        if (arguments[i].bytes != k.sizes[i])
            refuse(k.name, fmt::format("argument {} has {} bytes, the parameter {}", i + 1, arguments[i].bytes, k.sizes[i]));
}

}  // namespace

void CudaKernel::launch(CudaShape grid, CudaShape block, std::size_t shared_bytes, const std::vector<CudaArgument>& arguments,
                        const CudaOptions& options) const {
    check_shape(*state_->kernel, grid, block, shared_bytes);
    check_arguments(*state_->kernel, arguments);
    std::vector<void*> values;
    for (const CudaArgument& a : arguments) values.push_back(const_cast<void*>(a.value));
    run_grid({state_->kernel, state_->module->attach, dim3(grid.x, grid.y, grid.z), dim3(block.x, block.y, block.z),
              shared_bytes, std::move(values), options, state_->module->checked, *state_->module->object});
}

std::vector<std::size_t> CudaKernel::parameters() const {
    return {state_->kernel->sizes, state_->kernel->sizes + state_->kernel->count};
}

CudaKernel CudaModule::kernel(const std::string& name) const {
    std::string names;
    for (const heddle_cuda_kernel* k = state_->kernels; k->name != nullptr; k++) {
        if (name == k->name) return CudaKernel(std::make_shared<const CudaKernel::State>(CudaKernel::State{state_, k}));
        names += (names.empty() ? "" : ", ") + std::string(k->name);
    }
    throw RuntimeError(Code::LoadFailed,
                       "the CUDA text has no kernel '" + name + "'; it has " + (names.empty() ? "none" : names));
}

void* CudaModule::symbol(const std::string& name) const { return state_->module.symbol(name); }

const std::string& CudaModule::object() const { return *state_->object; }

CudaModule load_cuda_emulated(std::shared_ptr<const std::string> object, bool checked) {
    const Module module = load_module(*object);
    const auto attach = reinterpret_cast<heddle_cuda_attach_function*>(module.symbol("heddle_cuda_attach"));
    const auto* kernels = static_cast<const heddle_cuda_kernel*>(module.symbol("heddle_cuda_kernels"));
    return CudaModule(
        std::make_shared<const CudaModule::State>(CudaModule::State{std::move(object), module, attach, kernels, checked}));
}

CudaModule compile_cuda_emulated(const std::string& text, const CudaTextOptions& options) {
    const std::string whole = fmt::format("{}#line 1 \"{}\"\n{}\n#line 1 \"heddle_cuda_tables\"\n{}", cuda_prelude(),
                                          options.name, text, tables(scan_cuda_text(text), options.kernels));
    return load_cuda_emulated(compile_c_object(whole, compile_options(options)), options.checked);
}

}  // namespace heddle::runtime
