// An OpenCL device: a context with one device, and its memory as addresses.
#pragma once

#include <atomic>
#include <map>
#include <mutex>

#include "runtime/device/driver.h"
#include "runtime/device/opencl_api.h"

namespace heddle::runtime {

/// A context, released last.
struct ClContext {
    ClContext(const OpenClApi& a, void* d);
    ~ClContext() { api.ReleaseContext(context); }
    ClContext(const ClContext&) = delete;
    const OpenClApi& api;
    void* device;
    void* context = nullptr;
    std::string platform_text, device_text;  ///< names and versions
};

/// OpenCL's memory objects under addresses: each has a range of addresses of its own that nothing else uses, and a pointer into
/// it stands for (object, offset). Kernels get an object for each pointer, inside of another a sub-buffer, which is kept.
class ClMemory {
public:
    explicit ClMemory(std::shared_ptr<ClContext> context);
    ~ClMemory();
    ClMemory(const ClMemory&) = delete;
    void* allocate(const Request& request);
    void release(void* block);
    struct Place {
        void* object;
        std::size_t offset;
    };
    /// Where `bytes` bytes at an address lie. Throws RuntimeError(BadArgument).
    Place place(const void* address, std::size_t bytes);
    /// What a kernel is given for a pointer: the object, or a sub-buffer from there to its end. Throws
    /// RuntimeError(BadArgument) when the address is not of this memory, or not a multiple of what the device asks of a
    /// sub-buffer.
    void* argument(const void* address);
    /// Changes when an object goes: what `argument` gave before may then be gone. Never 0.
    std::uint64_t version() const { return version_.load(std::memory_order_acquire); }

private:
    struct Chunk {
        void* object;
        std::size_t bytes;  ///< of the object
        void* reserved;     ///< the range of addresses
        std::size_t reserved_bytes;
        std::map<std::size_t, void*> parts;  ///< sub-buffers by offset
    };
    using Chunks = std::map<std::uintptr_t, Chunk>;
    Chunks::iterator find(const void* address, std::size_t bytes);
    void* part(Chunk& chunk, std::size_t offset);
    void drop(Chunk& chunk);

    std::shared_ptr<ClContext> context_;
    std::size_t alignment_;
    std::mutex mutex_;
    Chunks chunks_;
    std::atomic<std::uint64_t> version_{1};
};

/// Value of a query of clGet…Info.
template <class T, class Get>
T cl_value(Get get, const char* call) {
    T value{};
    opencl_check(get(sizeof value, &value, nullptr), call);
    return value;
}
template <class Get>
std::string cl_text(Get get, const char* call) {
    std::size_t size = 0;
    opencl_check(get(0, nullptr, &size), call);
    std::string text(size, '\0');
    opencl_check(get(size, text.data(), nullptr), call);
    while (!text.empty() && (text.back() == '\0' || text.back() == ' ')) text.pop_back();
    return text;
}

/// Lines of device_report.
std::vector<std::string> opencl_report();

/// The binary of a text; and a program made of a binary.
std::string opencl_binary(const ClContext& context, const std::string& text, const ProgramOptions& options);
std::shared_ptr<LoadedProgram> opencl_program(std::shared_ptr<ClContext> context, std::shared_ptr<ClMemory> memory,
                                              const std::string& binary, const DeviceLimits& limits);

}  // namespace heddle::runtime
