// The CUDA driver and NVRTC as tables of functions, found when the program runs or filled by a test. Handles are pointers;
// results are CUresult and nvrtcResult, 0 for success. Names with _vN are the present binary interface (CUDA 12 and later).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace heddle::runtime {

using CuPointer = std::uint64_t;  ///< CUdeviceptr

/// CUDA_KERNEL_NODE_PARAMS_v2
struct CuKernelNode {
    void* function = nullptr;
    unsigned grid[3]{}, block[3]{};
    unsigned shared_bytes = 0;
    void** arguments = nullptr;
    void** extra = nullptr;
    void* kernel = nullptr;
    void* context = nullptr;
};

/// X(field, symbol, arguments)
#define HEDDLE_CUDA_FUNCTIONS(X)                                                                                    \
    X(init, "cuInit", (unsigned))                                                                                   \
    X(driver_version, "cuDriverGetVersion", (int*))                                                                 \
    X(error_name, "cuGetErrorName", (int, const char**))                                                            \
    X(error_string, "cuGetErrorString", (int, const char**))                                                        \
    X(device_count, "cuDeviceGetCount", (int*))                                                                     \
    X(device_get, "cuDeviceGet", (int*, int))                                                                       \
    X(device_name, "cuDeviceGetName", (char*, int, int))                                                            \
    X(device_attribute, "cuDeviceGetAttribute", (int*, int, int))                                                   \
    X(primary_retain, "cuDevicePrimaryCtxRetain", (void**, int))                                                    \
    X(primary_release, "cuDevicePrimaryCtxRelease_v2", (int))                                                       \
    X(context_push, "cuCtxPushCurrent_v2", (void*))                                                                 \
    X(context_pop, "cuCtxPopCurrent_v2", (void**))                                                                  \
    X(memory_allocate, "cuMemAlloc_v2", (CuPointer*, std::size_t))                                                  \
    X(memory_free, "cuMemFree_v2", (CuPointer))                                                                     \
    X(copy_to_device, "cuMemcpyHtoDAsync_v2", (CuPointer, const void*, std::size_t, void*))                         \
    X(copy_from_device, "cuMemcpyDtoHAsync_v2", (void*, CuPointer, std::size_t, void*))                             \
    X(copy_within, "cuMemcpyDtoDAsync_v2", (CuPointer, CuPointer, std::size_t, void*))                              \
    X(stream_create, "cuStreamCreate", (void**, unsigned))                                                          \
    X(stream_destroy, "cuStreamDestroy_v2", (void*))                                                                \
    X(stream_synchronize, "cuStreamSynchronize", (void*))                                                           \
    X(stream_wait, "cuStreamWaitEvent", (void*, void*, unsigned))                                                   \
    X(event_create, "cuEventCreate", (void**, unsigned))                                                            \
    X(event_record, "cuEventRecord", (void*, void*))                                                                \
    X(event_query, "cuEventQuery", (void*))                                                                         \
    X(event_synchronize, "cuEventSynchronize", (void*))                                                             \
    X(event_destroy, "cuEventDestroy_v2", (void*))                                                                  \
    X(module_load, "cuModuleLoadData", (void**, const void*))                                                       \
    X(module_unload, "cuModuleUnload", (void*))                                                                     \
    X(module_function, "cuModuleGetFunction", (void**, void*, const char*))                                         \
    X(function_attribute, "cuFuncGetAttribute", (int*, int, void*))                                                 \
    X(set_function_attribute, "cuFuncSetAttribute", (void*, int, int))                                              \
    X(launch_kernel, "cuLaunchKernel",                                                                              \
      (void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**))         \
    X(graph_create, "cuGraphCreate", (void**, unsigned))                                                            \
    X(graph_destroy, "cuGraphDestroy", (void*))                                                                     \
    X(graph_add_kernel, "cuGraphAddKernelNode_v2", (void**, void*, void* const*, std::size_t, const CuKernelNode*)) \
    X(graph_instantiate, "cuGraphInstantiateWithFlags", (void**, void*, unsigned long long))                        \
    X(graph_exec_destroy, "cuGraphExecDestroy", (void*))                                                            \
    X(graph_set_kernel, "cuGraphExecKernelNodeSetParams_v2", (void*, void*, const CuKernelNode*))                   \
    X(graph_set_enabled, "cuGraphNodeSetEnabled", (void*, void*, unsigned))                                         \
    X(graph_launch, "cuGraphLaunch", (void*, void*))

#define HEDDLE_NVRTC_FUNCTIONS(X)                                                                                            \
    X(compiler_version, "nvrtcVersion", (int*, int*))                                                                        \
    X(architecture_count, "nvrtcGetNumSupportedArchs", (int*))                                                               \
    X(architectures, "nvrtcGetSupportedArchs", (int*))                                                                       \
    X(program_create, "nvrtcCreateProgram", (void**, const char*, const char*, int, const char* const*, const char* const*)) \
    X(program_compile, "nvrtcCompileProgram", (void*, int, const char* const*))                                              \
    X(program_log_size, "nvrtcGetProgramLogSize", (void*, std::size_t*))                                                     \
    X(program_log, "nvrtcGetProgramLog", (void*, char*))                                                                     \
    X(program_cubin_size, "nvrtcGetCUBINSize", (void*, std::size_t*))                                                        \
    X(program_cubin, "nvrtcGetCUBIN", (void*, char*))                                                                        \
    X(program_destroy, "nvrtcDestroyProgram", (void**))

#define HEDDLE_FIELD(name, symbol, arguments) int(*name) arguments = nullptr;
struct NvrtcApi {
    HEDDLE_NVRTC_FUNCTIONS(HEDDLE_FIELD)
};
struct CudaApi : NvrtcApi {
    HEDDLE_CUDA_FUNCTIONS(HEDDLE_FIELD)
    /// cuFuncGetParamInfo, from CUDA 12.4 on; else null.
    int (*parameter_info)(void*, std::size_t, std::size_t*, std::size_t*) = nullptr;
};
#undef HEDDLE_FIELD

/// NVRTC's functions, and those of both. Throws RuntimeError(NoDevice) saying which library is missing.
const NvrtcApi& nvrtc_api();
std::shared_ptr<const CudaApi> cuda_api();

/// "CUDA_ERROR_INVALID_VALUE (1): invalid argument"
std::string cuda_error(const CudaApi& api, int status);
/// Throws RuntimeError(DeviceFailed), or OutOfMemory, with the call and the status; does nothing on success.
void cuda_check(const CudaApi& api, int status, const char* call);

/// Lines of device_report.
std::vector<std::string> cuda_report();

}  // namespace heddle::runtime
