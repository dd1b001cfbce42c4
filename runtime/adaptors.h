// Allocators in front of another one. Each is an Allocator again, so they stack: limited(tracker.allocator(), 1 << 30).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <memory_resource>
#include <new>
#include <string>
#include <vector>

#include "runtime/allocator.h"

namespace heddle::runtime {

/// Refuses what would put more than `bytes` in use at once through it.
Allocator limited(Allocator below, std::size_t bytes);

/// One call of an allocator, for a log.
struct MemoryEvent {
    enum class Kind : std::uint8_t { Allocated, Refused, Released };
    Kind kind;
    void* block;  ///< null when refused
    Request request;
};
/// Tells `log` of each call, in the thread of the call: allocations when they are done, releases before. It may not throw.
Allocator logged(Allocator below, std::function<void(const MemoryEvent&)> log);

/// Counts what goes through, knows the live blocks, and keeps bad releases away from what is below.
class Tracker {
public:
    struct Counts {
        std::uint64_t live_blocks = 0, live_bytes = 0, peak_bytes = 0;
        std::uint64_t allocations = 0, refusals = 0;
        std::uint64_t misuses = 0;  ///< releases of what is not live, or with another size; they go no further
    };
    struct Live {
        std::uint64_t number;  ///< it came from the so-manieth allocation, from 1
        void* block;
        Request request;
    };
    explicit Tracker(Allocator below);
    Allocator allocator() const;
    Counts counts() const;
    /// The live blocks, oldest first.
    std::vector<Live> live() const;
    /// A line for each live block; empty when there are none.
    std::string leaks() const;

private:
    std::shared_ptr<class TrackerState> state_;
};

/// Refuses one allocation on purpose, for tests of what happens then.
class FailureInjection {
public:
    explicit FailureInjection(Allocator below);
    Allocator allocator() const;
    /// The n-th allocation from now is refused, the next being the first; 0: none.
    void fail_at(std::uint64_t n);
    /// Allocations asked for since fail_at was called last.
    std::uint64_t asked() const;

private:
    std::shared_ptr<class FailureState> state_;
};

/// Out of memory as std::pmr containers expect it.
class OutOfMemory : public std::bad_alloc {
public:
    explicit OutOfMemory(const char* text) : text_(std::make_shared<std::string>(text)) {}
    const char* what() const noexcept override { return text_->c_str(); }

private:
    std::shared_ptr<const std::string> text_;
};

/// An allocator as a memory resource; throws OutOfMemory. Two are equal when they lead to the same allocator.
class AllocatorResource : public std::pmr::memory_resource {
public:
    explicit AllocatorResource(Allocator below) : below_(std::move(below)) {}

private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override;
    void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override;
    bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override;
    Allocator below_;
};

/// A memory resource as an allocator of host memory. The resource has to outlive it.
Allocator resource_allocator(std::pmr::memory_resource& resource);

}  // namespace heddle::runtime
