#include <fmt/format.h>
#include <sys/mman.h>

#include "runtime/device/opencl.h"

namespace heddle::runtime {
namespace {

constexpr std::uint64_t read_write = 1;
constexpr std::uint32_t region = 0x1220, base_alignment = 0x1019;
constexpr std::size_t most_parts = 4096;  ///< sub-buffers kept of one object

std::uintptr_t number(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

}  // namespace

ClMemory::ClMemory(std::shared_ptr<ClContext> context) : context_(std::move(context)) {
    const auto& api = context_->api;
    const auto bits = cl_value<std::uint32_t>(
        [&](std::size_t n, void* v, std::size_t* s) { return api.GetDeviceInfo(context_->device, base_alignment, n, v, s); },
        "clGetDeviceInfo");
    alignment_ = std::max<std::size_t>(bits / 8, 1);
}

ClMemory::~ClMemory() {
    for (auto& [address, chunk] : chunks_) drop(chunk);
}

void ClMemory::drop(Chunk& chunk) {
    for (auto& [offset, part] : chunk.parts) context_->api.ReleaseMemObject(part);
    context_->api.ReleaseMemObject(chunk.object);
    ::munmap(chunk.reserved, chunk.reserved_bytes);
}

void* ClMemory::allocate(const Request& r) {
    if (!acceptable(r)) return nullptr;
    const std::size_t bytes = std::max<std::size_t>(r.bytes, 1);
    std::int32_t status = 0;
    void* object = context_->api.CreateBuffer(context_->context, read_write, bytes, nullptr, &status);
    if (status != cl_success) {
        set_message("out of memory: clCreateBuffer of %zu bytes failed: %s", bytes, opencl_error(status).c_str());
        return nullptr;
    }
    const std::size_t whole = bytes + r.alignment;
    void* range = ::mmap(nullptr, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) {
        context_->api.ReleaseMemObject(object);
        set_message("out of memory: there is no range of %zu addresses", whole);
        return nullptr;
    }
    const std::uintptr_t address = (number(range) + r.alignment - 1) & ~(std::uintptr_t{r.alignment} - 1);
    const std::lock_guard lock(mutex_);
    chunks_.emplace(address, Chunk{object, bytes, range, whole, {}});
    return reinterpret_cast<void*>(address);
}

void ClMemory::release(void* block) {
    const std::lock_guard lock(mutex_);
    const auto found = chunks_.find(number(block));
    if (found == chunks_.end()) return;
    ++version_;
    drop(found->second);
    chunks_.erase(found);
}

ClMemory::Chunks::iterator ClMemory::find(const void* address, std::size_t bytes) {
    auto next = chunks_.upper_bound(number(address));
    if (next != chunks_.begin()) {
        const auto& [base, chunk] = *--next;
        const std::size_t offset = number(address) - base;
        if (offset <= chunk.bytes && bytes <= chunk.bytes - offset) return next;
    }
    throw RuntimeError(Code::BadArgument,
                       fmt::format("{} bytes at the address {} are no memory of this OpenCL device", bytes, address));
}

ClMemory::Place ClMemory::place(const void* address, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = find(address, bytes);
    return {found->second.object, number(address) - found->first};
}

void* ClMemory::argument(const void* address) {
    if (address == nullptr) return nullptr;
    const std::lock_guard lock(mutex_);
    const auto found = find(address, 0);
    const std::size_t offset = number(address) - found->first;
    return offset == 0 ? found->second.object : part(found->second, offset);
}

void* ClMemory::part(Chunk& chunk, std::size_t offset) {
    if (const auto kept = chunk.parts.find(offset); kept != chunk.parts.end()) return kept->second;
    if (offset % alignment_ != 0)
        throw RuntimeError(
            Code::BadArgument,
            fmt::format("a pointer {} bytes into a block of device memory: this OpenCL device takes multiples of {} bytes",
                        offset, alignment_));
    if (chunk.parts.size() >= most_parts) {  // what is still queued keeps its own reference
        for (auto& [at, old] : chunk.parts) context_->api.ReleaseMemObject(old);
        chunk.parts.clear();
        ++version_;
    }
    const ClRegion rest{offset, chunk.bytes - offset};
    std::int32_t status = 0;
    void* made = context_->api.CreateSubBuffer(chunk.object, read_write, region, &rest, &status);
    opencl_check(status, "clCreateSubBuffer");
    return chunk.parts[offset] = made;
}

}  // namespace heddle::runtime
