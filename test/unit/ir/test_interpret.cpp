#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>

#include "ir/error.h"
#include "ir/interpret.h"

using namespace heddle;
using Catch::Matchers::Contains;

namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T>
Buffer buffer(DType type, std::vector<std::int64_t> shape, const std::vector<T>& values) {
    Buffer b = Buffer::zeros(type, std::move(shape));
    REQUIRE(b.bytes.size() == values.size() * sizeof(T));
    std::copy(values.begin(), values.end(), b.as<T>());
    return b;
}
Buffer f64s(const std::vector<double>& v) { return buffer(DType::F64, {std::int64_t(v.size())}, v); }
Buffer i64s(const std::vector<std::int64_t>& v) { return buffer(DType::I64, {std::int64_t(v.size())}, v); }

template <class T>
std::vector<T> values(const Arguments& a, const char* name) {
    const Buffer& b = a.arrays.at(name);
    return std::vector<T>(b.as<T>(), b.as<T>() + b.count());
}

Kernel only(const std::string& text) { return parse(text, "test").kernel(); }

Arguments run(const std::string& text, Arguments arguments = {}) {
    interpret(only(text), arguments);
    return arguments;
}

/// What the run refuses, with its code.
std::pair<std::string, std::string> refusal(const std::string& text, Arguments arguments = {}) {
    try {
        interpret(only(text), arguments);
    } catch (const Error& e) {
        return {e.code(), e.message()};
    }
    return {};
}

/// One scalar of a type from an expression over scalars of the same type.
template <class T>
T scalar(const char* type, const std::string& expression, T a, T b) {
    const std::string text = "kernel k(a, b : " + std::string(type) + "; y : out " + type + ") { y = " + expression + " }";
    Arguments arguments;
    const DType t = *dtype_from(type);
    arguments.arrays["a"] = buffer<T>(t, {}, {a});
    arguments.arrays["b"] = buffer<T>(t, {}, {b});
    return values<T>(run(text, arguments), "y")[0];
}

}  // namespace

TEST_CASE("a matrix product is what the formula says, in well under a second for a million instances") {
    const std::string text =
        "kernel gemm(n : index; A : in f64[n, n], B : in f64[n, n], C : inout f64[n, n]) {\n"
        "  for [i, j, l] : 0 <= i, j, l < n { C[i, j] += A[i, l] * B[l, j] }\n}\n";
    const std::int64_t n = 100;
    Arguments a;
    std::vector<double> x(n * n), y(n * n), wanted(n * n);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = double(k % 7), y[k] = double(k % 5) - 1;
    for (int i = 0; i < n; ++i)
        for (int l = 0; l < n; ++l)
            for (int j = 0; j < n; ++j) wanted[i * n + j] += x[i * n + l] * y[l * n + j];
    a.arrays = {
        {"A", buffer(DType::F64, {n, n}, x)}, {"B", buffer(DType::F64, {n, n}, y)}, {"C", Buffer::zeros(DType::F64, {n, n})}};
    const Kernel k = only(text);
    const auto start = std::chrono::steady_clock::now();
    interpret(k, a);
    CHECK(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < 20);
    CHECK(values<double>(a, "C") == wanted);
}

TEST_CASE("triangles, strides and unions run exactly their points, in order") {
    const auto points = [](const std::string& loop, std::int64_t n) {
        const Kernel k = only("kernel k(n : index; y : out i64[100]) { for " + loop + " { s: y[0] = 1 } }");
        std::vector<std::vector<std::int64_t>> out;
        Arguments a;
        a.sizes["n"] = n;
        interpret(k, a, [&](std::size_t, const std::vector<std::int64_t>& loops) { out.push_back(loops); });
        return out;
    };
    using Points = std::vector<std::vector<std::int64_t>>;
    CHECK(points("[i, j] : 0 <= i < n and i <= j < n", 3) == Points{{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}});
    CHECK(points("[i] : 0 <= i < n and i mod 3 = 1", 8) == Points{{1}, {4}, {7}});
    CHECK(points("[i] : 0 <= i < 2 or n <= i < n + 2", 1000000000000) == Points{{0}, {1}, {1000000000000}, {1000000000001}});
    CHECK(points("[-i] : 0 <= i < n", 3) == Points{{2}, {1}, {0}});
    CHECK(points("[i, j] : 0 <= i + j < 2 and 0 <= i - j < 2", 0) == Points{{0, 0}, {1, 0}});
    CHECK(points("[j, t] : 0 <= t < n and 0 <= j - t < 2", 2) == Points{{0, 0}, {1, 0}, {1, 1}, {2, 1}});
    CHECK(points("[i] : 0 <= i < n", 0).empty());
    CHECK(points("[i] : exists e : i = 9 - 3*e and 1 <= i <= 9", 0) == Points{{3}, {6}, {9}});
}

TEST_CASE("an unbounded loop is refused") {
    CHECK_THAT(refusal("kernel k(y : out i64[1]) { for [i] : 0 <= i { y[0] = 1 } }").first, Contains("bound"));
}

TEST_CASE("integers wrap in their own width; // and % round down; by zero both are 0") {
    CHECK(scalar<std::uint8_t>("u8", "a + b", 250, 10) == 4);
    CHECK(scalar<std::int8_t>("i8", "a * b", 100, 3) == 44);
    CHECK(scalar<std::int32_t>("i32", "a + b", 2147483647, 1) == std::numeric_limits<std::int32_t>::min());
    CHECK(scalar<std::int64_t>("i64", "-a", std::numeric_limits<std::int64_t>::min(), 0) ==
          std::numeric_limits<std::int64_t>::min());
    CHECK(scalar<std::int64_t>("i64", "a // b", -7, 3) == -3);
    CHECK(scalar<std::int64_t>("i64", "a % b", -7, 3) == 2);
    CHECK(scalar<std::int64_t>("i64", "a // b", 7, -3) == -3);
    CHECK(scalar<std::int64_t>("i64", "a % b", 7, -3) == -2);
    CHECK(scalar<std::int64_t>("i64", "a // b + a % b", 7, 0) == 0);
    CHECK(scalar<std::int32_t>("i32", "a // b", std::numeric_limits<std::int32_t>::min(), -1) ==
          std::numeric_limits<std::int32_t>::min());
    CHECK(scalar<std::uint64_t>("u64", "a // b", ~0ull, 2) == ~0ull / 2);
}

TEST_CASE("f32 is rounded after every operation") {
    CHECK(scalar<float>("f32", "a + b - a", 16777216.0f, 1.0f) == 0.0f);
    const float third = 1.0f / 3.0f;
    CHECK(scalar<float>("f32", "a / b * b - a", 1.0f, 3.0f) == third * 3.0f - 1.0f);
}

TEST_CASE("NaN wins in min and max, the first of equals wins") {
    CHECK(std::isnan(scalar<double>("f64", "max(a, b)", 1.0, nan_value)));
    CHECK(std::isnan(scalar<double>("f64", "min(a, b)", nan_value, 1.0)));
    CHECK_FALSE(std::signbit(scalar<double>("f64", "max(a, b)", 0.0, -0.0)));
    CHECK(std::signbit(scalar<double>("f64", "min(a, b)", -0.0, 0.0)));
    CHECK(scalar<std::int64_t>("i64", "min(a, b)", 3, -4) == -4);
}

TEST_CASE("casts saturate, NaN becomes 0, integers wrap") {
    const std::string text =
        "kernel k(x : in f64[6]; a : out i8[6], b : out u32[6], c : out i64[6]) {\n"
        "  for [i] : 0 <= i < 6 { a[i] = i8(x[i])\n b[i] = u32(x[i])\n c[i] = i64(x[i]) } }";
    Arguments arguments;
    arguments.arrays["x"] = f64s({nan_value, infinity, -infinity, 1e30, -1.9, 300.7});
    const Arguments out = run(text, arguments);
    CHECK(values<std::int8_t>(out, "a") == std::vector<std::int8_t>{0, 127, -128, 127, -1, 127});
    CHECK(values<std::uint32_t>(out, "b") == std::vector<std::uint32_t>{0, ~0u, 0, ~0u, 0, 300});
    const auto top = std::numeric_limits<std::int64_t>::max();
    CHECK(values<std::int64_t>(out, "c") == std::vector<std::int64_t>{0, top, -top - 1, top, -1, 300});
    CHECK(scalar<std::int8_t>("i8", "i8(i32(a) + 200)", 1, 0) == -55);
}

TEST_CASE("only the chosen branch is evaluated, and `and` stops early") {
    const std::string text =
        "kernel k(n : index; x : in f64[n], y : out f64[n]) {\n"
        "  for [i] : 0 <= i < n { y[i] = i > 0 and x[i-1] > 1.0 ? x[i-1] : i == 0 ? -1.0 : x[i] } }";
    Arguments arguments;
    arguments.arrays["x"] = f64s({2, 0, 3});
    CHECK(values<double>(run(text, arguments), "y") == std::vector<double>{-1, 2, 3});
}

TEST_CASE("reductions over nothing, over numbers and over NaN") {
    const std::string text =
        "kernel k(n : index; x : in f64[n], s : out f64, p : out f64, lo : out f64, hi : out f64, at : out i64) {\n"
        "  s = sum[i : 0 <= i < n](x[i])\n  p = product[i : 0 <= i < n](x[i])\n"
        "  lo = min[i : 0 <= i < n](x[i])\n hi = max[i : 0 <= i < n](x[i])\n"
        "  let (v, j) = argmax[i : 0 <= i < n](x[i])\n  at = j\n}\n";
    const auto all = [&](const std::vector<double>& x) {
        Arguments arguments;
        arguments.arrays["x"] = f64s(x);
        const Arguments out = run(text, arguments);
        std::vector<double> r;
        for (const char* name : {"s", "p", "lo", "hi"}) r.push_back(values<double>(out, name)[0]);
        r.push_back(double(values<std::int64_t>(out, "at")[0]));
        return r;
    };
    CHECK(all({}) == std::vector<double>{0, 1, infinity, -infinity, -1});
    CHECK(all({3, -1, 3}) == std::vector<double>{5, -9, -1, 3, 0});
    CHECK(all({-infinity, -infinity})[4] == 0);
    const auto r = all({1, nan_value, 2, nan_value});
    CHECK(std::isnan(r[2]));
    CHECK(std::isnan(r[3]));
    CHECK(r[4] == 1);
}

TEST_CASE("data-dependent bounds: a sparse product, empty rows included") {
    const std::string text =
        "kernel spmv(rows, nnz, cols : index; rp : in i32[rows + 1], ci : in i32[nnz], v : in f64[nnz], x : in f64[cols], y : "
        "out f64[rows]) {\n"
        "  for [r] : 0 <= r < rows {\n    let lo = rp[r]\n    let hi = rp[r + 1]\n"
        "    y[r] = sum[p : lo <= p < hi](v[p] * x[ci[p]])\n  } }";
    Arguments a;
    a.arrays["rp"] = buffer<std::int32_t>(DType::I32, {4}, {0, 2, 2, 3});
    a.arrays["ci"] = buffer<std::int32_t>(DType::I32, {3}, {0, 2, 1});
    a.arrays["v"] = f64s({1, 2, 3});
    a.arrays["x"] = f64s({10, 20, 30});
    CHECK(values<double>(run(text, a), "y") == std::vector<double>{70, 0, 60});
    a.arrays["ci"] = buffer<std::int32_t>(DType::I32, {3}, {0, 5, 1});
    const auto [code, message] = refusal(text, a);
    CHECK(code == "bounds");
    CHECK_THAT(message, Contains("x[5]") && Contains("r=0") && Contains("p=1"));
}

TEST_CASE("temporaries are new in every iteration, and what was never written cannot be read") {
    const std::string fine =
        "kernel k(n : index; y : out f64[n]) { for [i] : 0 <= i < n { temp t : f64[2]\n t[1] = 2.0\n y[i] = t[1] } }";
    Arguments a;
    a.sizes["n"] = 2;
    CHECK(values<double>(run(fine, a), "y") == std::vector<double>{2, 2});
    const std::string stale =
        "kernel k(n : index; x : in i64[n], y : out f64[n]) { for [i] : 0 <= i < n { temp t : f64\n if x[i] > 0 { t = 1.0 }\n "
        "use: y[i] = t } }";
    Arguments b;
    b.arrays["x"] = i64s({1, 0});
    const auto [code, message] = refusal(stale, b);
    CHECK(code == "undefined");
    CHECK_THAT(message, Contains("use(i=1)") && Contains("reads t"));
    const auto [out_code, out_message] = refusal("kernel k(y : out f64[3]) { y[0] = y[2] }");
    CHECK(out_code == "undefined");
    CHECK_THAT(out_message, Contains("y[2]"));
}

TEST_CASE("complex numbers") {
    const std::string text =
        "kernel k(a, b : c128; y : out c128, m : out f64) { y = a * b + c128(1.0, 0.0)\n m = abs(conj(a)) }";
    using C = std::complex<double>;
    Arguments a;
    a.arrays["a"] = buffer<C>(DType::C128, {}, {C(3, 4)});
    a.arrays["b"] = buffer<C>(DType::C128, {}, {C(0, 1)});
    const Arguments out = run(text, a);
    CHECK(values<C>(out, "y")[0] == C(-3, 3));
    CHECK(values<double>(out, "m")[0] == 5);
}

TEST_CASE("a user's operator on pairs") {
    const std::string text =
        "operator online((m1, z1), (m2, z2)) = (max(m1, m2), z1*exp(m1 - max(m1, m2)) + z2*exp(m2 - max(m1, m2))) identity "
        "(-inf, 0.0)\n"
        "kernel k(n : index; s : in f64[n], y : out f64) { let (m, z) = online[j : 0 <= j < n](s[j], 1.0)\n y = m + log(z) }";
    Arguments a;
    a.arrays["s"] = f64s({1, 2, 3});
    CHECK(values<double>(run(text, a), "y")[0] == Approx(std::log(std::exp(1) + std::exp(2) + std::exp(3))));
}

TEST_CASE("calls run the callee on the caller's arrays") {
    const std::string text =
        "kernel scale(m : index; f : f64; a : inout f64[m]) { for [i] : 0 <= i < m { a[i] *= f } }\n"
        "kernel k(n : index; y : inout f64[n]) { for [t] : 0 <= t < 3 { call scale(n, 2.0, y) } }\n";
    Arguments a;
    a.arrays["y"] = f64s({1, 2});
    interpret(parse(text).kernel("k"), a);
    CHECK(values<double>(a, "y") == std::vector<double>{8, 16});
}

TEST_CASE("extern functions come from a table or not at all") {
    const std::string text = "extern fn twice(f64) -> f64\nkernel k(x : f64; y : out f64) { y = twice(x) }";
    Arguments a;
    a.arrays["x"] = buffer<double>(DType::F64, {}, {4});
    CHECK(refusal(text, a).first == "extern");
    const ExternTable table{{"twice", [](const void* const* in, void* out) {
                                 *static_cast<double*>(out) = 2 * *static_cast<const double*>(in[0]);
                             }}};
    interpret(only(text), a, {}, table);
    CHECK(values<double>(a, "y")[0] == 8);
}

TEST_CASE("deep expressions and nests need no recursion of ours") {
    std::string sum = "x";
    for (int k = 0; k < 2000; ++k) sum += " + x";
    Arguments a;
    a.arrays["x"] = buffer<double>(DType::F64, {}, {1});
    CHECK(values<double>(run("kernel k(x : f64; y : out f64) { y = " + sum + " }", a), "y")[0] == 2001);
    std::string nest, close;
    for (int k = 0; k < 100; ++k)
        nest += "for [l" + std::to_string(k) + "] : 0 <= l" + std::to_string(k) + " < 1 { ", close += " }";
    CHECK(values<std::int64_t>(run("kernel k(y : inout i64[1]) { " + nest + "y[0] += 1" + close + " }",
                                   [] {
                                       Arguments b;
                                       b.arrays["y"] = i64s({0});
                                       return b;
                                   }()),
                               "y")[0] == 1);
}

TEST_CASE("rules are substituted") {
    Arguments a;
    a.arrays["x"] = f64s({1, 2, 3});
    CHECK(values<double>(run("kernel k(n : index; x : in f64[n], y : out f64[n]) { def u(i, c) = x[i] * c\n"
                             " for [i] : 0 <= i < n { y[i] = u(n - 1 - i, 2.0) + u(i, 1.0) } }",
                             a),
                         "y") == std::vector<double>{7, 6, 5});
}
