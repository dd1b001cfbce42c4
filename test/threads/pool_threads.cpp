// Pool, adaptors and planned arena from several threads at once; built with the thread sanitizer. Prints what is wrong, if
// anything.
#include <cstdio>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "runtime/adaptors.h"
#include "runtime/arena.h"
#include "runtime/pool.h"

using namespace heddle::runtime;

namespace {

struct Live {
    char* at;
    std::size_t bytes;
};

/// Random calls with contents; the number of blocks whose contents another thread changed.
int work(const Allocator& allocator, unsigned seed, int calls) {
    std::mt19937 random(seed);
    std::vector<Live> live;
    int wrong = 0;
    for (int k = 0; k < calls || !live.empty(); ++k) {
        const bool full = k >= calls || live.size() >= 12 || (!live.empty() && random() % 2);
        if (!full) {
            const std::size_t bytes = 1 + random() % (64 << (random() % 12));
            char* at = static_cast<char*>(allocator.try_allocate({bytes}));
            if (at == nullptr) continue;  // the limit; the next release makes room
            std::memset(at, static_cast<int>(seed), bytes);
            live.push_back({at, bytes});
        } else {
            std::swap(live[random() % live.size()], live.back());
            const Live l = live.back();
            live.pop_back();
            wrong += l.at[0] != static_cast<char>(seed) || l.at[l.bytes - 1] != static_cast<char>(seed);
            allocator.release(l.at, {l.bytes});
        }
    }
    return wrong;
}

int lease(PlannedArena& arena, unsigned seed, int calls) {
    int wrong = 0;
    for (int k = 0; k < calls; ++k) {
        const auto held = arena.lease(100 + static_cast<std::size_t>(k) % 50);
        std::memset(held.at(0), static_cast<int>(seed), 100);
        wrong += *static_cast<char*>(held.at(99)) != static_cast<char>(seed);
    }
    return wrong;
}

/// Threads share everything; one more asks for statistics and trims.
int trial(Pool& pool, const Tracker& tracker, PlannedArena& arena) {
    std::vector<int> wrong(3, 0);
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 3; ++t)
        threads.emplace_back([&, t] {
            wrong[t] = work(pool.allocator(), t + 1, 3000) + work(tracker.allocator(), t + 1, 1000) + lease(arena, t + 1, 1000);
        });
    threads.emplace_back([&] {
        for (int k = 0; k < 200; ++k) {
            pool.trim(pool.statistics().reserved_bytes / 2);
            arena.trim();
            tracker.leaks();
        }
    });
    for (auto& t : threads) t.join();
    return wrong[0] + wrong[1] + wrong[2];
}

}  // namespace

int main() {
    PoolOptions limited_pool;
    limited_pool.limit = 6 << 20;
    limited_pool.chunk = 64 << 10;
    int failures = 0;
    for (const bool pages : {true, false}) {
        Pool pool = pages ? Pool(limited_pool) : Pool(limited_pool, malloc_allocator());
        const Tracker tracker(limited(pool.allocator(), 1 << 20));
        {
            PlannedArena arena(pool.allocator());
            failures += trial(pool, tracker, arena);
        }
        const PoolStatistics s = pool.statistics();
        failures += s.live_blocks != 0 || s.misuses != 0 || s.peak_reserved_bytes > limited_pool.limit;
    }
    // The last blocks of a pool that is gone, released by two threads at once.
    for (int k = 0; k < 200; ++k) {
        heddle_allocator raw;
        void* blocks[2];
        {
            Pool pool;
            raw = *pool.allocator().raw();
            for (void*& b : blocks) b = pool.allocate(100);
        }
        std::thread other([&] { raw.release(raw.user, blocks[0], 100, 64, heddle_space_host, nullptr); });
        raw.release(raw.user, blocks[1], 100, 64, heddle_space_host, nullptr);
        other.join();
    }
    if (failures != 0) std::printf("%d blocks or counts were wrong\n", failures);
    return failures != 0;
}
