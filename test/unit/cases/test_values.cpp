// Public failures of other tools about values: start values, empty reductions, NaN, complex numbers, sizes beyond 32 bits.
#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <limits>

#include "test/support/run.h"

using namespace heddle;
using namespace heddle::test;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

double reduced(const std::string& what, DType type, const std::vector<double>& a, const std::string& steps = {}) {
    const std::string name(name_of(type));
    const std::string text = "kernel k(n : index; a : in " + name + "[n], m : out " + name + "[1])\n{\n  R: m[0] = " + what +
                             "[j : 0 <= j < n](a[j])\n}\n";
    Arguments given;
    given.arrays.emplace("a", values_of(a, type, {static_cast<std::int64_t>(a.size())}));
    return doubles(run(text, steps, given).arrays.at("m"))[0];
}

}  // namespace

TEST_CASE("the largest of negative numbers is negative, in every type") {
    for (const DType type : {DType::I8, DType::I32, DType::I64, DType::F32, DType::F64}) {
        CHECK(reduced("max", type, {-3, -1}) == -1);
        CHECK(reduced("min", type, {-3, -1}) == -3);
        CHECK(reduced("sum", type, {-3, -1}) == -4);
        CHECK(reduced("product", type, {-3, -1}) == 3);
    }
    CHECK(reduced("max", DType::U32, {3, 1}) == 3);
    CHECK(reduced("min", DType::U32, {3, 1}) == 1);
}

TEST_CASE("reductions over nothing") {
    for (const DType type : {DType::F32, DType::F64}) {
        CHECK(reduced("max", type, {}) == -inf);
        CHECK(reduced("min", type, {}) == inf);
        CHECK(reduced("sum", type, {}) == 0);
        CHECK(reduced("product", type, {}) == 1);
    }
    CHECK(reduced("max", DType::I8, {}) == -128);
    CHECK(reduced("min", DType::I8, {}) == 127);
    CHECK(reduced("max", DType::U32, {}) == 0);
    CHECK(reduced("min", DType::I32, {}) == 2147483647);
}

TEST_CASE("NaN wins in max and min, in any order") {
    for (const char* steps : {"", "split j by 2", "reverse j", "vectorize j by 4", "unroll j by 4"}) {
        CHECK(std::isnan(reduced("max", DType::F64, {1, not_a_number, 2}, steps)));
        CHECK(std::isnan(reduced("min", DType::F32, {1, not_a_number, 2}, steps)));
        CHECK(reduced("max", DType::F64, {1, 5, 2, 4, 3}, steps) == 5);
    }
}

TEST_CASE("any and all") {
    const std::string text =
        "kernel k(n : index; a : in f64[n], r : out bool[2])\n{\n  A: r[0] = any[j : 0 <= j < n](a[j] > 1.0)\n"
        "  B: r[1] = all[j : 0 <= j < n](a[j] > 1.0)\n}\n";
    const auto of = [&](const std::vector<double>& a) {
        return doubles(
            run(text, "", {{}, {{"a", values_of(a, DType::F64, {static_cast<std::int64_t>(a.size())})}}}).arrays.at("r"));
    };
    CHECK(of({}) == std::vector<double>{0, 1});
    CHECK(of({0, 2}) == std::vector<double>{1, 0});
    CHECK(of({3, 2}) == std::vector<double>{1, 1});
}

TEST_CASE("argmax gives the first largest, and -1 over nothing") {
    const std::string text =
        "kernel k(n : index; a : in f64[n, n], v : out f64[1], where_ : out i64[2])\n{\n"
        "  let (best, i, j) = argmax[i, j : 0 <= i, j < n](a[i, j])\n  v[0] = best\n  where_[0] = i\n  where_[1] = j\n}\n";
    const auto of = [&](const std::vector<double>& a, std::int64_t n) {
        return doubles(run(text, "", {{}, {{"a", values_of(a, DType::F64, {n, n})}}}).arrays.at("where_"));
    };
    CHECK(of({1, 5, 5, 2}, 2) == std::vector<double>{0, 1});
    CHECK(of({-inf, -inf, -inf, -inf}, 2) == std::vector<double>{0, 0});
    CHECK(of({}, 0) == std::vector<double>{-1, -1});
}

TEST_CASE("argmax over loops that visit -1") {
    const std::string text =
        "kernel k(n : index; a : in f64[n], b : in f64[n, n], where_ : out i64[4])\n{\n"
        "  let (u, i) = argmax[p : -1 <= p < n - 1](a[p + 1])\n  where_[0] = i\n"
        "  let (v, j, l) = argmin[p, q : -2 <= p, q < n - 2](b[p + 2, q + 2])\n  where_[1] = j\n  where_[2] = l\n"
        "  (where_[3], where_[3]) = argmax[p : -1 <= p < n - 1 if a[p + 1] > 9.0](p)\n}\n";
    const auto of = [&](const std::vector<double>& a, const std::vector<double>& b) {
        const auto n = static_cast<std::int64_t>(a.size());
        const Buffer square = values_of(b, DType::F64, {n, n});
        return doubles(run(text, "", {{}, {{"a", values_of(a, DType::F64, {n})}, {"b", square}}}).arrays.at("where_"));
    };
    CHECK(of({5, 5, 2}, {3, 2, 2, 2, 1, 1, 2, 1, 1}) == std::vector<double>{-1, -1, -1, -1});
    CHECK(of({-inf, -inf}, {inf, inf, inf, inf}) == std::vector<double>{-1, -2, -2, -1});
    CHECK(of({1, 10}, {3, 3, 3, 2}) == std::vector<double>{0, -1, -1, 0});
    CHECK(of({}, {}) == std::vector<double>{-1, -1, -1, -1});
}

TEST_CASE("max of two scalars is a plain call") {
    const std::string text = "kernel k(n : index; o : out i64[n])\n{\n  for [i] : 0 <= i < n { o[i] = max(i, 5) }\n}\n";
    CHECK(doubles(run(text, "", {{{"n", 8}}, {}}).arrays.at("o")) == std::vector<double>{5, 5, 5, 5, 5, 5, 6, 7});
}

namespace {

using C = std::complex<double>;

const std::string complex_kernel =
    "kernel k(z : in c128[3], r : in f64[3], a : out f64[3], re : out f64[3], im : out f64[3], c : out c128[3], p : out "
    "c128[3],\n"
    "         q : out c128[3], g : out f64[3], t : out c128[3], u : out c128[3], total : out c128[1], same : out bool[3])\n{\n"
    "  for [i] : 0 <= i < 3 {\n    a[i] = abs(z[i])\n    re[i] = real(z[i])\n    im[i] = imag(z[i])\n    c[i] = conj(z[i])\n"
    "    p[i] = z[i]*z[i]\n    q[i] = z[i]*conj(z[i])\n    g[i] = arg(z[i])\n    t[i] = z[i]*2\n    u[i] = z[i] + r[i]\n"
    "    same[i] = z[i] == c128(0.0, -1.0)\n  }\n  total[0] = sum[i : 0 <= i < 3](z[i])\n}\n";

}  // namespace

TEST_CASE("complex numbers") {
    const Arguments given{{}, {{"z", values<C>({{3, 4}, {0, -1}, {0, 0}})}, {"r", values<double>({1, 2, 3})}}};
    for (const char* steps : {"", "split i by 2", "unroll i"}) {
        const Arguments got = run(complex_kernel, steps, given);
        const auto of = [&](const char* name) { return doubles(got.arrays.at(name)); };
        CHECK(of("a") == std::vector<double>{5, 1, 0});
        CHECK(of("re") == std::vector<double>{3, 0, 0});
        CHECK(of("im") == std::vector<double>{4, -1, 0});
        CHECK(of("c") == std::vector<double>{3, -4, 0, 1, 0, 0});
        CHECK(of("p") == std::vector<double>{-7, 24, -1, 0, 0, 0});
        CHECK(of("q")[0] == 25);
        CHECK(of("g")[0] == Approx(0.92729522));
        CHECK(of("g")[1] == Approx(-1.57079633));
        CHECK(of("t") == std::vector<double>{6, 8, 0, -2, 0, 0});
        CHECK(of("u") == std::vector<double>{4, 4, 2, -1, 3, 0});
        CHECK(of("total") == std::vector<double>{3, 3});
        CHECK(of("same") == std::vector<double>{0, 1, 0});
    }
}

TEST_CASE("what complex numbers cannot do is refused") {
    const auto kernel = [](const std::string& statement) {
        return "kernel k(z : in c128[3], r : out f64[3], w : out c128[3])\n{\n  for [i] : 0 <= i < 3 { " + statement +
               " }\n}\n";
    };
    CHECK_THAT(refusal(kernel("w[i] = max(z[i], z[0])"), ""), Catch::Contains("c128"));
    CHECK_THAT(refusal(kernel("r[i] = z[i]"), ""), Catch::Contains("c128") && Catch::Contains("f64"));
    CHECK_THAT(refusal(kernel("r[i] = z[i] < z[0] ? 1.0 : 0.0"), ""), Catch::Contains("c128"));
    CHECK_THAT(refusal(kernel("w[i] max= z[i]"), ""), Catch::Contains("c128"));
}

TEST_CASE("abs keeps its type") {
    const std::string text =
        "kernel k(z : in c64[1], n : in i64[1], a : out f32[1], b : out i64[1])\n{\n  a[0] = abs(z[0])\n  b[0] = "
        "abs(n[0])\n}\n";
    const std::int64_t big = -9007199254740993;
    const Arguments got =
        run(text, "", {{}, {{"z", values<std::complex<float>>({{3, 4}})}, {"n", values<std::int64_t>({big})}}});
    CHECK(*got.arrays.at("a").as<float>() == 5.0F);
    CHECK(*got.arrays.at("b").as<std::int64_t>() == -big);
}
