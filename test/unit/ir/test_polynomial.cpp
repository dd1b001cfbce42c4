#include <catch2/catch.hpp>
#include <random>

#include "ir/count/polynomial.h"
#include "ir/error.h"

using namespace heddle;

namespace {

Polynomial sym(const char* name) { return Polynomial::symbol(name); }
Polynomial floor_of(const Affine& a, std::int64_t d) { return Polynomial(Affine::floor_div(a, d)); }

/// A random polynomial in x, y, n, with a floor of y and n now and then.
Polynomial random_polynomial(std::mt19937& rng) {
    Polynomial p;
    for (int term = 0; term < 4; ++term) {
        Polynomial t(Rational::of(static_cast<int>(rng() % 9) - 4, 1 + rng() % 3));
        t = t * sym("x").power(rng() % 3) * sym("y").power(rng() % 2) * sym("n").power(rng() % 2);
        if (rng() % 3 == 0) t = t * floor_of(Affine::symbol("y") + Affine::symbol("n", -1), 2 + rng() % 3);
        p += t;
    }
    return p;
}

Env random_env(std::mt19937& rng) {
    Env env;
    for (const char* name : {"x", "y", "n"}) env[name] = static_cast<int>(rng() % 21) - 10;
    return env;
}

}  // namespace

TEST_CASE("rationals are exact and in lowest terms") {
    CHECK(Rational::of(6, -4).str() == "-3/2");
    CHECK(Rational::of(1, 3) + Rational::of(1, 6) == Rational::of(1, 2));
    CHECK(Rational::of(2, 3) * Rational::of(9, 4) == Rational::of(3, 2));
    CHECK(Rational(1) / Rational::of(-2, 7) == Rational::of(-7, 2));
    CHECK(to_text(checked_mul(Wide(4000000000000000000), Wide(-25))) == "-100000000000000000000");
    CHECK(floor_divide(-7, 2) == -4);
}

TEST_CASE("numbers beyond 128 bits are refused") {
    const Polynomial large = Polynomial(4000000000000000000).power(2);
    try {
        large.power(2);
        FAIL("no error");
    } catch (const Error& e) {
        CHECK(e.code() == "overflow");
        CHECK(e.kind() == ErrorKind::User);
    }
}

TEST_CASE("polynomial arithmetic agrees with arithmetic on values") {
    std::mt19937 rng(7);
    for (int round = 0; round < 300; ++round) {
        const Polynomial a = random_polynomial(rng), b = random_polynomial(rng);
        const Env env = random_env(rng);
        CHECK((a + b).evaluate(env) == a.evaluate(env) + b.evaluate(env));
        CHECK((a * b).evaluate(env) == a.evaluate(env) * b.evaluate(env));
        CHECK((a - a).is_zero());
        Env moved = env;
        moved["y"] = 3 * env.at("x") - env.at("n") + 2;
        const Affine value = Affine::symbol("x", 3) - Affine::symbol("n") + Affine(2);
        CHECK(a.substitute("y", value).evaluate(env) == a.evaluate(moved));
    }
}

TEST_CASE("sums over a symbol agree with adding up") {
    std::mt19937 rng(11);
    for (int round = 0; round < 200; ++round) {
        const Polynomial p = random_polynomial(rng);
        Env env = random_env(rng);
        const std::int64_t low = static_cast<int>(rng() % 11) - 5, length = rng() % 8;
        const Polynomial sum = sum_over(p, "x", sym("lo"), sym("lo") + sym("len") - Polynomial(1));
        CHECK_FALSE(sum.mentions("x"));
        env["lo"] = low;
        env["len"] = length;
        Rational expected;
        for (env["x"] = low; env["x"] < low + length; ++env["x"]) expected = expected + p.evaluate(env);
        CHECK(sum.evaluate(env) == expected);
    }
}

TEST_CASE("high powers are summed exactly") {
    const Polynomial sum = sum_over(sym("x").power(9), "x", Polynomial(1), sym("n"));
    Wide expected = 0;
    for (int x = 1; x <= 100; ++x) {
        Wide power = 1;
        for (int k = 0; k < 9; ++k) power *= x;
        expected += power;
    }
    CHECK(sum.degree() == 10);
    CHECK(sum.evaluate({{"n", 100}}) == Rational::of(expected));
}

TEST_CASE("polynomials are written as products where they are") {
    const Polynomial n = sym("n"), m = sym("m"), one(1);
    CHECK(Polynomial().str() == "0");
    CHECK((n * m * Polynomial(3)).str() == "3*m*n");
    CHECK((n * (n + one) * Polynomial(Rational::of(1, 2))).str() == "n*(n + 1)/2");
    CHECK(sum_over(sym("x").power(2), "x", one, n).str() == "n*(n + 1)*(2*n + 1)/6");
    CHECK(((n - Polynomial(2)) * (m - Polynomial(2))).str() == "(m - 2)*(n - 2)");
    CHECK(((n - Polynomial(2)).power(3) * m.power(2)).str() == "m^2*(n - 2)^3");
    CHECK((n * Polynomial(2) - m * Polynomial(2)).str() == "2*n - 2*m");
    CHECK((n.power(2) + m + one).str() == "n^2 + m + 1");
    CHECK((one - n).str() == "1 - n");
    CHECK((n * Polynomial(-1)).str() == "-n");
    CHECK((n * (n - m + one)).str() == "n*(n - m + 1)");
    CHECK((Polynomial(32) * floor_of(Affine::symbol("n") + Affine(31), 32)).str() == "32*floor((n + 31)/32)");
}

TEST_CASE("floors have one form, and full sets of them are collected") {
    const Affine n = Affine::symbol("n");
    CHECK(floor_of(-n, 2) == Polynomial(-1) * floor_of(n + Affine(1), 2));
    Polynomial sum;
    for (int r = 0; r < 4; ++r) sum += sym("m") * floor_of(n + Affine(r), 4);
    CHECK(collect_floors(sum) == sym("m") * sym("n"));
    const Polynomial part = floor_of(n, 4) + floor_of(n + Affine(2), 4);
    CHECK(collect_floors(part) == part);
}
