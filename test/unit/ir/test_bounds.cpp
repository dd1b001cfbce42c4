#include <catch2/catch.hpp>
#include <random>

#include "brute.h"
#include "ir/bounds.h"

using namespace heddle;
using namespace heddle::test;
using Kind = Finding::Kind;

namespace {

Expr at(const char* array, std::vector<Expr> subscripts) { return read(array, std::move(subscripts), DType::F64); }

std::vector<Kind> kinds(const std::vector<Finding>& findings) {
    std::vector<Kind> out;
    for (const Finding& f : findings) out.push_back(f.kind);
    return out;
}

/// for i in 0..n { b[i] = <value> } with a : f64[<extent>].
KernelData gather(Expr value, Expr extent, Domain where = {}) {
    Maker m({"n"});
    m.kernel.assumptions = std::move(where);
    m.array("b", {v("n")}).array("a", {std::move(extent)}, Role::In).array("col", {v("n")}, Role::In, DType::I32);
    return m.done({m.loop("i", {m.leaf(assign("S", range("i", 0, s("n")), {"b", {v("i")}}, std::move(value)))})});
}

}  // namespace

TEST_CASE("inside, outside with the smallest counterexample, unknown") {
    CHECK(check_bounds(gather(at("a", {v("i")}), v("n"))).empty());
    CHECK(check_bounds(gather(at("a", {v("i") + 1}), v("n") + 1)).empty());
    auto found = check_bounds(gather(at("a", {v("i") + 1}), v("n")));
    REQUIRE(kinds(found) == std::vector<Kind>{Kind::OutOfBounds});
    CHECK(found[0].parameters == Env{{"n", 1}});
    CHECK(found[0].point == Env{{"i", 0}});
    CHECK(found[0].index == 1);
    CHECK(found[0].extent == 1);
    CHECK(found[0].is_error());
    CHECK(found[0].text == "S(i=0) reads a[i + 1] outside the array: index 1 of dimension 0 is not in 0..0 for n=1");
    found = check_bounds(gather(at("a", {v("i") - 1}), v("n")));
    REQUIRE(kinds(found) == std::vector<Kind>{Kind::OutOfBounds});
    CHECK(found[0].index == -1);
    found = check_bounds(gather(at("a", {read("col", {v("i")}, DType::I32)}), v("n")));
    REQUIRE(kinds(found) == std::vector<Kind>{Kind::Unproved});
    CHECK_FALSE(found[0].is_error());
}

TEST_CASE("what `where` excludes is no counterexample") {
    CHECK(check_bounds(gather(at("a", {num(3)}), v("n"), range("n", 4, 100))).empty());
    CHECK(kinds(check_bounds(gather(at("a", {num(3)}), v("n"), range("n", 3, 100)))) == std::vector<Kind>{Kind::OutOfBounds});
}

TEST_CASE("affine branches are exact, run-time conditions leave a doubt") {
    Expr low =
        make(Op::Select, DType::F64, {make(Op::Lt, DType::Bool, {num(0), v("i")}), at("a", {v("i") - 1}), float_literal(0)});
    CHECK(check_bounds(gather(low, v("n"))).empty());
    Expr data =
        make(Op::Select, DType::F64,
             {make(Op::Lt, DType::Bool, {float_literal(0), at("b", {v("i")})}), at("a", {v("i") - 1}), float_literal(0)});
    CHECK(kinds(check_bounds(gather(data, v("n")))) == std::vector<Kind>{Kind::Unproved});
}

TEST_CASE("clamped data, small types and tables are proved") {
    Expr col = read("col", {v("i")}, DType::I32);
    Expr clamped = make(Op::Max, index_type, {num(0), make(Op::Min, index_type, {col, v("n") - 1})});
    CHECK(check_bounds(gather(at("a", {clamped}), v("n"))).empty());
    KernelData bytes = gather(at("a", {read("col", {v("i")}, DType::U8)}), num(256));
    bytes.arrays[2].type = DType::U8;
    CHECK(check_bounds(bytes).empty());
    bytes.arrays[1].shape = {num(255)};
    CHECK(kinds(check_bounds(bytes)) == std::vector<Kind>{Kind::Unproved});
    KernelData table = gather(at("a", {read("col", {num(0)}, DType::I32)}), num(8));
    auto data = std::make_shared<TableData>();
    for (std::int32_t x : {7, 0, 3}) {
        auto* bytes_of = reinterpret_cast<const std::byte*>(&x);
        data->bytes.insert(data->bytes.end(), bytes_of, bytes_of + sizeof x);
    }
    table.arrays[2].role = Role::Table;
    table.arrays[2].shape = {num(3)};
    table.arrays[2].table = data;
    CHECK(check_bounds(table).empty());
    table.arrays[1].shape = {num(7)};
    CHECK(kinds(check_bounds(table)) == std::vector<Kind>{Kind::Unproved});
}

TEST_CASE("lets carry their definition into bounds and subscripts") {
    // for i { let lo = max(0, col[i]); for p : lo <= p < n { b[p] = 0 } }
    auto kernel = [](std::int64_t least) {
        Maker m({"n"});
        m.array("b", {v("n")}).array("col", {v("n")}, Role::In, DType::I64).array("lo", {}, Role::Temp, DType::I64);
        m.kernel.arrays[2].is_let = true;
        Expr value = make(Op::Max, index_type, {num(least), read("col", {v("i")}, DType::I64)});
        NodePtr let = m.leaf(assign("L", range("i", 0, s("n")), {"lo", {}}, value));
        NodePtr use =
            m.leaf(assign("S", range("i", 0, s("n")) & range("p", s("lo"), s("n")), {"b", {v("p")}}, float_literal(0)));
        return m.done({m.loop("i", {let, m.loop("p", {use})}, {"lo"})});
    };
    CHECK(check_bounds(kernel(0)).empty());
    CHECK(kinds(check_bounds(kernel(-1))) == std::vector<Kind>{Kind::Unproved});
}

TEST_CASE("products of sizes: flattened arrays are proved where the bounds say so") {
    auto flat = [](Expr index, Domain where) {
        Maker m({"n", "m"});
        m.kernel.assumptions = std::move(where);
        m.array("a", {v("n") * v("m")});
        return m.done({m.loop("i", {m.loop("j", {m.leaf(assign("S", range("i", 0, s("n")) & range("j", 0, s("m")),
                                                               {"a", {std::move(index)}}, float_literal(0)))})})});
    };
    CHECK(check_bounds(flat(v("i") * v("m") + v("j"), {})).empty());
    CHECK(check_bounds(flat(v("j") * v("n") + v("i"), {})).empty());
    CHECK(check_bounds(flat((v("n") - 1 - v("i")) * v("m") + v("j"), {})).empty());
    CHECK(kinds(check_bounds(flat(v("i") * v("m") + v("j") + 1, {}))) == std::vector<Kind>{Kind::Unproved});
    CHECK(kinds(check_bounds(flat(v("i") * v("n") + v("j"), {}))) == std::vector<Kind>{Kind::Unproved});
    CHECK(check_bounds(flat(v("i"), {})).empty());
    CHECK(check_bounds(flat(v("j"), {})).empty());
}

TEST_CASE("remainders and quotients by sizes are inside where the sizes are positive") {
    Expr around = make(Op::Mod, index_type, {v("i") - 1, v("n")});
    CHECK(check_bounds(gather(at("a", {around}), v("n"))).empty());
    CHECK(check_bounds(gather(at("a", {around + 1}), v("n") + 1)).empty());
    auto found = check_bounds(gather(at("a", {around + 1}), v("n")));
    REQUIRE(kinds(found) == std::vector<Kind>{Kind::Unproved});
    CHECK(found[0].text.find("products of sizes") == std::string::npos);
    Expr half = make(Op::FloorDiv, index_type, {v("i"), v("n")});
    CHECK(check_bounds(gather(at("a", {half}), v("n"))).empty());
    CHECK(kinds(check_bounds(gather(at("a", {half - 1}), v("n")))) == std::vector<Kind>{Kind::Unproved});
}

TEST_CASE("extents that are always negative are errors, those that may be are none") {
    CHECK(kinds(check_bounds(gather(float_literal(0), v("n") - 5, range("n", 0, 5)))) ==
          std::vector<Kind>{Kind::NegativeShape});
    CHECK(check_bounds(gather(float_literal(0), v("n") - 5, range("n", 0, 7))).empty());
}

TEST_CASE("races of tagged loops, collapsed ones included") {
    auto kernel = [](Expr from, LoopTag tag) {
        Maker m({"n"});
        m.array("a", {v("n") + 1, v("n") + 1});
        NodePtr leaf =
            m.leaf(assign("S", range("i", 0, s("n")) & range("j", 0, s("n")), {"a", {v("i"), v("j")}}, std::move(from)));
        auto outer = std::make_shared<Node>(*m.loop("i", {m.loop("j", {leaf})}));
        outer->tag = tag;
        return m.done({outer});
    };
    LoopTag parallel{LoopTag::Kind::Parallel}, two = parallel;
    two.collapse = 2;
    CHECK(check_races(kernel(at("a", {v("i"), v("j") + 1}), {})).empty());
    CHECK(check_races(kernel(at("a", {v("i"), v("j") + 1}), parallel)).empty());
    auto found = check_races(kernel(at("a", {v("i"), v("j") + 1}), two));
    REQUIRE(kinds(found) == std::vector<Kind>{Kind::Race});
    CHECK(found[0].array == Name("a"));
    CHECK(kinds(check_races(kernel(at("a", {v("i") + 1, v("j")}), parallel))) == std::vector<Kind>{Kind::Race});
    CHECK(kinds(check_races(kernel(at("a", {v("i") + 1, v("j")}), {LoopTag::Kind::Vector}))) == std::vector<Kind>{Kind::Race});
}

TEST_CASE("reads of what nothing wrote") {
    // for i { [t[i] = x] ; b[i] = t[i + shift] }, t written for 0 <= i < written
    auto kernel = [](bool write, int shift, bool apart, bool reversed = false) {
        Maker m({"n"});
        m.array("b", {v("n")}).array("t", {v("n") + 1}, Role::Temp);
        NodePtr r = m.leaf(assign("R", range("i", 0, s("n")), {"b", {v("i")}}, at("t", {v("i") + shift})));
        NodePtr w = write ? m.leaf(assign("W", range("i", 0, s("n")), {"t", {v("i")}}, float_literal(1))) : nullptr;
        if (!write) return m.done({m.loop("i", {r})}, {"t"});
        if (!apart) return m.done({m.loop("i", {w, r})}, {"t"});
        NodePtr lw = m.loop("i", {w}), lr = m.loop("i", {r});
        return m.done(reversed ? std::vector<NodePtr>{lr, lw} : std::vector<NodePtr>{lw, lr}, {"t"});
    };
    const std::vector<Kind> one{Kind::ReadBeforeWrite};
    CHECK(kinds(check_defined(kernel(false, 0, false))) == one);
    CHECK(check_defined(kernel(true, 0, false)).empty());
    CHECK(check_defined(kernel(true, 0, true)).empty());
    CHECK(kinds(check_defined(kernel(true, 0, true, true))) == one);
    CHECK(kinds(check_defined(kernel(true, -1, false))) == one);
    auto ahead = check_defined(kernel(true, 1, false));
    REQUIRE(kinds(ahead) == one);
    CHECK(ahead[0].text == "R(i=0) reads 't', which nothing has written before for n=1");
    auto last = check_defined(kernel(true, 1, true));
    REQUIRE(kinds(last) == one);
    CHECK(last[0].point.at("i") + 1 == last[0].parameters.at("n"));
}

TEST_CASE("scoped temporaries start undefined in every iteration") {
    auto kernel = [](bool scoped) {
        Maker m;
        m.array("b", {num(4)}).array("t", {}, Role::Temp);
        NodePtr r = m.leaf(assign("R", range("i", 1, 4), {"b", {v("i")}}, at("t", {})));
        NodePtr w = m.leaf(assign("W", range("i", 0, 4), {"t", {}}, float_literal(1)));
        std::vector<Name> t{"t"}, none;
        return m.done({m.loop("i", {r, w}, scoped ? t : none)}, scoped ? none : t);
    };
    CHECK(check_defined(kernel(false)).empty());
    CHECK(kinds(check_defined(kernel(true))) == std::vector<Kind>{Kind::ReadBeforeWrite});
}

TEST_CASE("updates read, conditions and unknown subscripts are given the benefit of the doubt") {
    Maker m;
    m.array("o", {num(4)}, Role::Out).array("c", {num(4)}, Role::In, DType::I32);
    Statement sum = assign("S", range("i", 0, 4), {"o", {v("i")}}, float_literal(1), Update::Add);
    KernelData k = m.done({m.loop("i", {m.leaf(sum)})});
    CHECK(kinds(check_defined(k)) == std::vector<Kind>{Kind::ReadBeforeWrite});
    Statement init = assign("I", range("i", 0, 4), {"o", {read("c", {v("i")}, DType::I32)}}, float_literal(0));
    NodePtr first = m.loop("i", {m.leaf(init)});
    k = m.done({first, m.loop("i", {make_leaf(0)})});
    CHECK(check_defined(k).empty());
}

TEST_CASE("random accesses: bounds and definedness agree with brute force") {
    std::mt19937 random(3);
    auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
    int good = 0, bad = 0, undefined = 0, defined = 0;
    for (int round = 0; round < 500; ++round) {
        Maker m;
        m.array("a", {num(pick(3, 6)), num(pick(3, 6))}, Role::Temp);
        auto subscript = [&] {
            Expr e = v(pick(0, 1) ? "i" : "j");
            if (pick(0, 4) == 0) {
                const Op op = pick(0, 1) ? Op::Min : Op::Max;
                e = make(op, index_type, {e, num(pick(0, 3))});
            }
            return pick(0, 2) ? e : e + pick(-1, 1);
        };
        auto domain = [&] {
            const int rows = pick(2, 5), columns = pick(2, 5);
            Domain d = range("i", 0, rows) & range("j", 0, columns);
            if (pick(0, 2) == 0) d.pieces[0].push_back(ge(s("j"), s("i") - Affine(pick(0, 1))));
            return d;
        };
        // One after the other: compilers order arguments as they like, and the cases shall be the same with all.
        const Domain writes = domain(), reads = domain();
        const std::vector<Expr> to{subscript(), subscript()}, also{subscript(), subscript()}, from{subscript(), subscript()};
        NodePtr w = m.leaf(assign("W", writes, {"a", to}, float_literal(1)));
        NodePtr r = m.leaf(assign("R", reads, {"a", also}, at("a", from)));
        std::vector<NodePtr> both{w, r};
        if (pick(0, 1)) std::swap(both[0], both[1]);
        KernelData k = m.done({m.loop("i", {m.loop("j", both)})}, {"a"});
        if (pick(0, 1))
            k.root = make_block({m.loop("i", {m.loop("j", {both[0]})}), m.loop("i", {m.loop("j", {both[1]})})}, {"a"});
        bool outside = false, early = false;
        std::set<std::vector<std::int64_t>> written;
        auto value = [](const Expr& e, const Env& env) {
            const auto pieces = pieces_of(e);
            for (const Piece& p : *pieces)
                if (contains(Domain{{p.when}}, env)) return evaluate(p.value, env);
            return std::int64_t{-99};
        };
        const auto accesses = accesses_of(k);
        for (const Instance& x : instances(k, {}, -1, 6)) {
            for (const Access& a : accesses[x.statement]) {
                std::vector<std::int64_t> element;
                for (std::size_t d = 0; d < 2; ++d) {
                    element.push_back(value(a.subscripts[d], x.env));
                    outside |= element[d] < 0 || element[d] >= k.arrays[0].shape[d].integer();
                }
                if (a.write)
                    written.insert(element);
                else
                    early |= written.count(element) == 0;
            }
        }
        INFO("round " << round);
        CHECK(check_bounds(k).empty() == !outside);
        CHECK(check_defined(k).empty() == !early);
        (outside ? bad : good)++;
        (early ? undefined : defined)++;
    }
    CHECK(good > 20);
    CHECK(bad > 20);
    CHECK(undefined > 20);
    CHECK(defined > 20);
}
