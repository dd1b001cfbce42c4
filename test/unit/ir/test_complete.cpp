#include <catch2/catch.hpp>

#include "ir/error.h"
#include "ir/interpret.h"

using namespace heddle;
using Catch::Matchers::Contains;

namespace {

Kernel only(const std::string& text) { return parse(text, "test").kernel(); }
Buffer zeros(std::vector<std::int64_t> shape, DType type = DType::F64) { return Buffer::zeros(type, std::move(shape)); }

const char* const kernel_text =
    "kernel k(n, m : index; alpha : f64; A : in f64[n, 2*m + 1], B : in f64[(m + 1)//2], C : out f32[n*m])\n"
    "  where n >= 1 and m >= n { for [i] : 0 <= i < n { C[i] = 1.0 } }";

Arguments good() {
    Arguments a;
    a.arrays = {{"A", zeros({2, 7})}, {"B", zeros({2})}, {"alpha", zeros({})}};
    return a;
}

std::pair<std::string, std::string> refusal(Arguments a) {
    try {
        complete(only(kernel_text), std::move(a));
    } catch (const Error& e) {
        CHECK(e.kind() == ErrorKind::User);
        return {e.code(), e.message() + "\n" + e.hint_text()};
    }
    return {};
}

}  // namespace

TEST_CASE("sizes follow from shapes, missing outputs are allocated") {
    const Arguments a = complete(only(kernel_text), good());
    CHECK(a.sizes.at("n") == 2);
    CHECK(a.sizes.at("m") == 3);
    CHECK(a.arrays.at("C").shape == std::vector<std::int64_t>{6});
    CHECK(a.arrays.at("C").type == DType::F32);
}

TEST_CASE("a product of sizes is solved once one of them is known") {
    const Kernel k = only("kernel k(l, m : index; A : in f64[2*l*m], B : in f64[l]) { }");
    Arguments a;
    a.arrays = {{"A", zeros({12})}, {"B", zeros({3})}};
    CHECK(complete(k, a).sizes.at("m") == 2);
}

TEST_CASE("negative extents count as empty") {
    const Kernel k = only("kernel k(n : index; A : out f64[n - 4]) { }");
    Arguments a;
    a.sizes["n"] = 1;
    CHECK(complete(k, a).arrays.at("A").shape == std::vector<std::int64_t>{0});
}

TEST_CASE("what does not fit is refused by name") {
    Arguments a = good();
    a.arrays["A"] = zeros({2, 6});
    CHECK_THAT(refusal(a).second, Contains("no m") && Contains("A"));

    a = good();
    a.sizes["m"] = 4;
    CHECK_THAT(refusal(a).second, Contains("A is f64[2, 9]") && Contains("f64[2, 7]"));

    a = good();
    a.arrays["A"] = zeros({2, 7}, DType::F32);
    CHECK_THAT(refusal(a).second, Contains("A is f64") && Contains("f32"));

    a = good();
    a.arrays["A"] = zeros({14});
    CHECK_THAT(refusal(a).second, Contains("2 dimensions") && Contains("1"));

    a = good();
    a.arrays.erase("alpha");
    CHECK_THAT(refusal(a).second, Contains("alpha"));

    a = good();
    a.arrays.erase("A");
    CHECK(refusal(a).first == "size");
    CHECK_THAT(refusal(a).second, Contains("size n") && Contains("A"));

    a = good();
    a.arrays["Z"] = zeros({1});
    CHECK_THAT(refusal(a).second, Contains("Z") && Contains("alpha"));

    a = good();
    a.sizes["q"] = 1;
    CHECK_THAT(refusal(a).second, Contains("q") && Contains("n, m"));
}

TEST_CASE("a broken where names its constraint") {
    Arguments a = good();
    a.arrays["A"] = zeros({4, 7});
    const auto [code, text] = refusal(a);
    CHECK(code == "where");
    CHECK_THAT(text, Contains("n=4") && Contains("m=3"));
}

TEST_CASE("sizes too large for the machine end in an error, not a crash") {
    const Kernel k = only("kernel k(n : index; A : out f64[n, n]) { }");
    Arguments a;
    a.sizes["n"] = 4'000'000'000;
    CHECK_THROWS_WITH(complete(k, a), Contains("no memory"));
}
