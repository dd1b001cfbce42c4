// Ranges and guards against brute force: the code's instances, in order, are those of the domains.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>

#include "ir/checked_int.h"
#include "ir/error.h"
#include "target/complete.h"
#include "target/schedule.h"
#include "target/separate.h"
#include "target/unroll.h"
#include "test/unit/ir/kernels.h"

using namespace heddle;
using namespace heddle::test;

namespace {

using Instances = std::vector<std::pair<std::size_t, Env>>;

std::int64_t limit_value(const Limit& limit, bool lower, const Env& env) {
    std::optional<std::int64_t> out;
    for (const auto& alternative : limit.alternatives) {
        std::optional<std::int64_t> one;
        for (const Ratio& r : alternative) {
            const std::int64_t v = evaluate(r.form, env);
            const std::int64_t q = lower ? -floor_quotient(-v, r.divisor) : floor_quotient(v, r.divisor);
            one = !one ? q : lower ? std::max(*one, q) : std::min(*one, q);
        }
        out = !out ? one : lower ? std::min(*out, *one) : std::max(*out, *one);
    }
    return *out;
}

void execute_all(const std::vector<CodePtr>& codes, Env& env, Instances& out);

void execute(const Code& c, Env& env, Instances& out) {
    switch (c.kind) {
        case Code::Kind::Block:
            return execute_all(c.body, env, out);
        case Code::Kind::If:
            return execute_all(contains(c.condition, env) ? c.body : c.otherwise, env, out);
        case Code::Kind::Run: {
            Env at = env;
            for (const auto& [name, value] : c.constants) at[name] = value;
            out.emplace_back(c.statement, at);
            return;
        }
        case Code::Kind::Launch:
        case Code::Kind::Barrier:
            return;
        case Code::Kind::Fix:
            env[c.variable] = evaluate(c.value, env);
            break;
        case Code::Kind::For: {
            const std::int64_t low = limit_value(c.lower, true, env), high = limit_value(c.upper, false, env);
            for (std::int64_t v = c.descending ? high : low; v >= low && v <= high; v += c.descending ? -c.step : c.step) {
                env[c.variable] = v;
                execute_all(c.body, env, out);
            }
            env.erase(c.variable);
            return;
        }
    }
    execute_all(c.body, env, out);
    env.erase(c.variable);
}

void execute_all(const std::vector<CodePtr>& codes, Env& env, Instances& out) {
    for (const CodePtr& c : codes) execute(*c, env, out);
}

constexpr std::int64_t box_low = -9, box_high = 14;

void enumerate(const KernelData& k, const Node& n, Env& env, Instances& out) {
    if (n.kind == Node::Kind::Leaf) {
        if (contains(k.statements[n.statement]->domain, env)) out.emplace_back(n.statement, env);
        return;
    }
    if (n.kind == Node::Kind::Block) {
        for (const NodePtr& c : n.children) enumerate(k, *c, env, out);
        return;
    }
    for (std::int64_t v = box_low; v <= box_high; ++v) {
        env[n.loop] = n.descending ? box_low + box_high - v : v;
        for (const NodePtr& c : n.children) enumerate(k, *c, env, out);
    }
    env.erase(n.loop);
}

/// Unrolled copies know their loops only as constants; fixed and plain ones are in the environment: compare what both name.
void check_same(const KernelData& k, const CodePtr& code, std::int64_t n) {
    Env env{{"n", n}, {"m", 3}};
    Instances found, expected;
    execute(*code, env, found);
    enumerate(k, *k.root, env, expected);
    REQUIRE(found.size() == expected.size());
    bool same = true;
    for (std::size_t i = 0; i < found.size(); ++i) {
        same = same && found[i].first == expected[i].first;
        for (const auto& [name, value] : found[i].second) same = same && expected[i].second.at(name) == value;
    }
    REQUIRE(same);
}

void check_pipeline(const KernelData& k) {
    const CodePtr code = separate_full_tiles(schedule(k), k.assumptions);
    prove_complete(k, code);
    const CodePtr flat = unroll(code, k, 65536);
    for (const std::int64_t n : {0, 1, 2, 5, 8, 11}) check_same(k, flat, n);
}

class Random {
public:
    explicit Random(unsigned seed) : engine_(seed) {}
    int below(int n) { return static_cast<int>(engine_() % static_cast<unsigned>(n)); }
    int between(int low, int high) { return low + below(high - low + 1); }

    Affine form(const std::vector<Name>& symbols) {
        Affine out(between(-4, 4));
        for (Name s : symbols)
            if (below(2)) out = out + Affine::symbol(s, between(-2, 2));
        return out;
    }
    Conjunct constraints(const std::vector<Name>& loops) {
        Conjunct out;
        std::vector<Name> symbols{"n"};
        for (std::size_t d = 0; d < loops.size(); ++d) {
            const Affine v = Affine::symbol(loops[d]);
            out.push_back(at_least(v, Affine(between(-2, 2))));
            out.push_back(less(v, below(3) ? Affine::symbol("n") : Affine(between(2, 6))));
            if (below(3) == 0) out.push_back({form(symbols) + between(-1, 1) * v, below(5) == 0});
            if (below(5) == 0) out.push_back(equal(v - 2 * Affine::floor_div(v + Affine(below(2)), 2), Affine(below(2))));
            if (below(6) == 0) out.push_back(at_least(4 * v + form(symbols), Affine(0)));
            symbols.push_back(loops[d]);
        }
        return out;
    }
    KernelData kernel() {
        Maker m({"n", "m"});
        m.array("a", {num(1)});
        std::vector<NodePtr> top;
        for (int k = between(1, 2); k > 0; --k) top.push_back(node(m, {}, between(1, 3)));
        return m.done(std::move(top));
    }

private:
    NodePtr node(Maker& m, std::vector<Name> loops, int depth) {
        if (depth == 0) {
            Domain d = Domain{{constraints(loops)}};
            if (below(5) == 0) d = unite(d, Domain{{constraints(loops)}});
            const std::string label = fmt::format("S{}", m.kernel.statements.size());
            return m.leaf(assign(label.c_str(), d, {"a", {num(0)}}, float_literal(0, DType::F64)));
        }
        const std::string name = fmt::format("i{}", loops.size());
        loops.emplace_back(name);
        std::vector<NodePtr> children;
        for (int k = between(1, 2); k > 0; --k) children.push_back(node(m, loops, k == 1 ? depth - 1 : 0));
        return Maker::loop(name.c_str(), std::move(children), {}, below(5) == 0);
    }
    std::mt19937 engine_;
};

}  // namespace

TEST_CASE("random nests run what their domains say, in order") {
    const char* wanted = std::getenv("HEDDLE_SEEDS");
    const unsigned seeds = wanted ? static_cast<unsigned>(std::atoi(wanted)) : 40;
    for (unsigned seed = 0; seed < seeds; ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        check_pipeline(random.kernel());
    }
}

TEST_CASE("a loop without a bound is refused with the statement") {
    Maker m({"n"});
    m.array("a", {num(1)});
    const NodePtr leaf = m.leaf(assign("S", Domain{{{ge(s("i"), 0)}}}, {"a", {num(0)}}, float_literal(0, DType::F64)));
    const KernelData k = m.done({Maker::loop("i", {leaf})});
    try {
        schedule(k);
        FAIL("it was accepted");
    } catch (const Error& e) {
        CHECK(e.code() == "bounds");
        CHECK(e.message().find("no upper bound in the domain of statement 'S'") != std::string::npos);
    }
}

TEST_CASE("a loop is bounded behind floors, of its own and of inner loops") {
    Maker m({"n"});
    m.array("a", {num(1)});
    const Affine third = Affine::floor_div(s("i"), 3), half = Affine::floor_div(s("n"), 4), of_j = Affine::floor_div(s("j"), 2);
    const Domain own{{{ge(third, -1), ge(half - third, 0)}}};
    const Domain inner{{{ge(of_j, s("k")), ge(Affine(2) - of_j, 0), ge(s("k"), 0), ge(3 * of_j - 2 * third, 0)}}};
    const NodePtr leaf = m.leaf(assign("S", own, {"a", {num(0)}}, float_literal(0, DType::F64)));
    const NodePtr deep = m.leaf(assign("T", own & inner, {"a", {num(0)}}, float_literal(0, DType::F64)));
    check_pipeline(m.done({Maker::loop("i", {leaf, Maker::loop("k", {Maker::loop("j", {deep})})})}));
}

TEST_CASE("a domain without points needs no bounds") {
    Maker m({"n"});
    m.array("a", {num(1)});
    const auto none = [](const char* i) { return Domain{{{ge(s(i), 0), ge(2 * s("n"), 3), ge(Affine(3), 2 * s("n"))}}}; };
    const auto write = [&](const char* label, const Domain& d) {
        return m.leaf(assign(label, d, {"a", {num(0)}}, float_literal(0, DType::F64)));
    };
    const NodePtr leaf = write("S", none("i")), some = write("T", unite(none("j"), range("j", 0, s("n"))));
    check_pipeline(m.done({Maker::loop("i", {leaf}), Maker::loop("j", {some})}));
}

TEST_CASE("full tiles leave out statements that only partial ones have") {
    Maker m({"n"});
    m.array("a", {num(1)});
    const Affine at = 4 * s("io") + s("ii");
    const Domain inside = range("ii", 0, 4) & Domain{{{ge(at, 0), ge(s("n"), at)}}};
    const NodePtr all = m.leaf(assign("S", inside, {"a", {num(0)}}, float_literal(0, DType::F64)));
    const NodePtr end =
        m.leaf(assign("T", inside & Domain{{{equal(at, s("n"))}}}, {"a", {num(0)}}, float_literal(0, DType::F64)));
    auto ii = std::make_shared<Node>(*Maker::loop("ii", {all, end}));
    ii->separate = true;
    check_pipeline(m.done({Maker::loop("io", {ii})}));
}

TEST_CASE("an incomplete program is found out, with the instance") {
    Maker m({"n"});
    m.array("a", {num(1)});
    const NodePtr leaf = m.leaf(assign("S", range("i", 0, s("n")), {"a", {num(0)}}, float_literal(0, DType::F64)));
    const KernelData k = m.done({Maker::loop("i", {leaf})});
    const CodePtr code = schedule(k);
    auto wrong = std::make_shared<Code>(*code->body.at(0));
    wrong->upper.alternatives[0][0].form = s("n") - Affine(2);
    try {
        prove_complete(k, wrong);
        FAIL("it was accepted");
    } catch (const Error& e) {
        CHECK(e.kind() == ErrorKind::Internal);
        CHECK(e.message().find("leave out the instance") != std::string::npos);
    }
    wrong->upper.alternatives[0][0].form = s("n");
    CHECK_THROWS_AS(prove_complete(k, wrong), Error);
}

TEST_CASE("unrolled and separated nests run the same instances") {
    Maker m({"n"});
    m.array("a", {num(1)});
    const Affine row = 4 * s("io") + s("ii"), column = 4 * s("jo") + s("jj");
    Domain d = range("ii", 0, 4) & range("jj", 0, 4);
    d = d & Domain{{{ge(row, 0), lt(row, s("n")), ge(column, 0), ge(row, column)}}};
    const NodePtr leaf = m.leaf(assign("S", d, {"a", {num(0)}}, float_literal(0, DType::F64)));
    auto jj = std::make_shared<Node>(*Maker::loop("jj", {leaf}));
    jj->tag.kind = LoopTag::Kind::Unroll;
    auto ii = std::make_shared<Node>(*Maker::loop("ii", {jj}));
    ii->separate = true;
    check_pipeline(m.done({Maker::loop("io", {Maker::loop("jo", {ii})})}));
}
