#include "runtime/device.h"

#include "runtime/device/driver.h"

namespace heddle::runtime {
namespace {

/// Memory of a pool where a null stream stands for a queue: work put there may use a block after its release.
class QueueMemory {
public:
    QueueMemory(Allocator below, std::shared_ptr<void> first) : below_(std::move(below)), first_(std::move(first)) {}
    void* allocate(const Request& r) { return below_.try_allocate(on_queue(r)); }
    void release(void* block, const Request& r) { below_.release(block, on_queue(r)); }

private:
    Request on_queue(Request r) const {
        if (r.stream == nullptr) r.stream = first_.get();
        return r;
    }
    Allocator below_;
    std::shared_ptr<void> first_;
};

PoolOptions pool_options(const std::shared_ptr<Driver>& driver) {
    PoolOptions out;
    out.name = "the memory of " + driver->name;
    out.space = heddle_space_device;
    out.wait = [driver](void* from, void* to) {
        try {
            if (to == nullptr)
                driver->finish(from);
            else
                driver->wait(to, driver->record(from).get());
            return true;
        } catch (const RuntimeError&) {
            return false;
        }
    };
    return out;
}

}  // namespace

struct Device::State {
    explicit State(const std::shared_ptr<Driver>& d)
        : driver(d),
          handle(d->new_queue()),
          first(d, handle),
          pool(pool_options(d), make_allocator(d)),
          memory(make_allocator(std::make_shared<QueueMemory>(pool.allocator(), handle))) {}
    std::shared_ptr<Driver> driver;
    std::shared_ptr<void> handle;
    Queue first;
    Pool pool;
    Allocator memory;
};

Device::Device(std::shared_ptr<Driver> driver) : state_(std::make_shared<State>(driver)) {}
DeviceKind Device::kind() const { return state_->driver->kind; }
const std::string& Device::name() const { return state_->driver->name; }
const std::string& Device::architecture() const { return state_->driver->architecture; }
const DeviceLimits& Device::limits() const { return state_->driver->limits; }
const Allocator& Device::memory() const { return state_->memory; }
PoolStatistics Device::memory_statistics() const { return state_->pool.statistics(); }
std::size_t Device::trim(std::size_t keep) const { return state_->pool.trim(keep); }
const Queue& Device::queue() const { return state_->first; }
Queue Device::new_queue() const { return {state_->driver, state_->driver->new_queue()}; }
Driver& Device::driver() const { return *state_->driver; }

bool Event::done() const { return driver_->done(mark_.get()); }
void Event::wait() const { driver_->wait(nullptr, mark_.get()); }

void Queue::copy(void* to, const void* from, std::size_t bytes, heddle_copy kind) const {
    if (bytes != 0) driver_->copy(to, from, bytes, kind, raw());
}
void Queue::finish() const { driver_->finish(raw()); }
Event Queue::record() const { return {driver_, driver_->record(raw())}; }
void Queue::wait(const Event& event) const { driver_->wait(raw(), event.mark_.get()); }

LoadedFunction& LoadedProgram::function(std::string_view name) {
    const std::lock_guard lock(mutex_);
    if (const auto found = functions_.find(name); found != functions_.end()) return *found->second;
    auto made = find(std::string(name));
    return *functions_.emplace(std::string(name), std::move(made)).first->second;
}

/// A program, and the C interface on it.
struct DeviceProgram::State {
    State(Device d, std::string t, std::shared_ptr<const std::string> b)
        : device(std::move(d)),
          text(std::move(t)),
          binary(std::move(b)),
          program(device.driver().load(binary)),
          memory(device.memory()) {
        face = {sizeof face, this, memory.raw(), &launch, &copy, &finish, [](void*) noexcept { return last_message(); }};
    }
    State(const State&) = delete;

    void* queue(void* stream) const { return stream != nullptr ? stream : device.queue().raw(); }

    template <class Work>
    static std::int32_t guarded(Work work) noexcept {
        try {
            work();
            return heddle_ok;
        } catch (const RuntimeError& e) {
            set_message("%s", e.what());
            return static_cast<std::int32_t>(e.code());
        } catch (const std::exception& e) {
            set_message("%s", e.what());
            return heddle_out_of_memory;
        }
    }
    static std::int32_t launch(void* user, const heddle_launch* l, void* stream) noexcept {
        auto& self = *static_cast<State*>(user);
        return guarded([&] { self.program->function(l->function).launch(*l, self.queue(stream)); });
    }
    static std::int32_t copy(void* user, void* to, const void* from, std::size_t bytes, std::int32_t kind,
                             void* stream) noexcept {
        auto& self = *static_cast<State*>(user);
        return guarded([&] {
            if (bytes != 0) self.device.driver().copy(to, from, bytes, kind, self.queue(stream));
        });
    }
    static std::int32_t finish(void* user, void* stream) noexcept {
        auto& self = *static_cast<State*>(user);
        return guarded([&] { self.device.driver().finish(self.queue(stream)); });
    }

    Device device;
    std::string text;
    std::shared_ptr<const std::string> binary;
    std::shared_ptr<LoadedProgram> program;
    Allocator memory;
    heddle_device face{};
};

DeviceProgram Device::compile(const std::string& text, const ProgramOptions& options) const {
    return load(state_->driver->compile(text, options), text);
}
DeviceProgram Device::load(std::shared_ptr<const std::string> binary, const std::string& text) const {
    return DeviceProgram(std::make_shared<DeviceProgram::State>(*this, text, std::move(binary)));
}

const Device& DeviceProgram::device() const { return state_->device; }
const std::string& DeviceProgram::text() const { return state_->text; }
std::shared_ptr<const std::string> DeviceProgram::binary() const { return state_->binary; }
void DeviceProgram::require(const std::string& function) const { state_->program->function(function); }
void DeviceProgram::launch(const heddle_launch& launch, const Queue& queue) const {
    state_->program->function(launch.function).launch(launch, queue.raw());
}
const heddle_device* DeviceProgram::raw() const { return &state_->face; }
LoadedProgram& DeviceProgram::loaded() const { return *state_->program; }

}  // namespace heddle::runtime
