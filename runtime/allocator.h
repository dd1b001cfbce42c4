// Allocators as values: the C interface of heddle_runtime.h with an owner, the built-in sources of memory, errors.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <utility>

#include "runtime/heddle_runtime.h"

namespace heddle::runtime {

inline constexpr std::size_t host_alignment = 64;     ///< of blocks in host memory, unless more is asked for
inline constexpr std::size_t device_alignment = 256;  ///< of blocks in other spaces

/// What is asked of an allocator; the same values give the block back.
struct Request {
    std::size_t bytes = 0;
    std::size_t alignment = host_alignment;  ///< a power of two
    int space = heddle_space_host;
    void* stream = nullptr;
};

/// A heddle_allocator and what keeps it alive. Copies share it.
class Allocator {
public:
    /// Takes an allocator made elsewhere, in C too. Its `user` has to outlive this and its copies unless `owner` keeps it.
    /// Throws RuntimeError(BadArgument) when its size is that of an older version, or a function is missing.
    Allocator(const heddle_allocator& raw, std::shared_ptr<const void> owner = nullptr);

    /// Throws RuntimeError(OutOfMemory) with the allocator's message.
    void* allocate(const Request& request) const;
    /// Null instead of an exception; `message()` says why.
    void* try_allocate(const Request& request) const noexcept {
        return raw_.allocate(raw_.user, request.bytes, request.alignment, request.space, request.stream);
    }
    void release(void* block, const Request& request) const noexcept {
        raw_.release(raw_.user, block, request.bytes, request.alignment, request.space, request.stream);
    }
    const char* message() const noexcept;
    /// For emitted code and C; valid while this or a copy lives.
    const heddle_allocator* raw() const noexcept { return &raw_; }

private:
    heddle_allocator raw_;
    std::shared_ptr<const void> owner_;
};

/// Host memory of malloc's kind (aligned_alloc, free). Other spaces are refused.
Allocator malloc_allocator();

/// Host memory in whole pages from the system, in address order where the system agrees. Blocks of 2 MiB and more lie at
/// multiples of 2 MiB and are advised to use huge pages. For chunks: each call is a system call.
Allocator page_allocator();

/// The text of this thread's last failure in any allocator or pool of this library.
const char* last_message() noexcept;
/// Sets it, cut to 511 characters. For allocators written with this library.
void set_message(const char* format, ...) noexcept __attribute__((format(printf, 1, 2)));

/// Whether the request makes sense: alignment a power of two, size below half the address space. If not, the message says so.
bool acceptable(const Request& request) noexcept;

/// An allocator from any class with `void* allocate(const Request&)` and `void release(void*, const Request&)`; an exception
/// in the first becomes an answer of null.
template <class Source>
Allocator make_allocator(std::shared_ptr<Source> source) {
    heddle_allocator raw{};
    raw.size = sizeof raw;
    raw.user = source.get();
    raw.allocate = [](void* user, std::size_t bytes, std::size_t alignment, int space, void* stream) noexcept -> void* {
        try {
            return static_cast<Source*>(user)->allocate({bytes, alignment, space, stream});
        } catch (const std::exception& e) {
            set_message("%s", e.what());
            return nullptr;
        }
    };
    raw.release = [](void* user, void* block, std::size_t bytes, std::size_t alignment, int space, void* stream) noexcept {
        if (block != nullptr) static_cast<Source*>(user)->release(block, {bytes, alignment, space, stream});
    };
    raw.message = [](void*) noexcept { return last_message(); };
    return Allocator(raw, std::move(source));
}

}  // namespace heddle::runtime
