// Public failures of other tools about domains: guards lost in tiles, nested splits, rounding of extents.
#include <catch2/catch.hpp>

#include "target/target.h"
#include "test/support/run.h"

using namespace heddle;
using namespace heddle::test;

TEST_CASE("a parity guard survives tiling, unrolling and vectorising") {
    const std::string text =
        "kernel k(A : inout f64[6, 6])\n{\n"
        "  for [i, j] : 1 <= i <= 4 and 1 <= j <= 4 and (i + j) mod 2 = 0 { S: A[i, j] = A[i-1, j] + A[i+1, j] }\n}\n";
    Buffer a = Buffer::zeros(DType::F64, {6, 6});
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) a.as<double>()[6 * i + j] = 10 * i + j;
    const std::vector<double> right{22, 12, 26, 14, 21, 44, 23, 48, 62, 32, 66, 34, 41, 84, 43, 88};
    for (const char* steps :
         {"", "tile i, j by 2, 2", "tile i, j by 2, 2\nunroll i_i", "vectorize j by 2", "parallel i", "parallel j",
          "tile i, j by 2, 2\nparallel i_o", "reorder j, i", "split i by 3\nsplit j by 3 separate"}) {
        const Arguments got = run(text, steps, {{}, {{"A", a}}});
        const double* p = got.arrays.at("A").as<double>();
        std::vector<double> inner;
        for (int i = 1; i <= 4; ++i)
            for (int j = 1; j <= 4; ++j) inner.push_back(p[6 * i + j]);
        CHECK(inner == right);
    }
}

TEST_CASE("a split inside a split with a larger factor covers each point once") {
    const std::string text = "kernel k(g : inout i64[18])\n{\n  for [x] : 0 <= x < 16 { S: g[x + 1] = x }\n}\n";
    Buffer g = Buffer::zeros(DType::I64, {18});
    std::fill_n(g.as<std::int64_t>(), 18, 777);
    std::vector<double> right{777};
    for (int x = 0; x < 16; ++x) right.push_back(x);
    right.push_back(777);
    const std::string splits = "split x by 2\nsplit x_i by 4\n";
    for (const char* rest : {"", "reorder x_i_o, x_i_i, x_o", "vectorize x_i_i by 4", "unroll x_i_i"})
        CHECK(doubles(run(text, splits + rest, {{}, {{"g", g}}}).arrays.at("g")) == right);
    CHECK_THAT(refusal(text, "split x by 0"), Catch::Contains("0"));
    CHECK_THAT(refusal(text, "split x by -3"), Catch::Contains("-3"));
}

TEST_CASE("nested splits whose factors do not divide keep their guards") {
    const std::string text = "kernel k(A : in f64[96], C : inout f64[96])\n{\n  for [i] : 0 <= i < 96 { S: C[i] = A[i] }\n}\n";
    std::vector<double> a;
    for (int i = 0; i < 96; ++i) a.push_back(i + 0.5);
    const Arguments given{{}, {{"A", values_of(a, DType::F64)}, {"C", values_of(std::vector<double>(96, 777), DType::F64)}}};
    CHECK(doubles(run(text, "split i by 48\nsplit i_i by 32", given).arrays.at("C")) == a);
    CHECK(doubles(run(text, "split i by 48\nsplit i_i by 32 separate\nunroll i_i_i by 5", given).arrays.at("C")) == a);
}

TEST_CASE("the start value of a reduction is guarded like its update") {
    const std::string text =
        "kernel k(M : in f64[101, 101], B : inout f64[103], D : out f64[101])\n{\n"
        "  for [i] : 0 <= i < 101 { R: B[i + 1] = sum[k : 0 <= k < 101](M[i, k]) }\n"
        "  for [i] : 0 <= i < 101 { S: D[i] = B[i + 1] }\n}\n";
    std::vector<double> m;
    for (int i = 0; i < 101; ++i)
        for (int k = 0; k < 101; ++k) m.push_back(k);
    const Arguments given{
        {}, {{"M", values_of(m, DType::F64, {101, 101})}, {"B", values_of(std::vector<double>(103, 777), DType::F64)}}};
    for (const char* steps : {"", "split R.i by 100\nsplit S.i by 100", "fuse R.i, S.i into i\nsplit i by 100"}) {
        const Arguments got = run(text, steps, given);
        CHECK(doubles(got.arrays.at("D")) == std::vector<double>(101, 5050));
        CHECK(got.arrays.at("B").as<double>()[0] == 777);
        CHECK(got.arrays.at("B").as<double>()[102] == 777);
    }
}

TEST_CASE("extents that are no multiples of the tiles are computed in full") {
    const std::string text =
        "kernel k(n, m, l : index; a : inout f64[n, m, l])\n{\n"
        "  for [i, j, k] : 0 <= i < n and 0 <= j < m and 0 <= k < l { S: a[i, j, k] = 1.0 + a[i, j, k] }\n}\n";
    for (const auto& [n, m, l] : {std::tuple{13, 17, 19}, {16, 16, 16}, {1, 33, 2}, {0, 5, 5}}) {
        const Arguments given{{}, {{"a", Buffer::zeros(DType::F64, {n, m, l})}}};
        for (const char* steps :
             {"tile i, j, k by 16, 16, 16\nparallel i_o", "tile i, j, k by 16, 16, 16 separate",
              "tile i, j by 16, 16\nparallel i_o collapse 2", "tile i, j, k by 16, 16, 16\nreorder k_i, j_i, i_i"}) {
            const std::vector<double> got = doubles(run(text, steps, given).arrays.at("a"));
            CHECK(got == std::vector<double>(static_cast<std::size_t>(n * m * l), 1.0));
        }
    }
}

TEST_CASE("floor, modulo and ceiling of negative values") {
    const std::string text =
        "kernel k(q : inout i64[15], r : inout i64[15], c : inout i64[15])\n{\n  for [i] : -7 <= i <= 7 {\n"
        "    Q: q[i + 7] = i // 3\n    R: r[i + 7] = i mod 3\n    C: c[i + 7] = (i + 2) // 3\n  }\n}\n";
    const Buffer zero = Buffer::zeros(DType::I64, {15});
    for (const char* steps :
         {"", "split i by 4", "vectorize i by 4", "unroll i", "split i by 4 peeled", "unroll i by 4", "reverse i"}) {
        const Arguments got = run(text, steps, {{}, {{"q", zero}, {"r", zero}, {"c", zero}}});
        CHECK(doubles(got.arrays.at("q")) == std::vector<double>{-3, -2, -2, -2, -1, -1, -1, 0, 0, 0, 1, 1, 1, 2, 2});
        CHECK(doubles(got.arrays.at("r")) == std::vector<double>{2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1});
        CHECK(doubles(got.arrays.at("c")) == std::vector<double>{-2, -2, -1, -1, -1, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3});
    }
}

TEST_CASE("a bound that is a ceiling") {
    const std::string text =
        "kernel k(n : index; count : inout i64[1])\n{\n  for [b] : 0 <= b < (n + 9) // 10 { S: count[0] += 1 }\n}\n";
    for (const auto& [n, blocks] : {std::pair{24, 3}, {0, 0}, {10, 1}, {11, 2}}) {
        const Arguments given{{{"n", n}}, {{"count", values<std::int64_t>({0})}}};
        for (const char* steps : {"", "split b by 4", "unroll b by 4"})
            CHECK(doubles(run(text, steps, given).arrays.at("count")) == std::vector<double>{static_cast<double>(blocks)});
    }
}

TEST_CASE("a descending strided loop") {
    const std::string text =
        "kernel k(o : inout i64[3])\n{\n  for [-k] : exists e : k = 9 - 3*e and 1 <= k <= 9 { S: o[3 - k // 3] = k }\n}\n";
    for (const char* steps : {"", "split k by 4", "unroll k", "reverse k"})
        CHECK(doubles(run(text, steps, {{}, {{"o", values<std::int64_t>({0, 0, 0})}}}).arrays.at("o")) ==
              std::vector<double>{9, 6, 3});
}

TEST_CASE("a buffer number that starts negative") {
    const std::string text =
        "kernel k(u : inout i64[3])\n{\n  for [t] : -1 <= t <= 2 { S: u[(t + 1) mod 3] = u[t mod 3] + 1 }\n}\n";
    const Arguments given{{}, {{"u", values<std::int64_t>({0, 0, 5})}}};
    for (const char* steps : {"", "split t by 4", "unroll t", "split t by 3 peeled"})
        CHECK(doubles(run(text, steps, given).arrays.at("u")) == std::vector<double>{9, 7, 8});
    CHECK_THAT(refusal(text, "reverse t"), Catch::Contains("u["));
    CHECK_THAT(refusal(text, "vectorize t by 4"), Catch::Contains("u["));
}

TEST_CASE("a triangle is collapsed as a rectangle with a test") {
    const std::string text =
        "kernel k(n : index; a : inout f64[n, n])\n{\n  for [i] parallel collapse(3) : 0 <= i < n { for [j] : i <= j < n {\n"
        "    for [k] : k = 2*j - i { S: a[i, j] = a[i, j] + f64(k) } } }\n}\n";
    const std::string code = emit_c_single(*lower(parse(text).kernel()));
    for (const char* line : {"collapse(3)", "for (int64_t j = 0; j < n; j++)", "j >= i"})
        CHECK(code.find(line) != std::string::npos);
    const Arguments given{{{"n", 7}}, {{"a", Buffer::zeros(DType::F64, {7, 7})}}};
    run(text, "", given);
    run(text, "sequential i\nreverse i\nparallel i collapse 2", given);
}

TEST_CASE("an element that all iterations update is named without their loop") {
    const std::string text =
        "kernel k(n : index; u : inout i64[3])\n{\n  for [i] parallel : 0 <= i < n { S: u[i - i + 1] += i }\n}\n";
    CHECK(doubles(run(text, "", {{{"n", 6}}, {{"u", values<std::int64_t>({0, 1, 0})}}}).arrays.at("u")) ==
          std::vector<double>{0, 16, 0});
}

TEST_CASE("an element whose subscript is read in the loop is updated atomically") {
    const std::string text =
        "kernel k(n : index; g : in i64[4], u : inout i64[3])\n{\n"
        "  for [i] parallel : 0 <= i < n { let at = g[i]\n    S: u[at + 1] += i + 1 }\n}\n";
    const Arguments given{{{"n", 4}}, {{"g", values<std::int64_t>({1, 0, 1, -1})}, {"u", values<std::int64_t>({0, 1, 0})}}};
    CHECK(doubles(run(text, "", given).arrays.at("u")) == std::vector<double>{4, 3, 4});
}
