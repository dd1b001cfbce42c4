#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <vector>

#include "runtime/adaptors.h"
#include "runtime/pool.h"

using namespace heddle::runtime;
using Catch::Matchers::Contains;

namespace {

constexpr std::size_t mib = std::size_t(1) << 20;

/// The code and text of what a call throws.
template <class Run>
std::pair<Code, std::string> refusal(const Run& run) {
    try {
        run();
    } catch (const RuntimeError& e) {
        return {e.code(), e.what()};
    }
    return {Code::Ok, ""};
}

bool aligned(const void* p, std::size_t to) { return reinterpret_cast<std::uintptr_t>(p) % to == 0; }

}  // namespace

TEST_CASE("A released block is used again, without a call below") {
    Pool pool;
    void* first = pool.allocate(3 * mib);
    pool.release(first);
    const std::uint64_t calls = pool.statistics().upstream_allocations;
    CHECK(pool.allocate(3 * mib) == first);
    CHECK(pool.statistics().upstream_allocations == calls);
    pool.release(first);
}

TEST_CASE("Released neighbours become one block, in every order of release") {
    for (const auto& order : std::vector<std::vector<int>>{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}) {
        Pool pool(PoolOptions{}, malloc_allocator());
        void* blocks[3];
        for (void*& b : blocks) b = pool.allocate(600 * 1024);
        CHECK(pool.statistics().largest_free < 600 * 1024);
        for (const int k : order) pool.release(blocks[k]);
        CHECK(pool.statistics().largest_free == 2 * mib);
        CHECK(pool.statistics().upstream_allocations == 1);
    }
}

TEST_CASE("The smallest block that fits is taken, the lowest of equal ones") {
    Pool pool(PoolOptions{}, malloc_allocator());
    std::vector<void*> blocks;
    for (const std::size_t bytes : {4096u, 64u, 1024u, 64u, 2048u, 64u, 1024u, 64u}) blocks.push_back(pool.allocate(bytes));
    for (const int k : {0, 2, 4, 6}) pool.release(blocks[k]);
    CHECK(pool.allocate(1000) == blocks[2]);
    CHECK(pool.allocate(1000) == blocks[6]);
    CHECK(pool.allocate(1000) == blocks[4]);
    for (const int k : {2, 4, 6, 1, 3, 5, 7}) pool.release(blocks[k]);
}

TEST_CASE("Chunks of the system's pages that touch serve one request together") {
    Pool pool;
    std::vector<void*> blocks;
    for (int k = 0; k < 8; ++k) blocks.push_back(pool.allocate(2 * mib));
    for (void* b : blocks) pool.release(b);
    const auto before = pool.statistics();
    REQUIRE(before.largest_free == 16 * mib);
    void* all = pool.allocate(16 * mib);
    std::memset(all, 1, 16 * mib);
    CHECK(pool.statistics().upstream_allocations == before.upstream_allocations);
    pool.release(all);
}

TEST_CASE("Chunks of another allocator stay apart even when they touch") {
    alignas(64) static char memory[4 * mib];
    std::size_t used = 0;
    heddle_allocator stack{};
    stack.size = sizeof stack;
    stack.user = &used;
    stack.allocate = [](void* user, std::size_t bytes, std::size_t, int, void*) -> void* {
        auto& top = *static_cast<std::size_t*>(user);
        if (bytes > sizeof memory - top) return nullptr;
        top += bytes;
        return memory + top - bytes;
    };
    stack.release = [](void*, void*, std::size_t, std::size_t, int, void*) {};
    Pool pool(PoolOptions{}, Allocator(stack));
    void *a = pool.allocate(2 * mib), *b = pool.allocate(2 * mib);
    CHECK(static_cast<char*>(b) == static_cast<char*>(a) + 2 * mib);
    pool.release(a);
    pool.release(b);
    CHECK(pool.statistics().largest_free == 2 * mib);
    CHECK(pool.trim() == 4 * mib);
}

TEST_CASE("Blocks lie at multiples of 64 on hosts, of 256 elsewhere, and of any power of two on request") {
    Pool host;
    PoolOptions options;
    options.space = heddle_space_device;
    options.chunk = 64 * 1024;
    alignas(256) static char memory[4 * mib];
    std::size_t used = 0;
    heddle_allocator fake{};
    fake.size = sizeof fake;
    fake.user = &used;
    fake.allocate = [](void* user, std::size_t bytes, std::size_t, int space, void*) -> void* {
        auto& top = *static_cast<std::size_t*>(user);
        if (space != heddle_space_device || bytes > sizeof memory - top) return nullptr;
        top += bytes;
        return memory + top - bytes;
    };
    fake.release = [](void*, void*, std::size_t, std::size_t, int, void*) {};
    Pool device(options, Allocator(fake));
    std::vector<void*> on_host, on_device;
    for (std::size_t bytes = 1; bytes < 2000; bytes += 37) {
        on_host.push_back(host.allocate(bytes));
        on_device.push_back(device.allocate(bytes));
        CHECK(aligned(on_host.back(), 64));
        CHECK(aligned(on_device.back(), 256));
        if (bytes % 2) host.release(on_host.back()), device.release(on_device.back()), on_host.pop_back(), on_device.pop_back();
    }
    for (std::size_t alignment = 64; alignment <= 16 * mib; alignment *= 2)
        for (const std::size_t bytes : {std::size_t(1), std::size_t(5000), 3 * mib}) {
            void* p = host.allocate(bytes, alignment);
            CHECK(aligned(p, alignment));
            bytes > 1 ? host.release(p) : on_host.push_back(p);
        }
    for (void* p : on_host) host.release(p);
    for (void* p : on_device) device.release(p);
    CHECK(refusal([&] { host.allocate(8, 48); }) ==
          std::make_pair(Code::BadArgument, std::string("an alignment of 48 was asked for, which is no power of two")));
}

TEST_CASE("Zero bytes give a block of its own") {
    Pool pool;
    void *a = pool.allocate(0), *b = pool.allocate(0);
    CHECK(a != nullptr);
    CHECK(a != b);
    CHECK(pool.statistics().live_bytes == 0);
    CHECK(pool.statistics().live_blocks == 2);
    pool.release(a);
    pool.release(b);
    pool.release(nullptr);
}

TEST_CASE("Sizes that no address space holds are out of memory, and leave the pool as it is") {
    Pool pool;
    for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX - 63, SIZE_MAX / 2, SIZE_MAX / 2 - 4 * mib, std::size_t(1) << 60}) {
        CHECK(refusal([&] { pool.allocate(bytes); }).first == Code::OutOfMemory);
        CHECK(refusal([&] { pool.allocate(bytes, std::size_t(1) << 62); }).first == Code::OutOfMemory);
    }
    CHECK(pool.statistics().reserved_bytes == 0);
    pool.release(pool.allocate(100));
}

TEST_CASE("Out of memory names wanted, in use, cached, limit and the largest free block") {
    PoolOptions options;
    options.name = "the pool of the test";
    options.limit = 8 * mib;
    Pool pool(options);
    void *a = pool.allocate(2 * mib), *b = pool.allocate(2 * mib), *c = pool.allocate(2 * mib);
    pool.release(b);
    const auto [code, text] = refusal([&] { pool.allocate(5 * mib); });
    CHECK(code == Code::OutOfMemory);
    CHECK(
        text ==
        "out of memory: the pool of the test was asked for 5242880 bytes; in use 4194304, cached 2097152, limit 8388608 bytes, "
        "largest free block 2097152");
    CHECK(pool.statistics().reserved_bytes <= options.limit);
    pool.release(a);
    void* d = pool.allocate(5 * mib);
    CHECK(pool.statistics().reserved_bytes <= options.limit);
    pool.release(c);
    pool.release(d);
}

TEST_CASE("Unused chunks are given back before a request is refused") {
    PoolOptions options;
    options.limit = 8 * mib;
    options.waste = 100;
    Pool pool(options, malloc_allocator());
    void* small[4];
    for (void*& p : small) p = pool.allocate(2 * mib);
    for (void* p : small) pool.release(p);
    CHECK(pool.statistics().upstream_releases == 0);
    void* large = pool.allocate(8 * mib);
    CHECK(pool.statistics().upstream_releases == 4);
    pool.release(large);
}

TEST_CASE("The user may make room before a request is refused, once") {
    PoolOptions options;
    options.limit = 4 * mib;
    std::vector<std::size_t> asked;
    void* held = nullptr;
    Pool* the_pool = nullptr;
    options.reclaim = [&](std::size_t bytes) {
        asked.push_back(bytes);
        if (held != nullptr) the_pool->release(std::exchange(held, nullptr));
        return true;
    };
    Pool pool(options);
    the_pool = &pool;
    held = pool.allocate(3 * mib);
    void* next = pool.allocate(2 * mib);
    CHECK(asked == std::vector<std::size_t>{2 * mib});
    CHECK(refusal([&] { pool.allocate(3 * mib); }).first == Code::OutOfMemory);
    CHECK(asked.size() == 2);
    pool.release(next);
}

TEST_CASE("Trim keeps what is asked for and what is live") {
    Pool pool;
    void* blocks[4];
    for (void*& p : blocks) p = pool.allocate(2 * mib);
    pool.release(blocks[1]);
    pool.release(blocks[3]);
    CHECK(pool.trim(7 * mib) == 2 * mib);
    CHECK(pool.trim(6 * mib) == 0);
    std::memset(blocks[0], 1, 2 * mib);
    std::memset(blocks[2], 1, 2 * mib);
    CHECK(pool.trim() == 2 * mib);
    CHECK(pool.trim() == 0);
    CHECK(pool.statistics().reserved_bytes == 4 * mib);
    pool.release(blocks[0]);
    pool.release(blocks[2]);
    CHECK(pool.trim() == 4 * mib);
    CHECK(pool.statistics().reserved_bytes == 0);
    pool.release(pool.allocate(3 * mib));
}

TEST_CASE("A chunk in the middle of a larger free block can be given back") {
    Pool pool;
    void *a = pool.allocate(mib), *middle[3];
    for (void*& b : middle) b = pool.allocate(2 * mib);
    void* c = pool.allocate(mib);
    for (void* b : middle) pool.release(b);
    CHECK(pool.statistics().largest_free == 6 * mib);
    CHECK(pool.trim() == 4 * mib);
    CHECK(pool.statistics().largest_free == mib);
    std::memset(a, 1, mib);
    std::memset(c, 1, mib);
    pool.release(a);
    pool.release(c);
    void* d = pool.allocate(20 * mib);
    std::memset(d, 1, 20 * mib);
    pool.release(d);
    const std::size_t held = pool.statistics().reserved_bytes;
    CHECK(pool.trim() == held);
}

TEST_CASE("A second release and one from elsewhere are errors that change nothing") {
    Pool pool, other;
    void *a = pool.allocate(1000), *b = pool.allocate(1000), *foreign = other.allocate(10);
    int local = 0;
    pool.release(a);
    CHECK(refusal([&] { pool.release(a); }) ==
          std::make_pair(Code::Check, std::string("a block was released to the memory pool twice, or not by its start")));
    CHECK_THAT(refusal([&] { pool.release(static_cast<char*>(b) + 64); }).second, Contains("twice, or not by its start"));
    CHECK_THAT(refusal([&] { pool.release(foreign); }).second, Contains("that it did not give"));
    CHECK_THAT(refusal([&] { pool.release(&local); }).second, Contains("that it did not give"));
    CHECK(pool.statistics().misuses == 4);
    CHECK(pool.statistics().live_blocks == 1);
    pool.release(b);
    other.release(foreign);
}

TEST_CASE("Through the C interface misuse goes to the report") {
    std::vector<std::string> told;
    PoolOptions options;
    options.report = [&](Code code, const std::string& text) {
        CHECK(code == Code::Check);
        told.push_back(text);
    };
    Pool pool(options);
    const Allocator a = pool.allocator();
    void* block = a.allocate({100});
    a.release(block, {99});
    a.release(nullptr, {1});
    CHECK(told == std::vector<std::string>{"a block of 100 bytes was released to the memory pool as one of 99"});
    a.release(block, {100});
    a.release(block, {100});
    CHECK(told.size() == 2);
    CHECK(a.try_allocate({8, 64, heddle_space_device}) == nullptr);
    CHECK(std::string(a.message()) == "the memory pool serves space 0, not 1");
}

TEST_CASE("A pool that goes with live blocks says how many; they stay valid to the last one") {
    std::vector<std::string> told;
    const Tracker below(malloc_allocator());
    heddle_allocator raw;
    void *a = nullptr, *b = nullptr;
    {
        PoolOptions options;
        options.report = [&](Code, const std::string& text) { told.push_back(text); };
        Pool pool(options, below.allocator());
        raw = *pool.allocator().raw();
        a = pool.allocate(1000);
        b = pool.allocate(500);
        CHECK(refusal([&] { pool.close(); }).first == Code::Check);
        CHECK(told.empty());
    }
    CHECK(told == std::vector<std::string>{"the memory pool ends with 2 live blocks of 1500 bytes together"});
    std::memset(a, 1, 1000);
    raw.release(raw.user, a, 1000, 64, heddle_space_host, nullptr);
    std::memset(b, 1, 500);
    CHECK(below.counts().live_blocks == 1);
    raw.release(raw.user, b, 500, 64, heddle_space_host, nullptr);
    CHECK(below.counts().live_blocks == 0);
    CHECK(told.size() == 1);
}

TEST_CASE("A pool moves; what was made of it goes on") {
    Pool first;
    void* block = first.allocate(100);
    Pool second = std::move(first);
    second.release(block);
    const Allocator a = second.allocator();
    second.close();
    void* later = a.allocate({10});
    a.release(later, {10});
}

TEST_CASE("Statistics add up") {
    Pool pool;
    void *a = pool.allocate(100), *b = pool.allocate(64), *c = pool.allocate(3 * mib);
    auto s = pool.statistics();
    CHECK(s.live_blocks == 3);
    CHECK(s.live_bytes == 164 + 3 * mib);
    CHECK(s.padding_bytes == 28);
    CHECK(s.reserved_bytes == s.live_bytes + s.padding_bytes + s.cached_bytes);
    CHECK(s.allocations == 3);
    CHECK(s.hits == 1);
    CHECK(s.upstream_allocations == 2);
    pool.release(c);
    pool.release(pool.allocate(mib));
    s = pool.statistics();
    CHECK(s.peak_live_bytes == 164 + 3 * mib);
    CHECK(s.peak_reserved_bytes == s.reserved_bytes);
    CHECK(s.hits == 2);
    pool.release(a);
    pool.release(b);
    CHECK(pool.statistics().padding_bytes == 0);
}

TEST_CASE("Options that make no sense are refused") {
    const auto with = [](auto change) {
        PoolOptions o;
        change(o);
        return refusal([&] { Pool pool(o); }).first;
    };
    CHECK(with([](PoolOptions& o) { o.alignment = 32; }) == Code::BadArgument);
    CHECK(with([](PoolOptions& o) { o.alignment = 100; }) == Code::BadArgument);
    CHECK(with([](PoolOptions& o) { o.chunk = 3 * mib; }) == Code::BadArgument);
    CHECK(with([](PoolOptions& o) { o.chunk = 1024; }) == Code::BadArgument);
    CHECK(with([](PoolOptions& o) { o.waste = 0.5; }) == Code::BadArgument);
    CHECK(with([](PoolOptions& o) { o.space = heddle_space_device; }) == Code::BadArgument);
    heddle_allocator raw{};
    CHECK(refusal([&] { Allocator a(raw); }).first == Code::BadArgument);
    raw.size = sizeof raw;
    CHECK(refusal([&] { Allocator a(raw); }).first == Code::BadArgument);
}
