// What sizes may be made of.
#include <catch2/catch.hpp>

#include "ir/error.h"
#include "ir/kernel.h"

using namespace heddle;

namespace {

std::string refused(const std::string& text) {
    try {
        parse(text);
    } catch (const Error& e) {
        return e.what();
    }
    return "accepted";
}

std::string with_shape(const std::string& shape) { return "kernel k(n, m : index; y : out f64[" + shape + "]) { y[0] = 1.0 }"; }

}  // namespace

TEST_CASE("shapes are sums, products, floor divisions, minima and maxima") {
    for (const char* good :
         {"n", "-n", "n + 1", "n*m - 3", "n // 2", "n % 4", "min(n, m)", "max(n, 3)", "ceil(n/8)", "floor(n/8)"}) {
        INFO(good);
        CHECK(refused(with_shape(good)) == "accepted");
    }
    for (const char* bad : {"n & 7", "n << 2", "n > 3 ? n : 3", "i32(n)", "~n"}) {
        INFO(bad);
        CHECK(refused(with_shape(bad)).find("a size is made of") != std::string::npos);
    }
}

TEST_CASE("a quotient of integers is refused in shapes and subscripts as everywhere") {
    CHECK(refused(with_shape("n / 2")).find("'/' is real division") != std::string::npos);
    for (const char* subscript : {"n / 2", "n / m", "4 / 2", "1 + n / 2"}) {
        INFO(subscript);
        CHECK(refused("kernel k(n, m : index; y : out f64[9]) { y[" + std::string(subscript) + "] = 1.0 }")
                  .find("'/' is real division") != std::string::npos);
    }
}
