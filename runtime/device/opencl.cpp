#include "runtime/device/opencl.h"

#include <fmt/format.h>

#include "runtime/cache/identity.h"

namespace heddle::runtime {
namespace {

constexpr std::uint32_t platform_version = 0x0901, platform_name = 0x0902, device_name = 0x102B, driver_version = 0x102D,
                        device_version = 0x102F, max_group = 0x1004, max_items = 0x1005, local_memory = 0x1023,
                        device_platform = 0x1031, execution_status = 0x11D3;
constexpr std::uint64_t every_type = 0xFFFFFFFF;
constexpr std::int32_t complete = 0;

std::string platform_info(const OpenClApi& api, void* platform, std::uint32_t what) {
    return cl_text([&](std::size_t n, void* v, std::size_t* s) { return api.GetPlatformInfo(platform, what, n, v, s); },
                   "clGetPlatformInfo");
}
std::string device_info(const OpenClApi& api, void* device, std::uint32_t what) {
    return cl_text([&](std::size_t n, void* v, std::size_t* s) { return api.GetDeviceInfo(device, what, n, v, s); },
                   "clGetDeviceInfo");
}
template <class T>
T device_value(const ClContext& c, std::uint32_t what) {
    return cl_value<T>([&](std::size_t n, void* v, std::size_t* s) { return c.api.GetDeviceInfo(c.device, what, n, v, s); },
                       "clGetDeviceInfo");
}

/// A queue or an event, released with its last handle.
std::shared_ptr<void> held(std::shared_ptr<ClContext> context, void* object, std::int32_t (*release)(void*)) {
    return {object, [context = std::move(context), release](void* o) { release(o); }};
}

DeviceLimits limits_of(const ClContext& c) {
    DeviceLimits out;
    const auto items = device_value<std::array<std::size_t, 3>>(c, max_items);
    for (std::size_t k = 0; k < 3; ++k) {
        out.lanes[k] = static_cast<std::int64_t>(std::min<std::size_t>(items[k], 1u << 30));
        out.blocks[k] = 0x7fffffff;
    }
    out.lanes_of_block = static_cast<std::int64_t>(device_value<std::size_t>(c, max_group));
    out.shared_bytes = device_value<std::uint64_t>(c, local_memory);
    return out;
}

class OpenClDriver : public Driver {
public:
    explicit OpenClDriver(std::shared_ptr<ClContext> c)
        : context_(std::move(c)), memory_(std::make_shared<ClMemory>(context_)) {
        const auto& api = context_->api;
        void* platform = device_value<void*>(*context_, device_platform);
        kind = DeviceKind::OpenCl;
        name =
            "OpenCL: " + platform_info(api, platform, platform_name) + ", " + device_info(api, context_->device, device_name);
        architecture = context_->platform_text + "\n" + context_->device_text;
        limits = limits_of(*context_);
    }

    void* allocate(const Request& r) override { return memory_->allocate(r); }
    void release(void* block, const Request&) override { memory_->release(block); }

    std::shared_ptr<void> new_queue() override {
        std::int32_t status = 0;
        void* queue = context_->api.CreateCommandQueue(context_->context, context_->device, 0, &status);
        opencl_check(status, "clCreateCommandQueue");
        return held(context_, queue, context_->api.ReleaseCommandQueue);
    }
    void copy(void* to, const void* from, std::size_t bytes, int kind, void* queue) override {
        const auto& api = context_->api;
        if (kind == heddle_copy_to_device) {
            const auto at = memory_->place(to, bytes);
            opencl_check(api.EnqueueWriteBuffer(queue, at.object, 0, at.offset, bytes, from, 0, nullptr, nullptr),
                         "clEnqueueWriteBuffer");
        } else if (kind == heddle_copy_from_device) {
            const auto at = memory_->place(from, bytes);
            opencl_check(api.EnqueueReadBuffer(queue, at.object, 0, at.offset, bytes, to, 0, nullptr, nullptr),
                         "clEnqueueReadBuffer");
        } else {
            const auto a = memory_->place(from, bytes), b = memory_->place(to, bytes);
            opencl_check(api.EnqueueCopyBuffer(queue, a.object, b.object, a.offset, b.offset, bytes, 0, nullptr, nullptr),
                         "clEnqueueCopyBuffer");
        }
    }
    void finish(void* queue) override { opencl_check(context_->api.Finish(queue), "clFinish"); }
    std::shared_ptr<void> record(void* queue) override {
        void* event = nullptr;
        opencl_check(context_->api.EnqueueMarkerWithWaitList(queue, 0, nullptr, &event), "clEnqueueMarkerWithWaitList");
        auto out = held(context_, event, context_->api.ReleaseEvent);
        opencl_check(context_->api.Flush(queue), "clFlush");
        return out;
    }
    void wait(void* queue, void* mark) override {
        if (queue == nullptr) return opencl_check(context_->api.WaitForEvents(1, &mark), "clWaitForEvents");
        opencl_check(context_->api.EnqueueBarrierWithWaitList(queue, 1, &mark, nullptr), "clEnqueueBarrierWithWaitList");
    }
    bool done(void* mark) override {
        const auto state = cl_value<std::int32_t>(
            [&](std::size_t n, void* v, std::size_t* s) { return context_->api.GetEventInfo(mark, execution_status, n, v, s); },
            "clGetEventInfo");
        if (state < 0) opencl_check(state, "work on the OpenCL device");
        return state == complete;
    }

    std::shared_ptr<const std::string> compile(const std::string& text, const ProgramOptions& options) override {
        return cached_bytes(options,
                            {{"device", architecture},
                             {"processor", processor_identity()},
                             {"options", lines_of(options.flags)},
                             {"OpenCL text", text}},
                            [&] { return opencl_binary(*context_, text, options); });
    }
    std::shared_ptr<LoadedProgram> load(std::shared_ptr<const std::string> binary) override {
        return opencl_program(context_, memory_, *binary, limits);
    }

private:
    std::shared_ptr<ClContext> context_;
    std::shared_ptr<ClMemory> memory_;
};

struct Found {
    void* device;
    std::string platform, name;
};

std::vector<void*> platforms(const OpenClApi& api) {
    std::uint32_t count = 0;
    if (api.GetPlatformIDs(0, nullptr, &count) != cl_success || count == 0)
        throw RuntimeError(
            Code::NoDevice,
            "no OpenCL platform: the loader is there, but no driver; install one, such as PoCL (pocl-opencl-icd)");
    std::vector<void*> out(count);
    opencl_check(api.GetPlatformIDs(count, out.data(), nullptr), "clGetPlatformIDs");
    return out;
}

std::vector<Found> all_devices(const OpenClApi& api) {
    std::vector<Found> out;
    for (void* platform : platforms(api)) {
        std::uint32_t count = 0;
        if (api.GetDeviceIDs(platform, every_type, 0, nullptr, &count) != cl_success || count == 0) continue;
        std::vector<void*> devices(count);
        opencl_check(api.GetDeviceIDs(platform, every_type, count, devices.data(), nullptr), "clGetDeviceIDs");
        for (void* d : devices)
            out.push_back({d, platform_info(api, platform, platform_name), device_info(api, d, device_name)});
    }
    return out;
}

}  // namespace

ClContext::ClContext(const OpenClApi& a, void* d) : api(a), device(d) {
    std::int32_t status = 0;
    context = api.CreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    opencl_check(status, "clCreateContext");
    void* platform = device_value<void*>(*this, device_platform);
    platform_text = platform_info(api, platform, platform_name) + ", " + platform_info(api, platform, platform_version);
    device_text = device_info(api, d, device_name) + ", " + device_info(api, d, device_version) + ", driver " +
                  device_info(api, d, driver_version);
}

Device opencl_device(const std::string& platform, const std::string& name) {
    const OpenClApi& api = opencl_api();
    std::string names;
    for (const Found& f : all_devices(api)) {
        if (f.platform.find(platform) != std::string::npos && f.name.find(name) != std::string::npos)
            return Device(std::make_shared<OpenClDriver>(std::make_shared<ClContext>(api, f.device)));
        names += (names.empty() ? "" : "; ") + f.platform + ", " + f.name;
    }
    throw RuntimeError(Code::NoDevice, fmt::format("no OpenCL device whose platform contains '{}' and name '{}'; there {}",
                                                   platform, name, names.empty() ? "are none" : "are: " + names));
}

std::vector<std::string> opencl_report() {
    std::vector<std::string> out;
    try {
        for (const Found& f : all_devices(opencl_api())) out.push_back("OpenCL: " + f.platform + ", " + f.name);
        if (out.empty()) out.push_back("OpenCL: the platforms have no devices");
    } catch (const RuntimeError& e) {
        out.push_back(std::string("OpenCL: ") + e.what());
    }
    return out;
}

}  // namespace heddle::runtime
