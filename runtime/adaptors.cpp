#include "runtime/adaptors.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>

namespace heddle::runtime {
namespace {

/// Asks below; a refusal's message becomes this library's.
void* passed_on(const Allocator& below, const Request& r) {
    void* block = below.try_allocate(r);
    if (block == nullptr) set_message("%s", below.message());
    return block;
}

class Limit {
public:
    Limit(Allocator below, std::size_t bytes) : below_(std::move(below)), limit_(bytes) {}
    void* allocate(const Request& r) {
        std::size_t used = used_.load();
        do {
            if (r.bytes > limit_ || used > limit_ - r.bytes) {
                set_message("out of memory: %zu bytes were asked for with %zu in use and a limit of %zu", r.bytes, used,
                            limit_);
                return nullptr;
            }
        } while (!used_.compare_exchange_weak(used, used + r.bytes));
        void* block = passed_on(below_, r);
        if (block == nullptr) used_ -= r.bytes;
        return block;
    }
    void release(void* block, const Request& r) {
        below_.release(block, r);
        used_ -= r.bytes;
    }

private:
    Allocator below_;
    const std::size_t limit_;
    std::atomic<std::size_t> used_{0};
};

class Log {
public:
    Log(Allocator below, std::function<void(const MemoryEvent&)> log) : below_(std::move(below)), log_(std::move(log)) {}
    void* allocate(const Request& r) {
        void* block = passed_on(below_, r);
        log_({block != nullptr ? MemoryEvent::Kind::Allocated : MemoryEvent::Kind::Refused, block, r});
        return block;
    }
    void release(void* block, const Request& r) {
        log_({MemoryEvent::Kind::Released, block, r});
        below_.release(block, r);
    }

private:
    Allocator below_;
    std::function<void(const MemoryEvent&)> log_;
};

class Resource {
public:
    explicit Resource(std::pmr::memory_resource& below) : below_(below) {}
    void* allocate(const Request& r) {
        if (!acceptable(r)) return nullptr;
        if (r.space == heddle_space_host) return below_.allocate(std::max<std::size_t>(r.bytes, 1), r.alignment);
        set_message("a std::pmr::memory_resource serves host memory only, not space %d", r.space);
        return nullptr;
    }
    void release(void* block, const Request& r) { below_.deallocate(block, std::max<std::size_t>(r.bytes, 1), r.alignment); }

private:
    std::pmr::memory_resource& below_;
};

}  // namespace

class TrackerState {
public:
    explicit TrackerState(Allocator below) : below_(std::move(below)) {}

    void* allocate(const Request& r) {
        void* block = passed_on(below_, r);
        std::unique_lock lock(mutex_);
        if (block == nullptr) {
            ++counts_.refusals;
            return nullptr;
        }
        try {
            live_.emplace(block, Tracker::Live{counts_.allocations + 1, block, r});
        } catch (const std::bad_alloc&) {
            lock.unlock();
            below_.release(block, r);
            throw;
        }
        ++counts_.allocations;
        ++counts_.live_blocks;
        counts_.live_bytes += r.bytes;
        counts_.peak_bytes = std::max(counts_.peak_bytes, counts_.live_bytes);
        return block;
    }

    void release(void* block, const Request& r) {
        {
            const std::lock_guard lock(mutex_);
            const auto found = live_.find(block);
            if (found == live_.end() || found->second.request.bytes != r.bytes) {
                ++counts_.misuses;
                set_message("a block was released that is not live, or has another size than %zu bytes", r.bytes);
                return;
            }
            live_.erase(found);
            --counts_.live_blocks;
            counts_.live_bytes -= r.bytes;
        }
        below_.release(block, r);
    }

    Tracker::Counts counts() const {
        const std::lock_guard lock(mutex_);
        return counts_;
    }

    std::vector<Tracker::Live> live() const {
        std::vector<Tracker::Live> out;
        const std::lock_guard lock(mutex_);
        for (const auto& [block, entry] : live_) out.push_back(entry);
        std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
        return out;
    }

private:
    Allocator below_;
    mutable std::mutex mutex_;
    std::unordered_map<void*, Tracker::Live> live_;
    Tracker::Counts counts_;
};

class FailureState {
public:
    explicit FailureState(Allocator below) : below_(std::move(below)) {}
    void* allocate(const Request& r) {
        const std::uint64_t number = ++asked_;
        if (number != fail_at_.load()) return passed_on(below_, r);
        set_message("out of memory: allocation %llu was made to fail", static_cast<unsigned long long>(number));
        return nullptr;
    }
    void release(void* block, const Request& r) { below_.release(block, r); }

    std::atomic<std::uint64_t> asked_{0}, fail_at_{0};

private:
    Allocator below_;
};

Allocator limited(Allocator below, std::size_t bytes) {
    return make_allocator(std::make_shared<Limit>(std::move(below), bytes));
}

Allocator logged(Allocator below, std::function<void(const MemoryEvent&)> log) {
    return make_allocator(std::make_shared<Log>(std::move(below), std::move(log)));
}

Tracker::Tracker(Allocator below) : state_(std::make_shared<TrackerState>(std::move(below))) {}
Allocator Tracker::allocator() const { return make_allocator(state_); }
Tracker::Counts Tracker::counts() const { return state_->counts(); }
std::vector<Tracker::Live> Tracker::live() const { return state_->live(); }

std::string Tracker::leaks() const {
    std::string out;
    for (const Live& l : live())
        out += "allocation " + std::to_string(l.number) + ": " + std::to_string(l.request.bytes) + " bytes at a multiple of " +
               std::to_string(l.request.alignment) + " in space " + std::to_string(l.request.space) + "\n";
    return out;
}

FailureInjection::FailureInjection(Allocator below) : state_(std::make_shared<FailureState>(std::move(below))) {}
Allocator FailureInjection::allocator() const { return make_allocator(state_); }
std::uint64_t FailureInjection::asked() const { return state_->asked_; }
void FailureInjection::fail_at(std::uint64_t n) {
    state_->fail_at_ = n;
    state_->asked_ = 0;
}

void* AllocatorResource::do_allocate(std::size_t bytes, std::size_t alignment) {
    void* block = below_.try_allocate({bytes, alignment});
    if (block == nullptr) throw OutOfMemory(below_.message());
    return block;
}

void AllocatorResource::do_deallocate(void* block, std::size_t bytes, std::size_t alignment) {
    below_.release(block, {bytes, alignment});
}

bool AllocatorResource::do_is_equal(const std::pmr::memory_resource& other) const noexcept {
    const auto* same = dynamic_cast<const AllocatorResource*>(&other);
    return same != nullptr && same->below_.raw()->user == below_.raw()->user &&
           same->below_.raw()->allocate == below_.raw()->allocate;
}

Allocator resource_allocator(std::pmr::memory_resource& resource) {
    return make_allocator(std::make_shared<Resource>(resource));
}

}  // namespace heddle::runtime
