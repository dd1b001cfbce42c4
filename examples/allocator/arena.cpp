// A user's own allocator in C++: a fixed buffer that is handed out from its start, with adaptors and a pool in front.
// Build: c++ -std=c++20 -I. examples/allocator/arena.cpp with the library heddle_runtime.
#include <cstdio>
#include <vector>

#include "runtime/adaptors.h"
#include "runtime/pool.h"

using namespace heddle::runtime;

/// Any class with these two functions becomes an allocator. A pool calls it under its lock, so it needs none.
class Buffer {
public:
    explicit Buffer(std::size_t bytes) : memory_(bytes) {}

    void* allocate(const Request& r) {
        if (!acceptable(r) || r.space != heddle_space_host) return nullptr;
        const std::size_t start =
            (reinterpret_cast<std::size_t>(memory_.data()) + used_ + r.alignment - 1) & ~(r.alignment - 1);
        const std::size_t offset = start - reinterpret_cast<std::size_t>(memory_.data());
        if (offset > memory_.size() || r.bytes > memory_.size() - offset) {
            set_message("the buffer of %zu bytes is full", memory_.size());
            return nullptr;
        }
        used_ = offset + r.bytes;
        return memory_.data() + offset;
    }
    void release(void*, const Request&) {}  // all at once, with the buffer

private:
    std::vector<unsigned char> memory_;
    std::size_t used_ = 0;
};

int main() {
    Tracker tracker(make_allocator(std::make_shared<Buffer>(std::size_t(16) << 20)));
    PoolOptions options;
    options.name = "the pool on the buffer";
    options.chunk = 64 << 10;
    Pool pool(options, tracker.allocator());
    for (int k = 0; k < 1000; ++k) {
        void* a = pool.allocate(3 << 20);
        void* b = pool.allocate(1 << 20);
        pool.release(a);
        pool.release(b);
    }
    std::printf("2000 blocks of a pool: %llu calls below\n", static_cast<unsigned long long>(tracker.counts().allocations));

    const Allocator careful = limited(pool.allocator(), 2 << 20);
    if (careful.try_allocate({3 << 20}) == nullptr) std::printf("%s\n", careful.message());
    {
        AllocatorResource resource(careful);
        std::pmr::vector<double> values(1000, 1.0, &resource);
        std::printf("a std::pmr::vector holds %llu bytes of it\n",
                    static_cast<unsigned long long>(pool.statistics().live_bytes));
    }
    try {
        pool.allocate(32 << 20);
    } catch (const RuntimeError& e) {
        std::printf("%s\n", e.what());
    }
}
