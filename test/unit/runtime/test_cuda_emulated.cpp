#include <stdlib.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "cuda_texts.h"
#include "runtime/cuda_emulated.h"
#include "runtime/cuda_emulated/scan.h"
#include "runtime/status.h"

using namespace heddle::runtime;
using Catch::Matchers::Contains;

namespace {

CudaModule compiled(bool checked) {
    CudaTextOptions options;
    options.checked = checked;
    options.kernels = {"weighted<float>"};
    return compile_cuda_emulated(heddle::test::cuda_right, options);
}

const CudaModule& right(bool checked) {
    static const CudaModule plain = compiled(false), with_checks = compiled(true);
    return checked ? with_checks : plain;
}

/// The ways in which every launch is run.
std::vector<CudaOptions> schedules() {
    std::vector<CudaOptions> out;
    for (CudaOrder threads : {CudaOrder::Ascending, CudaOrder::Descending, CudaOrder::Random})
        for (CudaOrder blocks : {CudaOrder::Ascending, CudaOrder::Descending, CudaOrder::Random}) {
            CudaOptions o;
            o.threads = threads, o.blocks = blocks, o.seed = out.size();
            o.os_threads = out.size() % 2 == 0 ? 1 : 3;
            out.push_back(o);
        }
    return out;
}

/// For each schedule, plain and checked.
template <class Body>
void in_all_ways(Body body) {
    for (bool checked : {false, true})
        for (const CudaOptions& options : schedules()) {
            INFO("checked " << checked << ", schedule " << options.seed);
            body(right(checked), options);
        }
}

std::vector<float> numbers(std::size_t n) {
    std::vector<float> out(n);
    for (std::size_t i = 0; i < n; i++) out[i] = static_cast<float>(i * 7 % 13) - 6.0f;
    return out;
}

}  // namespace

TEST_CASE("emulated CUDA: saxpy") {
    in_all_ways([](const CudaModule& m, const CudaOptions& options) {
        const std::vector<float> x = numbers(1000);
        std::vector<float> y(1001, 2.0f);
        m.kernel("saxpy").launch({4}, {256}, 0, {1000, 3.0f, x.data(), y.data()}, options);
        for (std::size_t i = 0; i < 1000; i++) REQUIRE(y[i] == 3.0f * x[i] + 2.0f);
        CHECK(y[1000] == 2.0f);
    });
}

TEST_CASE("emulated CUDA: matrix product by tiles in shared memory") {
    in_all_ways([](const CudaModule& m, const CudaOptions& options) {
        const int n = 40;
        const std::vector<float> a = numbers(n * n), b = numbers(n * n + 5);
        std::vector<float> c(n * n, -1.0f);
        m.kernel("matmul").launch({3, 3}, {16, 16}, 0, {n, a.data(), b.data(), c.data()}, options);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                float sum = 0;
                for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
                REQUIRE(c[i * n + j] == sum);
            }
    });
}

TEST_CASE("emulated CUDA: reductions by a tree and by shuffles") {
    in_all_ways([](const CudaModule& m, const CudaOptions& options) {
        std::vector<double> x(500), sums(4);
        std::iota(x.begin(), x.end(), 0.0);
        m.kernel("tree_sum").launch({4}, {128}, 0, {500, x.data(), sums.data()}, options);
        CHECK(sums == std::vector<double>{8128, 24512, 40896, 51214});
        const std::vector<float> y(3 * 256, 0.25f);
        float sum = 1;
        m.kernel("shuffle_sum").launch({3}, {256}, 0, {y.data(), &sum}, options);
        CHECK(sum == 193.0f);
    });
}

TEST_CASE("emulated CUDA: dynamic shared memory") {
    in_all_ways([](const CudaModule& m, const CudaOptions& options) {
        std::vector<int> x(5 * 100);
        std::iota(x.begin(), x.end(), 0);
        m.kernel("reverse").launch({5}, {100}, 100 * sizeof(int), {x.data()}, options);
        for (int i = 0; i < 500; i++) REQUIRE(x[i] == i / 100 * 100 + 99 - i % 100);
    });
}

TEST_CASE("emulated CUDA: a histogram with atomics in grid-stride loops") {
    in_all_ways([](const CudaModule& m, const CudaOptions& options) {
        std::vector<unsigned char> x(1003);
        std::vector<unsigned> counts(16), expected(16);
        for (std::size_t i = 0; i < x.size(); i++) expected[(x[i] = static_cast<unsigned char>(i * i)) % 16]++;
        m.kernel("histogram").launch({3}, {64}, 0, {1003, x.data(), counts.data()}, options);
        CHECK(counts == expected);
    });
}

TEST_CASE("emulated CUDA: grids and blocks of three dimensions") {
    in_all_ways([](const CudaModule& m, const CudaOptions& options) {
        const CudaShape size{11, 5, 6};
        std::vector<int> out(11 * 5 * 6);
        m.kernel("places").launch({3, 2, 3}, {4, 3, 2}, 0, {size, out.data()}, options);
        for (int i = 0; i < 330; i++) REQUIRE(out[i] == 1 + i % 11 + 100 * (i / 11 % 5) + 10000 * (i / 55));
    });
}

TEST_CASE("emulated CUDA: what lanes of a warp tell each other") {
    in_all_ways([](const CudaModule& m, const CudaOptions& options) {
        std::vector<int> out(6 * 32);
        std::vector<unsigned> votes(5);
        m.kernel("lanes").launch({1}, {32}, 0, {out.data(), votes.data()}, options);
        for (int t = 0; t < 32; t++) {
            const std::vector<int> mine(out.begin() + 6 * t, out.begin() + 6 * t + 6);
            REQUIRE(mine ==
                    std::vector<int>{30, t % 8 >= 2 ? t - 2 : t, t % 8 < 6 ? t + 2 : t, t ^ 5, t / 4 * 4 + (t + 1) % 4, 31});
        }
        CHECK(votes == std::vector<unsigned>{0xaaaaaaaau, 1, 0, 1, 11});
    });
}

TEST_CASE("emulated CUDA: stages within a warp") {
    in_all_ways([](const CudaModule& m, const CudaOptions& options) {
        std::vector<int> x(64);
        std::iota(x.begin(), x.end(), 0);
        m.kernel("warp_stages").launch({1}, {64}, 0, {x.data()}, options);
        for (int t = 0; t < 64; t++) REQUIRE(x[t] == t / 32 * 32 + (t + 2) % 32 + 1);
    });
}

TEST_CASE("emulated CUDA: a lock that threads of a block wait for") {
    in_all_ways([](const CudaModule& m, const CudaOptions& options) {
        int counter = 0;
        m.kernel("locked").launch({7}, {33}, 0, {&counter}, options);
        CHECK(counter == 7 * 33);
    });
}

TEST_CASE("emulated CUDA: every atomic") {
    in_all_ways([](const CudaModule& m, const CudaOptions& options) {
        std::vector<int> i{0, 0, 0, -1, 0, 0};
        std::vector<unsigned> u(3);
        unsigned long long l = 1;
        float f = 0;
        double d = 0;
        m.kernel("atomics").launch({1}, {32}, 0, {i.data(), u.data(), &l, &f, &d}, options);
        CHECK(i == std::vector<int>{496, -31, 31, 0, -1, -32});
        CHECK(u == std::vector<unsigned>{0xffffffffu, 5, 2});
        CHECK(l == 1 + (32ull << 33));
        CHECK(f == 16);
        CHECK(d == 8);
    });
}

TEST_CASE("emulated CUDA: an instance of a template, constants from the host") {
    in_all_ways([](const CudaModule& m, const CudaOptions& options) {
        const float weights[] = {0.25f, -1, 2, 0.5f};
        std::copy(weights, weights + 4, static_cast<float*>(m.symbol("weights")));
        std::vector<float> x(4, 1.0f);
        m.kernel("weighted<float>").launch({1}, {4}, 0, {x.data()}, options);
        CHECK(x == std::vector<float>{0.75f, 0.5f, 1.5f, 1.0f});
    });
}

TEST_CASE("emulated CUDA: a kernel that is called like a function of the C library") {
    in_all_ways([](const CudaModule& m, const CudaOptions& options) {
        std::vector<int> x(3);
        m.kernel("access").launch({1}, {3}, 0, {x.data()}, options);
        CHECK(x == std::vector<int>{7, 7, 7});
    });
}

TEST_CASE("emulated CUDA: launches that CUDA would refuse") {
    std::vector<float> x(4);
    const CudaModule& m = right(false);
    const CudaKernel saxpy = m.kernel("saxpy"), matmul = m.kernel("matmul");
    const std::vector<CudaArgument> good{x.data(), x.data()};
    const auto all = [&](int n) { return std::vector<CudaArgument>{n, 1.0f, good[0], good[1]}; };
    CHECK_THROWS_WITH(saxpy.launch({1}, {1}, 0, {1, 1.0f}), "launch of kernel 'saxpy': 2 arguments for 4 parameters");
    CHECK_THROWS_WITH(saxpy.launch({1}, {1}, 0, {1, 1.0, good[0], good[1]}),
                      "launch of kernel 'saxpy': argument 2 has 8 bytes, the parameter 4");
    CHECK_THROWS_WITH(saxpy.launch({1}, {1025}, 0, all(1)), Contains("a block of 1025 x 1 x 1 threads; CUDA allows 1 to 1024"));
    CHECK_THROWS_WITH(saxpy.launch({1, 65536}, {1}, 0, all(1)), Contains("a grid of 1 x 65536 x 1 blocks"));
    CHECK_THROWS_WITH(saxpy.launch({0}, {1}, 0, all(1)), Contains("a grid of 0 x 1 x 1 blocks"));
    CHECK_THROWS_WITH(saxpy.launch({1}, {1}, 232449, all(1)),
                      Contains("232449 bytes of dynamic shared memory; at most 232448 exist"));
    CHECK_THROWS_WITH(matmul.launch({1}, {257}, 0, all(1)),
                      Contains("a block of 257 threads, above the 256 of its __launch_bounds__"));
    CHECK_THROWS_WITH(m.kernel("sax"), Contains("the CUDA text has no kernel 'sax'; it has saxpy, matmul, tree_sum"));
}

TEST_CASE("emulated CUDA: text that does not compile, and no compiler") {
    CudaTextOptions options;
    options.name = "bad.cu";
    CHECK_THROWS_WITH(compile_cuda_emulated("\nextern \"C\" __global__ void k() { int i = \"a\"; }", options),
                      Contains("bad.cu:2:"));
    options.compiler = "no-such-compiler";
    try {
        compile_cuda_emulated("", options);
        FAIL("compiled");
    } catch (const RuntimeError& e) {
        CHECK(e.code() == Code::CompilerMissing);
        CHECK(std::string(e.what()) == "no C++ compiler: tried no-such-compiler; install g++, or name one in HEDDLE_CXX");
    }
}

TEST_CASE("emulated CUDA: what the text shows before it is compiled") {
    const CudaText text = scan_cuda_text(R"(
        // __global__ void in_comment() {}
        /* __global__ void also() {} */ #not_a_line
        #define X __global__ void in_macro() {} \
                  __global__ void in_macro_2() {}
        const char* s = "__global__ void \" in_string() {}"; char c = '"';
        namespace a::b { }
        namespace outer { namespace { } extern __shared__ __align__(16) float in_namespace[];
            static __global__ void __launch_bounds__(f(1, 2), 2) inner(int (*p)(int)) { extern __shared__ float x[]; { } } }
        __global__ void declared(int);
        template <class T> __global__ void generic(T) {}
        __global__ __launch_bounds__(64) void last() { __shared__ int no[3]; extern __shared__ float x[]; extern __shared__ int y[]; }
        __global__ void)");
    REQUIRE(text.kernels.size() == 2);
    CHECK(text.kernels[0].name == "outer::inner");
    CHECK(text.kernels[0].bound == "f ( 1 , 2 )");
    CHECK(text.kernels[1].name == "last");
    CHECK(text.kernels[1].bound == "64");
    CHECK(text.dynamic == std::vector<std::string>{"_ZN5outer12in_namespaceE", "_ZN5outer1xE", "x", "y"});
}
