#include "runtime/kernel.h"

#include <fmt/format.h>

#include <atomic>
#include <mutex>

#include "runtime/device/driver.h"
#include "runtime/freeze/recorder.h"
#include "runtime/status.h"

namespace heddle::runtime {
namespace {

std::atomic<bool> history_on{false};
std::mutex history_mutex;
std::vector<KernelRun>& history() {
    static auto* runs = new std::vector<KernelRun>;
    return *runs;
}

/// One argument of a device: its value, and whether it is memory.
heddle_argument device_argument(const DeviceFunction& f, const recording::Given& g, std::size_t number, Value& value) {
    if (g.array == nullptr) {
        value = g.number.value;
        return {&value, g.bytes, 0};
    }
    const Array& a = *g.array;
    if (a.device() == nullptr || !(*a.device() == f.program.device()))
        throw RuntimeError(
            Code::BadArgument,
            fmt::format("launch of '{}': argument {} lies {}, the kernel is for {}", f.name, number + 1,
                        a.device() == nullptr ? "in the host's memory" : "on another device", f.program.device().name()));
    if (!a.contiguous() && g.bytes == 0)
        throw RuntimeError(Code::BadArgument,
                           fmt::format("launch of '{}': argument {} is not contiguous; strided(…) passes it all the same",
                                       f.name, number + 1));
    value = Value::of(a.pointer());
    return {&value, sizeof(void*), 1};
}

}  // namespace

CSource::CSource(std::string text, CompileOptions options)
    : data_(std::make_shared<const Data>(Data{std::move(text), std::move(options)})) {}

Module CSource::module() const {
    return module_memo().get({data_}, [this] { return compile_c(data_->text, data_->options); });
}

namespace recording {

Node operation(Op op, Element type, const Operand& a, const Operand& b) {
    return current == nullptr ? Node{} : current->operation(op, type, a, b);
}
void decided(const Operand& n) {
    if (current != nullptr) current->decided(n);
}
void decided(Op op, const Operand& a, const Operand& b, bool result) {
    if (current != nullptr) current->decided(op, a, b, result);
}
void call(const std::shared_ptr<const CFunction>& f, const Given* given, std::size_t count) { current->call(f, given, count); }

void failed(const CFunction& f, int status) {
    const bool known = status >= heddle_bad_argument && status <= heddle_device_failed;
    throw RuntimeError(known ? static_cast<Code>(status) : Code::Check,
                       fmt::format("the function '{}' ended with status {}", f.name, status));
}

void check_host(const CFunction& f, const Array& a, bool any_stride) {
    if (a.device() != nullptr)
        throw RuntimeError(Code::BadArgument,
                           fmt::format("the function '{}' runs on the host; an array of its arguments lies on {}", f.name,
                                       a.device()->name()));
    if (!any_stride && !a.contiguous())
        throw RuntimeError(
            Code::BadArgument,
            fmt::format("the function '{}' is given an array that is not contiguous; strided(…) passes it all the same",
                        f.name));
}

void check_element(const CFunction& f, const Array& a, Element wanted) {
    throw RuntimeError(Code::BadArgument, fmt::format("the function '{}' takes elements of {}, an array has {}", f.name,
                                                      name_of(wanted), name_of(a.element())));
}

}  // namespace recording

DeviceKernel::DeviceKernel(const DeviceProgram& program, const std::string& name)
    : function_(std::make_shared<const DeviceFunction>(DeviceFunction{program, &program.loaded().function(name), name})) {}

void DeviceKernel::run(const Grid& grid, const recording::Given* given, std::size_t count) const {
    constexpr std::size_t most = 64;
    if (count > most)
        throw RuntimeError(Code::BadArgument, fmt::format("a launch with {} arguments; there may be {}", count, most));
    Value values[most];
    heddle_argument arguments[most];
    for (std::size_t k = 0; k < count; ++k) arguments[k] = device_argument(*function_, given[k], k, values[k]);
    heddle_launch l{name().c_str(), {}, {grid.lanes[0], grid.lanes[1], grid.lanes[2]}, 0, static_cast<std::int32_t>(count),
                    arguments};
    for (std::size_t k = 0; k < 3; ++k) l.blocks[k] = grid.blocks[k].operand().value.as<std::int64_t>();
    l.shared_bytes = static_cast<std::size_t>(grid.shared_bytes.operand().value.as<std::int64_t>());
    const Device& device = function_->program.device();
    function_->function->launch(l, device.queue().raw());
    if (history_is_on()) note_run(name(), device.name(), {l.blocks[0], l.blocks[1], l.blocks[2]}, false);
    if (recording::current != nullptr) recording::current->launch(function_, grid, given, count);
}

bool history_is_on() { return history_on.load(std::memory_order_relaxed); }

void note_run(const std::string& name, const std::string& place, const std::array<std::int64_t, 3>& blocks, bool replayed) {
    const std::lock_guard lock(history_mutex);
    history().push_back({name, place, blocks, replayed});
}

void kernel_history(bool on) {
    const std::lock_guard lock(history_mutex);
    if (on) history().clear();
    history_on = on;
}

std::vector<KernelRun> kernel_history() {
    const std::lock_guard lock(history_mutex);
    return history();
}

}  // namespace heddle::runtime
