// Every kind of device that tests can have, and one text in the dialect of each.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "runtime/device.h"
#include "test/support/recording_cuda.h"

namespace heddle::test {

/// A device, and how its dialect spells things.
struct TestDevice {
    std::string name;
    runtime::Device device;
    bool opencl;
};

/// Emulated CUDA, OpenCL, CUDA on the recording driver; made once.
inline const std::vector<TestDevice>& test_devices() {
    static const std::vector<TestDevice>* all =
        new std::vector<TestDevice>{{"emulated CUDA", runtime::emulated_cuda_device(), false},
                                    {"OpenCL", runtime::opencl_device(), true},
                                    {"CUDA, recorded", runtime::cuda_device(0, RecordingCuda::get().api()), false}};
    return *all;
}

/// Text written once, in the words of each dialect. Dynamic shared memory: `SHARED(line)` ends the parameters, `BEGIN(line)`
/// begins the body, elements are ints.
inline std::string dialect(const TestDevice& d, std::string text) {
    static const std::vector<std::array<const char*, 3>> words{
        {"KERNEL", "extern \"C\" __global__ void", "__kernel void"},
        {"GLOBAL", "", "__global"},
        {"SHARED(line)", "", ", __local int* line"},
        {"BEGIN(line)", "extern __shared__ int line[];", ""},
        {"BARRIER", "__syncthreads()", "barrier(CLK_LOCAL_MEM_FENCE)"},
        {"INDEX", "((int)(blockIdx.x * blockDim.x + threadIdx.x))", "((int)get_global_id(0))"},
        {"GROUP", "((int)blockIdx.x)", "((int)get_group_id(0))"},
        {"LANES", "((int)blockDim.x)", "((int)get_local_size(0))"},
        {"LANE", "((int)threadIdx.x)", "((int)get_local_id(0))"}};
    for (const auto& [word, cuda, opencl] : words)
        for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at))
            text.replace(at, std::string(word).size(), d.opencl ? opencl : cuda);
    return (d.opencl ? "#pragma OPENCL FP_CONTRACT OFF\n#line 1\n" : "") + text;
}

}  // namespace heddle::test
