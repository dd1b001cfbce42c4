// The texts that the emulator runs are CUDA: NVRTC, where it is installed, makes machine code of them.
#include <dlfcn.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "cuda_texts.h"

namespace {

/// NVRTC's functions, found when the test runs.
struct Nvrtc {
    using Program = void*;
    int (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
    int (*name_expression)(Program, const char*) = nullptr;
    int (*compile)(Program, int, const char* const*) = nullptr;
    int (*log_size)(Program, std::size_t*) = nullptr;
    int (*log)(Program, char*) = nullptr;
    int (*cubin_size)(Program, std::size_t*) = nullptr;
    int (*destroy)(Program*) = nullptr;

    bool load() {
        void* library = nullptr;
        for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so"})
            if (library == nullptr) library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
        return library != nullptr && find(library, "nvrtcCreateProgram", create) &&
               find(library, "nvrtcAddNameExpression", name_expression) && find(library, "nvrtcCompileProgram", compile) &&
               find(library, "nvrtcGetProgramLogSize", log_size) && find(library, "nvrtcGetProgramLog", log) &&
               find(library, "nvrtcGetCUBINSize", cubin_size) && find(library, "nvrtcDestroyProgram", destroy);
    }
    template <class F>
    static bool find(void* library, const char* name, F& function) {
        return (function = reinterpret_cast<F>(::dlsym(library, name))) != nullptr;
    }
};

/// Bytes of machine code that a text becomes, and what the compiler says.
std::pair<std::size_t, std::string> cubin(const Nvrtc& nvrtc, const char* text, const char* architecture) {
    Nvrtc::Program program = nullptr;
    REQUIRE(nvrtc.create(&program, text, "texts.cu", 0, nullptr, nullptr) == 0);
    if (std::string(text).find("weighted") != std::string::npos)
        REQUIRE(nvrtc.name_expression(program, "weighted<float>") == 0);
    const int failed = nvrtc.compile(program, 1, &architecture);
    std::size_t bytes = 0;
    REQUIRE(nvrtc.log_size(program, &bytes) == 0);
    std::string said(bytes, ' ');
    REQUIRE(nvrtc.log(program, said.data()) == 0);
    bytes = 0;
    if (failed == 0) REQUIRE(nvrtc.cubin_size(program, &bytes) == 0);
    nvrtc.destroy(&program);
    return {bytes, said};
}

}  // namespace

TEST_CASE("emulated CUDA: NVRTC takes the same texts") {
    Nvrtc nvrtc;
    if (!nvrtc.load()) {
        WARN("skipped: NVRTC (libnvrtc.so) is not installed");
        return;
    }
    for (const char* architecture : {"--gpu-architecture=sm_80", "--gpu-architecture=sm_90"})
        for (const char* text : {heddle::test::cuda_right, heddle::test::cuda_wrong}) {
            const auto [bytes, said] = cubin(nvrtc, text, architecture);
            INFO(architecture << ": " << said);
            CHECK(bytes > 1000);
        }
}
