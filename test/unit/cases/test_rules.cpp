// The rules of arithmetic in docs/language.md, one test for each: known values from the interpreter and from compiled code.
#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <limits>

#include "test/support/run.h"

using namespace heddle;
using namespace heddle::test;
using Catch::Matchers::Contains;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// The values of an expression in `a` and `b` (and `i`, an index) for two arrays of a type.
template <class T>
Buffer each(const std::string& expression, const std::string& result, std::initializer_list<T> a, std::initializer_list<T> b) {
    const Buffer x = values<T>(a), y = values<T>(b);
    const std::string type(name_of(x.type));
    std::string text = expression;
    for (const char* name : {"@a", "@b"})
        for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name))
            text.replace(at, 2, std::string(1, name[1]) + "[i]");
    return run("kernel k(n : index; a, b : in " + type + "[n], r : out " + result +
                   "[n]) {\n  for [i] : 0 <= i < n { r[i] = " + text + " }\n}\n",
               "", {{}, {{"a", x}, {"b", y}}})
        .arrays.at("r");
}

template <class T>
std::vector<double> numbers(const std::string& expression, const std::string& result, std::initializer_list<T> a,
                            std::initializer_list<T> b) {
    return doubles(each<T>(expression, result, a, b));
}

/// Equal numbers, with NaN equal to NaN and -0.0 apart from 0.0.
void check_bits(const std::vector<double>& got, const std::vector<double>& wanted) {
    REQUIRE(got.size() == wanted.size());
    for (std::size_t k = 0; k < got.size(); ++k) {
        INFO("element " << k << ": " << got[k] << " for " << wanted[k]);
        CHECK(std::isnan(got[k]) == std::isnan(wanted[k]));
        if (std::isnan(got[k])) continue;
        CHECK(got[k] == wanted[k]);
        CHECK(std::signbit(got[k]) == std::signbit(wanted[k]));
    }
}

std::string refused(const std::string& expression, const std::string& result) {
    return refusal("kernel k(a : in f64[1], s : in i64[1], u : in u64[1], c : in c128[1], t : in bool[1], r : out " + result +
                       "[1]) { r[0] = " + expression + " }\n",
                   "");
}

using I8 = std::int8_t;
using U8 = std::uint8_t;
using I32 = std::int32_t;
using I64 = std::int64_t;
using C = std::complex<double>;

}  // namespace

TEST_CASE("rule: integers wrap in their own width") {
    CHECK(numbers<I8>("@a + @b", "i8", {127, -128, 100}, {1, -1, 100}) == std::vector<double>{-128, 127, -56});
    CHECK(numbers<I8>("@a * @b", "i8", {127, -128, 16}, {2, -1, 16}) == std::vector<double>{-2, -128, 0});
    CHECK(numbers<I8>("-@a", "i8", {-128, 5}, {0, 0}) == std::vector<double>{-128, -5});
    CHECK(numbers<I8>("abs(@a)", "i8", {-128, -5}, {0, 0}) == std::vector<double>{-128, 5});
    CHECK(numbers<U8>("@a + @b", "u8", {255, 200}, {1, 100}) == std::vector<double>{0, 44});
    CHECK(numbers<U8>("@a - @b", "u8", {0, 5}, {1, 10}) == std::vector<double>{255, 251});
    CHECK(numbers<I32>("@a * @b", "i32", {65536, INT32_MIN}, {65536, -1}) == std::vector<double>{0, INT32_MIN});
    const Buffer r = each<I64>("@a + @b", "i64", {INT64_MAX, INT64_MIN}, {1, -1});
    CHECK(r.as<I64>()[0] == INT64_MIN);
    CHECK(r.as<I64>()[1] == INT64_MAX);
}

TEST_CASE("rule: the quotient is rounded down, the remainder has the divisor's sign, by zero both are 0") {
    CHECK(numbers<I32>("@a // @b", "i32", {7, -7, 7, -7, 5}, {2, 2, -2, -2, 0}) == std::vector<double>{3, -4, -4, 3, 0});
    CHECK(numbers<I32>("@a % @b", "i32", {7, -7, 7, -7, 5}, {2, 2, -2, -2, 0}) == std::vector<double>{1, 1, -1, -1, 0});
    CHECK(numbers<I32>("@a // @b", "i32", {INT32_MIN}, {-1}) == std::vector<double>{INT32_MIN});
    CHECK(numbers<I32>("@a % @b", "i32", {INT32_MIN}, {-1}) == std::vector<double>{0});
    CHECK(numbers<I8>("@a // @b", "i8", {-128, -128, 127}, {-1, 0, -128}) == std::vector<double>{-128, 0, -1});
    CHECK(numbers<U8>("@a // @b", "u8", {255, 7, 7}, {2, 0, 8}) == std::vector<double>{127, 0, 0});
    CHECK(numbers<U8>("@a % @b", "u8", {255, 7, 7}, {2, 0, 8}) == std::vector<double>{1, 0, 7});
    check_bits(numbers<double>("@a / @b", "f64", {1, -1, 0, 1, 6}, {0, 0, 0, inf, -0.0}), {inf, -inf, not_a_number, 0, -inf});
    CHECK_THAT(refused("f64(s[0] / s[0])", "f64"), Contains("/"));
}

TEST_CASE("rule: shifts by a negative count or by the width or more") {
    CHECK(numbers<I32>("@a << @b", "i32", {1, 1, 1, 1, 3}, {31, 32, -1, 0, 31}) ==
          std::vector<double>{INT32_MIN, 0, 0, 1, INT32_MIN});
    CHECK(numbers<I32>("@a >> @b", "i32", {-8, -8, -8, 8, 8}, {1, 32, -1, 32, 1}) == std::vector<double>{-4, -1, -1, 0, 4});
    CHECK(numbers<U8>("@a << @b", "u8", {255, 1, 1}, {1, 7, 8}) == std::vector<double>{254, 128, 0});
    CHECK(numbers<U8>("@a >> @b", "u8", {255, 255, 255}, {1, 7, 200}) == std::vector<double>{127, 1, 0});
    CHECK(numbers<I8>("@a >> @b", "i8", {-128, 127}, {7, 8}) == std::vector<double>{-1, 0});
}

TEST_CASE("rule: casts out of range") {
    const std::initializer_list<double> x{1.9, -1.9, 1e10, -1e10, inf, -inf, not_a_number, -0.0}, none{0, 0, 0, 0, 0, 0, 0, 0};
    CHECK(numbers<double>("i32(@a)", "i32", x, none) ==
          std::vector<double>{1, -1, INT32_MAX, INT32_MIN, INT32_MAX, INT32_MIN, 0, 0});
    CHECK(numbers<double>("u8(@a)", "u8", x, none) == std::vector<double>{1, 0, 255, 0, 255, 0, 0, 0});
    CHECK(numbers<double>("i8(@a)", "i8", x, none) == std::vector<double>{1, -1, 127, -128, 127, -128, 0, 0});
    const Buffer wide = each<double>("i64(@a)", "i64", {1e19, -1e19, 9223372036854774784.0}, {0, 0, 0});
    CHECK(wide.as<I64>()[0] == INT64_MAX);
    CHECK(wide.as<I64>()[1] == INT64_MIN);
    CHECK(wide.as<I64>()[2] == 9223372036854774784);
    CHECK(numbers<I32>("i8(@a)", "i8", {300, -129, 128}, {0, 0, 0}) == std::vector<double>{44, 127, -128});
    CHECK(numbers<I32>("u8(@a)", "u8", {-1, 256}, {0, 0}) == std::vector<double>{255, 0});
    check_bits(numbers<double>("f32(@a)", "f32", {1e300, -1e300, 1e-300, -1e-300, 16777217}, {0, 0, 0, 0, 0}),
               {inf, -inf, 0, -0.0, 16777216});
    CHECK_THAT(refused("f64(c[0])", "f64"), Contains("c128"));
    CHECK(numbers<double>("bool(@a) ? 1 : 0", "i64", {0, 2, not_a_number}, {0, 0, 0}) == std::vector<double>{0, 1, 1});
}

TEST_CASE("rule: NaN wins in min and max, and compares unequal") {
    const double n = not_a_number;
    for (const char* f : {"min", "max"})
        check_bits(numbers<double>(std::string(f) + "(@a, @b)", "f64", {n, 1, n}, {1, n, n}), {n, n, n});
    for (const char* op : {"<", "<=", ">", ">=", "=="})
        CHECK(numbers<double>("@a " + std::string(op) + " @b", "bool", {n, 1, n}, {1, n, n}) == std::vector<double>{0, 0, 0});
    CHECK(numbers<double>("@a != @b", "bool", {n, 1, n, 2}, {1, n, n, 2}) == std::vector<double>{1, 1, 1, 0});
    check_bits(numbers<double>("@a < @b ? @a : @b", "f64", {n, 1}, {1, n}), {1, n});
}

TEST_CASE("rule: negative zero") {
    check_bits(numbers<double>("max(@a, @b)", "f64", {0.0, -0.0}, {-0.0, 0.0}), {0.0, -0.0});
    check_bits(numbers<double>("min(@a, @b)", "f64", {0.0, -0.0}, {-0.0, 0.0}), {0.0, -0.0});
    check_bits(numbers<double>("-@a", "f64", {0.0, -0.0}, {0, 0}), {-0.0, 0.0});
    check_bits(numbers<double>("-0.0", "f64", {0.0}, {0}), {-0.0});
    check_bits(numbers<double>("@a - @b", "f64", {0.0, -0.0}, {0.0, 0.0}), {0.0, -0.0});
    CHECK(numbers<double>("@a == @b", "bool", {0.0}, {-0.0}) == std::vector<double>{1});
    check_bits(numbers<double>("sum[q : i <= q <= i](a[q])", "f64", {-0.0, 2}, {0, 0}), {0.0, 2});
    check_bits(numbers<double>("sum[q : i <= q < i](a[q])", "f64", {-0.0, 2}, {0, 0}), {0.0, 0.0});
}

TEST_CASE("rule: mixed types meet in the type that holds both") {
    const std::string text =
        "kernel k(a : in i8[1], b : in u8[1], c : in i32[1], d : in f32[1], e : in c64[1], f : in f64[1], u : in u32[1],\n"
        "         r1 : out i16[1], r2 : out i32[1], r3 : out f32[1], r4 : out c128[1], r5 : out f64[1], r6 : out i64[1])\n"
        "{\n  r1[0] = a[0] + b[0]\n  r2[0] = a[0] * c[0]\n  r3[0] = d[0] * 2.5 + c[0]\n  r4[0] = e[0] * f[0]\n"
        "  r5[0] = c[0] / f[0]\n  r6[0] = u[0] + c[0]\n}\n";
    const Arguments got = run(text, "",
                              {{},
                               {{"a", values<I8>({-100})},
                                {"b", values<U8>({255})},
                                {"c", values<I32>({-5})},
                                {"d", values<float>({0.5F})},
                                {"e", values<std::complex<float>>({{1, 2}})},
                                {"f", values<double>({0.1})},
                                {"u", values<std::uint32_t>({UINT32_MAX})}}});
    const auto first = [&](const char* name) { return doubles(got.arrays.at(name)); };
    CHECK(first("r1")[0] == 155);
    CHECK(first("r2")[0] == 500);
    CHECK(first("r3")[0] == -3.75);
    CHECK(first("r4") == std::vector<double>{0.1, 0.2});
    CHECK(first("r5")[0] == -50);
    CHECK(first("r6")[0] == 4294967290.0);
    CHECK_THAT(refused("s[0] + u[0]", "i32"), Contains("i32"));
    CHECK_THAT(refused("t[0] + 1.0", "f64"), Contains("bool"));
    CHECK_THAT(refused("a[0]", "f32"), Contains("f64"));
}

TEST_CASE("rule: the complex product is the plain one") {
    const Buffer r = each<C>("@a * @b", "c128", {{1, 2}, {inf, inf}, {1e200, 0}}, {{3, 4}, {0, 1}, {1e200, 1e200}});
    check_bits(doubles(r), {-5, 10, not_a_number, not_a_number, inf, inf});
}

TEST_CASE("rule: complex division is Smith's") {
    const Buffer r = each<C>("@a / @b", "c128", {{-5, 10}, {1e300, 1e300}, {1e-300, 0}, {1, 0}},
                             {{3, 4}, {1e300, 1e300}, {1e-300, 1e-300}, {0, 2}});
    check_bits(doubles(r), {1, 2, 1, 0, 0.5, -0.5, 0, -0.5});
    check_bits(doubles(each<C>("@a / @b", "c128", {{1, 1}}, {{0, 0}})), {not_a_number, not_a_number});
}

TEST_CASE("rule: no operation is fused unless fma asks for it") {
    const double e = 1 + std::ldexp(1, -30);
    const double plain = numbers<double>("@a * @a - @b", "f64", {e}, {1 + std::ldexp(1, -29)})[0];
    const double fused = numbers<double>("fma(@a, @a, -@b)", "f64", {e}, {1 + std::ldexp(1, -29)})[0];
    CHECK(plain == 0);
    CHECK(fused == std::ldexp(1, -60));
}
