// Which elements of a temporary may share a place.
#include <catch2/catch.hpp>

#include "ir/lifetimes.h"
#include "ir/uses.h"
#include "test/unit/ir/parse_help.h"

using namespace heddle;

namespace {

std::vector<std::size_t> users_of(const KernelData& kernel, const std::vector<Name>& arrays) {
    std::vector<std::size_t> out;
    for (std::size_t k = 0; k < kernel.statements.size(); ++k) {
        bool found = false;
        visit_names(*kernel.statements[k],
                    [&](Name n) { found = found || std::find(arrays.begin(), arrays.end(), n) != arrays.end(); });
        if (found) out.push_back(k);
    }
    return out;
}

/// The number of places that `t` needs along its first axis in a body, 0 for none up to 20.
std::int64_t places(const std::string& body) {
    const Kernel kernel = parse("kernel k(n, m : index; x : in f64[n], y : inout f64[n]) {\n" + body + "\n}\n").kernel();
    const Lifetimes lives(kernel.data(), {"t"}, users_of(kernel.data(), {"t"}));
    REQUIRE(!lives.unknown());
    const auto least = lives.least_modulus(0, 20);
    for (std::int64_t m = 1; m <= 20; ++m)
        if (!least || m < *least) CHECK(lives.folded(0, m).has_value());
    if (least) CHECK(!lives.folded(0, *least));
    return least.value_or(0);
}

}  // namespace

TEST_CASE("the smallest number of places, for windows of every width and stride") {
    for (int width = 0; width < 5; ++width)
        for (int stride = 1; stride < 4; ++stride) {
            const std::string w = std::to_string(width), s = std::to_string(stride), back = std::to_string(stride * width);
            const std::int64_t found =
                places("temp t : f64[" + s + "*n]\nfor [i] : 0 <= i < n {\n  S: t[" + s + "*i] = x[i]\n  if i >= " + w +
                       " { T: y[i] = t[" + s + "*i] + t[" + s + "*i - " + back + "] }\n}");
            std::int64_t expected = 1;  // the smallest m that divides none of stride, 2 stride, …, width stride
            const auto divides = [&](std::int64_t m) {
                for (int k = 1; k <= width; ++k)
                    if (k * stride % m == 0) return true;
                return false;
            };
            while (divides(expected)) ++expected;
            INFO("width " << width << ", stride " << stride);
            CHECK(found == expected);
        }
}

TEST_CASE("values that nobody reads any more keep no place") {
    CHECK(places("temp t : f64[n]\nfor [i] : 0 <= i < n { S: t[i] = x[i] }") == 1);
    CHECK(places("temp t : f64[n]\nfor [i] : 0 <= i < n { S: t[i] = x[i] }\nfor [i] : 0 <= i < n { T: t[i] = 1.0\n U: y[i] = "
                 "t[i] }") == 1);
    CHECK(places("temp t : f64[n]\nfor [i] : 0 <= i < n { S: t[i] = x[i] }\nfor [i] : 0 <= i < n { U: y[i] = t[i] }") == 0);
}

TEST_CASE("a statement reads before it writes") {
    CHECK(
        places("temp t : f64[n + 1]\nZ: t[0] = 0.0\nfor [i] : 0 <= i < n { S: t[i + 1] = t[i] + x[i]\n T: y[i] = t[i + 1] }") ==
        1);
    CHECK(places("temp t : f64[n + 1]\nZ: t[0] = 0.0\nfor [i] : 0 <= i < n { S: t[i + 1] = t[i] + x[i]\n T: y[i] = t[i] }") ==
          2);
    CHECK(places("temp t : f64[n]\nfor [i] : 0 <= i < n { S: t[i] = x[i]\n for [j] : 0 <= j < m { U: t[i] += 1.0 }\n T: y[i] = "
                 "t[i] }") == 1);
}

TEST_CASE("a write under a run-time condition may leave the old value in place") {
    const std::string start = "temp t : f64[n + 1]\nZ: t[0] = 0.0\nfor [i] : 0 <= i < n {\n  ";
    CHECK(places(start + "if x[i] > 0.0 { S: t[0] = x[i] }\n  U: t[i + 1] = 1.0\n  T: y[i] = t[0] + t[i + 1]\n}") == 0);
    CHECK(places(start + "S: t[i] = x[i]\n  if x[i] > 0.0 { U: t[i] = 1.0 }\n  T: y[i] = t[i]\n}") == 1);
}

TEST_CASE("what is read before it is written keeps its place, too") {
    CHECK(places("temp t : f64[n + 1]\nfor [i] : 0 <= i < n { S: t[i] = x[i]\n T: y[i] = t[n] }") == 0);
}

TEST_CASE("a clash names the three instances") {
    const Kernel kernel =
        parse(
            "kernel k(n : index; x : in f64[n], y : out f64[n]) {\n  temp s : f64[n]\n  temp t : f64[n]\n"
            "  for [i] : 0 <= i < n {\n    S: s[i] = x[i]\n    T: t[i] = x[i]\n    U: y[i] = s[i] + t[i]\n  }\n}\n")
            .kernel();
    const Lifetimes lives(kernel.data(), {"s", "t"}, users_of(kernel.data(), {"s", "t"}));
    const auto clash = lives.merged();
    REQUIRE(clash);
    CHECK(clash->text(kernel.data()) == "S(i=0) writes s[0], T(i=0) writes t[0], and U(i=0) reads s[0] after that (n=1)");
}

TEST_CASE("what is not known is said") {
    const auto unknown = [](const std::string& body) {
        const Kernel kernel =
            parse("kernel k(n : index; g : in i32[n], x : in f64[n], y : out f64[n]) {\n" + body + "\n}\n").kernel();
        const auto why = Lifetimes(kernel.data(), {"t"}, users_of(kernel.data(), {"t"})).unknown();
        return why ? why->message() : "";
    };
    CHECK(unknown("temp t : f64[n]\nfor [i] : 0 <= i < n { S: t[g[i]] = x[i] }").find("not affine") != std::string::npos);
    CHECK(unknown("temp t : f64[n]\nfor [i] : 0 <= i < n {\n  let e = g[i]\n  for [j] : 0 <= j < e { S: t[j] = x[i] }\n}")
              .find("depend on data") != std::string::npos);
    CHECK(unknown("temp t : f64[n]\nfor [i] : 0 <= i < n {\n  S: t[i] = x[g[i]]\n  T: y[i] = t[i]\n}").empty());
}
