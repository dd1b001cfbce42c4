#include <atomic>
#include <catch2/catch.hpp>
#include <sstream>
#include <thread>

#include "ir/error.h"
#include "ir/poly.h"

using namespace heddle;

namespace {

const Affine i = Affine::symbol("i"), j = Affine::symbol("j"), n = Affine::symbol("n");

Domain all_of(Conjunct c) { return Domain{{std::move(c)}}; }
Domain box(const Affine& x, std::int64_t low, const Affine& end) { return all_of({at_least(x, Affine(low)), less(x, end)}); }

/// The points of a domain over i and j in a square, by evaluation.
std::vector<std::pair<int, int>> points(const Domain& d, int n_value = 5) {
    std::vector<std::pair<int, int>> out;
    for (int a = -8; a <= 8; ++a)
        for (int b = -8; b <= 8; ++b)
            if (contains(d, {{"i", a}, {"j", b}, {"n", n_value}})) out.emplace_back(a, b);
    return out;
}

std::string text(const isl::set& s) {
    std::ostringstream out;
    out << s;
    return out.str();
}

std::string error_code(const std::function<void()>& f) {
    try {
        f();
    } catch (const Error& e) {
        return e.code();
    }
    return "none";
}

}  // namespace

TEST_CASE("emptiness knows integers from rationals") {
    CHECK(poly::is_empty(all_of({equal(2 * i, Affine(3))})));
    CHECK(poly::is_empty(all_of({equal(2 * i, 2 * j + Affine(1))})));
    CHECK_FALSE(poly::is_empty(all_of({equal(2 * i, 3 * j + Affine(1))})));
    CHECK(poly::is_empty(Domain::nothing()));
    CHECK_FALSE(poly::is_empty(Domain::everything()));
    CHECK(poly::is_empty(all_of({at_least(i, n), less(i, n)})));
}

TEST_CASE("floors and remainders keep their meaning through isl") {
    Affine half = Affine::floor_div(i + j, 2);
    Domain even = all_of({equal(i + j, 2 * half), at_least(i, Affine(-3)), at_least(Affine(3), i), at_least(j, Affine(-3)),
                          at_least(Affine(3), j)});
    Domain back = poly::from_set(poly::to_set(even, {"i", "j"}), {"i", "j"});
    CHECK(points(back) == points(even));
    CHECK(points(even).size() == 25);
    Affine nested = Affine::floor_div(Affine::floor_div(i, 3) + j, 2);
    Domain d = all_of({at_least(nested, Affine(1)), at_least(Affine(2), nested)});
    CHECK(points(poly::from_set(poly::to_set(d, {"i", "j"}), {"i", "j"})) == points(d));
    CHECK(poly::is_equal(poly::simplify(d), d));
}

TEST_CASE("forms survive the way to isl and back") {
    Affine a = 3 * i - Affine::floor_div(2 * j + n, 5) + Affine(7);
    Affine back = poly::from_aff(poly::to_aff(a, {"i", "j"}), {"i", "j"});
    for (int x = -4; x < 5; ++x) {
        Env env{{"i", x}, {"j", 3 * x - 1}, {"n", x * x}};
        CHECK(evaluate(back, env) == evaluate(a, env));
    }
    CHECK(poly::from_aff(poly::to_aff(std::int64_t{1} << 40, {}), {}) == Affine(std::int64_t{1} << 40));
}

TEST_CASE("parameters are the symbols that are no dimensions") {
    isl::set s = poly::to_set(box(i, 0, n), {"i"}, "S");
    CHECK(text(s) == "[n] -> { S[i] : 0 <= i < n }");
    CHECK(text(poly::to_parameter_set(box(n, 1, 10))) == "[n] -> {  : 0 < n <= 9 }");
    isl::map m = poly::to_map(all_of({equal(j, i + Affine(1))}), {"i"}, "S", {"j"}, "T");
    CHECK(m.is_equal(isl::map(poly::context(), "{ S[i] -> T[i + 1] }")));
}

TEST_CASE("union, difference and projection agree with the points") {
    Domain square = intersect(box(i, 0, 6), box(j, 0, 6)), hole = intersect(box(i, 2, 4), box(j, 1, 5));
    Domain ring = poly::subtract(square, hole);
    CHECK(points(ring).size() == 36 - 8);
    CHECK(poly::is_equal(unite(ring, hole), square));
    CHECK(poly::is_subset(hole, square));
    CHECK_FALSE(poly::is_subset(square, hole));
    Domain thirds = all_of({equal(i, 3 * j), at_least(j, Affine(0)), at_least(Affine(2), j)});
    Domain shadow = poly::project(thirds, {"j"});
    CHECK_FALSE(shadow.mentions("j"));
    for (int x = -8; x <= 8; ++x) CHECK(contains(shadow, {{"i", x}}) == (x == 0 || x == 3 || x == 6));
    CHECK(poly::is_equal(poly::gist(square, box(i, 0, 6)), box(j, 0, 6)));
}

TEST_CASE("samples are points of the set and small") {
    auto p = poly::sample(all_of({less(i, n), at_least(i, Affine(0))}), {"n"});
    REQUIRE(p);
    CHECK(*p == Env{{"i", 0}, {"n", 1}});
    CHECK_FALSE(poly::sample(all_of({less(i, n), at_least(i, n)})));
    auto far = poly::sample(all_of({equal(i, Affine(-123456789))}));
    REQUIRE(far);
    CHECK(far->at("i") == -123456789);
    CHECK(poly::sample(Domain::everything()) == Env{});
}

TEST_CASE("constant ranges") {
    Domain d = intersect(box(i, -2, 7), box(j, 0, n));
    CHECK(poly::constant_min(3 * i, d) == -6);
    CHECK(poly::constant_max(i, d) == 6);
    CHECK(poly::constant_max(j, d) == std::nullopt);
    CHECK(poly::constant_min(j, Domain::nothing()) == std::nullopt);
}

TEST_CASE("formulas are read with any names, or refused") {
    Domain d = poly::read("exists e : mod = 9 - 3e and 1 <= mod <= 9", {"mod"});
    for (int x = -1; x < 12; ++x) CHECK(contains(d, {{"mod", x}}) == (x == 3 || x == 6 || x == 9));
    CHECK(error_code([] { poly::read("i <", {"i"}); }) == "syntax");
    CHECK(error_code([] { poly::read("k < 3", {"i"}); }) == "syntax");
    CHECK(error_code([] { poly::read("i*i < 3", {"i"}); }) == "syntax");
}

TEST_CASE("a budget ends in an error that names the work, and the outer one returns") {
    Domain d = box(i, 0, 100);
    {
        poly::Budget tiny("the order of S and T", 3);
        CHECK(error_code([&] { poly::subtract(d, box(i, 3, 7)); }) == "budget");
        try {
            poly::project(d, {"i"});
            FAIL("the budget of 3 operations was not spent");
        } catch (const Error& e) {
            CHECK(e.message().find("the order of S and T") != std::string::npos);
        }
    }
    CHECK_FALSE(poly::project(d, {"i"}).is_nothing());
}

TEST_CASE("subsets: the cheap test and isl agree") {
    auto interval = [](const Affine& low, const Affine& high) { return all_of({at_least(i, low), at_least(high, i)}); };
    CHECK(poly::is_subset(interval(Affine(1), n), interval(Affine(0), n + Affine(2))));
    CHECK_FALSE(poly::is_subset(interval(Affine(0), n), interval(Affine(1), n)));
    CHECK_FALSE(poly::is_subset(interval(Affine(0), n), Domain::nothing()));
    CHECK(poly::is_subset(interval(Affine(5), Affine(3)), Domain::nothing()));
    Domain halves = unite(interval(Affine(0), Affine(4)), interval(Affine(5), Affine(9)));
    CHECK(poly::is_subset(interval(Affine(2), Affine(7)), halves));
    CHECK_FALSE(poly::is_subset(interval(Affine(2), Affine(10)), halves));
    Affine half = Affine::floor_div(i, 2);
    Domain even = all_of({equal(i, 2 * half)}), fours = all_of({equal(i, 4 * j)});
    CHECK(poly::is_subset(fours, even));
    CHECK_FALSE(poly::is_subset(even, fours));
    Domain split = all_of({at_least(j, Affine(0)), less(j, Affine(32)), equal(i, 32 * Affine::floor_div(i, 32) + j)});
    Domain same = all_of({equal(j, i - 32 * Affine::floor_div(i, 32))});
    CHECK(poly::is_equal(split, same));
}

TEST_CASE("threads have contexts of their own") {
    std::vector<std::thread> threads;
    std::atomic<int> right = 0;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&right, t] {
            bool good = true;
            for (int k = 1; k < 20; ++k) {
                Domain d = intersect(box(i, 0, k + t), box(j, 0, 3));
                good = good && points(poly::subtract(d, box(i, 0, 2)), 0).size() ==
                                   3u * static_cast<unsigned>(std::max(std::min(k + t, 9) - 2, 0));
            }
            right += good;
        });
    for (std::thread& t : threads) t.join();
    CHECK(right == 4);
}
