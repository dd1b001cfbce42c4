#include <catch2/catch.hpp>
#include <random>

#include "ir/affine.h"
#include "ir/error.h"

using namespace heddle;

namespace {

Affine sym(const char* name) { return Affine::symbol(name); }

/// A random form in x, y, n with small coefficients and now and then a floor.
Affine random_form(std::mt19937& rng, int depth = 1) {
    const auto small = [&] { return static_cast<std::int64_t>(rng() % 7) - 3; };
    Affine a = small() * sym("x") + small() * sym("y") + small() * sym("n") + Affine(small());
    if (depth > 0 && rng() % 3 == 0) a = a + small() * Affine::floor_div(random_form(rng, depth - 1), 1 + rng() % 5);
    return a;
}

}  // namespace

TEST_CASE("affine forms keep their value under arithmetic and substitution") {
    std::mt19937 rng(1);
    for (int round = 0; round < 500; ++round) {
        const Affine a = random_form(rng), b = random_form(rng);
        Env env{{"x", int(rng() % 21) - 10}, {"y", int(rng() % 21) - 10}, {"n", int(rng() % 21) - 10}};
        CHECK(evaluate(a + b, env) == evaluate(a, env) + evaluate(b, env));
        CHECK(evaluate(3 * a - b, env) == 3 * evaluate(a, env) - evaluate(b, env));
        CHECK(affine_of(expr_of(a)).value() == a);
        const Affine replaced = a.substitute("x", b);
        Env moved = env;
        moved["x"] = evaluate(b, env);
        CHECK(evaluate(replaced, env) == evaluate(a, moved));
    }
}

TEST_CASE("floors are reduced") {
    CHECK(Affine::floor_div(64 * sym("x") + Affine(32), 32) == 2 * sym("x") + Affine(1));
    CHECK(Affine::floor_div(Affine::floor_div(sym("x"), 4), 8) == Affine::floor_div(sym("x"), 32));
    CHECK(Affine::floor_div(2 * sym("x"), 4) == Affine::floor_div(sym("x"), 2));
    CHECK(Affine::floor_div(Affine(-7), 2) == Affine(-4));
}

TEST_CASE("coefficients that overflow are refused") {
    const Affine big = (std::int64_t(1) << 62) * sym("x");
    CHECK_THROWS_AS(big + big, Error);
}

TEST_CASE("elimination keeps every shadow point") {
    std::mt19937 rng(2);
    for (int round = 0; round < 300; ++round) {
        Conjunct c;
        for (int k = 0; k < 4; ++k) c.push_back({random_form(rng), rng() % 8 == 0});
        const Domain before{{c}}, after{{eliminate(c, "x")}};
        for (std::int64_t y = -4; y <= 4; ++y) {
            bool any = false;
            for (std::int64_t x = -12; x <= 12; ++x) any = any || contains(before, {{"x", x}, {"y", y}, {"n", 3}});
            if (any) CHECK(contains(after, {{"y", y}, {"n", 3}}));
        }
        CHECK_FALSE(after.mentions("x"));
    }
}

TEST_CASE("implication is never claimed wrongly") {
    std::mt19937 rng(3);
    for (int round = 0; round < 300; ++round) {
        Conjunct context;
        for (int k = 0; k < 3; ++k) context.push_back({random_form(rng), false});
        const Constraint c{random_form(rng), false};
        const Truth truth = implied(c, context);
        if (truth == Truth::Unknown) continue;
        for (std::int64_t x = -6; x <= 6; ++x)
            for (std::int64_t y = -6; y <= 6; ++y) {
                const Env env{{"x", x}, {"y", y}, {"n", 2}};
                if (contains(Domain{{context}}, env)) CHECK(holds(c, env) == (truth == Truth::True));
            }
    }
}

TEST_CASE("a box implies what follows from it") {
    const Conjunct box{at_least(sym("i"), 0), less(sym("i"), sym("n")), at_least(sym("m"), sym("n"))};
    CHECK(implied(less(sym("i"), sym("m")), box) == Truth::True);
    CHECK(implied(at_least(2 * sym("i") + Affine(5), 1), box) == Truth::True);
    CHECK(implied(less(sym("i"), 0), box) == Truth::False);
    CHECK(implied(less(sym("i"), 10), box) == Truth::Unknown);
}

TEST_CASE("a complement covers what the set does not") {
    const Domain d{{{at_least(sym("x"), 0), less(sym("x"), 5), equal(sym("x"), 2 * sym("y"))}}};
    const Domain rest = complement(d);
    for (std::int64_t x = -3; x < 8; ++x)
        for (std::int64_t y = -3; y < 5; ++y) CHECK(contains(d, {{"x", x}, {"y", y}}) != contains(rest, {{"x", x}, {"y", y}}));
}
