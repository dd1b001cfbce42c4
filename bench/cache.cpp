// What the compile cache costs and saves: medians of a compile, a disk hit and a memory hit, each from text to callable
// function. usage: bench_cache FILE.c   (C text with a function `f`; the cache lies in a temporary folder)
#include "runtime/cache.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <vector>

#include "runtime/compile.h"
#include "runtime/descriptor.h"
#include "runtime/temporary.h"

using namespace heddle::runtime;

namespace {

double microseconds(clockid_t clock) {
    timespec t{};
    ::clock_gettime(clock, &t);
    return 1e6 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_nsec);
}

/// Median and least of `rounds` calls: time of day where a compiler runs, else CPU time of the thread. `before` is not counted.
void measure(
    const char* what, int rounds, const std::function<void()>& work, const std::function<void()>& before = [] {}) {
    const clockid_t clock = rounds < 100 ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
    std::vector<double> times;
    for (int k = 0; k < rounds; ++k) {
        before();
        const double start = microseconds(clock);
        work();
        times.push_back(microseconds(clock) - start);
    }
    std::sort(times.begin(), times.end());
    std::printf("%-34s %12.2f %12.2f\n", what, times[times.size() / 2], times[0]);
}

}  // namespace

int main(int argc, char** argv) {
    const auto text = argc == 2 ? read_file(argv[1]) : std::nullopt;
    if (!text) return std::fprintf(stderr, "usage: bench_cache FILE.c\n"), 2;
    const TemporaryFolder folder;
    CacheOptions options;
    options.folder = folder.path() + "/cache";
    Cache cache(options);
    CompileOptions how;
    how.cache = &cache;
    CompileOptions uncached;
    uncached.cached = false;
    std::printf("%-34s %12s %12s\n", "microseconds", "median", "least");
    measure("first call of a process, compiled", 1, [&] { compile_c(*text, how).symbol("f"); });
    measure("compiled", 15, [&] { compile_c(*text, uncached).symbol("f"); });
    const auto forget = [&] { cache.forget(); };
    measure(
        "from disk", 500, [&] { compile_c(*text, how).symbol("f"); }, forget);
    const CacheKey key({{"text", *text}});  // the object of the same text under a key that is there already
    const auto object = compile_c_object(*text, uncached);
    cache.get(key, [&] { return *object; });
    measure(
        "from disk, given the key", 500, [&] { cache.get(key, {}).symbol("f"); }, forget);
    measure("from memory", 5000, [&] { compile_c(*text, how).symbol("f"); });
}
