#include <catch2/catch.hpp>
#include <random>

#include "ir/poly.h"
#include "ir/poly/feasible.h"

using namespace heddle;

namespace {

const Affine i = Affine::symbol("i"), j = Affine::symbol("j"), k = Affine::symbol("k"), n = Affine::symbol("n");

}  // namespace

TEST_CASE("contradictions of one and of several constraints") {
    CHECK(feasible({less(i, n), at_least(i, n)}) == Truth::False);
    CHECK(feasible({less(i, j), less(j, k), less(k, i)}) == Truth::False);
    CHECK(feasible({equal(2 * i, 2 * j + Affine(1))}) == Truth::False);
    CHECK(feasible({equal(i, j + Affine(1)), at_least(j, i)}) == Truth::False);
    CHECK(feasible({at_least(2 * i, Affine(1)), at_least(Affine(1), 2 * i)}) == Truth::False);
    Affine half = Affine::floor_div(i, 2);
    CHECK(feasible({less(i, 2 * half)}) == Truth::False);
}

TEST_CASE("certain points, and doubt where only rationals are known") {
    CHECK(feasible({}) == Truth::True);
    CHECK(feasible({at_least(i, Affine(0)), less(i, n)}) == Truth::True);
    CHECK(feasible({equal(i, j + Affine(1)), less(j, i)}) == Truth::True);
    CHECK(feasible({at_least(3 * i, Affine(7) + 2 * j), at_least(Affine(7) + 2 * j, 3 * i)}) != Truth::False);
    CHECK(feasible({equal(Affine(std::int64_t{1} << 62) + (std::int64_t{1} << 62) * i, (std::int64_t{1} << 61) * j)}) !=
          Truth::False);
}

TEST_CASE("random systems: what is certain agrees with isl") {
    std::mt19937 random(7);
    auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
    int certain = 0;
    for (int round = 0; round < 2000; ++round) {
        Conjunct c;
        for (const Affine* x : {&i, &j, &k}) {
            c.push_back(at_least(*x, Affine(pick(-3, 1))));
            c.push_back(at_least(Affine(pick(-1, 4)), *x));
        }
        for (int r = pick(1, 3); r > 0; --r) {
            Affine form = pick(-3, 3) * i + pick(-3, 3) * j + pick(-2, 2) * k + Affine(pick(-4, 4));
            if (pick(0, 3) == 0) form = form + pick(-2, 2) * Affine::floor_div(i + pick(-2, 2) * j, pick(2, 4));
            c.push_back({form, pick(0, 2) == 0});
        }
        const Truth truth = feasible(c);
        if (truth == Truth::Unknown) continue;
        ++certain;
        INFO(round);
        CHECK(poly::to_set(Domain{{c}}, {"i", "j", "k"}).is_empty() == (truth == Truth::False));
    }
    CHECK(certain > 1000);
}

TEST_CASE("a base and what is joined to it agree with the whole") {
    std::mt19937 random(11);
    auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
    auto some = [&] {
        Affine form = pick(-2, 2) * i + pick(-2, 2) * j + pick(-2, 2) * k + pick(-1, 1) * n + Affine(pick(-4, 4));
        if (pick(0, 3) == 0) form = form + Affine::floor_div(i + pick(-2, 2) * j + Affine(pick(0, 2)), pick(2, 4));
        return Constraint{form, pick(0, 1) == 0};
    };
    int none = 0, surely = 0;
    for (int round = 0; round < 2000; ++round) {
        Conjunct base{some(), some(), some()}, extra{some(), some()}, all = base;
        for (const Affine* x : {&i, &j}) {
            base.push_back(at_least(*x, Affine(0)));
            base.push_back(at_least(Affine(4), *x));
        }
        all = base;
        all.insert(all.end(), extra.begin(), extra.end());
        const Truth joined = Feasibility(base).with(extra);
        INFO(round);
        if (joined != Truth::Unknown)
            CHECK(poly::to_set(Domain{{all}}, {"i", "j", "k", "n"}).is_empty() == (joined == Truth::False));
        none += joined == Truth::False;
        surely += joined == Truth::True;
    }
    CHECK(none > 300);
    CHECK(surely > 200);
}
