#include <catch2/catch.hpp>
#include <cmath>
#include <complex>

#include "ir/error.h"
#include "ir/kernel.h"
#include "tools/heddle/values.h"

using namespace heddle;
using namespace heddle::tools;
using Catch::Matchers::Contains;

namespace {

template <class T>
T value(const char* text, const char* type) {
    const Buffer b = scalar_from(text, *dtype_from(type), "x");
    CHECK(b.shape.empty());
    return *b.as<T>();
}

void refused(const char* text, const char* type) {
    INFO(text << " as " << type);
    CHECK_THROWS_WITH(scalar_from(text, *dtype_from(type), "x"), Contains(text) && Contains("x") && Contains(type));
}

}  // namespace

TEST_CASE("scalars are read in their own type") {
    CHECK(value<std::int32_t>("-7", "i32") == -7);
    CHECK(value<std::int32_t>("+7", "i32") == 7);
    CHECK(value<std::int32_t>("3.0", "i32") == 3);
    CHECK(value<std::uint8_t>("0xff", "u8") == 255);
    CHECK(value<std::uint64_t>("18446744073709551615", "u64") == ~0ull);
    CHECK(value<double>("2.5e-3", "f64") == 2.5e-3);
    CHECK(value<float>("0.1", "f32") == 0.1f);
    CHECK(std::isinf(value<double>("-inf", "f64")));
    CHECK(std::isnan(value<float>("nan", "f32")));
    CHECK(value<bool>("true", "bool"));
    CHECK_FALSE(value<bool>("0", "bool"));
    using C = std::complex<double>;
    CHECK(value<C>("1+2j", "c128") == C(1, 2));
    CHECK(value<C>("(-1e-3-2.5e1j)", "c128") == C(-1e-3, -25));
    CHECK(value<C>("3j", "c128") == C(0, 3));
    CHECK(value<C>("-4", "c128") == C(-4));
    CHECK(value<std::complex<float>>("0.5-1j", "c64") == std::complex<float>(0.5f, -1));
}

TEST_CASE("what is no value of the type is refused") {
    for (const char* type : {"i8", "u8", "i64", "f64", "c128", "bool"})
        for (const char* text : {"abc", "1x", "1 2", "--1", "1+2", "+-1"}) refused(text, type);
    refused("128", "i8");
    refused("-1", "u8");
    refused("1.5", "i32");
    refused("1e30", "i64");
    refused("2", "bool");
    refused("1e400", "f64");
    refused("1e39", "f32");
    refused("j", "c128");
    refused("0x", "i32");
}

TEST_CASE("sizes and scalars are told apart by the kernel") {
    const Kernel k = parse("kernel k(n : index; a : f32; x : inout f64[n]) { for [i] : 0 <= i < n { x[i] *= a } }").kernel();
    Arguments a;
    set_value(k.data(), "n=12", a);
    set_value(k.data(), "a=1.5", a);
    CHECK(a.sizes.at("n") == 12);
    CHECK(a.arrays.at("a").type == DType::F32);
    CHECK_THROWS_WITH(set_value(k.data(), "n=3", a), Contains("twice"));
    CHECK_THROWS_WITH(set_value(k.data(), "x=3", a), Contains("array"));
    CHECK_THROWS_WITH(set_value(k.data(), "q=3", a), Contains("q"));
    for (const char* text : {"n", "=3", "n="}) {
        try {
            set_value(k.data(), text, a);
            FAIL("accepted " << text);
        } catch (const Error& e) {
            CHECK(e.kind() == ErrorKind::Usage);
        }
    }
}
