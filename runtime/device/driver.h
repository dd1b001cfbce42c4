// What a device of some kind does, below the values of device.h.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "runtime/cache.h"
#include "runtime/device.h"
#include "runtime/status.h"

namespace heddle::runtime {

/// A function of a loaded program. `launch` checks shape and arguments first, and is called from several threads.
class LoadedFunction {
public:
    explicit LoadedFunction(std::string n) : name(std::move(n)) {}
    virtual ~LoadedFunction() = default;
    virtual void launch(const heddle_launch& launch, void* queue) = 0;
    const std::string name;
};

/// A program on its device.
class LoadedProgram {
public:
    virtual ~LoadedProgram() = default;
    /// Throws RuntimeError(LoadFailed) when there is no such function. Found ones stay.
    LoadedFunction& function(std::string_view name);

protected:
    virtual std::unique_ptr<LoadedFunction> find(const std::string& name) = 0;

private:
    std::mutex mutex_;
    std::map<std::string, std::unique_ptr<LoadedFunction>, std::less<>> functions_;
};

/// A device. Handles of queues and events keep alive what they need of it.
class Driver : public std::enable_shared_from_this<Driver> {
public:
    virtual ~Driver() = default;

    /// Memory in chunks, for the pool. Null with `set_message` when there is none.
    virtual void* allocate(const Request& request) = 0;
    virtual void release(void* block, const Request& request) = 0;

    virtual std::shared_ptr<void> new_queue() = 0;
    virtual void copy(void* to, const void* from, std::size_t bytes, int kind, void* queue) = 0;
    virtual void finish(void* queue) = 0;
    virtual std::shared_ptr<void> record(void* queue) = 0;
    /// `queue` null: the calling thread waits.
    virtual void wait(void* queue, void* mark) = 0;
    virtual bool done(void* mark) = 0;

    virtual std::shared_ptr<const std::string> compile(const std::string& text, const ProgramOptions& options) = 0;
    virtual std::shared_ptr<LoadedProgram> load(std::shared_ptr<const std::string> binary) = 0;

    DeviceKind kind = DeviceKind::CudaEmulated;
    std::string name, architecture;
    DeviceLimits limits;
};

/// Whether anything is to run. Throws RuntimeError(BadArgument) when the shape is above the limits.
bool check_shape(const heddle_launch& launch, const DeviceLimits& limits);
/// "launch of 'f' with 4 x 1 x 1 blocks of 256 x 1 x 1 lanes and 0 bytes of shared memory"
std::string launch_text(const heddle_launch& launch);
/// Throws RuntimeError(DeviceFailed): the launch, then the reason.
[[noreturn]] void launch_failed(const heddle_launch& launch, const std::string& why);
[[noreturn]] void refuse_launch(const heddle_launch& launch, const std::string& why);

/// The bytes from the cache that the options name, or from `make`.
std::shared_ptr<const std::string> cached_bytes(const ProgramOptions& options, std::vector<KeyPart> parts,
                                                const std::function<std::string()>& make);
/// A compiler's messages followed by the first line of the text that they name (":3:5: error", "(3): error").
std::string with_source_line(const std::string& messages, const std::string& text);
/// The first library of these that the loader finds; null: none.
void* open_library(const std::vector<std::string>& names);

}  // namespace heddle::runtime
