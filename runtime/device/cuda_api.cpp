#include "runtime/device/cuda_api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

#include "runtime/device/driver.h"

namespace heddle::runtime {
namespace {

template <class F>
void find(void* library, const char* symbol, F& function, const char* what) {
    function = reinterpret_cast<F>(::dlsym(library, symbol));
    if (function == nullptr)
        throw RuntimeError(Code::NoDevice, fmt::format("{} has no function {}: it is older than CUDA 12", what, symbol));
}

void* nvrtc_library() {
    const char* chosen = std::getenv("HEDDLE_NVRTC");
    void* library = open_library({chosen == nullptr ? "" : chosen, "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so",
                                  "/usr/local/cuda/lib64/libnvrtc.so"});
    if (library == nullptr)
        throw RuntimeError(Code::NoDevice,
                           "no compiler for CUDA: the library libnvrtc.so (NVRTC, part of the CUDA toolkit) was not "
                           "found; HEDDLE_NVRTC may name it");
    return library;
}

NvrtcApi load_nvrtc() {
    void* library = nvrtc_library();
    NvrtcApi api;
#define HEDDLE_FIND(name, symbol, arguments) find(library, symbol, api.name, "the NVRTC library");
    HEDDLE_NVRTC_FUNCTIONS(HEDDLE_FIND)
#undef HEDDLE_FIND
    return api;
}

std::shared_ptr<const CudaApi> load_cuda() {
    void* library = open_library({"libcuda.so.1", "libcuda.so"});
    if (library == nullptr)
        throw RuntimeError(Code::NoDevice,
                           "no CUDA device: the driver's library libcuda.so.1 was not found; it comes with NVIDIA's driver");
    auto api = std::make_shared<CudaApi>();
#define HEDDLE_FIND(name, symbol, arguments) find(library, symbol, api->name, "the CUDA driver");
    HEDDLE_CUDA_FUNCTIONS(HEDDLE_FIND)
#undef HEDDLE_FIND
    api->parameter_info = reinterpret_cast<decltype(api->parameter_info)>(::dlsym(library, "cuFuncGetParamInfo"));
    static_cast<NvrtcApi&>(*api) = nvrtc_api();
    return api;
}

}  // namespace

const NvrtcApi& nvrtc_api() {
    static const NvrtcApi api = load_nvrtc();
    return api;
}

std::shared_ptr<const CudaApi> cuda_api() {
    static const std::shared_ptr<const CudaApi> api = load_cuda();
    return api;
}

std::string cuda_error(const CudaApi& api, int status) {
    const char *name = nullptr, *text = nullptr;
    if (api.error_name(status, &name) != 0 || name == nullptr) return fmt::format("status {}", status);
    api.error_string(status, &text);
    return fmt::format("{} ({}): {}", name, status, text == nullptr ? "" : text);
}

void cuda_check(const CudaApi& api, int status, const char* call) {
    if (status == 0) return;
    throw RuntimeError(status == 2 ? Code::OutOfMemory : Code::DeviceFailed,
                       fmt::format("{} failed: {}", call, cuda_error(api, status)));
}

}  // namespace heddle::runtime
