#include "runtime/device/cuda.h"

#include <fmt/format.h>

namespace heddle::runtime {
namespace {

constexpr unsigned non_blocking = 1, without_time = 2;
constexpr int not_ready = 600;
constexpr int max_threads = 1, block_x = 2, grid_x = 5, capability_major = 75, capability_minor = 76, shared_opt_in = 97;

DeviceLimits limits_of(const CudaContext& c) {
    DeviceLimits out;
    for (int k = 0; k < 3; ++k) {
        out.lanes[static_cast<std::size_t>(k)] = c.attribute(block_x + k);
        out.blocks[static_cast<std::size_t>(k)] = c.attribute(grid_x + k);
    }
    out.lanes_of_block = c.attribute(max_threads);
    out.shared_bytes = static_cast<std::size_t>(c.attribute(shared_opt_in));
    return out;
}

CuPointer address(const void* p) { return reinterpret_cast<CuPointer>(p); }

class CudaProgram : public LoadedProgram {
public:
    CudaProgram(std::shared_ptr<CudaContext> context, std::shared_ptr<const std::string> cubin, const DeviceLimits& limits)
        : context_(context), cubin_(std::move(cubin)), limits_(limits) {
        const CudaCurrent current(*context);
        void* module = nullptr;
        if (const int status = context->api->module_load(&module, cubin_->data()); status != 0)
            throw RuntimeError(Code::LoadFailed, "the CUDA driver does not load the compiled program: cuModuleLoadData says " +
                                                     cuda_error(*context->api, status));
        module_ = {module, [context](void* m) {
                       const CudaCurrent inside(*context);
                       context->api->module_unload(m);
                   }};
    }

private:
    std::unique_ptr<LoadedFunction> find(const std::string& name) override {
        const CudaCurrent current(*context_);
        void* function = nullptr;
        if (const int status = context_->api->module_function(&function, module_.get(), name.c_str()); status != 0)
            throw RuntimeError(Code::LoadFailed,
                               fmt::format("the CUDA text has no kernel '{}': {}", name, cuda_error(*context_->api, status)));
        return std::make_unique<CudaFunction>(name, context_, module_, function, limits_);
    }
    std::shared_ptr<CudaContext> context_;
    std::shared_ptr<const std::string> cubin_;
    DeviceLimits limits_;
    std::shared_ptr<void> module_;
};

class CudaDriver : public Driver {
public:
    explicit CudaDriver(std::shared_ptr<CudaContext> c) : context_(std::move(c)), api_(*context_->api) {
        char text[256] = "";
        context_->check(api_.device_name(text, sizeof text, context_->device), "cuDeviceGetName");
        kind = DeviceKind::Cuda;
        name = std::string("CUDA: ") + text;
        architecture = fmt::format("sm_{}{}", context_->attribute(capability_major), context_->attribute(capability_minor));
        limits = limits_of(*context_);
    }

    void* allocate(const Request& r) override {
        if (!acceptable(r)) return nullptr;
        const CudaCurrent current(*context_);
        CuPointer block = 0;
        const int status = api_.memory_allocate(&block, std::max<std::size_t>(r.bytes, 1));
        if (status != 0)
            set_message("out of memory: cuMemAlloc of %zu bytes failed: %s", r.bytes, cuda_error(api_, status).c_str());
        else if (block % r.alignment != 0) {
            api_.memory_free(block);
            set_message("cuMemAlloc gave a block that is not at a multiple of %zu", r.alignment);
            block = 0;
        }
        return reinterpret_cast<void*>(block);
    }
    void release(void* block, const Request&) override {
        const CudaCurrent current(*context_);
        api_.memory_free(address(block));
    }

    std::shared_ptr<void> new_queue() override {
        const CudaCurrent current(*context_);
        void* stream = nullptr;
        context_->check(api_.stream_create(&stream, non_blocking), "cuStreamCreate");
        return held(stream, api_.stream_destroy);
    }
    void copy(void* to, const void* from, std::size_t bytes, int kind, void* queue) override {
        const CudaCurrent current(*context_);
        if (kind == heddle_copy_to_device)
            context_->check(api_.copy_to_device(address(to), from, bytes, queue), "cuMemcpyHtoDAsync");
        else if (kind == heddle_copy_from_device)
            context_->check(api_.copy_from_device(to, address(from), bytes, queue), "cuMemcpyDtoHAsync");
        else
            context_->check(api_.copy_within(address(to), address(from), bytes, queue), "cuMemcpyDtoDAsync");
    }
    void finish(void* queue) override {
        const CudaCurrent current(*context_);
        context_->check(api_.stream_synchronize(queue), "work on the CUDA device, cuStreamSynchronize");
    }
    std::shared_ptr<void> record(void* queue) override {
        const CudaCurrent current(*context_);
        void* event = nullptr;
        context_->check(api_.event_create(&event, without_time), "cuEventCreate");
        auto out = held(event, api_.event_destroy);
        context_->check(api_.event_record(event, queue), "cuEventRecord");
        return out;
    }
    void wait(void* queue, void* mark) override {
        const CudaCurrent current(*context_);
        if (queue == nullptr)
            context_->check(api_.event_synchronize(mark), "cuEventSynchronize");
        else
            context_->check(api_.stream_wait(queue, mark, 0), "cuStreamWaitEvent");
    }
    bool done(void* mark) override {
        const CudaCurrent current(*context_);
        const int status = api_.event_query(mark);
        if (status == not_ready) return false;
        context_->check(status, "work on the CUDA device, cuEventQuery");
        return true;
    }

    std::shared_ptr<const std::string> compile(const std::string& text, const ProgramOptions& options) override {
        return nvrtc_cubin(api_, text, architecture, options);
    }
    std::shared_ptr<LoadedProgram> load(std::shared_ptr<const std::string> binary) override {
        return std::make_shared<CudaProgram>(context_, std::move(binary), limits);
    }

private:
    std::shared_ptr<void> held(void* object, int (*release)(void*)) {
        return {object, [context = context_, release](void* o) {
                    const CudaCurrent current(*context);
                    release(o);
                }};
    }
    std::shared_ptr<CudaContext> context_;
    const CudaApi& api_;
};

int count_devices(const CudaApi& api) {
    const int status = api.init(0);
    if (status != 0)
        throw RuntimeError(Code::NoDevice, "no CUDA device: the driver is there, but cuInit says " + cuda_error(api, status));
    int count = 0;
    cuda_check(api, api.device_count(&count), "cuDeviceGetCount");
    return count;
}

}  // namespace

CudaContext::CudaContext(std::shared_ptr<const CudaApi> a, int n) : api(std::move(a)) {
    check(api->device_get(&device, n), "cuDeviceGet");
    check(api->primary_retain(&context, device), "cuDevicePrimaryCtxRetain");
}

int CudaContext::attribute(int which) const {
    int value = 0;
    check(api->device_attribute(&value, which, device), "cuDeviceGetAttribute");
    return value;
}

CudaCurrent::CudaCurrent(const CudaContext& context) : context_(context) { context.api->context_push(context.context); }
CudaCurrent::~CudaCurrent() {
    void* popped = nullptr;
    context_.api->context_pop(&popped);
}

Device cuda_device(int number, std::shared_ptr<const CudaApi> api) {
    if (api == nullptr) api = cuda_api();
    const int count = count_devices(*api);
    if (number < 0 || number >= count)
        throw RuntimeError(Code::NoDevice, fmt::format("no CUDA device {}: there are {}, counted from 0", number, count));
    return Device(std::make_shared<CudaDriver>(std::make_shared<CudaContext>(std::move(api), number)));
}

std::vector<std::string> cuda_report() {
    std::vector<std::string> out;
    try {
        const auto api = cuda_api();
        for (int n = 0; n < count_devices(*api); ++n) {
            const CudaDriver driver(std::make_shared<CudaContext>(api, n));
            out.push_back(driver.name + ", " + driver.architecture);
        }
    } catch (const RuntimeError& e) {
        out.push_back(std::string("CUDA: ") + e.what());
    }
    return out;
}

}  // namespace heddle::runtime
