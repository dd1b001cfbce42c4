// CUDA on the CPU as a device. Work is done when it is put into a queue.
#include <cstring>

#include "runtime/cuda_emulated/heddle_cuda_abi.h"
#include "runtime/device/driver.h"

namespace heddle::runtime {
namespace {

class EmulatedFunction : public LoadedFunction {
public:
    EmulatedFunction(const std::string& name, CudaKernel kernel, const CudaOptions& order, const DeviceLimits& limits)
        : LoadedFunction(name), kernel_(std::move(kernel)), order_(order), limits_(limits) {}
    void launch(const heddle_launch& l, void*) override {
        if (!check_shape(l, limits_)) return;
        std::vector<CudaArgument> arguments;
        for (std::int32_t k = 0; k < l.count; ++k) arguments.emplace_back(l.arguments[k].value, l.arguments[k].size);
        const auto unsigned_of = [](auto n) { return static_cast<unsigned>(n); };
        kernel_.launch({unsigned_of(l.blocks[0]), unsigned_of(l.blocks[1]), unsigned_of(l.blocks[2])},
                       {unsigned_of(l.lanes[0]), unsigned_of(l.lanes[1]), unsigned_of(l.lanes[2])}, l.shared_bytes, arguments,
                       order_);
    }

private:
    CudaKernel kernel_;
    CudaOptions order_;
    const DeviceLimits limits_;
};

class EmulatedProgram : public LoadedProgram {
public:
    EmulatedProgram(CudaModule module, const CudaOptions& order, const DeviceLimits& limits)
        : module_(std::move(module)), order_(order), limits_(limits) {}

private:
    std::unique_ptr<LoadedFunction> find(const std::string& name) override {
        return std::make_unique<EmulatedFunction>(name, module_.kernel(name), order_, limits_);
    }
    CudaModule module_;
    CudaOptions order_;
    DeviceLimits limits_;
};

class EmulatedDriver : public Driver {
public:
    explicit EmulatedDriver(const EmulatedDevice& how) : how_(how), pages_(page_allocator()) {
        kind = DeviceKind::CudaEmulated;
        name = "CUDA on the CPU";
        architecture = how.checked ? "cpu, checked" : "cpu";
        limits = {{0x7fffffff, 65535, 65535}, {1024, 1024, 64}, 1024, heddle_cuda_dynamic_bytes};
    }
    void* allocate(const Request& r) override { return pages_.try_allocate(on_host(r)); }
    void release(void* block, const Request& r) override { pages_.release(block, on_host(r)); }
    std::shared_ptr<void> new_queue() override { return std::make_shared<char>(); }
    void copy(void* to, const void* from, std::size_t bytes, int, void*) override { std::memcpy(to, from, bytes); }
    void finish(void*) override {}
    std::shared_ptr<void> record(void*) override { return std::make_shared<char>(); }
    void wait(void*, void*) override {}
    bool done(void*) override { return true; }

    std::shared_ptr<const std::string> compile(const std::string& text, const ProgramOptions& options) override {
        CudaTextOptions how;
        how.name = options.name;
        how.checked = how_.checked;
        how.extra = options.flags;
        how.cached = options.cached;
        how.cache = options.cache;
        try {
            return std::make_shared<const std::string>(compile_cuda_emulated(text, how).object());
        } catch (const RuntimeError& e) {
            throw RuntimeError(e.code(), with_source_line(e.what(), text));
        }
    }
    std::shared_ptr<LoadedProgram> load(std::shared_ptr<const std::string> binary) override {
        return std::make_shared<EmulatedProgram>(load_cuda_emulated(std::move(binary), how_.checked), how_.order, limits);
    }

private:
    static Request on_host(Request r) {
        r.space = heddle_space_host;
        r.stream = nullptr;
        return r;
    }
    EmulatedDevice how_;
    Allocator pages_;
};

}  // namespace

Device emulated_cuda_device(const EmulatedDevice& how) { return Device(std::make_shared<EmulatedDriver>(how)); }

}  // namespace heddle::runtime
