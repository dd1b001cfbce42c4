// Devices beside the processor: OpenCL, CUDA, and CUDA on the CPU. Libraries of devices are found when the program runs;
// nothing is linked. docs/runtime.md
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/allocator.h"
#include "runtime/cuda_emulated.h"
#include "runtime/pool.h"

namespace heddle::runtime {

class Cache;
class Driver;
class LoadedFunction;
class LoadedProgram;
struct CudaApi;

enum class DeviceKind : std::uint8_t { CudaEmulated, OpenCl, Cuda };

/// What a launch may ask for, as the device says; a kernel that needs many registers may allow less.
struct DeviceLimits {
    std::array<std::int64_t, 3> blocks{}, lanes{};  ///< along each axis
    std::int64_t lanes_of_block = 0;
    std::size_t shared_bytes = 0;  ///< dynamic shared memory of a block
};

/// How device text is compiled.
struct ProgramOptions {
    std::string name = "kernel";     ///< of the text, in messages
    std::vector<std::string> flags;  ///< more options for the device's compiler
    bool contract = false;   ///< whether CUDA may round a product and a sum once. In OpenCL a pragma of the text says it
    bool cached = true;      ///< false: the compiler runs
    Cache* cache = nullptr;  ///< null: `default_cache()`
};

/// A point in the work of a queue.
class Event {
public:
    Event(std::shared_ptr<Driver> driver, std::shared_ptr<void> mark) : driver_(std::move(driver)), mark_(std::move(mark)) {}
    /// Whether everything before it is done.
    bool done() const;
    /// Returns when it is.
    void wait() const;

private:
    friend class Queue;
    std::shared_ptr<Driver> driver_;
    std::shared_ptr<void> mark_;
};

/// Work in order: what CUDA calls a stream. Copies of the value are the same queue.
class Queue {
public:
    Queue(std::shared_ptr<Driver> driver, std::shared_ptr<void> handle)
        : driver_(std::move(driver)), handle_(std::move(handle)) {}
    /// Puts a copy into the queue; addresses of the device are those of its memory. Host memory has to stay until it is done.
    void copy(void* to, const void* from, std::size_t bytes, heddle_copy kind) const;
    /// Returns when everything is done. Throws RuntimeError with the failures of that work.
    void finish() const;
    Event record() const;
    /// Makes what is put into this queue later wait for the event.
    void wait(const Event& event) const;
    /// For the C interface: its `stream`.
    void* raw() const { return handle_.get(); }

private:
    std::shared_ptr<Driver> driver_;
    std::shared_ptr<void> handle_;
};

class DeviceProgram;

/// A device. Copies of the value are the same one. All functions throw RuntimeError: BadArgument for what the limits forbid,
/// OutOfMemory, CompileFailed, DeviceFailed with the text of the device's interface. They may be called from several threads.
class Device {
public:
    struct State;
    explicit Device(std::shared_ptr<Driver> driver);

    DeviceKind kind() const;
    /// "OpenCL: Portable Computing Language, pthread-haswell"
    const std::string& name() const;
    /// What compiled code is for: "sm_90", or names and versions of an OpenCL device and its driver.
    const std::string& architecture() const;
    const DeviceLimits& limits() const;

    /// Memory of the device (heddle_space_device) from a pool. A null stream stands for `queue()`.
    const Allocator& memory() const;
    PoolStatistics memory_statistics() const;
    /// Gives unused memory back to the device; the number of bytes.
    std::size_t trim(std::size_t keep = 0) const;

    /// The queue that a null stream stands for.
    const Queue& queue() const;
    Queue new_queue() const;

    /// Device text -> functions to launch, from the cache where it can. Failures quote the line of the text.
    DeviceProgram compile(const std::string& text, const ProgramOptions& options = {}) const;
    /// What `DeviceProgram::binary` gave, in another process too, for a device of the same architecture.
    DeviceProgram load(std::shared_ptr<const std::string> binary, const std::string& text = "") const;

    Driver& driver() const;
    friend bool operator==(const Device& a, const Device& b) { return a.state_ == b.state_; }

private:
    friend class DeviceProgram;
    std::shared_ptr<State> state_;
};

/// Device text compiled and loaded for a device.
class DeviceProgram {
public:
    struct State;
    explicit DeviceProgram(std::shared_ptr<State> state) : state_(std::move(state)) {}
    const Device& device() const;
    const std::string& text() const;
    std::shared_ptr<const std::string> binary() const;
    /// Throws RuntimeError(LoadFailed) when there is no such function.
    void require(const std::string& function) const;
    /// Puts a launch into a queue. Throws RuntimeError with the function, the shape of the launch and the reason.
    void launch(const heddle_launch& launch, const Queue& queue) const;
    /// Device and program for emitted host code; valid while this or a copy lives.
    const heddle_device* raw() const;
    LoadedProgram& loaded() const;
    friend bool operator==(const DeviceProgram& a, const DeviceProgram& b) { return a.state_ == b.state_; }

private:
    std::shared_ptr<State> state_;
};

/// CUDA text on the CPU: launches run to their end when they are put into a queue, and report what is wrong in the kernel.
struct EmulatedDevice {
    bool checked = false;  ///< finds races and accesses out of bounds in shared memory, slowly
    CudaOptions order;     ///< of threads and blocks
};
Device emulated_cuda_device(const EmulatedDevice& how = {});

/// The first OpenCL device whose platform and name contain these; empty: any. Throws RuntimeError(NoDevice): no library, no
/// platform, or no such device, with those there are.
Device opencl_device(const std::string& platform = "", const std::string& name = "");

/// The n-th CUDA device, by the driver and NVRTC. `api` replaces their functions, for tests. Throws RuntimeError(NoDevice).
Device cuda_device(int number = 0, std::shared_ptr<const CudaApi> api = nullptr);

/// What there is, a line for each OpenCL and CUDA device; where there is none, why.
std::vector<std::string> device_report();

/// CUDA text -> machine code for an architecture ("sm_90") by NVRTC, from the cache where it can; no GPU is needed. Throws
/// RuntimeError: NoDevice when NVRTC is not installed, CompileFailed with its messages and the lines they are about,
/// BadArgument with the architectures that it knows.
std::shared_ptr<const std::string> compile_cuda(const std::string& text, const std::string& architecture,
                                                const ProgramOptions& options = {});
/// The architectures that NVRTC compiles for, as "sm_75". Throws RuntimeError(NoDevice).
std::vector<std::string> cuda_architectures();

}  // namespace heddle::runtime
