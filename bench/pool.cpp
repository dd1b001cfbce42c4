// The pool and the process's malloc on two traces of temporaries.
// usage: bench_pool malloc|pmr|pool|arena sequence|mix idle|none|page|full THREADS BATCHES
// Prints: median CPU ns of an allocation with its release, largest resident MiB, peak live bytes and peak bytes held by the
// pool, its calls below after the first pass. malloc is whatever LD_PRELOAD says.
#include "runtime/pool.h"

#include <sys/resource.h>

#include <algorithm>
#include <barrier>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory_resource>
#include <mutex>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "runtime/arena.h"

using namespace heddle::runtime;

namespace {

constexpr double least = 4096, most = 64 << 20;
constexpr double batch_ns = 20e6;  // a batch repeats the trace for so long at least

struct Op {
    int slot;
    std::size_t bytes;
    bool get;
};
struct Trace {
    std::vector<Op> ops;
    std::size_t slots = 0, pairs = 0, peak = 0;
};

/// Sizes are reproducible everywhere: no library distribution.
std::size_t log_uniform(std::mt19937_64& random) {
    const double u = static_cast<double>(random() >> 11) * 0x1p-53;
    return static_cast<std::size_t>(least * std::exp(u * std::log(most / least)));
}

/// The same 12 temporaries, the last one released first; mean 8.3 MiB.
Trace sequence() {
    Trace t;
    t.slots = t.pairs = 12;
    std::vector<std::size_t> sizes;
    for (int k = 0; k < 12; ++k)
        sizes.push_back(static_cast<std::size_t>(least * std::exp((k + 0.5) / 12 * std::log(most / least))));
    const double scale =
        8.3 * 12 * (1 << 20) / static_cast<double>(std::accumulate(sizes.begin(), sizes.end(), std::size_t(0)));
    std::mt19937_64 random(1);
    for (std::size_t k = sizes.size(); k > 1; --k) std::swap(sizes[k - 1], sizes[random() % k]);
    for (std::size_t& s : sizes) s = static_cast<std::size_t>(static_cast<double>(s) * scale), t.peak += s;
    for (int k = 0; k < 12; ++k) t.ops.push_back({k, sizes[static_cast<std::size_t>(k)], true});
    for (int k = 11; k >= 0; --k) t.ops.push_back({k, sizes[static_cast<std::size_t>(k)], false});
    return t;
}

/// Log-uniform sizes, at most 24 live, released in random order.
Trace mix(std::size_t pairs, unsigned seed) {
    Trace t;
    t.slots = 24;
    t.pairs = pairs;
    std::mt19937_64 random(seed);
    std::vector<Op> live;
    std::vector<int> free;
    for (int k = 23; k >= 0; --k) free.push_back(k);
    std::size_t bytes = 0;
    for (std::size_t made = 0; made < pairs || !live.empty();) {
        if (made == pairs || free.empty() || (!live.empty() && random() % 2)) {
            std::swap(live[random() % live.size()], live.back());
            t.ops.push_back({live.back().slot, live.back().bytes, false});
            free.push_back(live.back().slot);
            bytes -= live.back().bytes;
            live.pop_back();
        } else {
            live.push_back({free.back(), log_uniform(random), true});
            free.pop_back();
            t.ops.push_back(live.back());
            t.peak = std::max(t.peak, bytes += live.back().bytes);
            ++made;
        }
    }
    return t;
}

void touch(char* block, std::size_t bytes, char how) {
    if (how == 'n') block[0] = 1;
    if (how == 'p')
        for (std::size_t k = 0; k < bytes; k += 4096) static_cast<volatile char*>(block)[k] = 1;
    if (how == 'f') std::memset(block, 1, bytes);
    asm volatile("" : : "r"(block) : "memory");
}

struct Malloc {
    void* get(std::size_t n) { return std::malloc(n); }
    void put(void* p, std::size_t) { std::free(p); }
};
struct Resource {
    std::pmr::synchronized_pool_resource memory;
    void* get(std::size_t n) { return memory.allocate(n, 64); }
    void put(void* p, std::size_t n) { memory.deallocate(p, n, 64); }
};
struct Ours {
    Pool pool;
    Allocator face = pool.allocator();
    void* get(std::size_t n) { return face.try_allocate({n}); }
    void put(void* p, std::size_t n) { face.release(p, {n}); }
};

template <class Policy>
void pass(Policy& policy, const Trace& t, char how, std::vector<char*>& slots) {
    for (const Op& op : t.ops) {
        char*& at = slots[static_cast<std::size_t>(op.slot)];
        if (op.get) {
            at = static_cast<char*>(policy.get(op.bytes));
            touch(at, op.bytes, how);
        } else {
            policy.put(at, op.bytes);
        }
    }
}

/// The whole trace as a planned arena has it: offsets known, one lease.
struct Planned {
    Ours below;
    PlannedArena arena{below.face};
};
void pass(Planned& planned, const Trace& t, char how, std::vector<char*>&) {
    const auto lease = planned.arena.lease(t.peak + 64 * t.slots);
    std::size_t offset = 0;
    for (std::size_t k = 0; k < t.slots; ++k) {
        touch(static_cast<char*>(lease.at(offset)), t.ops[k].bytes, how);
        offset += (t.ops[k].bytes + 63) & ~std::size_t(63);
    }
}

double cpu_ns() {
    timespec now;
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

/// Median over batches of CPU ns for a pair, all threads together; `warm` runs between warming up and the first batch.
template <class Policy, class Warm>
double measure(Policy& policy, const std::vector<Trace>& traces, char how, std::size_t batches, const Warm& warm,
               std::size_t warm_passes = 2) {
    std::vector<double> ns(batches, 0), pairs(batches, 0);
    std::mutex adding;
    std::barrier together(static_cast<std::ptrdiff_t>(traces.size()));
    std::vector<std::thread> threads;
    for (const Trace& t : traces)
        threads.emplace_back([&] {
            std::vector<char*> slots(t.slots);
            const std::size_t repeats = how == 'n' || how == 'i' ? 1 + 2000 / t.pairs : 1;  // the clock is a system call
            for (std::size_t k = 0; k < warm_passes * repeats; ++k) pass(policy, t, how, slots);
            together.arrive_and_wait();
            if (&t == traces.data()) warm();
            for (std::size_t b = 0; b < batches; ++b) {
                together.arrive_and_wait();
                const double start = cpu_ns();
                double done = 0, now = start;
                while (now - start < batch_ns) {
                    for (std::size_t k = 0; k < repeats; ++k) pass(policy, t, how, slots);
                    done += static_cast<double>(repeats * t.pairs);
                    now = cpu_ns();
                }
                std::lock_guard lock(adding);
                ns[b] += now - start;
                pairs[b] += done;
            }
        });
    for (auto& t : threads) t.join();
    for (std::size_t b = 0; b < batches; ++b) ns[b] /= pairs[b];
    std::nth_element(ns.begin(), ns.begin() + static_cast<std::ptrdiff_t>(batches / 2), ns.end());
    return ns[batches / 2];
}

void print(double ns, const std::vector<Trace>& traces, const PoolStatistics& s, std::uint64_t warm_calls) {
    std::size_t live = 0;
    for (const Trace& t : traces) live += t.peak;
    rusage usage;
    ::getrusage(RUSAGE_SELF, &usage);
    std::printf("%.2f %ld %zu %zu %zu\n", ns, usage.ru_maxrss / 1024, s.peak_live_bytes ? std::size_t(s.peak_live_bytes) : live,
                std::size_t(s.peak_reserved_bytes), std::size_t(s.upstream_allocations + s.upstream_releases - warm_calls));
}

}  // namespace

int main(int count, char** words) {
    if (count != 6) return 2;
    const std::string policy = words[1], trace = words[2];
    const char how = words[3][0];
    const auto batches = static_cast<std::size_t>(std::atoi(words[5]));
    std::vector<Trace> traces;
    for (int k = 0; k < std::atoi(words[4]); ++k)
        traces.push_back(trace == "mix" ? mix(how == 'n' || how == 'i' ? 6000 : 600, static_cast<unsigned>(k + 1))
                                        : sequence());
    std::uint64_t calls = 0;
    const auto calls_of = [](const Ours& o) {
        const PoolStatistics s = o.pool.statistics();
        return s.upstream_allocations + s.upstream_releases;
    };
    if (policy == "malloc") {
        Malloc m;
        const double ns = measure(
            m, traces, how, batches, [] {}, 1);
        print(ns, traces, {}, 0);
    } else if (policy == "pmr") {
        Resource r;
        const double ns = measure(
            r, traces, how, batches, [] {}, 1);
        print(ns, traces, {}, 0);
    } else if (policy == "pool") {
        Ours o;
        const double ns = measure(o, traces, how, batches, [&] { calls = calls_of(o); });
        print(ns, traces, o.pool.statistics(), calls);
    } else if (policy == "arena" && trace == "sequence") {
        Planned p;
        const double ns = measure(p, traces, how, batches, [&] { calls = calls_of(p.below); });
        print(ns, traces, p.below.pool.statistics(), calls);
    } else {
        return 2;
    }
}
