// Random loop trees and domains: the interpreter's instances against a walk over every point of a box.
#include <catch2/catch.hpp>
#include <random>

#include "ir/interpret.h"
#include "test/unit/ir/kernels.h"

using namespace heddle;
using namespace heddle::test;

namespace {

constexpr std::int64_t edge = 4;  // every loop variable stays within -edge … edge
using Instances = std::vector<std::pair<std::size_t, std::vector<std::int64_t>>>;

/// What should run: all values of all loops in order, each statement asked for its domain.
void walk_box(const KernelData& k, const Node& node, Env& env, std::vector<std::int64_t>& values, Instances& out) {
    if (node.kind == Node::Kind::Leaf) {
        if (contains(k.statements[node.statement]->domain, env)) out.emplace_back(node.statement, values);
        return;
    }
    if (node.kind == Node::Kind::Block) {
        for (const NodePtr& child : node.children) walk_box(k, *child, env, values, out);
        return;
    }
    for (std::int64_t step = -edge; step <= edge; ++step) {
        const std::int64_t v = node.descending ? -step : step;
        env[node.loop] = v;
        values.push_back(v);
        for (const NodePtr& child : node.children) walk_box(k, *child, env, values, out);
        values.pop_back();
    }
    env.erase(node.loop);
}

class Generator {
public:
    explicit Generator(unsigned seed) : rng_(seed) {}

    KernelData kernel() {
        Maker m({"n"});
        m.array("y", {num(1)});
        std::vector<const char*> around;
        std::vector<NodePtr> children;
        for (int k = pick(1, 3); k > 0; --k) children.push_back(subtree(m, around));
        return m.done(std::move(children));
    }
    std::int64_t size() { return pick(-2, 5); }

private:
    int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(rng_); }

    NodePtr subtree(Maker& m, std::vector<const char*>& around) {
        static const char* const names[] = {"i", "j", "l"};
        if (around.size() == 3 || pick(0, 3) == 0) return leaf(m, around);
        const char* name = names[around.size()];
        around.push_back(name);
        std::vector<NodePtr> children;
        for (int k = pick(1, 2); k > 0; --k) children.push_back(subtree(m, around));
        around.pop_back();
        return Maker::loop(name, std::move(children), {}, pick(0, 3) == 0);
    }
    NodePtr leaf(Maker& m, const std::vector<const char*>& around) {
        Domain d = Domain::nothing();
        for (int k = pick(1, 2); k > 0; --k) d.pieces.push_back(piece(around));
        const std::string label = "s" + std::to_string(m.kernel.statements.size());
        return m.leaf(assign(label.c_str(), std::move(d), {"y", {num(0)}}, float_literal(1, DType::F64)));
    }
    Affine form(const std::vector<const char*>& around, int depth = 1) {
        Affine out(pick(-3, 3));
        for (const char* name : around) out = out + pick(-2, 2) * s(name);
        if (pick(0, 2) == 0) out = out + pick(-1, 1) * s("n");
        if (depth > 0 && pick(0, 2) == 0) out = out + pick(-2, 2) * Affine::floor_div(form(around, depth - 1), pick(2, 4));
        return out;
    }
    Conjunct piece(const std::vector<const char*>& around) {
        Conjunct out;
        if (around.size() >= 2 && pick(0, 1) == 0) {  // bounds that no loop has for itself: |a + b|, |a - b| <= edge
            for (const Affine& f : {s(around[0]) + s(around[1]), s(around[0]) - s(around[1])}) box(out, f);
            for (std::size_t k = 2; k < around.size(); ++k) box(out, s(around[k]));
        } else {
            for (const char* name : around) box(out, s(name));
        }
        for (int k = pick(0, 3); k > 0; --k) out.push_back({form(around), pick(0, 4) == 0});
        return out;
    }
    static void box(Conjunct& out, const Affine& f) {
        out.push_back(ge(f, -edge));
        out.push_back(ge(edge, f));
    }

    std::mt19937 rng_;
};

}  // namespace

TEST_CASE("random domains run exactly their points in order") {
    std::size_t executed = 0;
    for (unsigned seed = 0; seed < 250; ++seed) {
        Generator generator(seed);
        const KernelData data = generator.kernel();
        const std::int64_t n = generator.size();
        Env env{{"n", n}};
        std::vector<std::int64_t> values;
        Instances wanted, got;
        walk_box(data, *data.root, env, values, wanted);
        Arguments arguments;
        arguments.sizes["n"] = n;
        arguments.arrays["y"] = Buffer::zeros(DType::F64, {1});
        interpret(Kernel(std::make_shared<KernelData>(data)), arguments,
                  [&](std::size_t statement, const std::vector<std::int64_t>& loops) { got.emplace_back(statement, loops); });
        INFO("seed " << seed << ", n = " << n);
        REQUIRE(got == wanted);
        executed += got.size();
    }
    CHECK(executed > 5000);
}
