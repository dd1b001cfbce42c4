#include <catch2/catch.hpp>
#include <random>

#include "brute.h"
#include "ir/depend.h"

using namespace heddle;
using namespace heddle::test;

namespace {

Expr at(const char* array, std::vector<Expr> subscripts) { return read(array, std::move(subscripts), DType::F64); }
Expr plus(Expr a, Expr b) { return make(Op::Add, DType::F64, {std::move(a), std::move(b)}); }

const Node* find_loop(const KernelData& k, const char* name) {
    const Node* found = nullptr;
    walk(k.root, [&](const NodePtr& n) {
        if (n->kind == Node::Kind::Loop && n->loop == Name(name)) found = n.get();
    });
    return found;
}

/// Identity entries for every statement of two kernels with the same statements.
std::vector<Correspondence> everything(const KernelData& k) {
    std::vector<Correspondence> out;
    for (std::size_t s = 0; s < k.statements.size(); ++s) out.push_back({s, s, {}, {}});
    return out;
}

/// for i, j: a[i, j] = a[i + di, j + dj] + 1, loops in the given order.
KernelData stencil(int di, int dj, bool swapped = false) {
    Maker m({"n"});
    m.array("a", {v("n"), v("n")});
    NodePtr leaf = m.leaf(assign("S", range("i", 1, s("n") - Affine(1)) & range("j", 1, s("n") - Affine(1)),
                                 {"a", {v("i"), v("j")}}, plus(at("a", {v("i") + di, v("j") + dj}), float_literal(1))));
    if (swapped) return m.done({m.loop("j", {m.loop("i", {leaf})})});
    return m.done({m.loop("i", {m.loop("j", {leaf})})});
}

}  // namespace

TEST_CASE("interchange is refused for the distance (1, -1), with a witness, and allowed for the others") {
    for (auto [di, dj, legal] : {std::tuple(-1, 1, false), {-1, 0, true}, {0, -1, true}, {-1, -1, true}, {1, -1, false}}) {
        KernelData from = stencil(di, dj), to = stencil(di, dj, true);
        auto w = violates_order(from, to, everything(from));
        INFO(di << ", " << dj);
        CHECK(w.has_value() == !legal);
    }
    KernelData from = stencil(-1, 1);
    auto w = violates_order(from, stencil(-1, 1, true), everything(from));
    REQUIRE(w);
    CHECK(w->text(from) ==
          "flow dependence on a: S(i=1, j=2) writes a[1, 2], then S(i=2, j=1) reads it (n=4); the new order runs S(i=2, j=1) "
          "first");
}

TEST_CASE("what a loop carries") {
    KernelData k = stencil(-1, 0);
    auto w = carried_by(k, find_loop(k, "i"), true);
    REQUIRE(w);
    CHECK(w->kind == DependenceKind::Flow);
    CHECK(w->source_point.at("i") + 1 == w->sink_point.at("i"));
    CHECK_FALSE(carried_by(k, find_loop(k, "j"), true));
    KernelData far = stencil(0, -4);
    CHECK_FALSE(carried_by(far, find_loop(far, "j"), true, 4));
    CHECK(carried_by(far, find_loop(far, "j"), true, 5));
    CHECK(carried_by(far, find_loop(far, "j"), true));
    KernelData anti = stencil(1, 0);
    w = carried_by(anti, find_loop(anti, "i"), true);
    REQUIRE(w);
    CHECK(w->kind == DependenceKind::Anti);
}

TEST_CASE("recurrences through time are carried by space loops (H02) and in-place updates by both (H03)") {
    Maker m({"nt", "nx"});
    m.array("u", {v("nt") + 1, v("nx") + 2});
    Expr value = plus(at("u", {v("t"), v("x")}), at("u", {v("t"), v("x") + 2}));
    KernelData k = m.done({m.loop("t", {m.loop("x", {m.leaf(assign("S", range("t", 0, s("nt")) & range("x", 0, s("nx")),
                                                                   {"u", {v("t") + 1, v("x") + 1}}, value))})})});
    CHECK(carried_by(k, find_loop(k, "t"), true));
    CHECK_FALSE(carried_by(k, find_loop(k, "x"), true));
    KernelData swapped = k;
    auto inner = k.root->children[0]->children[0]->children[0];
    swapped.root = make_block({Maker::loop("x", {Maker::loop("t", {inner})})});
    auto w = violates_order(k, swapped, everything(k));
    REQUIRE(w);
    CHECK(carried_by(swapped, find_loop(swapped, "x"), true));
}

TEST_CASE("scatter through unknown indices (H04)") {
    auto scatter = [](bool reassociate, bool atomic, bool injective) {
        Maker m;
        m.array("u", {num(3)}).array("g", {num(4)}, Role::In, DType::I32).array("c", {num(4)}, Role::In);
        Statement st = assign("S", range("p", 0, 4), {"u", {read("g", {v("p")}, DType::I32)}}, at("c", {v("p")}), Update::Add);
        st.reassociate = reassociate;
        st.atomic = atomic;
        if (injective) m.kernel.assertions.push_back({Assertion::Kind::Injective, {"g"}, {}});
        return m.done({m.loop("p", {m.leaf(st)})});
    };
    KernelData plain = scatter(false, false, false), reduction = scatter(true, false, false),
               atomic = scatter(false, true, false), injective = scatter(false, false, true);
    auto w = carried_by(plain, find_loop(plain, "p"), true);
    REQUIRE(w);
    CHECK_FALSE(w->exact);
    CHECK_FALSE(carried_by(reduction, find_loop(reduction, "p"), true));
    CHECK(carried_by(reduction, find_loop(reduction, "p"), false));
    CHECK_FALSE(carried_by(atomic, find_loop(atomic, "p"), true));
    CHECK_FALSE(carried_by(injective, find_loop(injective, "p"), false));
    CHECK(reductions_carried(reduction, find_loop(reduction, "p")) == std::vector<std::size_t>{0});
    CHECK(reductions_carried(injective, find_loop(injective, "p")).empty());

    Maker m;
    m.array("h", {num(1)});
    KernelData cell = m.done(
        {m.loop("t", {m.loop("y", {m.leaf(assign("S", range("t", 0, 2) & range("y", 0, 3), {"h", {num(0)}}, v("y")))})})});
    for (const char* loop : {"t", "y"}) {
        w = carried_by(cell, find_loop(cell, loop), true);
        REQUIRE(w);
        CHECK(w->kind == DependenceKind::Output);
    }
}

TEST_CASE("parity guards keep instances independent (H05)") {
    Maker m;
    m.array("A", {num(6), num(6)});
    Domain d = range("i", 1, 5) & range("j", 1, 5);
    d.pieces[0].push_back(equal(s("i") + s("j"), 2 * Affine::floor_div(s("i") + s("j"), 2)));
    KernelData k = m.done(
        {m.loop("i", {m.loop("j", {m.leaf(assign("S", d, {"A", {v("i"), v("j")}},
                                                 plus(at("A", {v("i") - 1, v("j")}), at("A", {v("i") + 1, v("j")}))))})})});
    CHECK_FALSE(carried_by(k, find_loop(k, "i"), true));
    CHECK_FALSE(carried_by(k, find_loop(k, "j"), true));
}

TEST_CASE("time buffers with mod (H10 d) carry their dependence") {
    Maker m;
    m.array("u", {num(3)});
    auto mod3 = [](Expr e) { return make(Op::Mod, index_type, {std::move(e), num(3)}); };
    KernelData k = m.done({m.loop("t", {m.leaf(assign("S", range("t", -1, 3), {"u", {mod3(v("t") + 1)}},
                                                      plus(at("u", {mod3(v("t"))}), float_literal(1))))})});
    CHECK(carried_by(k, find_loop(k, "t"), true));
    CHECK_FALSE(carried_by(k, find_loop(k, "t"), true, 1));
}

TEST_CASE("a buffer reused by the next outer iteration (H12) is an anti dependence of the outer loop; a scoped one is not") {
    for (bool scoped : {false, true}) {
        Maker m;
        m.array("s", {num(64)}, Role::Temp).array("x", {num(4), num(64)}, Role::In).array("y", {num(4), num(64)});
        NodePtr s0 = m.loop(
            "l", {m.leaf(assign("S0", range("o", 0, 4) & range("l", 0, 64), {"s", {v("l")}}, at("x", {v("o"), v("l")})))});
        NodePtr s1 = m.loop("l", {m.loop("m", {m.leaf(assign("S1", range("o", 0, 4) & range("l", 0, 64) & range("m", 0, 64),
                                                             {"y", {v("o"), v("l")}}, at("s", {v("m")}), Update::Add))})});
        std::vector<Name> temps{"s"};
        NodePtr body = make_block({s0, s1}, scoped ? temps : std::vector<Name>{});
        KernelData k = m.done({m.loop("o", {body})}, scoped ? std::vector<Name>{} : temps);
        auto w = carried_by(k, find_loop(k, "o"), true);
        CHECK(w.has_value() == !scoped);
    }
}

TEST_CASE("reductions may be reordered when allowed, and only with their like") {
    auto sum = [](DType type, bool reassociate, Update second) {
        Maker m({"n"});
        m.array("h", {}, Role::InOut, type).array("x", {v("n")}, Role::In, type);
        Statement a = assign("S", range("i", 0, s("n")), {"h", {}}, read("x", {v("i")}, type), Update::Add);
        Statement b = assign("T", range("i", 0, s("n")), {"h", {}}, read("x", {v("i")}, type), second);
        a.reassociate = b.reassociate = reassociate;
        NodePtr p = m.leaf(a), q = m.leaf(b);
        return std::pair(m.done({m.loop("i", {p, q})}), m.done({m.loop("i", {p}), m.loop("i", {q})}));
    };
    auto legal = [](const std::pair<KernelData, KernelData>& k) {
        return !violates_order(k.first, k.second, everything(k.first));
    };
    CHECK_FALSE(legal(sum(DType::F64, false, Update::Add)));
    CHECK(legal(sum(DType::F64, true, Update::Add)));
    CHECK(legal(sum(DType::I32, false, Update::Add)));
    CHECK_FALSE(legal(sum(DType::I32, false, Update::Max)));
    auto max = sum(DType::F64, false, Update::Add);
    auto w = violates_order(max.first, max.second, everything(max.first));
    REQUIRE(w);
    CHECK(w->kind == DependenceKind::Reduction);
}

TEST_CASE("unknown subscripts are any value, equal ones over parameters are equal") {
    auto rows = [](Expr write, Expr from) {
        Maker m({"p", "q"});
        m.array("A", {v("p") * v("q"), num(9)});
        return m.done(
            {m.loop("i", {m.leaf(assign("S", range("i", 0, 9), {"A", {write, v("i")}}, at("A", {from, v("i") - 1})))})});
    };
    Expr pq = v("p") * v("q");
    KernelData same = rows(pq, pq), next = rows(pq, pq + 1), other = rows(pq, v("p") * v("p"));
    CHECK(carried_by(same, find_loop(same, "i"), true));
    CHECK_FALSE(carried_by(next, find_loop(next, "i"), true));
    CHECK(carried_by(other, find_loop(other, "i"), true));
}

TEST_CASE("arrays that may overlap, views and kernel calls count as touching any element") {
    auto two = [](bool alias, bool asserted) {
        Maker m({"n"});
        m.array("a", {v("n")}, Role::Out).array("b", {v("n")}, Role::In);
        m.kernel.arrays[1].may_alias = alias;
        if (asserted) m.kernel.assertions.push_back({Assertion::Kind::NonAliasing, {"a", "b"}, {}});
        return m.done({m.loop("i", {m.leaf(assign("S", range("i", 0, s("n")), {"a", {v("i")}}, at("b", {v("i")})))})});
    };
    KernelData apart = two(false, false), alias = two(true, false), asserted = two(true, true);
    CHECK_FALSE(carried_by(apart, find_loop(apart, "i"), true));
    auto w = carried_by(alias, find_loop(alias, "i"), true);
    REQUIRE(w);
    CHECK_FALSE(w->exact);
    CHECK_FALSE(carried_by(asserted, find_loop(asserted, "i"), true));
    KernelData view = apart;
    view.arrays[1].role = Role::InOut;
    view.arrays[1].view_of = "a";
    CHECK_FALSE(carried_by(view, find_loop(view, "i"), true));
    view.arrays[1].layout.padding = {1};
    w = carried_by(view, find_loop(view, "i"), true);
    REQUIRE(w);
    CHECK_FALSE(w->exact);
}

TEST_CASE("views of one memory meet where their positions do") {
    auto carried = [](Expr row, Expr column) {
        Maker m;
        m.array("a", {num(40)}).array("b", {num(20), num(2)});
        m.kernel.arrays[1].view_of = "a";
        KernelData k = m.done({m.loop("i", {m.leaf(assign("S", range("i", 0, 20), {"b", {std::move(row), std::move(column)}},
                                                          at("a", {num(2) * v("i")})))})});
        return carried_by(k, find_loop(k, "i"), true).has_value();
    };
    CHECK_FALSE(carried(v("i"), num(0)));
    CHECK_FALSE(carried(v("i"), num(1)));
    CHECK(carried(v("i") + 1, num(0)));
    CHECK(carried(num(3), num(0)));
}

TEST_CASE("lets are equal within their iteration only") {
    // for i { let lo = …; for p : lo <= p < lo + 2 { a[p - lo] = a[p - lo] + 1 } }
    Maker m({"n"});
    m.array("a", {num(2)}).array("lo", {}, Role::Temp, DType::I64).array("r", {v("n")}, Role::In, DType::I64);
    m.kernel.arrays[1].is_let = true;
    Expr slot = v("p") - v("lo");
    NodePtr let = m.leaf(assign("L", range("i", 0, s("n")), {"lo", {}}, read("r", {v("i")}, DType::I64)));
    NodePtr use = m.leaf(assign("S", range("i", 0, s("n")) & range("p", s("lo"), s("lo") + Affine(2)), {"a", {slot}},
                                plus(at("a", {slot}), float_literal(1))));
    KernelData k = m.done({m.loop("i", {let, m.loop("p", {use})}, {"lo"})});
    CHECK(carried_by(k, find_loop(k, "i"), true));
    CHECK_FALSE(carried_by(k, find_loop(k, "p"), true));
}

namespace {

/// A random nest of two statements over i and j, both touching a and b with small affine subscripts.
struct RandomNest {
    std::mt19937 random;
    explicit RandomNest(unsigned seed) : random(seed) {}
    int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }

    Expr subscript() {
        static const char* names[] = {"i", "j"};
        Expr e = v(names[pick(0, 1)]);
        if (pick(0, 4) == 0) e = e + v(names[pick(0, 1)]);
        if (pick(0, 9) == 0) e = make(Op::FloorDiv, index_type, {e, num(2)});
        return e + pick(-1, 1);
    }
    std::vector<Expr> subscripts() { return {pick(0, 3) ? v("i") + pick(-1, 1) : subscript(), subscript()}; }
    Domain domain() {
        Domain d = range("i", 0, pick(2, 4)) & range("j", 0, pick(2, 4));
        if (pick(0, 2) == 0) d.pieces[0].push_back(ge(s("j"), s("i")));
        if (pick(0, 5) == 0) d.pieces[0].push_back(equal(s("i") + s("j"), 2 * Affine::floor_div(s("i") + s("j"), 2)));
        return d;
    }
    Statement statement(const char* label) {
        static const char* arrays[] = {"a", "b"};
        return assign(label, domain(), {arrays[pick(0, 1)], subscripts()}, at(arrays[pick(0, 1)], subscripts()),
                      pick(0, 3) == 0 ? Update::Max : Update::Assign);
    }
};

NodePtr nest(const char* outer, const char* inner, std::vector<NodePtr> body, bool down_outer = false,
             bool down_inner = false) {
    return Maker::loop(outer, {Maker::loop(inner, std::move(body), {}, down_inner)}, {}, down_outer);
}

/// A new tree for statements 0 and 1 and how their loops map: interchanged, reversed, skewed, tiled, distributed, swapped.
std::pair<NodePtr, std::vector<std::pair<Name, Affine>>> random_order(RandomNest& r) {
    NodePtr p = make_leaf(0), q = make_leaf(1);
    std::vector<NodePtr> both = r.pick(0, 1) ? std::vector<NodePtr>{p, q} : std::vector<NodePtr>{q, p};
    Affine i = s("i"), j = s("j");
    switch (r.pick(0, 6)) {
        case 0:
            return {make_block({nest("j", "i", both)}), {}};
        case 1:
            return {make_block({nest("i", "j", both, r.pick(0, 1), r.pick(0, 1))}), {}};
        case 2:
            return {make_block({nest("i", "j", {both[0]}), nest("i", "j", {both[1]})}), {}};
        case 3:
            return {make_block({Maker::loop("i", {Maker::loop("j", {both[0]}), Maker::loop("j", {both[1]})})}), {}};
        case 4:
            return {make_block({nest("t", "i", both)}), {{"t", i + j}}};
        case 5: {
            Affine io = Affine::floor_div(i, 2), jo = Affine::floor_div(j, 2);
            NodePtr inner = nest("i", "j", both);
            return {make_block({nest("io", "jo", {inner})}), {{"io", io}, {"jo", jo}}};
        }
        default:
            return {make_block({nest("j", "t", both, false, true)}), {{"t", i - j}}};
    }
}

}  // namespace

TEST_CASE("random reorderings: the answer is that of brute force, refusals have true witnesses") {
    int legal = 0, refused = 0, unharmed = 0;
    for (unsigned seed = 0; seed < 600; ++seed) {
        RandomNest r(seed);
        Maker m;
        m.array("a", {num(9), num(9)}).array("b", {num(9), num(9)});
        NodePtr p = m.leaf(r.statement("S")), q = m.leaf(r.statement("T"));
        KernelData from = m.done({nest("i", "j", {p, q})});
        auto [tree, forms] = random_order(r);
        KernelData to = from;
        to.root = tree;
        std::set<std::string> turned;
        auto time = [&](const Instance& x) {
            std::vector<std::int64_t> when;
            time_of(
                *to.root, x.statement,
                [&](Name n) {
                    for (const auto& [name, form] : forms)
                        if (name == n) return evaluate(form, x.env);
                    return x.env.at(n);
                },
                when);
            return when;
        };
        each_conflict(from, {}, -1, 5, [&](const Instance& x, const Instance& y, const std::string& element) {
            if (!(time(x) < time(y))) turned.insert(array_of(element));
        });
        auto then = flows(from, {}, -1, 5, [](const Instance&x) { return x.when; }), now = flows(from, {}, -1, 5, time);
        const bool broken = std::any_of(turned.begin(), turned.end(), [&](const auto& a) { return then[a] != now[a]; });
        unharmed += !turned.empty() && !broken;
        auto w = violates_order(from, to, {{0, 0, forms, {}}, {1, 1, forms, {}}});
        INFO("seed " << seed);
        CHECK(w.has_value() == broken);
        (broken ? refused : legal)++;
        if (!w) continue;
        Instance x{w->source, w->source_point, {}}, y{w->sink, w->sink_point, {}};
        CHECK(contains(from.statements[x.statement]->domain, x.env));
        CHECK(contains(from.statements[y.statement]->domain, y.env));
        CHECK_FALSE(time(x) < time(y));
    }
    CHECK(legal > 100);
    CHECK(refused > 100);
    CHECK(unharmed > 0);
}

TEST_CASE("random nests: what loops carry is what brute force finds") {
    int carried = 0, free = 0;
    for (unsigned seed = 1000; seed < 1300; ++seed) {
        RandomNest r(seed);
        Maker m;
        m.array("a", {num(9), num(9)}).array("b", {num(9), num(9)});
        NodePtr p = m.leaf(r.statement("S")), q = m.leaf(r.statement("T"));
        KernelData k = m.done({nest("i", "j", {p, q}, r.pick(0, 1), r.pick(0, 1))});
        bool outer = false, inner = false;
        each_dependence(k, {}, -1, 5, [&](const Instance& x, const Instance& y) {
            outer |= x.env.at("i") != y.env.at("i");
            inner |= x.env.at("i") == y.env.at("i") && x.env.at("j") != y.env.at("j");
        });
        INFO("seed " << seed);
        CHECK(carried_by(k, find_loop(k, "i"), true).has_value() == outer);
        CHECK(carried_by(k, find_loop(k, "j"), true).has_value() == inner);
        carried += outer + inner;
        free += 2 - outer - inner;
    }
    CHECK(carried > 50);
    CHECK(free > 50);
}

TEST_CASE("index sets: an entry covers only what its `where` says") {
    // a[i] = a[9 - i] for 0 <= i < 10: the halves apart may run backwards, the whole may not.
    Maker m;
    m.array("a", {num(10)});
    NodePtr p = m.leaf(assign("S", range("i", 0, 10), {"a", {v("i")}}, at("a", {num(9) - v("i")})));
    KernelData from = m.done({m.loop("i", {p})});
    KernelData down = m.done({m.loop("i", {p}, {}, true)});
    CHECK(violates_order(from, down, {{0, 0, {}, {}}}));
    CHECK_FALSE(violates_order(from, down, {{0, 0, {}, range("i", 0, 5)}}));
    Maker halves;
    halves.array("a", {num(10)});
    NodePtr low = halves.leaf(assign("S", range("i", 0, 5), {"a", {v("i")}}, at("a", {num(9) - v("i")})));
    NodePtr high = halves.leaf(assign("S_1", range("i", 5, 10), {"a", {v("i")}}, at("a", {num(9) - v("i")})));
    KernelData good = halves.done({m.loop("i", {low}, {}, true), m.loop("i", {high}, {}, true)});
    KernelData bad = halves.done({m.loop("i", {high}, {}, true), m.loop("i", {low}, {}, true)});
    std::vector<Correspondence> split{{0, 0, {}, range("i", 0, 5)}, {0, 1, {}, range("i", 5, 10)}};
    CHECK_FALSE(violates_order(from, good, split));
    CHECK(violates_order(from, bad, split));
}

TEST_CASE("witnesses speak of the user's loops") {
    Maker m;
    m.array("a", {num(99)});
    Statement st = assign("S", range("io", 0, 3) & range("ii", 0, 32), {"a", {num(0)}}, float_literal(1));
    st.origin = {{"i", num(32) * v("io") + v("ii")}};
    KernelData k = m.done({m.loop("io", {m.loop("ii", {m.leaf(st)})})});
    auto w = carried_by(k, find_loop(k, "io"), true);
    REQUIRE(w);
    CHECK(w->text(k) ==
          "output dependence on a: S(i=0) writes a[0], then S(i=32) writes it; these iterations of 'io' would run at the "
          "same time");
}

TEST_CASE("the list of dependences: kinds, relations, distances") {
    KernelData k = stencil(-1, 1);
    auto list = dependences(k);
    REQUIRE(list.size() == 1);
    CHECK(list[0].kind == DependenceKind::Flow);
    CHECK(list[0].distance == std::vector<std::string>{"1", "-1"});
    CHECK(list[0].exact);
    CHECK(list[0].relation.find("S[i, j] -> S[i' = 1 + i, j' = -1 + j]") != std::string::npos);
    Maker m({"n"});
    m.array("a", {v("n")}).array("g", {v("n")}, Role::In, DType::I32);
    NodePtr w = m.leaf(assign("W", range("i", 0, s("n")), {"a", {v("i")}}, float_literal(0)));
    NodePtr r = m.leaf(assign("R", range("i", 0, s("n")), {"a", {num(0)}}, at("a", {read("g", {v("i")}, DType::I32)})));
    KernelData two = m.done({m.loop("i", {w, r})});
    std::vector<std::string> texts;
    for (const Dependence& d : dependences(two))
        texts.push_back(std::string(name_of(d.kind)) + std::to_string(d.source) + std::to_string(d.sink) + d.distance[0] +
                        (d.exact ? "" : "?"));
    CHECK(texts == std::vector<std::string>{"flow01*?", "output01*", "anti10+?", "flow11+?", "anti11+?", "output11+"});
}

TEST_CASE("many statements on rows of one array, and on one element, are cheap to ask about") {
    auto kernel = [](bool rows, bool swapped) {
        Maker m({"n"});
        m.array("a", {num(1001), v("n")});
        std::vector<NodePtr> body;
        for (int k = 0; k < (rows ? 1000 : 200); ++k) {
            std::string label = "S" + std::to_string(k);
            body.push_back(m.leaf(assign(label.c_str(), range("i", 0, s("n")) & range("j", 0, s("n")),
                                         {"a", {num(rows ? k + 1 : 0), v("j")}}, at("a", {num(rows ? k : 0), v("j")}))));
        }
        NodePtr inner = m.loop(swapped ? "i" : "j", body);
        return m.done({m.loop(swapped ? "j" : "i", {inner})});
    };
    for (bool rows : {true, false}) {
        KernelData from = kernel(rows, false);
        CHECK_FALSE(violates_order(from, from, everything(from)));
        KernelData to = kernel(rows, true);
        CHECK_FALSE(violates_order(from, to, everything(from)));
    }
}

TEST_CASE("nests forty deep are cheap to ask about") {
    constexpr int depth = 40;
    std::vector<std::string> names;
    for (int k = 0; k < depth; ++k) names.push_back("x" + std::to_string(k));
    auto kernel = [&](bool swapped) {
        Maker m;
        std::vector<Expr> here, there, shape;
        Domain d;
        for (int k = 0; k < depth; ++k) {
            here.push_back(v(names[k].c_str()));
            there.push_back(k == depth / 2 ? num(1) - here.back() : here.back());
            shape.push_back(num(2));
            d = d & range(names[k].c_str(), 0, 2);
        }
        m.array("a", shape);
        NodePtr at_hand = m.leaf(assign("S", d, {"a", here}, at("a", there)));
        std::vector<std::string> order = names;
        if (swapped) std::swap(order.front(), order.back());
        for (int k = depth; k-- > 0;) at_hand = m.loop(order[k].c_str(), {at_hand}, {}, swapped && k == depth / 2);
        return m.done({at_hand});
    };
    KernelData from = kernel(false), to = kernel(true);
    auto w = violates_order(from, to, everything(from));
    REQUIRE(w);
    CHECK(w->source_point.at("x20") == 0);
    CHECK_FALSE(carried_by(from, find_loop(from, "x0"), true));
    CHECK(carried_by(from, find_loop(from, "x20"), true));
}
