// The CUDA path, call by call, on the recording driver; NVRTC for real.
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "cuda_texts.h"
#include "devices.h"

#if __has_include("/usr/local/cuda/include/cuda.h")
#include "/usr/local/cuda/include/cuda.h"
#define HEDDLE_HAS_CUDA_HEADER
#endif

using namespace heddle::runtime;
using namespace heddle::test;

#ifdef HEDDLE_HAS_CUDA_HEADER
// Our declarations against those of the toolkit.
static_assert(sizeof(CuKernelNode) == sizeof(CUDA_KERNEL_NODE_PARAMS));
static_assert(offsetof(CuKernelNode, grid) == offsetof(CUDA_KERNEL_NODE_PARAMS, gridDimX));
static_assert(offsetof(CuKernelNode, block) == offsetof(CUDA_KERNEL_NODE_PARAMS, blockDimX));
static_assert(offsetof(CuKernelNode, shared_bytes) == offsetof(CUDA_KERNEL_NODE_PARAMS, sharedMemBytes));
static_assert(offsetof(CuKernelNode, arguments) == offsetof(CUDA_KERNEL_NODE_PARAMS, kernelParams));
static_assert(offsetof(CuKernelNode, context) == offsetof(CUDA_KERNEL_NODE_PARAMS, ctx));
static_assert(sizeof(CuPointer) == sizeof(CUdeviceptr));
static_assert(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES == 8 &&
              CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN == 97);
static_assert(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X == 5 && CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X == 2 &&
              CUDA_ERROR_NOT_READY == 600);
#endif

namespace {

const char* add_one = "extern \"C\" __global__ void add_one(int n, int* x) { if (threadIdx.x < n) x[threadIdx.x] += 1; }\n";

/// Everything that the path does once: device, program, memory, two queues, copies, a launch.
void whole_path(std::vector<int>& values) {
    const Device device = cuda_device(0, RecordingCuda::get().api());
    ProgramOptions options;
    options.cached = false;
    const DeviceProgram program = device.compile(add_one, options);
    const Queue second = device.new_queue();
    const Allocator memory = device.memory();
    const Request request{values.size() * sizeof(int), 256, heddle_space_device, nullptr};
    void* block = memory.allocate(request);
    const std::shared_ptr<void> hold(block, [&](void* b) { memory.release(b, request); });
    device.queue().copy(block, values.data(), request.bytes, heddle_copy_to_device);
    second.wait(device.queue().record());
    const int n = static_cast<int>(values.size());
    const heddle_argument arguments[]{{&n, sizeof n, 0}, {&block, sizeof block, 1}};
    program.launch({"add_one", {1, 1, 1}, {64, 1, 1}, 0, 2, arguments}, second);
    second.copy(values.data(), block, request.bytes, heddle_copy_from_device);
    second.finish();
}

std::map<std::string, std::size_t> all_live() {
    std::map<std::string, std::size_t> out;
    for (const char* kind : {"memory", "streams", "events", "modules", "graphs", "executable graphs"})
        out[kind] = RecordingCuda::get().live(kind);
    return out;
}

}  // namespace

TEST_CASE("CUDA device: calls in order, with their shapes, and everything released") {
    auto& fake = RecordingCuda::get();
    const auto before = all_live();
    fake.clear();
    std::vector<int> values(50, 4);
    whole_path(values);
    CHECK(values == std::vector<int>(50, 5));
    CHECK(fake.misuses().empty());
    CHECK(fake.calls("cuLaunchKernel") == std::vector<std::string>{"add_one grid 1 1 1 block 64 1 1 shared 0"});
    CHECK(fake.calls("nvrtcCompileProgram") == std::vector<std::string>{"--gpu-architecture=sm_90"});
    CHECK(fake.calls("cuMemcpyHtoDAsync") == std::vector<std::string>{"200"});
    CHECK(fake.calls("cuMemAlloc").size() == fake.calls("cuMemFree").size());
    std::vector<std::string> names;
    for (const CudaCall& c : fake.calls())
        for (const char* wanted :
             {"cuMemcpyHtoDAsync", "cuEventRecord", "cuStreamWaitEvent", "cuLaunchKernel", "cuMemcpyDtoHAsync"})
            if (c.name == wanted) names.push_back(c.name);
    CHECK(names == std::vector<std::string>{"cuMemcpyHtoDAsync", "cuEventRecord", "cuStreamWaitEvent", "cuLaunchKernel",
                                            "cuMemcpyDtoHAsync"});
    CHECK(all_live() == before);
}

TEST_CASE("CUDA device: every call may fail, once at a time: an error with its name, and nothing is left") {
    auto& fake = RecordingCuda::get();
    const auto before = all_live();
    fake.clear();
    std::vector<int> values(50, 4);
    whole_path(values);
    std::set<std::string> names;
    for (const CudaCall& c : fake.calls()) names.insert(c.name);
    CHECK(names.size() > 15);
    for (const std::string& name : names) {
        if (name.find("Free") + name.find("Destroy") + name.find("Unload") + name.find("Release") != 4 * std::string::npos)
            continue;  // what cannot be released cannot be told to anyone
        fake.clear();
        fake.fail(name, 1, 1);
        INFO(name);
        try {
            whole_path(values);
            CHECK(name == "cuMemAlloc");  // the pool asks again, for less
        } catch (const RuntimeError& e) {
            CHECK(std::string(e.what()).size() > 20);
            if (name == "cuLaunchKernel")
                CHECK(std::string(e.what()) ==
                      "launch of 'add_one' with 1 x 1 x 1 blocks of 64 x 1 x 1 lanes and 0 bytes of shared "
                      "memory: cuLaunchKernel says CUDA_ERROR_INVALID_VALUE (1): as the test asked");
        }
        CHECK(all_live() == before);
        CHECK(fake.misuses().empty());
    }
}

TEST_CASE("CUDA device: shared memory above 48 KiB is asked for, once") {
    auto& fake = RecordingCuda::get();
    const Device device = cuda_device(0, fake.api());
    const DeviceProgram program =
        device.compile("extern \"C\" __global__ void f(int* x) { extern __shared__ int s[]; s[0] = 1; *x = s[0]; }\n");
    const Allocator memory = device.memory();
    const Request request{4, 256, heddle_space_device, nullptr};
    void* block = memory.allocate(request);
    const heddle_argument argument{&block, sizeof block, 1};
    fake.clear();
    for (const std::size_t bytes : {1000u, 60000u, 50000u, 70000u})
        program.launch({"f", {1, 1, 1}, {1, 1, 1}, bytes, 1, &argument}, device.queue());
    CHECK(fake.calls("cuFuncSetAttribute") == std::vector<std::string>{"60000", "70000"});
    memory.release(block, request);
}

TEST_CASE("CUDA device: a pool that is full says how much there is") {
    const Device device = cuda_device(0, RecordingCuda::get().api());
    try {
        device.memory().allocate({std::size_t{3} << 30, 256, heddle_space_device, nullptr});
        FAIL("no error");
    } catch (const RuntimeError& e) {
        CHECK(e.code() == Code::OutOfMemory);
        CHECK_THAT(e.what(), Catch::Contains("3221225472") && Catch::Contains("CUDA_ERROR_OUT_OF_MEMORY"));
    }
}

TEST_CASE("NVRTC: machine code for every architecture from sm_75 on, and clear refusals") {
    std::vector<std::string> all;
    try {
        all = cuda_architectures();
    } catch (const RuntimeError& e) {
        WARN("skipped: " << e.what());
        return;
    }
    CHECK(all.size() >= 4);
    std::set<std::string> different;
    for (const std::string& architecture : all)
        if (std::stoi(architecture.substr(3)) >= 75) {
            INFO(architecture);
            const auto cubin = compile_cuda(add_one, architecture);
            CHECK(cubin->substr(1, 3) == "ELF");
            different.insert(*cubin);
        }
    CHECK(different.size() >= 4);
    CHECK_THROWS_WITH(compile_cuda(add_one, "sm_20"), Catch::Contains("'sm_20'") && Catch::Contains("sm_90"));
    CHECK_THROWS_WITH(compile_cuda("\nextern \"C\" __global__ void f(int* x) { *x = missing; }\n", all.back()),
                      Catch::Contains("missing") && Catch::Contains("line 2 is: extern"));
}

TEST_CASE("CUDA device: where there is none, the message says what is missing") {
    try {
        cuda_device();
        WARN("there is a CUDA device here");
    } catch (const RuntimeError& e) {
        CHECK(e.code() == Code::NoDevice);
        CHECK_THAT(e.what(), Catch::Contains("no CUDA device"));
    }
}
