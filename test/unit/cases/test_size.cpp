// Sizes beyond 32 bits, and full unrolling that stays linear.
#include <sys/mman.h>

#include <catch2/catch.hpp>

#include "runtime/compile.h"
#include "target/target.h"
#include "test/support/run.h"

using namespace heddle;
using namespace heddle::test;

namespace {

/// Runs `k(n, a)` on an untouched map of n*n bytes with a page before and after; the four last corners must be 7, the pages
/// untouched.
void corners(const std::string& steps) {
    const std::string text =
        "kernel k(n : index; a : inout u8[n, n])\n{\n  for [i, j] : n - 2 <= i < n and n - 2 <= j < n { S: a[i, j] = 7 }\n}\n";
    const std::int64_t n = 46341, page = 4096;
    const std::size_t bytes = static_cast<std::size_t>(n * n + 2 * page);
    void* const map = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(map != MAP_FAILED);
    auto* const a = static_cast<std::uint8_t*>(map) + page;
    TargetOptions options;
    options.entry = true;
    const runtime::Module module = runtime::compile_c(emit_c_single(*lower(scheduled(text, steps), options)));
    const auto entry = reinterpret_cast<std::int32_t (*)(void* const*, const void*)>(module.symbol("k_entry"));
    std::int64_t size = n;
    void* arguments[] = {&size, a};
    CHECK(entry(arguments, nullptr) == 0);
    for (const std::int64_t i : {n - 2, n - 1})
        for (const std::int64_t j : {n - 2, n - 1}) CHECK(a[i * n + j] == 7);
    CHECK(std::count_if(a - page, a, [](std::uint8_t x) { return x != 0; }) == 0);
    munmap(map, bytes);
}

}  // namespace

TEST_CASE("flat indices are formed in 64 bits") {
    corners("");
    corners("split j by 32");
    corners("split i by 32\nparallel i_o");
}

TEST_CASE("full unrolling of 64 x 64 keeps the order of additions") {
    const std::string text =
        "kernel k(a : in f64[64, 64], x : in f64[64], y : inout f64[64])\n{\n  for [i, j] : 0 <= i, j < 64 { y[i] += a[i, j] * "
        "x[j] }\n}\n";
    std::vector<double> a, x;
    for (int k = 0; k < 4096; ++k) a.push_back(0.1 * (k % 37) - 1.3);
    for (int k = 0; k < 64; ++k) x.push_back(0.7 - 0.03 * k);
    run(text, "unroll i\nunroll j",
        {{}, {{"a", values_of(a, DType::F64, {64, 64})}, {"x", values_of(x, DType::F64)}, {"y", values_of(x, DType::F64)}}});
}

TEST_CASE("unrolling beyond the limit, or without a known length, is refused") {
    const std::string big = "kernel k(y : inout f64[1024, 1024])\n{\n  for [i, j] : 0 <= i, j < 1024 { y[i, j] += 1.0 }\n}\n";
    const auto attempt = [](const std::string& text, const std::string& steps) {
        try {
            lower(scheduled(text, steps));
        } catch (const std::exception& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    CHECK_THAT(attempt(big, "unroll i\nunroll j"), Catch::Contains("1048576"));
    const std::string open = "kernel k(n : index; y : inout f64[n])\n{\n  for [i] : 0 <= i < n { y[i] += 1.0 }\n}\n";
    CHECK_THAT(attempt(open, "unroll i"), Catch::Contains("i"));
}
