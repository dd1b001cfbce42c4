// What the nearest peer trusts its user with: each illegal action is refused with two instances, the array and the element.
#include <catch2/catch.hpp>

#include "ir/bounds.h"
#include "ir/error.h"
#include "test/support/run.h"

using namespace heddle;
using namespace heddle::test;

namespace {

const std::string recurrence =
    "kernel k(n : index; x : in f64[n], s : inout f64[n])\n{\n  for [i] : 1 <= i < n { S: s[i] = s[i - 1] + x[i] }\n}\n";

/// Refused with a witness: a statement instance, an element of the array, and the order.
void refused(const std::string& text, const std::string& steps, const std::string& array) {
    INFO(steps);
    const std::string error = refusal(text, steps);
    CHECK_THAT(error, Catch::Contains("on " + array + ":"));
    CHECK_THAT(error, Catch::Contains("="));
    CHECK_THAT(error, Catch::Contains("hint:"));
}

}  // namespace

TEST_CASE("a recurrence is neither reversed, nor turned inside out, nor made parallel") {
    refused(recurrence, "reverse i", "s");
    refused(recurrence, "split i by 4\nreorder i_i, i_o", "s");
    refused(recurrence, "parallel i", "s");
    refused(recurrence, "vectorize i by 4", "s");
    refused(recurrence, "split i by 4\nparallel i_o", "s");
}

TEST_CASE("an interchange with distance (1, -1) is refused, with (1, 1) it is legal") {
    const auto kernel = [](const std::string& source) {
        return "kernel k(n : index; u : inout f64[n, n])\n{\n  for [i, j] : 1 <= i < n - 1 and 1 <= j < n - 1 { S: u[i, j] = " +
               source + " + 1.0 }\n}\n";
    };
    refused(kernel("u[i - 1, j + 1]"), "reorder j, i", "u");
    const Arguments given{{}, {{"u", values_of(std::vector<double>(36, 1), DType::F64, {6, 6})}}};
    run(kernel("u[i - 1, j - 1]"), "reorder j, i", given);
}

TEST_CASE("an anti dependence inside one statement forbids parallel execution") {
    refused("kernel k(n : index; y : inout f64[n + 1])\n{\n  for [i] : 0 <= i < n { S: y[i] = y[i + 1] + 1.0 }\n}\n",
            "parallel i", "y");
}

TEST_CASE("a consumer that reads ahead is not fused with its producer") {
    const auto kernel = [](const std::string& read) {
        return "kernel k(n : index; a : in f64[n], b : inout f64[n + 1], c : out f64[n])\n{\n"
               "  for [i] : 0 <= i < n { P: b[i] = 2.0 * a[i] }\n  for [i] : 0 <= i < n { Q: c[i] = b[" +
               read + "] }\n}\n";
    };
    refused(kernel("i + 1"), "fuse P.i, Q.i into i", "b");
    const Arguments given{{}, {{"a", values<double>({1, 2, 3})}, {"b", values<double>({0, 0, 0, 9})}}};
    CHECK(doubles(run(kernel("i"), "fuse P.i, Q.i into i", given).arrays.at("c")) == std::vector<double>{2, 4, 6});
}

TEST_CASE("a cycle of two statements is not distributed") {
    refused(
        "kernel k(n : index; a : inout f64[n + 1], b : inout f64[n + 1])\n{\n  for [i] : 0 <= i < n {\n"
        "    P: a[i + 1] = b[i] + 1.0\n    Q: b[i + 1] = a[i] + 1.0\n  }\n}\n",
        "distribute i", "b");
}

TEST_CASE("an in-place transpose is not fused with what doubles the result") {
    const std::string text =
        "kernel k(n : index; a : inout f64[n, n])\n{\n"
        "  for [i, j] : 0 <= i < n and 0 <= j < i {\n    let t = a[i, j]\n    P: a[i, j] = a[j, i]\n    Q: a[j, i] = t\n  }\n"
        "  for [i, j] : 0 <= i < n and 0 <= j < n { D: a[i, j] = 2.0 * a[i, j] }\n}\n";
    refused(text, "fuse P.i, D.i into i", "a");
    const Arguments given{{}, {{"a", values<double>({1, 2, 3, 4}, {2, 2})}}};
    CHECK(doubles(run(text, "", given).arrays.at("a")) == std::vector<double>{2, 6, 4, 8});
}

TEST_CASE("a temporary read across iterations forbids parallel execution") {
    refused(
        "kernel k(n : index; x : in f64[n], y : out f64[n])\n{\n  temp t : f64\n  for [i] : 0 <= i < n {\n"
        "    P: t = x[i]\n    Q: y[i] = t\n  }\n}\n",
        "parallel i", "t");
    const std::string own =
        "kernel k(n : index; x : in f64[n], y : out f64[n])\n{\n  for [i] : 0 <= i < n {\n    temp t : f64\n"
        "    P: t = x[i]\n    Q: y[i] = t\n  }\n}\n";
    CHECK(doubles(run(own, "parallel i", {{}, {{"x", values<double>({1, 2})}}}).arrays.at("y")) == std::vector<double>{1, 2});
}

TEST_CASE("an assumption that does not hold is found at the call") {
    const std::string text = "kernel k(n : index; y : inout f64[n])\n{\n  for [i] : 0 <= i < n { y[i] = 1.0 }\n}\n";
    const Kernel k = scheduled(text, "assume n mod 4 = 0\nsplit i by 4");
    Arguments given{{{"n", 61}}, {{"y", Buffer::zeros(DType::F64, {61})}}};
    CHECK_THROWS_WITH(complete(k, given), Catch::Contains("n mod 4") || Catch::Contains("4"));
}

TEST_CASE("all iterations incrementing one scalar is a race") {
    const std::string text = "kernel k(n : index; s : inout f64[1])\n{\n  for [i] : 0 <= i < n { S: s[0] += 1.0 }\n}\n";
    refused(text, "parallel i", "s");
    const Arguments given{{{"n", 1000}}, {{"s", values<double>({0})}}};
    CHECK(doubles(run(text, "allow reassociate S\nparallel i", given).arrays.at("s")) == std::vector<double>{1000});
}

TEST_CASE("two writers of neighbouring cells run in written order and not in parallel") {
    const std::string text =
        "kernel k(n : index; a : inout f64[n + 1])\n{\n  for [i] : 0 <= i < n {\n    P: a[i] = 12.0\n    Q: a[i + 1] = 13.0\n  "
        "}\n}\n";
    CHECK(doubles(run(text, "", {{}, {{"a", values<double>({0, 0, 0})}}}).arrays.at("a")) == std::vector<double>{12, 12, 13});
    const std::string error = refusal(text, "parallel i");
    CHECK_THAT(error, Catch::Contains("P(") && Catch::Contains("Q(") && Catch::Contains("a["));
}

TEST_CASE("a temporary is not inlined past an overwrite of what it read") {
    const std::string text =
        "kernel k(n : index; x : inout f64[n], y : out f64[n])\n{\n  for [i] : 0 <= i < n {\n    let t = x[i]\n"
        "    P: x[i] = 0.0\n    Q: y[i] = t\n  }\n}\n";
    refused(text, "inline t", "x");
}

TEST_CASE("an array that the loop writes is not staged over that loop") {
    const std::string text =
        "kernel k(n : index; x : inout f64[n + 1])\n{\n  for [i] : 0 <= i < n { S: x[i + 1] = x[i] + 1.0 }\n}\n";
    const std::string error = refusal(text, "split i by 4\nstage x over i_i at i_o in private");
    CHECK_THAT(error, Catch::Contains("x["));
}

TEST_CASE("a temporary that nobody writes is named") {
    const std::string text =
        "kernel k(n : index; y : out f64[n])\n{\n  for [i] : 0 <= i < n {\n    temp t : f64\n    S: y[i] = t\n  }\n}\n";
    const std::vector<Finding> findings = check_defined(scheduled(text).data());
    REQUIRE(findings.size() == 1);
    CHECK_THAT(findings[0].text, Catch::Contains("t"));
    Arguments given = complete(scheduled(text), {{{"n", 2}}, {}});
    CHECK_THROWS_WITH(interpret(scheduled(text), given), Catch::Contains("t"));
}

TEST_CASE("an access beyond the shape is refuted with a point") {
    const std::string text =
        "kernel k(n : index; x : in f64[n], y : out f64[n])\n{\n  for [i] : 0 <= i < n { S: y[i] = x[i + 1] }\n}\n";
    const std::vector<Finding> findings = check_bounds(scheduled(text).data());
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].kind == Finding::Kind::OutOfBounds);
    CHECK(findings[0].index == findings[0].extent);
    CHECK_THAT(findings[0].text, Catch::Contains("x"));
}
