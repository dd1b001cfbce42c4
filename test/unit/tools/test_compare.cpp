#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "tools/heddle/compare.h"

using namespace heddle;
using namespace heddle::tools;

namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

Buffer f64s(std::vector<std::int64_t> shape, const std::vector<double>& v) {
    Buffer b = Buffer::zeros(DType::F64, std::move(shape));
    std::copy(v.begin(), v.end(), b.as<double>());
    return b;
}

Difference compare(const std::vector<double>& got, const std::vector<double>& wanted) {
    const auto n = std::int64_t(got.size());
    return difference(f64s({n}, got), f64s({n}, wanted));
}

}  // namespace

TEST_CASE("rounding is within, anything else is found with its place") {
    CHECK(compare({1, nan_value, infinity}, {1, nan_value, infinity}).largest == 0);
    CHECK(compare({1e6, 1 + 1e-9}, {1e6, 1}).within);
    const Difference d = compare({1, 2, 3.5}, {1, 2, 4});
    CHECK_FALSE(d.within);
    CHECK(d.element == 2);
    CHECK(d.largest == 0.125);
    CHECK_FALSE(compare({nan_value}, {1}).within);
    CHECK_FALSE(compare({infinity}, {1}).within);
    CHECK_FALSE(compare({infinity}, {-infinity}).within);
    CHECK_FALSE(compare({1e-300}, {0}).within);
}

TEST_CASE("integers and complex numbers") {
    Buffer a = Buffer::zeros(DType::I16, {2, 3}), b = a;
    CHECK(difference(a, b).within);
    b.as<std::int16_t>()[4] = 1;
    CHECK_FALSE(difference(a, b).within);
    CHECK(subscripts_text(a, difference(a, b).element) == "[1, 1]");
    Buffer c = Buffer::zeros(DType::C128, {2}), d = c;
    c.as<double>()[3] = 1;
    CHECK(difference(c, d).element == 1);
    CHECK(subscripts_text(Buffer::zeros(DType::F64, {}), 0).empty());
}
