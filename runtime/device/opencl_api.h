// OpenCL 1.2 as far as it is used, found when the program runs: no headers, no link dependency.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace heddle::runtime {

inline constexpr std::int32_t cl_success = 0, cl_device_not_found = -1, cl_build_failure = -11;

struct ClRegion {
    std::size_t origin, size;
};

/// The functions, with the names of OpenCL less "cl". Handles are pointers.
#define HEDDLE_OPENCL_FUNCTIONS(X)                                                                                           \
    X(GetPlatformIDs, std::int32_t, (std::uint32_t, void**, std::uint32_t*))                                                 \
    X(GetPlatformInfo, std::int32_t, (void*, std::uint32_t, std::size_t, void*, std::size_t*))                               \
    X(GetDeviceIDs, std::int32_t, (void*, std::uint64_t, std::uint32_t, void**, std::uint32_t*))                             \
    X(GetDeviceInfo, std::int32_t, (void*, std::uint32_t, std::size_t, void*, std::size_t*))                                 \
    X(CreateContext, void*, (const std::intptr_t*, std::uint32_t, void* const*, void*, void*, std::int32_t*))                \
    X(ReleaseContext, std::int32_t, (void*))                                                                                 \
    X(CreateCommandQueue, void*, (void*, void*, std::uint64_t, std::int32_t*))                                               \
    X(ReleaseCommandQueue, std::int32_t, (void*))                                                                            \
    X(CreateBuffer, void*, (void*, std::uint64_t, std::size_t, void*, std::int32_t*))                                        \
    X(CreateSubBuffer, void*, (void*, std::uint64_t, std::uint32_t, const void*, std::int32_t*))                             \
    X(ReleaseMemObject, std::int32_t, (void*))                                                                               \
    X(EnqueueReadBuffer, std::int32_t,                                                                                       \
      (void*, void*, std::uint32_t, std::size_t, std::size_t, void*, std::uint32_t, void* const*, void**))                   \
    X(EnqueueWriteBuffer, std::int32_t,                                                                                      \
      (void*, void*, std::uint32_t, std::size_t, std::size_t, const void*, std::uint32_t, void* const*, void**))             \
    X(EnqueueCopyBuffer, std::int32_t,                                                                                       \
      (void*, void*, void*, std::size_t, std::size_t, std::size_t, std::uint32_t, void* const*, void**))                     \
    X(EnqueueNDRangeKernel, std::int32_t,                                                                                    \
      (void*, void*, std::uint32_t, const std::size_t*, const std::size_t*, const std::size_t*, std::uint32_t, void* const*, \
       void**))                                                                                                              \
    X(EnqueueMarkerWithWaitList, std::int32_t, (void*, std::uint32_t, void* const*, void**))                                 \
    X(EnqueueBarrierWithWaitList, std::int32_t, (void*, std::uint32_t, void* const*, void**))                                \
    X(WaitForEvents, std::int32_t, (std::uint32_t, void* const*))                                                            \
    X(GetEventInfo, std::int32_t, (void*, std::uint32_t, std::size_t, void*, std::size_t*))                                  \
    X(ReleaseEvent, std::int32_t, (void*))                                                                                   \
    X(Flush, std::int32_t, (void*))                                                                                          \
    X(Finish, std::int32_t, (void*))                                                                                         \
    X(CreateProgramWithSource, void*, (void*, std::uint32_t, const char**, const std::size_t*, std::int32_t*))               \
    X(CreateProgramWithBinary, void*,                                                                                        \
      (void*, std::uint32_t, void* const*, const std::size_t*, const unsigned char**, std::int32_t*, std::int32_t*))         \
    X(BuildProgram, std::int32_t, (void*, std::uint32_t, void* const*, const char*, void*, void*))                           \
    X(GetProgramInfo, std::int32_t, (void*, std::uint32_t, std::size_t, void*, std::size_t*))                                \
    X(GetProgramBuildInfo, std::int32_t, (void*, void*, std::uint32_t, std::size_t, void*, std::size_t*))                    \
    X(ReleaseProgram, std::int32_t, (void*))                                                                                 \
    X(CreateKernel, void*, (void*, const char*, std::int32_t*))                                                              \
    X(ReleaseKernel, std::int32_t, (void*))                                                                                  \
    X(SetKernelArg, std::int32_t, (void*, std::uint32_t, std::size_t, const void*))                                          \
    X(GetKernelInfo, std::int32_t, (void*, std::uint32_t, std::size_t, void*, std::size_t*))                                 \
    X(GetKernelWorkGroupInfo, std::int32_t, (void*, void*, std::uint32_t, std::size_t, void*, std::size_t*))

struct OpenClApi {
#define HEDDLE_FIELD(name, result, arguments) result(*name) arguments = nullptr;
    HEDDLE_OPENCL_FUNCTIONS(HEDDLE_FIELD)
#undef HEDDLE_FIELD
};

/// The functions of the system's OpenCL library. Throws RuntimeError(NoDevice) when there is none.
const OpenClApi& opencl_api();

/// "CL_OUT_OF_RESOURCES (-5)"
std::string opencl_error(std::int32_t status);
/// Throws RuntimeError(DeviceFailed), or OutOfMemory, with the call and the status; does nothing on success.
void opencl_check(std::int32_t status, const char* call);

}  // namespace heddle::runtime
