#include <catch2/catch.hpp>
#include <list>
#include <vector>

#include "runtime/adaptors.h"
#include "runtime/pool.h"
#include "runtime/status.h"

using namespace heddle::runtime;
using Catch::Matchers::Contains;

TEST_CASE("A limit counts what is in use at once, and what was refused below does not count") {
    FailureInjection failing(malloc_allocator());
    const Allocator a = limited(failing.allocator(), 1000);
    void* first = a.allocate({600});
    CHECK(a.try_allocate({500}) == nullptr);
    CHECK(std::string(a.message()) == "out of memory: 500 bytes were asked for with 600 in use and a limit of 1000");
    CHECK(a.try_allocate({SIZE_MAX}) == nullptr);
    failing.fail_at(1);
    CHECK(a.try_allocate({400}) == nullptr);
    CHECK_THAT(a.message(), Contains("allocation 1 was made to fail"));
    void* second = a.allocate({400});
    a.release(first, {600});
    void* third = a.allocate({600});
    a.release(second, {400});
    a.release(third, {600});
}

TEST_CASE("A tracker lists what is live, and stops bad releases") {
    const Tracker tracker(malloc_allocator());
    const Allocator a = tracker.allocator();
    void *x = a.allocate({10}), *y = a.allocate({20, 128}), *z = a.allocate({30});
    a.release(x, {10});
    CHECK(tracker.leaks() ==
          "allocation 2: 20 bytes at a multiple of 128 in space 0\nallocation 3: 30 bytes at a multiple of 64 in space 0\n");
    a.release(x, {10});
    a.release(y, {21, 128});
    int local = 0;
    a.release(&local, {4});
    CHECK(tracker.counts().misuses == 3);
    CHECK(tracker.counts().live_blocks == 2);
    CHECK(tracker.counts().live_bytes == 50);
    CHECK(tracker.counts().peak_bytes == 60);
    CHECK(a.try_allocate({1, 3}) == nullptr);
    CHECK(tracker.counts().refusals == 1);
    a.release(y, {20, 128});
    a.release(z, {30});
    CHECK(tracker.live().empty());
    CHECK(tracker.leaks().empty());
}

TEST_CASE("A log sees every call with its values") {
    std::vector<MemoryEvent> events;
    FailureInjection failing(malloc_allocator());
    const Allocator a = logged(failing.allocator(), [&](const MemoryEvent& e) { events.push_back(e); });
    int stream = 0;
    void* x = a.allocate({10, 256, heddle_space_host, &stream});
    failing.fail_at(1);
    CHECK_THROWS_AS(a.allocate({5}), RuntimeError);
    a.release(x, {10, 256, heddle_space_host, &stream});
    REQUIRE(events.size() == 3);
    CHECK(events[0].kind == MemoryEvent::Kind::Allocated);
    CHECK(events[0].block == x);
    CHECK(events[0].request.alignment == 256);
    CHECK(events[0].request.stream == &stream);
    CHECK(events[1].kind == MemoryEvent::Kind::Refused);
    CHECK(events[1].request.bytes == 5);
    CHECK(events[2].kind == MemoryEvent::Kind::Released);
}

TEST_CASE("Adaptors stack in any order and keep what they need alive") {
    std::size_t calls = 0;
    Tracker tracker(malloc_allocator());
    {
        Allocator stack = limited(
            logged(Pool(PoolOptions{}, tracker.allocator()).allocator(), [&](const MemoryEvent&) { ++calls; }), 1 << 20);
        void* x = stack.allocate({1000});
        stack.release(x, {1000});
        CHECK(stack.try_allocate({2 << 20}) == nullptr);
    }
    CHECK(calls == 2);
    CHECK(tracker.counts().allocations == 1);
    CHECK(tracker.counts().live_blocks == 0);
}

TEST_CASE("std::pmr containers on a pool, and a pool on a memory resource") {
    Pool pool;
    {
        AllocatorResource resource(pool.allocator()), same(pool.allocator());
        CHECK(resource == same);
        CHECK(!(resource == *std::pmr::new_delete_resource()));
        std::pmr::list<std::pmr::vector<double>> lists(&resource);
        for (int k = 0; k < 100; ++k) lists.emplace_back(static_cast<std::size_t>(k), 1.5);
        CHECK(lists.back()[98] == 1.5);
        CHECK(pool.statistics().live_blocks == 199);
        std::pmr::vector<char> large(&same);
        CHECK_THROWS_AS(large.reserve(PTRDIFF_MAX), std::bad_alloc);
    }
    CHECK(pool.statistics().live_blocks == 0);
    CHECK(pool.statistics().misuses == 0);

    Tracker tracker(malloc_allocator());
    {
        AllocatorResource tracked(tracker.allocator());
        std::pmr::synchronized_pool_resource resource(&tracked);
        Pool on_resource(PoolOptions{}, resource_allocator(resource));
        on_resource.release(on_resource.allocate(5 << 20, 4096));
        CHECK(on_resource.statistics().upstream_allocations == 1);
    }
    CHECK(tracker.counts().allocations > 0);
    CHECK(tracker.counts().live_blocks == 0);
    const Allocator none = resource_allocator(*std::pmr::null_memory_resource());
    CHECK(none.try_allocate({8}) == nullptr);
    CHECK(none.try_allocate({8, 64, heddle_space_device}) == nullptr);
}

TEST_CASE("malloc and the system's pages serve every alignment and zero bytes, and refuse what they cannot") {
    for (const Allocator& a : {malloc_allocator(), page_allocator()}) {
        for (std::size_t alignment = 1; alignment <= (8 << 20); alignment *= 4)
            for (const std::size_t bytes : {0, 1, 4096, 3 << 20}) {
                char* p = static_cast<char*>(a.allocate({bytes, alignment}));
                CHECK(reinterpret_cast<std::uintptr_t>(p) % alignment == 0);
                if (bytes != 0) p[0] = p[bytes - 1] = 1;
                a.release(p, {bytes, alignment});
            }
        a.release(nullptr, {5});
        CHECK(a.try_allocate({SIZE_MAX}) == nullptr);
        CHECK(a.try_allocate({SIZE_MAX / 2 - 10}) == nullptr);
        CHECK_THAT(a.message(), Contains("out of memory"));
        CHECK(a.try_allocate({8, 0}) == nullptr);
        CHECK(a.try_allocate({8, 64, heddle_space_pinned}) == nullptr);
    }
    CHECK(page_allocator().try_allocate({std::size_t(1) << 60}) == nullptr);  // malloc of it would end a sanitized process
    CHECK_THAT(last_message(), Contains("the system has no 1152921504606846976 bytes"));
}
