// Heap temporaries, case by case: what a producer and a consumer that reads it reversed need, for each space, size and way to
// ask. A peer puts 8 MB on the stack, or makes arguments of them that nobody allocates.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "ir/builder.h"
#include "ir/error.h"
#include "runtime/compile.h"
#include "runtime/pool.h"
#include "target/target.h"
#include "test/support/run.h"

using namespace heddle;
using namespace heddle::test;

namespace {

constexpr std::int64_t million = 1 << 20;

/// 8 MB at n = 2^20; `shape` of the temporary.
std::string reversed(const std::string& shape, const std::string& space) {
    return "kernel k(n : index; x : in f64[n], y : out f64[n])\n  where n >= 0 and n <= 4000000000\n{\n  temp t : f64[" +
           shape + "]" + (space.empty() ? "" : " in " + space) +
           "\n  for [i] : 0 <= i < n { P: t[i] = 2.0 * x[i] }\n  for [i] : 0 <= i < n { Q: y[i] = t[n - 1 - i] }\n}\n";
}

runtime::Module module_of(const Kernel& kernel) {
    const std::string text = emit_c_single(*lower(kernel));
    CHECK(text.find("alloca(") == std::string::npos);
    return runtime::compile_c(text);
}

template <class F>
F* function(const runtime::Module& module, const char* name) {
    return reinterpret_cast<F*>(module.symbol(name));
}

using Reversed = int(std::int64_t, const double*, double*);
using WithAllocator = int(std::int64_t, const double*, double*, const heddle_allocator*);
using WithWorkspace = int(std::int64_t, const double*, double*, void*, std::int64_t);

/// All three ways to call give the reversed values, for sizes from nothing on; the pool gets everything back.
void check_reversed(const Kernel& kernel, std::int64_t largest) {
    const auto module = module_of(kernel);
    runtime::Pool pool;
    for (const std::int64_t n : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1000}, largest}) {
        std::vector<double> x, right;
        for (std::int64_t i = 0; i < n; ++i) x.push_back(0.25 * static_cast<double>(i));
        for (std::int64_t i = n; i-- > 0;) right.push_back(2 * x[static_cast<std::size_t>(i)]);
        std::vector<double> y(x.size());
        CHECK(function<Reversed>(module, "k")(n, x.data(), y.data()) == heddle_ok);
        CHECK(y == right);
        y.assign(x.size(), 0);
        CHECK(function<WithAllocator>(module, "k_with_allocator")(n, x.data(), y.data(), pool.allocator().raw()) == heddle_ok);
        CHECK(y == right);
        CHECK(pool.statistics().live_bytes == 0);
        y.assign(x.size(), 0);
        const std::int64_t bytes = function<std::int64_t(std::int64_t)>(module, "k_workspace_size")(n);
        std::vector<char> workspace(static_cast<std::size_t>(bytes));
        CHECK(function<WithWorkspace>(module, "k_with_workspace")(n, x.data(), y.data(), workspace.data(), bytes) == heddle_ok);
        CHECK(y == right);
    }
}

std::string refused(const std::string& text) {
    try {
        lower(scheduled(text, ""));
    } catch (const Error& e) {
        return e.message() + "; " + e.hint_text();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("private of 8 MB, or of a size that depends on n, is refused and heap is named") {
    CHECK_THAT(refused(reversed("1048576", "private")),
               Catch::Contains("8388608 bytes") && Catch::Contains("65536") && Catch::Contains("heap"));
    CHECK_THAT(refused(reversed("n", "private")), Catch::Contains("depends on parameters") && Catch::Contains("heap"));
}

TEST_CASE("every other space gets 8 MB from the host part, of fixed size and of size n") {
    for (const char* space : {"", "shared", "global", "heap"}) {
        INFO(space);
        check_reversed(scheduled(reversed("n", space), ""), million);
        check_reversed(scheduled(reversed("1048576", space), "assume n <= 1048576"), million);
    }
}

TEST_CASE("the interface says how many bytes, for any n") {
    const auto size = [](const std::string& shape) {
        const auto module = module_of(scheduled(reversed(shape, "heap"), ""));
        return [module](std::int64_t n) { return function<std::int64_t(std::int64_t)>(module, "k_workspace_size")(n); };
    };
    CHECK(size("n")(million) / 64 == 8388608 / 64);  // and room to align
    CHECK(size("n")(0) == 0);
    CHECK(size("1000*n")(10000000) / 64 == 80000000000 / 64);
    const std::string square =
        "kernel k(n : index; y : inout f64)\n{\n  temp t : f64[n, n] in heap\n  if n > 1 { P: t[0, 0] = y\n    Q: y = t[0, 0] "
        "}\n}\n";
    const auto square_size = module_of(scheduled(square, ""));
    CHECK(function<std::int64_t(std::int64_t)>(square_size, "k_workspace_size")(4000000000) == -1);
    const SourceFile header = emit_c(*lower(scheduled(reversed("n", "heap"), "")))[0];
    CHECK_THAT(header.text, Catch::Contains("k_workspace_size(int64_t n)") &&
                                Catch::Contains("int k(int64_t n, const double *x, double *y)"));
}

TEST_CASE("temporaries that do not live at once share bytes, as planned and as asked") {
    const std::string text =
        "kernel k(n : index; x : in f64[n], y : out f64[n])\n{\n  temp a : f64[n] in heap\n  temp b : f64[n] in heap\n  temp c "
        ": f64[n] in heap\n"
        "  for [i] : 0 <= i < n { a[i] = x[n - 1 - i] }\n  for [i] : 0 <= i < n { b[i] = a[n - 1 - i] }\n"
        "  for [i] : 0 <= i < n { c[i] = 2.0 * b[n - 1 - i] }\n  for [i] : 0 <= i < n { y[i] = c[i] }\n}\n";
    for (const char* steps : {"", "alias c a"}) {
        const Kernel kernel = scheduled(text, steps);
        CHECK(function<std::int64_t(std::int64_t)>(module_of(kernel), "k_workspace_size")(million) / 64 == 2 * 8388608 / 64);
        check_reversed(kernel, million);
    }
    CHECK_THAT(refusal(text, "alias b a"), Catch::Contains("a") && Catch::Contains("b"));
}

TEST_CASE("tables with given values: 64 kB, 1 MB and 8 MB, read where they lie") {
    for (const std::size_t bytes : {std::size_t{65536}, std::size_t{1} << 20, std::size_t{8} << 20}) {
        using namespace heddle::build;
        const std::size_t count = bytes / sizeof(double);
        std::vector<double> values;
        for (std::size_t k = 0; k < count; ++k) values.push_back(std::sin(static_cast<double>(k)));
        KernelBuilder b("k");
        auto t = b.table("t", {static_cast<std::int64_t>(count)}, values);
        auto y = b.out<double>("y", {static_cast<std::int64_t>(count)});
        b.loop("i", 0, static_cast<std::int64_t>(count), [&](Index i) { y(i) = t(static_cast<std::int64_t>(count) - 1 - i); });
        std::vector<SourceFile> objects;
        const std::string text = emit_c_single(*lower(b.build()), &objects);
        CHECK(text.size() < 20000 + (objects.empty() ? 4 * bytes : 0));
        runtime::CompileOptions how;
        for (const SourceFile& o : objects) how.objects.emplace_back(o.name, o.text);
        const auto module = runtime::compile_c(text, how);
        std::vector<double> got(count);
        CHECK(function<int(double*)>(module, "k")(got.data()) == heddle_ok);
        std::reverse(values.begin(), values.end());
        CHECK(got == values);
        CHECK_THROWS(module.symbol("k_workspace_size"));
    }
}
