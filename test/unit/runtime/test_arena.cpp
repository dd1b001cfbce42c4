#include <catch2/catch.hpp>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include "runtime/adaptors.h"
#include "runtime/arena.h"
#include "runtime/status.h"

using namespace heddle::runtime;

TEST_CASE("A planned arena lends the same block again, and a larger one where needed") {
    const Tracker tracker(malloc_allocator());
    {
        PlannedArena arena(tracker.allocator(), 128);
        void* first = nullptr;
        {
            const auto lease = arena.lease(1000);
            first = lease.at(0);
            CHECK(reinterpret_cast<std::uintptr_t>(first) % 128 == 0);
            CHECK(lease.at(640) == static_cast<char*>(first) + 640);
        }
        for (const std::size_t bytes : {1000, 10, 0}) CHECK(arena.lease(bytes).at(0) == first);
        CHECK(tracker.counts().allocations == 1);
        std::memset(arena.lease(5000).at(0), 1, 5000);
        CHECK(tracker.counts().allocations == 2);
        CHECK(tracker.counts().live_blocks == 1);
        arena.trim();
        CHECK(tracker.counts().live_blocks == 0);
        CHECK(arena.lease(0).at(0) != nullptr);
    }
    CHECK(tracker.counts().live_blocks == 0);
}

TEST_CASE("Leases held at once never share a block, in one thread or in several") {
    const Tracker tracker(malloc_allocator());
    {
        PlannedArena arena(tracker.allocator());
        std::vector<PlannedArena::Lease> leases;
        for (int k = 0; k < 40; ++k) leases.push_back(arena.lease(100));
        for (int k = 0; k < 40; ++k) std::memset(leases[static_cast<std::size_t>(k)].at(0), k, 100);
        for (int k = 0; k < 40; ++k) CHECK(*static_cast<char*>(leases[static_cast<std::size_t>(k)].at(99)) == k);
        arena.trim();
        CHECK(tracker.counts().live_blocks == 40);
        leases.clear();
        CHECK(tracker.counts().live_blocks == 16);

        std::vector<std::thread> threads;
        std::atomic<int> wrong{0};
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&arena, &wrong, t] {
                for (int k = 0; k < 2000; ++k) {
                    const auto lease = arena.lease(static_cast<std::size_t>(100 + k % 7));
                    std::memset(lease.at(0), t, 100);
                    std::this_thread::yield();
                    wrong += *static_cast<char*>(lease.at(99)) != t;
                }
            });
        for (auto& t : threads) t.join();
        CHECK(wrong == 0);
    }
    CHECK(tracker.counts().live_blocks == 0);
    CHECK(tracker.counts().misuses == 0);
}

TEST_CASE("A lease that cannot be had is an error, and the arena goes on") {
    FailureInjection failing(malloc_allocator());
    PlannedArena arena(failing.allocator());
    failing.fail_at(1);
    CHECK_THROWS_AS(arena.lease(10), RuntimeError);
    CHECK(arena.lease(10).at(0) != nullptr);
    failing.fail_at(1);
    CHECK_THROWS_AS(arena.lease(100), RuntimeError);
    CHECK(arena.lease(10).at(0) != nullptr);
}
