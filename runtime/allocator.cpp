#include "runtime/allocator.h"

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "runtime/status.h"

namespace heddle::runtime {
namespace {

thread_local char message_text[512] = "";

struct Malloc {
    void* allocate(const Request& r) {
        if (!acceptable(r)) return nullptr;
        if (r.space != heddle_space_host) {
            set_message("malloc serves host memory only, not space %d", r.space);
            return nullptr;
        }
        const std::size_t unit = r.alignment < host_alignment ? host_alignment : r.alignment;
        void* block = std::aligned_alloc(unit, (r.bytes / unit + 1) * unit);
        if (block == nullptr) set_message("out of memory: malloc has no block of %zu bytes", r.bytes);
        return block;
    }
    void release(void* block, const Request&) { std::free(block); }
};

}  // namespace

const char* last_message() noexcept { return message_text; }

void set_message(const char* format, ...) noexcept {
    char text[sizeof message_text];  // an argument may be the present message
    std::va_list list;
    va_start(list, format);
    std::vsnprintf(text, sizeof text, format, list);
    va_end(list);
    std::snprintf(message_text, sizeof message_text, "%s", text);
}

bool acceptable(const Request& r) noexcept {
    if (r.alignment == 0 || (r.alignment & (r.alignment - 1)) != 0) {
        set_message("an alignment of %zu was asked for, which is no power of two", r.alignment);
        return false;
    }
    if (r.bytes > PTRDIFF_MAX || r.alignment > PTRDIFF_MAX - r.bytes) {
        set_message("out of memory: %zu bytes at a multiple of %zu are more than an address space holds", r.bytes, r.alignment);
        return false;
    }
    return true;
}

Allocator::Allocator(const heddle_allocator& raw, std::shared_ptr<const void> owner) : owner_(std::move(owner)) {
    if (raw.size < sizeof raw)
        throw RuntimeError(Code::BadArgument, "an allocator says that it has " + std::to_string(raw.size) +
                                                  " bytes instead of " + std::to_string(sizeof raw) +
                                                  ": it belongs to an older version");
    if (raw.allocate == nullptr || raw.release == nullptr)
        throw RuntimeError(Code::BadArgument, "an allocator needs both its functions, allocate and release");
    raw_ = raw;
    raw_.size = sizeof raw_;
}

void* Allocator::allocate(const Request& request) const {
    void* block = try_allocate(request);
    if (block == nullptr) throw RuntimeError(Code::OutOfMemory, message());
    return block;
}

const char* Allocator::message() const noexcept {
    const char* text = raw_.message != nullptr ? raw_.message(raw_.user) : nullptr;
    return text != nullptr && text[0] != '\0' ? text : "out of memory";
}

Allocator malloc_allocator() {
    static const auto source = std::make_shared<Malloc>();
    return make_allocator(source);
}

}  // namespace heddle::runtime
