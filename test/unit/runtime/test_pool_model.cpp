// The pool against a model of it: random calls with contents, streams, and refusals below.
#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <random>
#include <vector>

#include "runtime/adaptors.h"
#include "runtime/pool.h"

using namespace heddle::runtime;

namespace {

using Random = std::mt19937_64;

std::size_t log_uniform(Random& random, double least, double most) {
    const double u = std::uniform_real_distribution<double>(0, 1)(random);
    return static_cast<std::size_t>(least * std::exp(u * std::log(most / least)));
}

/// What each stream knows of the others: a vector clock for each, one for the host (index 0).
struct Streams {
    static constexpr int count = 4;  // the host and three streams
    std::uint64_t knows[count][count] = {};

    static void* handle(int k) { return k == 0 ? nullptr : reinterpret_cast<void*>(static_cast<std::uintptr_t>(k) << 8); }
    static int number(void* handle) { return static_cast<int>(reinterpret_cast<std::uintptr_t>(handle) >> 8); }

    /// Work on `to` from now on comes behind what `from` knows now. The host puts work on every stream.
    void wait(int from, int to) {
        for (int to_too = 0; to_too < count; ++to_too)
            if (to_too == to || to == 0)
                for (int k = 0; k < count; ++k) knows[to_too][k] = std::max(knows[to_too][k], knows[from][k]);
    }
    std::uint64_t tick(int k) { return ++knows[k][k]; }
};

/// Live blocks with their contents, and for all memory ever released the stream and its time.
class Model {
public:
    Model(Pool& pool, Streams& streams, std::uint64_t seed) : pool_(pool), streams_(streams), random_(seed) {}

    void step(int number_of_streams) {
        const int stream = static_cast<int>(random_() % static_cast<unsigned>(number_of_streams));
        if (random_() % 64 == 0) pool_.trim(random_() % (8 << 20));
        if (live_.size() >= 24 || (!live_.empty() && random_() % 2)) return release(stream);
        allocate(stream);
    }

    void check_statistics() const {
        std::size_t bytes = 0;
        for (const Live& l : live_) bytes += l.bytes;
        const PoolStatistics s = pool_.statistics();
        REQUIRE(s.live_bytes == bytes);
        REQUIRE(s.live_blocks == live_.size());
        REQUIRE(s.reserved_bytes == s.live_bytes + s.padding_bytes + s.cached_bytes);
        REQUIRE(s.largest_free <= s.cached_bytes);
        REQUIRE(s.misuses == 0);
    }

    void release_all() {
        while (!live_.empty()) release(0);
    }
    std::size_t refused = 0;

private:
    struct Live {
        char* at;
        std::size_t bytes;
        unsigned char mark;
    };
    struct Use {
        std::size_t bytes;
        int stream;
        std::uint64_t time;
    };

    void allocate(int stream) {
        const std::size_t bytes = random_() % 16 == 0 ? 0 : log_uniform(random_, 1, 4 << 20);
        const std::size_t alignment = random_() % 4 == 0 ? std::size_t(1) << (random_() % 17) : 64;
        char* at = nullptr;
        try {
            at = static_cast<char*>(pool_.allocate(bytes, alignment, Streams::handle(stream)));
        } catch (const RuntimeError& e) {
            REQUIRE(e.code() == Code::OutOfMemory);
            ++refused;
            return;
        }
        REQUIRE(reinterpret_cast<std::uintptr_t>(at) % std::max<std::size_t>(alignment, 64) == 0);
        for (const Live& l : live_) REQUIRE((at + std::max<std::size_t>(bytes, 1) <= l.at || l.at + l.bytes <= at));
        check_order(at, bytes, stream);
        const auto mark = static_cast<unsigned char>(random_());
        std::memset(at, mark, bytes);
        live_.push_back({at, bytes, mark});
    }

    /// Everything done to these bytes before comes before what the stream does from now on.
    void check_order(char* at, std::size_t bytes, int stream) {
        auto u = used_.upper_bound(at);
        if (u != used_.begin()) --u;
        for (; u != used_.end() && u->first < at + bytes; ++u)
            if (u->first + u->second.bytes > at) REQUIRE(streams_.knows[stream][u->second.stream] >= u->second.time);
    }

    void release(int stream) {
        const std::size_t k = random_() % live_.size();
        const Live l = live_[k];
        bool same = true;
        for (std::size_t n = 0; n < l.bytes; n += 61) same &= static_cast<unsigned char>(l.at[n]) == l.mark;
        REQUIRE(same);
        live_[k] = live_.back();
        live_.pop_back();
        const std::size_t whole = std::max<std::size_t>((l.bytes + 63) / 64 * 64, 64);
        remember(l.at, {whole, stream, streams_.tick(stream)});
        if (stream == 0) streams_.wait(0, 0);
        pool_.release(l.at, Streams::handle(stream));
    }

    /// Keeps of older uses what this one does not cover.
    void remember(char* at, const Use& use) {
        auto u = used_.upper_bound(at);
        if (u != used_.begin()) --u;
        while (u != used_.end() && u->first < at + use.bytes) {
            char *start = u->first, *end = start + u->second.bytes;
            if (end <= at) {
                ++u;
                continue;
            }
            const Use old = u->second;
            u = used_.erase(u);
            if (start < at) used_[start] = {static_cast<std::size_t>(at - start), old.stream, old.time};
            if (end > at + use.bytes)
                u = used_
                        .insert_or_assign(at + use.bytes,
                                          Use{static_cast<std::size_t>(end - at) - use.bytes, old.stream, old.time})
                        .first;
        }
        used_[at] = use;
    }

    Pool& pool_;
    Streams& streams_;
    Random random_;
    std::vector<Live> live_;
    std::map<char*, Use> used_;
};

struct Trial {
    const char* name;
    bool pages, waits;
    int streams;
    std::size_t limit;
};

PoolOptions options_of(const Trial& t, Streams& streams) {
    PoolOptions o;
    o.limit = t.limit;
    if (t.waits)
        o.wait = [&streams](void* from, void* to) {
            streams.wait(Streams::number(from), Streams::number(to));
            return true;
        };
    return o;
}

}  // namespace

TEST_CASE("Random calls: blocks never overlap, keep their contents, and are ordered by stream") {
    const Trial trials[] = {{"pages", true, false, 1, 0},
                            {"pages, limited", true, false, 1, 24 << 20},
                            {"malloc", false, false, 1, 0},
                            {"streams without waits", true, false, 4, 0},
                            {"streams with waits", true, true, 4, 0},
                            {"streams with waits, limited", true, true, 4, 24 << 20},
                            {"streams with waits on malloc, limited", false, true, 4, 24 << 20}};
    for (const Trial& t : trials) {
        for (std::uint64_t seed = 1; seed <= 4; ++seed) {
            INFO(t.name << ", seed " << seed);
            Streams streams;
            const Tracker below(t.pages ? page_allocator() : malloc_allocator());
            {
                Pool pool = t.pages ? Pool(options_of(t, streams)) : Pool(options_of(t, streams), below.allocator());
                Model model(pool, streams, seed);
                for (int k = 0; k < 1500; ++k) {
                    model.step(t.streams);
                    if (k % 16 == 0) model.check_statistics();
                }
                if (t.limit != 0) CHECK(pool.statistics().peak_reserved_bytes <= t.limit);
                if (t.limit == 0) CHECK(model.refused == 0);
                if (t.waits) CHECK(pool.statistics().stream_waits > 0);
                model.release_all();
                model.check_statistics();
                if (t.streams == 1) CHECK(pool.trim() > 0);
                if (t.streams == 1) CHECK(pool.statistics().reserved_bytes == 0);
            }
            CHECK(below.counts().live_blocks == 0);
            CHECK(below.counts().misuses == 0);
        }
    }
}

TEST_CASE("Each refusal below in turn: an error, nothing lost, and the next call works") {
    for (std::uint64_t fail = 1; fail < 12; ++fail) {
        INFO("refusal " << fail);
        const Tracker below(malloc_allocator());
        FailureInjection failing(below.allocator());
        {
            PoolOptions options;
            options.waste = 1;
            Pool pool(options, failing.allocator());
            failing.fail_at(fail);
            std::vector<void*> blocks;
            int refused = 0;
            for (std::size_t k = 0; k < 12; ++k) try {
                    blocks.push_back(pool.allocate((k + 1) << 20));
                } catch (const RuntimeError& e) {
                    ++refused;
                    CHECK(e.code() == Code::OutOfMemory);
                    CHECK_THAT(e.what(), Catch::Matchers::Contains("below it: out of memory: allocation"));
                }
            CHECK(refused <= 1);  // a smaller chunk may do where a larger one was refused
            const auto s = pool.statistics();
            CHECK(s.live_blocks == blocks.size());
            for (void* b : blocks) pool.release(b);
            pool.release(pool.allocate(20 << 20));
            CHECK(pool.statistics().misuses == 0);
        }
        CHECK(failing.asked() >= fail);
        CHECK(below.counts().live_blocks == 0);
        CHECK(below.counts().misuses == 0);
    }
}

TEST_CASE("On the mix of sizes and lifetimes the pool holds at most 1.5 times the peak of what lives") {
    for (const bool pages : {true, false})
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            INFO("pages " << pages << ", seed " << seed);
            Random random(seed);
            Pool pool = pages ? Pool() : Pool(PoolOptions{}, page_allocator());
            std::vector<void*> live;
            for (int k = 0; k < 12000; ++k)
                if (live.size() >= 24 || (!live.empty() && random() % 2)) {
                    std::swap(live[random() % live.size()], live.back());
                    pool.release(live.back());
                    live.pop_back();
                } else {
                    live.push_back(pool.allocate(log_uniform(random, 4096, 64 << 20)));
                }
            for (void* b : live) pool.release(b);
            const auto s = pool.statistics();
            CHECK(static_cast<double>(s.peak_reserved_bytes) <= 1.5 * static_cast<double>(s.peak_live_bytes));
        }
}
