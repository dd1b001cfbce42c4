// Right values that the nearest peer's own tests state, by the names of those tests.
#include <catch2/catch.hpp>

#include "ir/depend.h"
#include "ir/tree.h"
#include "test/support/run.h"

using namespace heddle;
using namespace heddle::test;

namespace {

std::vector<double> ramp(std::int64_t count, double start = 0, double step = 1) {
    std::vector<double> out;
    for (std::int64_t k = 0; k < count; ++k)
        out.push_back(start + step * static_cast<double>(k % 17) - static_cast<double>(k % 5));
    return out;
}

std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b, int n, int k, int m) {
    std::vector<double> c(static_cast<std::size_t>(n * m));
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j)
            for (int l = 0; l < k; ++l) c[i * m + j] += a[i * k + l] * b[l * m + j];
    return c;
}

const std::string matmul =
    "kernel mm(n, m, k : index; a : in f64[n, k], b : in f64[k, m], c : out f64[n, m])\n{\n"
    "  for [i, j] : 0 <= i < n and 0 <= j < m {\n    Z: c[i, j] = 0.0\n"
    "    for [l] : 0 <= l < k { U: c[i, j] += a[i, l] * b[l, j] }\n  }\n}\n";

void matmul_case(int n, int k, int m, const std::string& steps) {
    const std::vector<double> a = ramp(n * k), b = ramp(k * m, 1);
    const Arguments given{{}, {{"a", values_of(a, DType::F64, {n, k})}, {"b", values_of(b, DType::F64, {k, m})}}};
    CHECK(doubles(run(matmul, steps, given).arrays.at("c")) == product(a, b, n, k, m));
}

}  // namespace

TEST_CASE("plain_matrix_mul: tiles of 16 with both operands staged") {
    const std::string tiles = "distribute j\ndistribute i\ntile U.i, U.j, U.l by 16, 16, 16\nreorder U.i_o, U.j_o, U.l_o\n";
    matmul_case(32, 48, 16, tiles);
    matmul_case(32, 48, 16, tiles + "stage a over i_i, l_i at l_o in private\nstage b over l_i, j_i at l_o in private");
}

TEST_CASE("funny_shape_matrix_mul: sizes that no tile divides") {
    const std::string tiles = "distribute j\ndistribute i\ntile U.i, U.j, U.l by 16, 8, 32\n";
    matmul_case(18, 30, 42, tiles);
    matmul_case(18, 30, 42, tiles + "stage a over i_i, l_i at l_o in private\nstage b over l_i, j_i at l_o in private");
}

TEST_CASE("transpose: tiled, exact") {
    const std::string text =
        "kernel t(n, m : index; a : in f64[n, m], o : out f64[m, n])\n{\n"
        "  for [i, j] : 0 <= i < n and 0 <= j < m { S: o[j, i] = a[i, j] }\n}\n";
    const std::vector<double> a = ramp(19 * 35);
    const Arguments given{{}, {{"a", values_of(a, DType::F64, {19, 35})}}};
    for (const char* steps :
         {"", "tile i, j by 16, 16", "tile i, j by 16, 16\nstage a over i_i, j_i at j_o in private\nparallel i_o"}) {
        const std::vector<double> o = doubles(run(text, steps, given).arrays.at("o"));
        for (int i = 0; i < 19; ++i)
            for (int j = 0; j < 35; ++j) REQUIRE(o[j * 19 + i] == a[i * 35 + j]);
    }
}

TEST_CASE("dependent_loop_bounds: a row length read from an array") {
    const std::string text =
        "kernel k(n, m : index; len : in i32[n], a : inout f64[n, m])\n{\n  for [i] : 0 <= i < n {\n    let length = len[i]\n"
        "    for [j] : 0 <= j < length { S: a[i, j] = 1.0 }\n  }\n}\n";
    const Arguments given{{}, {{"len", values<std::int32_t>({0, 3, 1, 5})}, {"a", Buffer::zeros(DType::F64, {4, 5})}}};
    const std::vector<double> right{0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1};
    for (const char* steps :
         {"", "split j by 2", "parallel i", "vectorize j by 4", "unroll j by 2", "split i by 3\nparallel i_o"})
        CHECK(doubles(run(text, steps, given).arrays.at("a")) == right);
    CHECK_THAT(refusal(text, "reorder j, i"), Catch::Contains("length"));
}

TEST_CASE("stride: even entries only") {
    const std::string text =
        "kernel k(n : index; a : inout f64[n])\n{\n  for [i] : exists l : i = 2*l and 0 <= i < n { S: a[i] = 5.0 }\n}\n";
    const Arguments given{{}, {{"a", values_of(std::vector<double>(9, 777), DType::F64)}}};
    for (const char* steps : {"", "split i by 4", "parallel i", "reverse i", "unroll i by 3"})
        CHECK(doubles(run(text, steps, given).arrays.at("a")) == std::vector<double>{5, 777, 5, 777, 5, 777, 5, 777, 5});
}

TEST_CASE("tight_loop_bounds: an inner range that depends on the outer loop") {
    const std::string text =
        "kernel k(o : inout f64[12])\n{\n  for [i, j] : 0 <= i < 5 and 2*i <= j < 2*i + 2 and j < 10 { S: o[j] = j }\n}\n";
    const Arguments given{{}, {{"o", values_of(std::vector<double>(12, 777), DType::F64)}}};
    for (const char* steps : {"", "parallel i", "skew j by -2*i\nunroll j"})
        CHECK(doubles(run(text, steps, given).arrays.at("o")) == std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 777, 777});
}

TEST_CASE("split_slabs: one increment for each point, none elsewhere") {
    const std::string text =
        "kernel k(k0, n : index; a : inout f64[12])\n  where 0 <= k0 and n <= 12\n{\n"
        "  for [i] : k0 <= i < n { S: a[i] += 1.0 }\n}\n";
    for (const auto& [k, n] : {std::pair{1, 4}, {1, 5}, {4, 8}, {0, 12}, {7, 7}}) {
        std::vector<double> right(12, 0);
        for (int i = k; i < n; ++i) right[i] = 1;
        const Arguments given{{{"k0", k}, {"n", n}}, {{"a", Buffer::zeros(DType::F64, {12})}}};
        for (const char* steps :
             {"split i by 3 separate", "split i by 3 peeled", "peel i first 1 last 1", "split i by 4 separate\nunroll i_i"})
            CHECK(doubles(run(text, steps, given).arrays.at("a")) == right);
    }
}

TEST_CASE("local_parallel_reduction: sums of several lengths") {
    const std::string text =
        "kernel k(n, m : index; z : out i64[m])\n{\n  for [j] : 0 <= j < m { R: z[j] = sum[i : 0 <= i < n](i + j) }\n}\n";
    for (const std::int64_t n : {128, 5, 113, 67, 1}) {
        std::vector<double> right;
        for (std::int64_t j = 0; j < 6; ++j) right.push_back(static_cast<double>(n * (n - 1) / 2 + j * n));
        for (const char* steps : {"", "parallel j", "vectorize i by 8", "split i by 16\nunroll i_i"})
            CHECK(doubles(run(text, steps, {{{"n", n}, {"m", 6}}, {}}).arrays.at("z")) == right);
    }
}

TEST_CASE("local_parallel_scan: prefix sums of squares") {
    const std::string text =
        "kernel k(n : index; s : out i64[n])\n{\n  for [i] : 0 <= i < n { R: s[i] = sum[j : 0 <= j <= i](j * j) }\n}\n";
    for (const std::int64_t n : {1, 2, 3, 16, 17}) {
        std::vector<double> right;
        for (std::int64_t i = 0, sum = 0; i < n; ++i) right.push_back(static_cast<double>(sum += i * i));
        for (const char* steps : {"", "parallel i", "vectorize j by 4"})
            CHECK(doubles(run(text, steps, {{{"n", n}}, {}}).arrays.at("s")) == right);
    }
}

TEST_CASE("no_barriers_for_nonoverlapping_access: conflicts between iterations exactly where entries are shared") {
    const auto carried = [](const std::string& subscript) {
        const Kernel k =
            scheduled("kernel k(a : inout f64[1000])\n{\n  for [i] : 0 <= i < 400 {\n    P: a[2*i] = 1.0\n    Q: a[" +
                      subscript + "] = 2.0\n  }\n}\n");
        return carried_by(k.data(), k.data().root->children.at(0).get(), false).has_value();
    };
    CHECK_FALSE(carried("2*i"));
    CHECK_FALSE(carried("2*i + 1"));
    CHECK(carried("2*i + 2"));
}

TEST_CASE("temp_initializer: a table read in both layouts") {
    const std::string table = "  const w : f64[3, 3] = {{1.0, 2.5, 3.0}, {4.0, 5.0, 6.25}, {7.0, 8.0, 9.125}}\n";
    for (const char* out : {"o : out f64[3, 3]", "o : out f64[3, 3] layout(1, 0)"}) {
        const std::string text =
            std::string("kernel k(") + out + ")\n{\n" + table + "  for [i, j] : 0 <= i, j < 3 { o[i, j] = w[i, j] }\n}\n";
        const Kernel k = scheduled(text);
        Arguments a = complete(k, {});
        interpret(k, a);
        CHECK(doubles(a.arrays.at("o")) == std::vector<double>{1, 2.5, 3, 4, 5, 6.25, 7, 8, 9.125});
    }
    run("kernel k(o : out f64[3, 3])\n{\n" + table + "  for [i, j] : 0 <= i, j < 3 { o[i, j] = w[j, i] }\n}\n", "unroll j", {});
}
