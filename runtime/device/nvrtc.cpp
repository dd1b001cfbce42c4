// CUDA text -> machine code.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/cache/identity.h"
#include "runtime/device/cuda.h"

namespace heddle::runtime {
namespace {

struct Program {
    explicit Program(const NvrtcApi& a) : api(a) {}
    ~Program() {
        if (handle != nullptr) api.program_destroy(&handle);
    }
    Program(const Program&) = delete;
    const NvrtcApi& api;
    void* handle = nullptr;
};

void check(int status, const char* call) {
    if (status != 0) throw RuntimeError(Code::CompileFailed, fmt::format("{} failed with status {}", call, status));
}

std::string log_of(const Program& program) {
    std::size_t bytes = 0;
    check(program.api.program_log_size(program.handle, &bytes), "nvrtcGetProgramLogSize");
    std::string text(bytes, '\0');
    check(program.api.program_log(program.handle, text.data()), "nvrtcGetProgramLog");
    while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.pop_back();
    return text;
}

std::vector<std::string> words_of(const std::string& architecture, const ProgramOptions& options) {
    std::vector<std::string> words{"--gpu-architecture=" + architecture, "--std=c++17",
                                   options.contract ? "--fmad=true" : "--fmad=false"};
    words.insert(words.end(), options.flags.begin(), options.flags.end());
    return words;
}

std::string make_cubin(const NvrtcApi& api, const std::string& text, const std::vector<std::string>& words,
                       const std::string& name) {
    Program program(api);
    check(api.program_create(&program.handle, text.c_str(), name.c_str(), 0, nullptr, nullptr), "nvrtcCreateProgram");
    std::vector<const char*> options;
    for (const std::string& w : words) options.push_back(w.c_str());
    if (const int status = api.program_compile(program.handle, static_cast<int>(options.size()), options.data()); status != 0)
        throw RuntimeError(Code::CompileFailed, fmt::format("NVRTC ({}) failed with status {}:\n{}", words[0], status,
                                                            with_source_line(log_of(program), text)));
    std::size_t bytes = 0;
    check(api.program_cubin_size(program.handle, &bytes), "nvrtcGetCUBINSize");
    std::string cubin(bytes, '\0');
    check(api.program_cubin(program.handle, cubin.data()), "nvrtcGetCUBIN");
    return cubin;
}

std::vector<std::string> architectures_of(const NvrtcApi& api) {
    int count = 0;
    check(api.architecture_count(&count), "nvrtcGetNumSupportedArchs");
    std::vector<int> numbers(static_cast<std::size_t>(count));
    check(api.architectures(numbers.data()), "nvrtcGetSupportedArchs");
    std::vector<std::string> out;
    for (const int n : numbers) out.push_back(fmt::format("sm_{}", n));
    return out;
}

/// "sm_90a" and "sm_100f" are variants of what NVRTC lists.
void check_architecture(const NvrtcApi& api, const std::string& architecture) {
    const auto known = architectures_of(api);
    std::string plain = architecture;
    if (!plain.empty() && (plain.back() == 'a' || plain.back() == 'f')) plain.pop_back();
    if (std::find(known.begin(), known.end(), plain) == known.end())
        throw RuntimeError(Code::BadArgument, fmt::format("NVRTC does not compile for '{}'; it does for {}", architecture,
                                                          fmt::join(known, ", ")));
}

std::string version_of(const NvrtcApi& api) {
    int major = 0, minor = 0;
    check(api.compiler_version(&major, &minor), "nvrtcVersion");
    return fmt::format("NVRTC {}.{}", major, minor);
}

}  // namespace

std::shared_ptr<const std::string> nvrtc_cubin(const NvrtcApi& api, const std::string& text, const std::string& architecture,
                                               const ProgramOptions& options) {
    check_architecture(api, architecture);
    const auto words = words_of(architecture, options);
    ProgramOptions how = options;
    how.cached = options.cached && self_contained(text);
    return cached_bytes(how, {{"compiler", version_of(api)}, {"options", lines_of(words)}, {"CUDA text", text}},
                        [&] { return make_cubin(api, text, words, options.name); });
}

std::shared_ptr<const std::string> compile_cuda(const std::string& text, const std::string& architecture,
                                                const ProgramOptions& options) {
    return nvrtc_cubin(nvrtc_api(), text, architecture, options);
}

std::vector<std::string> cuda_architectures() { return architectures_of(nvrtc_api()); }

}  // namespace heddle::runtime
