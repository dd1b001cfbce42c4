#include <catch2/catch.hpp>
#include <vector>

#include "runtime/adaptors.h"
#include "runtime/pool.h"

using namespace heddle::runtime;

namespace {

int first_stream, second_stream, third_stream;
void* const a = &first_stream;
void* const b = &second_stream;
void* const c = &third_stream;
constexpr std::size_t mib = std::size_t(1) << 20;

using Waits = std::vector<std::pair<void*, void*>>;

PoolOptions with_waits(Waits& waits, std::size_t limit = 0) {
    PoolOptions options;
    options.limit = limit;
    options.wait = [&waits](void* from, void* to) {
        waits.emplace_back(from, to);
        return true;
    };
    return options;
}

}  // namespace

TEST_CASE("A block goes to its own stream at once, to another one after a wait") {
    Waits waits;
    Pool pool(with_waits(waits));
    void* block = pool.allocate(2 * mib, 0, a);
    pool.release(block, a);
    CHECK(pool.allocate(2 * mib, 0, a) == block);
    CHECK(waits.empty());
    pool.release(block, a);
    CHECK(pool.allocate(2 * mib, 0, b) == block);
    CHECK(waits == Waits{{a, b}});
    pool.release(block, b);
    CHECK(pool.allocate(2 * mib) == block);
    CHECK(waits == Waits{{a, b}, {b, nullptr}});
    pool.release(block);
    CHECK(pool.allocate(2 * mib, 0, c) == block);
    CHECK(waits.size() == 2);
    pool.release(block, c);
}

TEST_CASE("Without a wait a block stays with its stream, and is not given back under it") {
    const Tracker below(malloc_allocator());
    {
        Pool pool(PoolOptions{}, below.allocator());
        void* block = pool.allocate(2 * mib, 0, a);
        pool.release(block, a);
        void* other = pool.allocate(2 * mib, 0, b);
        CHECK(other != block);
        CHECK(pool.trim() == 0);
        CHECK(pool.allocate(2 * mib, 0, a) == block);
        pool.release(block);
        CHECK(pool.trim() == 2 * mib);
        pool.release(other, b);
    }
    CHECK(below.counts().live_blocks == 0);
}

TEST_CASE("A wait that fails keeps the block where it is") {
    PoolOptions options;
    options.wait = [](void*, void*) { return false; };
    options.limit = 4 * mib;
    Pool pool(options);
    void* block = pool.allocate(2 * mib, 0, a);
    pool.release(block, a);
    void* other = pool.allocate(2 * mib, 0, b);
    CHECK(other != block);
    CHECK_THROWS_AS(pool.allocate(2 * mib, 0, b), RuntimeError);
    CHECK(pool.allocate(2 * mib, 0, a) == block);
    pool.release(block, a);
    pool.release(other, b);
    CHECK(pool.statistics().stream_waits == 0);
}

TEST_CASE("What several streams released is taken together before the pool grows") {
    Waits waits;
    Pool pool(with_waits(waits, 8 * mib));
    void* blocks[4];
    void* const streams[4] = {a, b, a, b};
    for (int k = 0; k < 4; ++k) blocks[k] = pool.allocate(2 * mib, 0, streams[k]);
    for (int k = 0; k < 4; ++k) pool.release(blocks[k], streams[k]);
    CHECK(pool.statistics().largest_free == 2 * mib);
    void* all = pool.allocate(8 * mib, 0, c);
    CHECK(all == blocks[0]);
    CHECK(pool.statistics().upstream_releases == 0);
    CHECK(waits.size() == 2);
    pool.release(all, c);
}

TEST_CASE("Memory goes back below only when its streams are done") {
    Waits waits;
    Pool pool(with_waits(waits), malloc_allocator());
    void* block = pool.allocate(100, 0, a);
    pool.release(block, a);
    CHECK(pool.trim() == 2 * mib);
    CHECK(!waits.empty());
    for (const auto& [from, to] : waits) CHECK(to == nullptr);
}
