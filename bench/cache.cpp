// What the compile cache costs and saves: medians of a compile, a disk hit and a memory hit, each from text to callable
// function. usage: bench_cache FILE.c   (C text with a function `f`; the cache lies in a temporary folder)
#include "runtime/cache.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

#include "runtime/compile.h"
#include "runtime/descriptor.h"
#include "runtime/temporary.h"

using namespace heddle::runtime;

namespace {

/// Median and least of `rounds` calls, in microseconds.
void measure(const char* what, int rounds, const std::function<void()>& work) {
    std::vector<double> times;
    for (int k = 0; k < rounds; ++k) {
        const auto start = std::chrono::steady_clock::now();
        work();
        times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
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
    measure("from disk", 500, [&] {
        cache.forget();
        compile_c(*text, how).symbol("f");
    });
    measure("from memory", 5000, [&] { compile_c(*text, how).symbol("f"); });
}
