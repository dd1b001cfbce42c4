#include "runtime/device/opencl_api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <map>

#include "runtime/device/driver.h"

namespace heddle::runtime {
namespace {

OpenClApi load_api() {
    void* library = open_library({"libOpenCL.so.1", "libOpenCL.so"});
    if (library == nullptr)
        throw RuntimeError(Code::NoDevice,
                           "no OpenCL: the library libOpenCL.so.1 was not found; install an OpenCL loader (Debian: "
                           "ocl-icd-libopencl1) and a driver such as PoCL (pocl-opencl-icd)");
    OpenClApi api;
#define HEDDLE_FIND(name, result, arguments)                                       \
    api.name = reinterpret_cast<decltype(api.name)>(::dlsym(library, "cl" #name)); \
    if (api.name == nullptr)                                                       \
        throw RuntimeError(Code::NoDevice, "the OpenCL library has no function cl" #name ": it is older than OpenCL 1.2");
    HEDDLE_OPENCL_FUNCTIONS(HEDDLE_FIND)
#undef HEDDLE_FIND
    return api;
}

}  // namespace

const OpenClApi& opencl_api() {
    static const OpenClApi api = load_api();
    return api;
}

std::string opencl_error(std::int32_t status) {
    static const std::map<std::int32_t, const char*> names{{-1, "CL_DEVICE_NOT_FOUND"},
                                                           {-2, "CL_DEVICE_NOT_AVAILABLE"},
                                                           {-3, "CL_COMPILER_NOT_AVAILABLE"},
                                                           {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
                                                           {-5, "CL_OUT_OF_RESOURCES"},
                                                           {-6, "CL_OUT_OF_HOST_MEMORY"},
                                                           {-11, "CL_BUILD_PROGRAM_FAILURE"},
                                                           {-13, "CL_MISALIGNED_SUB_BUFFER_OFFSET"},
                                                           {-30, "CL_INVALID_VALUE"},
                                                           {-38, "CL_INVALID_MEM_OBJECT"},
                                                           {-42, "CL_INVALID_BINARY"},
                                                           {-43, "CL_INVALID_BUILD_OPTIONS"},
                                                           {-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
                                                           {-46, "CL_INVALID_KERNEL_NAME"},
                                                           {-48, "CL_INVALID_KERNEL"},
                                                           {-49, "CL_INVALID_ARG_INDEX"},
                                                           {-50, "CL_INVALID_ARG_VALUE"},
                                                           {-51, "CL_INVALID_ARG_SIZE"},
                                                           {-52, "CL_INVALID_KERNEL_ARGS"},
                                                           {-54, "CL_INVALID_WORK_GROUP_SIZE"},
                                                           {-55, "CL_INVALID_WORK_ITEM_SIZE"},
                                                           {-61, "CL_INVALID_BUFFER_SIZE"},
                                                           {-63, "CL_INVALID_GLOBAL_WORK_SIZE"},
                                                           {-1001, "CL_PLATFORM_NOT_FOUND_KHR"}};
    const auto found = names.find(status);
    return found == names.end() ? fmt::format("status {}", status) : fmt::format("{} ({})", found->second, status);
}

void opencl_check(std::int32_t status, const char* call) {
    if (status == cl_success) return;
    const bool memory = status == -4 || status == -6;
    throw RuntimeError(memory ? Code::OutOfMemory : Code::DeviceFailed,
                       fmt::format("{} failed: {}", call, opencl_error(status)));
}

}  // namespace heddle::runtime
