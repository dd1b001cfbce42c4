// Public failures of other tools about order: in-place updates, scatter, one cell written by all.
#include <catch2/catch.hpp>

#include "test/support/run.h"

using namespace heddle;
using namespace heddle::test;

namespace {

const std::string sweep =
    "kernel sweep(a : inout f64[4, 4])\n{\n  for [i, j] : 1 <= i <= 2 and 1 <= j <= 2 {\n"
    "    S: a[i, j] = 0.25*(a[i-1, j] + a[i+1, j] + a[i, j-1] + a[i, j+1])\n  }\n}\n";
const std::string jacobi =
    "kernel jacobi(a : in f64[4, 4], b : inout f64[4, 4])\n{\n  for [i, j] : 1 <= i <= 2 and 1 <= j <= 2 {\n"
    "    S: b[i, j] = 0.25*(a[i-1, j] + a[i+1, j] + a[i, j-1] + a[i, j+1])\n  }\n}\n";

Buffer hot_edge() {
    Buffer a = Buffer::zeros(DType::F64, {4, 4});
    std::fill_n(a.as<double>(), 4, 4.0);
    return a;
}

std::vector<double> inner(const Arguments& got, const char* name) {
    const double* p = got.arrays.at(name).as<double>();
    return {p[5], p[6], p[9], p[10]};
}

}  // namespace

TEST_CASE("an in-place neighbour update is not taken for independent iterations") {
    const Arguments given{{}, {{"a", hot_edge()}}};
    const std::vector<double> right{1.0, 1.25, 0.25, 0.375};
    CHECK(inner(run(sweep, "", given), "a") == right);
    for (const char* step : {"parallel i", "parallel j", "vectorize j by 4", "vectorize i by 4"}) {
        const std::string text = refusal(sweep, step);
        CHECK_THAT(text, Catch::Contains("S(") && Catch::Contains("a["));
    }
    CHECK(inner(run(sweep, "skew j by i\nreorder j, i\nparallel i", given), "a") == right);
}

TEST_CASE("the two-array version of the same update allows every order") {
    const Arguments given{{}, {{"a", hot_edge()}, {"b", Buffer::zeros(DType::F64, {4, 4})}}};
    const std::vector<double> right{1, 1, 0, 0};
    for (const char* steps :
         {"", "parallel i", "vectorize j by 2", "skew j by i\nreorder j, i\nparallel i", "reverse i", "reorder j, i"})
        CHECK(inner(run(jacobi, steps, given), "b") == right);
}

namespace {

const std::string scatter =
    "kernel scatter(g : in i64[4], c : in f64[4], u : inout f64[3])\n{\n"
    "  for [p] : 0 <= p < 4 { S: u[g[p]] += c[p] }\n}\n";

Arguments scatter_data(std::initializer_list<std::int64_t> g) {
    return {{}, {{"g", values<std::int64_t>(g)}, {"c", values<double>({1, 2, 4, 8})}, {"u", values<double>({0, 0, 0})}}};
}

}  // namespace

TEST_CASE("a scatter through unknown indices runs in parallel only as atomic update or by assertion") {
    CHECK_THAT(refusal(scatter, "parallel p"), Catch::Contains("S(") && Catch::Contains("on u:"));
    const std::vector<double> right{4, 0, 11};
    const Arguments result = run(scatter, "allow reassociate S\natomic S\nparallel p", scatter_data({2, 2, 0, 2}));
    CHECK(doubles(result.arrays.at("u")) == right);
}

TEST_CASE("asserted injectivity allows the plain parallel scatter") {
    const std::string text =
        "kernel scatter(g : in i64[3], c : in f64[3], u : inout f64[3])\n{\n"
        "  for [p] : 0 <= p < 3 { S: u[g[p]] += c[p] }\n}\n";
    const Arguments given{
        {}, {{"g", values<std::int64_t>({2, 0, 1})}, {"c", values<double>({1, 2, 4})}, {"u", values<double>({0, 0, 0})}}};
    const Arguments result = run(text, "assert injective g\nparallel p", given);
    CHECK(doubles(result.arrays.at("u")) == std::vector<double>{2, 4, 1});
}

TEST_CASE("a loop whose every iteration writes one cell is not parallel") {
    const std::string one_cell = "kernel k(h : inout i64[1])\n{\n  for [y] : 0 <= y < 3 { S: h[0] = y }\n}\n";
    CHECK_THAT(refusal(one_cell, "parallel y"), Catch::Contains("h[0]"));
    CHECK_THAT(refusal(one_cell, "vectorize y by 2"), Catch::Contains("h[0]"));
    CHECK_THAT(refusal(one_cell, "reverse y"), Catch::Contains("h[0]"));
    CHECK(doubles(run(one_cell, "", {{}, {{"h", values<std::int64_t>({9})}}}).arrays.at("h")) == std::vector<double>{2});
    const std::string with_time =
        "kernel k(T : index; h : inout i64[1])\n{\n  for [t, y] : 0 <= t < T and 0 <= y < 3 { S: h[0] = y }\n}\n";
    CHECK_THAT(refusal(with_time, "parallel t"), Catch::Contains("h[0]"));
}
