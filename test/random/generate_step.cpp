#include <fmt/format.h>

#include <algorithm>

#include "ir/tree.h"
#include "test/random/generate.h"

namespace heddle::random_test {
namespace {

using Texts = std::vector<std::string>;

/// What a kernel has to offer to steps.
struct Names {
    Texts loops;  ///< "i" or "label.i", in tree order
    Texts tagged, labels, updates, calls, arrays, temporaries, rules;
    std::vector<Texts> nests;       ///< the loops around each statement
    std::vector<Texts> deep;        ///< those of two loops or more
    std::vector<Texts> neighbours;  ///< "label.i" of loops side by side
};

void note_neighbours(const KernelData& kernel, const Node& n, Names& out) {
    const auto named = [&](const NodePtr& c) {
        const std::vector<std::size_t> under = statements_under(c);
        return under.empty() ? c->loop.str() : kernel.statements[under[0]]->label.str() + "." + c->loop.str();
    };
    for (std::size_t k = 0; k + 1 < n.children.size(); ++k)
        if (n.children[k]->kind == Node::Kind::Loop && n.children[k + 1]->kind == Node::Kind::Loop)
            out.neighbours.push_back({named(n.children[k]), named(n.children[k + 1])});
    if (n.kind == Node::Kind::Loop && n.tag.kind != LoopTag::Kind::Sequential) out.tagged.push_back(n.loop.str());
}

void note_statement(const Statement& s, const Path& path, Rng& rng, Names& out) {
    const std::string label = s.label.str();
    out.labels.push_back(label);
    if (s.update != Update::Assign) out.updates.push_back(label);
    if (s.call) out.calls.push_back(label);
    Texts nest;
    for (Name loop : path.loop_names()) {
        nest.push_back(chance(rng, 50) ? loop.str() : label + "." + loop.str());
        out.loops.push_back(nest.back());
    }
    if (nest.size() > 1) out.deep.push_back(nest);
    if (!nest.empty()) out.nests.push_back(std::move(nest));
}

Names names_of(const KernelData& kernel, Rng& rng) {
    Names out;
    const std::vector<Path> paths = paths_of(kernel);
    for (std::size_t s = 0; s < kernel.statements.size(); ++s) note_statement(*kernel.statements[s], paths[s], rng, out);
    walk(kernel.root, [&](const NodePtr& n) { note_neighbours(kernel, *n, out); });
    for (const Array& a : kernel.arrays) {
        out.arrays.push_back(a.name.str());
        if (a.role == Role::Temp) out.temporaries.push_back(a.name.str());
    }
    for (const RuleDef& r : kernel.rules) out.rules.push_back(r.name.str());
    return out;
}

template <class T>
const T& any(Rng& rng, const std::vector<T>& items) {
    return items[static_cast<std::size_t>(pick(rng, static_cast<int>(items.size())))];
}

/// One of these, or, where there is none and now and then anyway, one of the others.
const std::string& best(Rng& rng, const Texts& items, const Texts& others) {
    return any(rng, items.empty() || chance(rng, 5) ? others : items);
}

std::string bare(const std::string& loop) { return loop.substr(loop.find('.') + 1); }

std::string two_loop_step(Rng& rng, const Names& names) {
    const Texts& nest = any(rng, names.deep.empty() ? names.nests : names.deep);
    const std::size_t at = static_cast<std::size_t>(pick(rng, static_cast<int>(nest.size())));
    const std::string a = nest[at], b = nest[(at + 1) % nest.size()];
    const int f = 2 + pick(rng, 3), g = 2 + pick(rng, 4);
    switch (pick(rng, 10)) {
        case 0:
            return fmt::format("tile {}, {} by {}, {}{}", a, b, f, g, chance(rng, 30) ? " separate" : "");
        case 1:
            return fmt::format("reorder {}, {}", a, b);
        case 2:
            return fmt::format("skew {} by {}", chance(rng, 50) ? a : b, bare(chance(rng, 70) ? a : b));
        case 3:
            return fmt::format("affine ({0}, {1}) -> ({2}, {3} + {4}*{2})", a, b, bare(a), bare(b), f);
        case 4:
            return fmt::format("affine ({0}, {1}) -> ({2} + {3}, {3})", a, b, bare(a), bare(b));
        case 5:
            return fmt::format("affine ({0}) -> ({1} // {2}, {1} mod {2}) into z0, z1", a, bare(a), f);
        case 6:
            return fmt::format("join {}", fmt::join(nest, ", "));
        case 7:
            return fmt::format("parallel {} collapse 2", a);
        default:
            return fmt::format("reorder {}", fmt::join(nest.rbegin(), nest.rend(), ", "));
    }
}

/// A step on the uses of arrays: copies, rules and accumulators.
std::string value_step(Rng& rng, const Names& names) {
    const std::string i = any(rng, names.loops), a = any(rng, names.arrays), t = best(rng, names.temporaries, names.arrays);
    const std::string at = chance(rng, 70) ? " at " + i : "";
    switch (pick(rng, 11)) {
        case 0:
            return fmt::format("inline {}",
                               best(rng, names.rules, names.temporaries.empty() ? names.arrays : names.temporaries));
        case 1:
            return fmt::format("inline {}", chance(rng, 70) ? t : best(rng, names.calls, names.labels));
        case 2:
            return fmt::format("rule {}", t);
        case 3:
            return fmt::format("precompute {}{}", names.rules.empty() ? t : any(rng, names.rules), at);
        case 4:
            return fmt::format("stage {}{}{}", a, at, chance(rng, 20) ? " in heap" : "");
        case 5:
            return fmt::format("stage {} over {}", a, bare(i));
        case 6:
            return fmt::format("buffer {}{}", a, at);
        case 7:
            return fmt::format("extract e (k) = {}", chance(rng, 50) ? "C[k]" : chance(rng, 50) ? "x[k]" : "C[k] + x[k + 1]");
        default:
            return fmt::format("rfactor {} over {}", best(rng, names.updates, names.labels), bare(i));
    }
}

/// A step on where data lies.
std::string storage_step(Rng& rng, const Names& names) {
    const std::string i = any(rng, names.loops), t = best(rng, names.temporaries, names.arrays);
    switch (pick(rng, 12)) {
        case 0:
            return fmt::format("contract {}", t);
        case 1:
            return fmt::format("expand {} over {}", t, bare(i));
        case 2:
            return fmt::format("privatise {} at {}", t, i);
        case 3:
            return fmt::format("split_axis {} 0 by {}", t, 2 + pick(rng, 3));
        case 4:
            return fmt::format("transpose {} 1, 0", t);
        case 5:
            return fmt::format("layout {} order 1, 0 pad 0, 3", t);
        case 6:
            return fmt::format("layout {} {}", t, chance(rng, 50) ? "pad 2" : "separate 0");
        case 7:
            return fmt::format("place {} in {}", t, chance(rng, 50) ? "heap" : "private");
        case 8:
            return fmt::format("fold {} axis {}", t, pick(rng, 2));
        case 9:
            return fmt::format("fold {} axis {} modulo {}", t, pick(rng, 2), 1 + pick(rng, 3));
        case 10:
            return fmt::format("alias {} {}", t, best(rng, names.temporaries, names.arrays));
        default:
            return fmt::format("rename_array {} to z_{}", t, pick(rng, 100));
    }
}

/// What the user promises or allows.
std::string promise(Rng& rng, const Names& names) {
    switch (pick(rng, 6)) {
        case 0:
            return fmt::format("assume {} mod 2 = {}", chance(rng, 50) ? "n" : "m", pick(rng, 2));
        case 1:
            return "assert injective g";
        case 2:
            return "assert nonaliasing x, C";
        case 3:
            return fmt::format("fix {} = {}", chance(rng, 50) ? "n" : "m", 1 + pick(rng, 9));
        case 4:
            return fmt::format("atomic {}", best(rng, names.updates, names.labels));
        default:
            return fmt::format("allow reassociate {}", best(rng, names.updates, names.labels));
    }
}

/// A step on how a loop runs.
std::string tag_step(Rng& rng, const std::string& i, const Names& names) {
    switch (pick(rng, 7)) {
        case 0:
            return fmt::format("vectorize {} by 4", i);
        case 1:
            return fmt::format("vectorize {}", i);
        case 2:
            return fmt::format("parallel {} schedule dynamic chunk 2", i);
        case 3:
            return fmt::format("parallel {} if 3", i);
        case 4:
            return fmt::format("sequential {}", best(rng, names.tagged, names.loops));
        default:
            return fmt::format("parallel {}", i);
    }
}

/// A step on the structure of the tree.
std::string tree_step(Rng& rng, const std::string& i, const Names& names) {
    const std::string s = any(rng, names.labels);
    switch (pick(rng, 8)) {
        case 0:
            return fmt::format("distribute {}", i);
        case 1:
            return fmt::format("distribute {} before {}", i, s);
        case 2:
            return fmt::format("duplicate {} for {}", i, s);
        case 3:
            return fmt::format("hoist {} from {}", s, i);
        case 4:
            return fmt::format("rename {} to z", i);
        case 5:
            return fmt::format("join {}, {}", i, any(rng, names.loops));
        default:
            if (names.neighbours.empty()) return fmt::format("fuse {}, {}", i, any(rng, names.loops));
            return fmt::format("fuse {}", fmt::join(any(rng, names.neighbours), ", "));
    }
}

std::string loop_step(Rng& rng, const std::string& i) {
    const int f = 2 + pick(rng, 4);
    switch (pick(rng, 12)) {
        case 0:
            return fmt::format("split {} by {}", i, f);
        case 1:
            return fmt::format("split {} by {} separate", i, f);
        case 2:
            return fmt::format("split {} by {} peeled", i, f);
        case 3:
            return fmt::format("reverse {}", i);
        case 4:
            return fmt::format("shift {} by {}", i, f - 3);
        case 5:
            return fmt::format("unroll {} by {}", i, f);
        case 6:
            return fmt::format("unroll {}", i);
        case 7:
            return fmt::format("jam {} by {}", i, f);
        case 8:
            return fmt::format("shift {} by {}", i, chance(rng, 50) ? "n" : "-m");
        case 9:
            return fmt::format("peel {} {} {}", i, chance(rng, 50) ? "first" : "last", f - 1);
        case 10:
            return fmt::format("cut {} at n // 2", i);
        default:
            return fmt::format("cut {} at {}", i, f);
    }
}

}  // namespace

std::string random_step(Rng& rng, const Kernel& kernel) {
    const Names names = names_of(kernel.data(), rng);
    if (names.loops.empty()) return "fix n = 5";
    const std::string i = any(rng, names.loops);
    const int what = pick(rng, 100);
    if (what < 14) return value_step(rng, names);
    if (what < 26) return storage_step(rng, names);
    if (what < 48) return two_loop_step(rng, names);
    if (what < 56) return promise(rng, names);
    if (what < 66) return tag_step(rng, i, names);
    if (what < 78) return tree_step(rng, i, names);
    return loop_step(rng, i);
}

}  // namespace heddle::random_test
