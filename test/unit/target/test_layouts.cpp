// Arrays that do not lie row-major in memory.
#include "test/unit/target/compiled.h"
#include "tools/heddle/launch.h"

using namespace heddle;
using namespace heddle::test;

TEST_CASE("axis orders, padding and strides, of arguments and temporaries") {
    const Kernel kernel = parse(R"(kernel layouts(n, m : index; A : in f64[n, m] layout(1, 0), B : out f64[n, m] pad(0, 8),
                                                  C : inout f64[n, m] strides(1, n), k : in i32[n])
    {
      temp t : f64[n, m] pad(0, 3)
      temp u : f64[4, 6] layout(1, 0)
      for [i, j] : 0 <= i < n and 0 <= j < m {
        t[i, j] = A[i, j] + C[i, j]
        C[i, j] = 2.0 * t[i, j]
      }
      for [i, j] : 0 <= i < 4 and 0 <= j < 6 { u[i, j] = i + j }
      for [i, j] : 0 <= i < n and 0 <= j < m { B[i, j] = t[i, j] + u[i % 4, j % 6] + A[k[i] % n, (k[i] + 1) % m] }
    })")
                              .kernel();
    const tools::Compiled compiled(kernel, {}, {});
    Arguments expected = filled_arguments(kernel, {{"n", 5}, {"m", 7}}), found = expected;
    interpret(kernel, expected);
    compiled.run(found);
    for (const char* name : {"B", "C"}) CHECK(expected.arrays.at(name).bytes == found.arrays.at(name).bytes);
}

TEST_CASE("a separate axis becomes one argument for each entry") {
    const Kernel kernel =
        parse(R"(kernel soa(n : index; A : in f64[n, 3] separate(1), k : in i32[n], B : out f64[n, 2] separate(1))
    {
      temp t : f64[n, 3] separate(1)
      for [i] : 0 <= i < n {
        for [c] : 0 <= c < 3 { t[i, c] = A[i, c] + 1.0 }
        B[i, 0] = A[i, 1] + t[i, 2]
        B[i, 1] = A[k[i], 2]
      }
    })")
            .kernel();
    TargetOptions options;
    options.entry = true;
    const runtime::Module module = runtime::compile_c(emit_c_single(*lower(kernel, options)));
    std::int64_t n = 2;
    double a0[] = {1, 2}, a1[] = {10, 20}, a2[] = {100, 200}, b0[2], b1[2];
    std::int32_t k[] = {1, 0};
    void* const arguments[] = {&n, a0, a1, a2, k, b0, b1};
    REQUIRE(reinterpret_cast<std::int32_t (*)(void* const*, const void*)>(module.symbol("soa_entry"))(arguments, nullptr) == 0);
    CHECK((b0[0] == 111 && b0[1] == 221 && b1[0] == 200 && b1[1] == 100));
}
