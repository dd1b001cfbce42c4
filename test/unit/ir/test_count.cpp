#include <catch2/catch.hpp>
#include <random>

#include "ir/count/count.h"
#include "ir/error.h"

using namespace heddle;

namespace {

Affine sym(const char* name) { return Affine::symbol(name); }
const Affine i = sym("i"), j = sym("j"), k = sym("k"), n = sym("n"), m = sym("m");

/// low <= a < high
Conjunct between(const Affine& low, const Affine& a, const Affine& high) { return {at_least(a, low), less(a, high)}; }
Conjunct operator+(Conjunct a, const Conjunct& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}
Domain set(Conjunct c) { return Domain{{std::move(c)}}; }
Domain at_least_each(std::initializer_list<const char*> names, std::int64_t low) {
    Conjunct c;
    for (const char* name : names) c.push_back(at_least(sym(name), low));
    return set(c);
}

/// Points of the domain with every dim in -reach .. reach, by trying all.
std::int64_t brute_force(const Domain& d, const std::vector<Name>& dims, Env& env, int reach, std::size_t depth = 0) {
    if (depth == dims.size()) return contains(d, env) ? 1 : 0;
    std::int64_t sum = 0;
    std::int64_t& v = env[dims[depth]];
    for (v = -reach; v <= reach; ++v) sum += brute_force(d, dims, env, reach, depth + 1);
    return sum;
}

/// Holds the formula against brute force for parameters -4 .. 10 that the context allows.
void agree(const Domain& d, const std::vector<Name>& dims, const Domain& context = Domain::everything(), int reach = 14) {
    const Count c = count(d, dims, context);
    REQUIRE(c.formula);
    INFO(c.str());
    for (const int a : {-4, -1, 0, 1, 2, 5, 7, 10})
        for (const int b : {-3, 0, 4}) {
            Env env{{"n", a}, {"m", b}};
            if (!contains(context, env)) continue;
            INFO("n = " << a << ", m = " << b);
            const Wide counted = c.at(env).value();
            CHECK(static_cast<std::int64_t>(counted) == brute_force(d, dims, env, reach));
        }
}

}  // namespace

TEST_CASE("boxes, triangles and tetrahedra") {
    const Domain box = set(between(0, i, n) + between(0, j, m));
    CHECK(count(box, {"i", "j"}).str() == "m*n if m >= 1 and n >= 1");
    CHECK(count(box, {"i", "j"}, at_least_each({"n", "m"}, 1)).str() == "m*n");
    CHECK(count(box, {"i", "j"}, at_least_each({"n", "m"}, 0)).str() == "m*n");
    CHECK(count(box, {"i", "j"}, at_least_each({"n"}, 0)).str() == "m*n if m >= 1");
    const Domain triangle = set(between(0, i, n) + between(0, j, i + Affine(1)));
    CHECK(count(triangle, {"i", "j"}).str() == "n*(n + 1)/2 if n >= 1");
    CHECK(count(triangle.substitute("n", 12), {"i", "j"}).str() == "78");
    const Domain tetrahedron = set(between(0, i, n) + between(0, j, i) + between(0, k, j));
    CHECK(count(tetrahedron, {"i", "j", "k"}, at_least_each({"n"}, 0)).str() == "n*(n - 1)*(n - 2)/6");
    agree(box, {"i", "j"});
    agree(triangle, {"i", "j"});
    agree(tetrahedron, {"i", "j", "k"});
}

TEST_CASE("tiles count as what was tiled") {
    const Domain tiles = set(between(0, 32 * sym("io") + sym("ii"), n) + between(0, sym("ii"), 32));
    CHECK(count(tiles, {"io", "ii"}, at_least_each({"n"}, 0)).str() == "n");
    const Domain guarded = set(between(0, 4 * sym("io") + sym("ii"), n) + between(0, sym("ii"), 4) +
                               between(0, sym("io"), Affine::floor_div(n + Affine(3), 4)));
    CHECK(count(guarded, {"io", "ii"}, at_least_each({"n"}, 0)).str() == "n");
    agree(guarded, {"io", "ii"});
    const Domain full = set(Conjunct{at_least(sym("io"), 0), less(4 * sym("io") + Affine(3), n)} + between(0, sym("ii"), 4));
    CHECK(count(full, {"io", "ii"}, at_least_each({"n"}, 0)).str() == "4*floor(n/4)");
    agree(full, {"io", "ii"});
    const Affine twice = 8 * sym("a") + 4 * sym("b") + sym("c");
    const Domain two_levels = set(between(0, twice, n) + between(0, sym("b"), 2) + between(0, sym("c"), 4));
    CHECK(count(two_levels, {"a", "b", "c"}, at_least_each({"n"}, 0)).str() == "n");
    const Affine ti = 3 * sym("io") + sym("ii"), tj = 4 * sym("jo") + sym("ji");
    const Domain triangle =
        set(between(0, ti, n) + between(0, tj, ti + Affine(1)) + between(0, sym("ii"), 3) + between(0, sym("ji"), 4));
    CHECK(count(triangle, {"io", "jo", "ii", "ji"}, at_least_each({"n"}, 0)).str() == "n*(n + 1)/2");
}

TEST_CASE("the diagonal of a tile is counted though the digits do not join") {
    const Domain d =
        set(between(0, 4 * sym("io") + sym("ii"), n) + between(0, sym("ii"), 4) + between(0, sym("ji"), sym("ii") + Affine(1)));
    agree(d, {"io", "ii", "ji"});
}

TEST_CASE("strides, congruences and remainders") {
    const Conjunct range = between(0, i, n);
    const Affine even = i - 2 * Affine::floor_div(i, 2);
    CHECK(count(set(range + Conjunct{equal(even, 0)}), {"i"}, at_least_each({"n"}, 0)).str() == "floor((n + 1)/2)");
    agree(set(range + Conjunct{equal(i - 4 * Affine::floor_div(i, 4), 3)}), {"i"});
    agree(set(range + Conjunct{less(i - 4 * Affine::floor_div(i, 4), 2)}), {"i"});
    agree(set(range + Conjunct{less(i - 40 * Affine::floor_div(i, 40), 5)}), {"i"});
    const Affine colour = i + j - 2 * Affine::floor_div(i + j, 2);
    agree(set(range + between(0, j, m) + Conjunct{equal(colour, 1)}), {"i", "j"});
    agree(set(range + Conjunct{equal(2 * i, 3 * j + Affine(1))}), {"i", "j"});
    agree(set(range + between(0, j, m) + Conjunct{equal(6 * i + 10 * j, n + Affine(2))}), {"i", "j"});
    agree(set(Conjunct{at_least(3 * i, n), less(2 * i, 3 * m)}), {"i"});
    agree(set(Conjunct{at_least(3 * i, j), at_least(n, 2 * i), at_least(j, 0)}), {"i", "j"}, Domain::everything(), 15);
    agree(set(range + between(0, j, Affine::floor_div(i, 3))), {"i", "j"});
    agree(set(range + Conjunct{less(Affine::floor_div(i, 2) + Affine::floor_div(i, 3), m)}), {"i"});
}

TEST_CASE("several bounds on a side") {
    agree(set(between(0, i, n) + between(0, i, m)), {"i"});
    agree(set(between(0, i, n) + between(i - Affine(2), j, i + Affine(3)) + between(0, j, m)), {"i", "j"});
    const Domain cross = set(Conjunct{at_least(i, j), at_least(i, -j), less(i, n), less(j, m)});
    agree(cross, {"i", "j"});
}

TEST_CASE("points of a union count once") {
    const Domain both = unite(set(between(0, i, n)), set(between(2, i, n + Affine(2))));
    CHECK(count(both, {"i"}, at_least_each({"n"}, 2)).str() == "n + 2");
    agree(both, {"i"});
    agree(unite(set(between(0, i, n) + between(0, j, 3)), set(between(0, i, 3) + between(0, j, n))), {"i", "j"});
}

TEST_CASE("random conjuncts agree with brute force") {
    std::mt19937 rng(5);
    const auto pick = [&](int low, int high) { return low + static_cast<int>(rng() % (high - low + 1)); };
    for (int round = 0; round < 25; ++round) {
        Conjunct c = between(-4, i, 6) + between(-5, j, 5);
        for (int extra = pick(1, 3); extra > 0; --extra) {
            Affine form = pick(-3, 3) * i + pick(-3, 3) * j + pick(-1, 1) * n + pick(-1, 1) * m + Affine(pick(-3, 6));
            if (pick(0, 3) == 0) form = form + pick(-2, 2) * Affine::floor_div(pick(1, 2) * i + j + n, pick(2, 4));
            c.push_back({form, pick(0, 5) == 0});
        }
        agree(set(c), {"i", "j"}, Domain::everything(), 8);
    }
}

TEST_CASE("random domains of three dims agree with brute force") {
    std::mt19937 rng(17);
    const auto pick = [&](int low, int high) { return low + static_cast<int>(rng() % (high - low + 1)); };
    for (int round = 0; round < 6; ++round) {
        Conjunct c =
            between(0, i, n) + between(0, j, i + Affine(pick(0, 2))) + between(pick(-1, 1) * j, k, m + Affine(pick(0, 2)));
        c.push_back({pick(-1, 1) * i + pick(-2, 2) * j + pick(-1, 2) * k + Affine(pick(0, 3)), false});
        agree(set(c), {"i", "j", "k"}, Domain::everything(), 12);
    }
}

TEST_CASE("numbers are exact where formulas are large or missing") {
    Conjunct six;
    std::vector<Name> dims;
    for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) {
        six = six + between(0, sym(name), n);
        dims.push_back(name);
    }
    const Count large = count(set(six), dims, at_least_each({"n"}, 0));
    CHECK(large.str() == "n^7");
    CHECK(to_text(*large.at({{"n", 4096}})) == "19342813113834066795298816");
    const Domain wide = set(between(0, i, n) + between(0, j, Affine::floor_div(7 * i, 1009)));
    const Count none = count(wide, {"i", "j"});
    CHECK_FALSE(none.formula);
    std::int64_t expected = 0;
    for (int v = 0; v < 2000; ++v) expected += 7 * v / 1009;
    CHECK(static_cast<std::int64_t>(none.at({{"n", 2000}}).value()) == expected);
    CHECK_FALSE(count_points(wide, {"i", "j"}, {{"n", 2000}}, 100));
}

TEST_CASE("infinite sets are refused") {
    const Count c = count(set({at_least(i, 0)}), {"i"});
    CHECK_FALSE(c.formula);
    CHECK(c.reason == "'i' has no upper bound: the points are not finite in number");
    CHECK_THROWS_AS(c.at({}), Error);
    CHECK(count(set({at_least(i, 0), less(i, 0)}), {"i"}).str() == "0");
    CHECK(count(Domain::nothing(), {"i"}).str() == "0");
    CHECK(count(Domain::everything(), {}).str() == "1");
}
