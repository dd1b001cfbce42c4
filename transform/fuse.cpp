// fuse, distribute, duplicate: loops with more statements or fewer.
#include "transform/fuse.h"

#include <fmt/format.h>

#include <algorithm>

#include "transform/edit.h"

namespace heddle {

namespace {

bool side_by_side(const Edit& edit, const Edit::Group& a, const Edit::Group& b) {
    const auto &x = edit.strands[a.first].way, &y = edit.strands[b.first].way;
    return a.depth == b.depth && std::equal(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(a.depth), y.begin());
}

/// The loops to fuse, in written order: those the references name, or every loop of the one name given.
std::vector<Edit::Group> loops_to_fuse(const Edit& edit, const std::vector<LoopRef>& refs) {
    std::vector<Edit::Group> out;
    if (refs.size() == 1) out = edit.loops(refs[0]);
    if (refs.size() > 1)
        for (const LoopRef& ref : refs) out.push_back(edit.loop(ref));
    std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    if (out.size() < 2)
        throw user_error("argument", "there is only one such loop").hint("name two or more loops: fuse i, j into i");
    for (std::size_t k = 1; k < out.size(); ++k) {
        const std::string a = out[0].loop->loop.str(), b = out[k].loop->loop.str();
        if (out[k].loop == out[k - 1].loop) throw user_error("argument", fmt::format("loop {} is named twice", b));
        if (!side_by_side(edit, out[0], out[k]))
            throw user_error("nest", fmt::format("loops {} and {} do not stand side by side in the same loops", a, b))
                .hint("fuse or distribute the loops around them first");
        if (out[0].loop->descending != out[k].loop->descending)
            throw user_error("argument", fmt::format("loops {} and {} run in opposite directions", a, b))
                .hint(fmt::format("reverse {} first", b));
    }
    return out;
}

/// What stands between the loops moves behind them (`late`) or in front of them.
void bring_together(Edit& edit, const std::vector<Edit::Group>& groups, bool late) {
    std::vector<Edit::Strand> loops, between;
    const std::size_t first = groups.front().first, last = groups.back().last;
    std::size_t next = first;
    for (const Edit::Group& g : groups) {
        for (; next < g.first; ++next) between.push_back(edit.strands[next]);
        for (; next < g.last; ++next) loops.push_back(edit.strands[next]);
    }
    for (Edit::Strand& s : between) edit.parts[s.part].moved = true;
    std::vector<Edit::Strand>&front = late ? loops : between, &back = late ? between : loops;
    std::move(front.begin(), front.end(), edit.strands.begin() + static_cast<std::ptrdiff_t>(first));
    std::move(back.begin(), back.end(), edit.strands.begin() + static_cast<std::ptrdiff_t>(last - back.size()));
}

Kernel fused(Edit edit, const std::vector<Edit::Group>& groups, Name name, bool late) {
    const bool same_tags =
        std::all_of(groups.begin(), groups.end(), [&](const auto& g) { return g.loop->tag == groups[0].loop->tag; });
    auto loop = std::make_shared<Node>(*plain_loop(*groups[0].loop, name));
    if (same_tags) loop->tag = groups[0].loop->tag;
    for (const Edit::Group& g : groups) {
        const Name old = g.loop->loop;
        if (old != name) edit.change(g, {{old, Affine::symbol(name)}}, {{name, Affine::symbol(old)}});
        edit.replace(g, {loop});
    }
    bring_together(edit, groups, late);
    edit.hint = "shift one of the loops first, so that every value is there when it is read";
    return edit.finish(Proof::Order);
}

}  // namespace

/// Keeps: every instance and its domain. The loops stand side by side in the same loops; statements between them move behind or
/// in front, whichever keeps the order. The order is proved.
Kernel run_step(const Kernel& kernel, const FuseLoops& step) {
    Edit edit(kernel);
    const auto groups = loops_to_fuse(edit, step.loops);
    const Name name = step.into.empty() ? groups[0].loop->loop : edit.loop_names(step.into, {"fused"})[0];
    std::size_t inside = 0;
    for (const Edit::Group& g : groups) inside += g.last - g.first;
    if (inside == groups.back().last - groups.front().first) return fused(std::move(edit), groups, name, true);
    try {
        return fused(edit, groups, name, true);
    } catch (const Error& e) {
        if (e.code() != "illegal-order") throw;
    }
    return fused(std::move(edit), groups, name, false);
}

namespace {

NodePtr twin(const NodePtr& loop) { return std::make_shared<Node>(*loop); }

/// Gives strands [first, last) of a group a loop of their own.
void give_own(Edit& edit, const Edit::Group& group, std::size_t first, std::size_t last) {
    edit.replace({group.loop, first, last, group.depth}, {twin(group.loop)});
}

/// The loop right under the one at `depth`, scopes between them left out; none where a statement stands there.
NodePtr child_of(const Edit::Strand& strand, std::size_t depth) {
    for (std::size_t d = depth + 1; d < strand.way.size(); ++d)
        if (strand.way[d]->kind == Node::Kind::Loop) return strand.way[d];
    return nullptr;
}

/// Where a loop is cut: in front of each of its children, or of the statements named.
std::vector<std::size_t> cuts_of(const Edit& edit, const Edit::Group& g, const std::vector<Name>& before) {
    std::vector<std::size_t> out;
    for (std::size_t k = g.first + 1; k < g.last; ++k) {
        const NodePtr a = child_of(edit.strands[k - 1], g.depth), b = child_of(edit.strands[k], g.depth);
        const bool same_child = a && a == b;
        const Name label = edit.statement_of(edit.strands[k]).label;
        if (before.empty() ? !same_child : std::find(before.begin(), before.end(), label) != before.end()) out.push_back(k);
    }
    return out;
}

void require_under(const Edit& edit, const std::vector<Edit::Group>& groups, const std::vector<Name>& labels,
                   const LoopRef& loop) {
    for (Name label : labels) {
        const std::size_t k = edit.strand_of(label);
        if (std::none_of(groups.begin(), groups.end(), [&](const auto& g) { return k >= g.first && k < g.last; }))
            throw user_error("nest", fmt::format("statement {} is not under loop {}", label.str(), loop.str()));
    }
}

}  // namespace

/// Keeps: every instance and its domain. Each part of the body runs all iterations before the next begins: that order is
/// proved.
Kernel run_step(const Kernel& kernel, const DistributeLoop& step) {
    Edit edit(kernel);
    const auto groups = edit.loops(step.loop);
    require_under(edit, groups, step.before, step.loop);
    bool cut = false;
    for (const Edit::Group& g : groups) {
        std::vector<std::size_t> cuts = cuts_of(edit, g, step.before);
        cut = cut || !cuts.empty();
        cuts.push_back(g.last);
        for (std::size_t k = 0; k + 1 < cuts.size(); ++k) give_own(edit, g, cuts[k], cuts[k + 1]);
        if (cuts.size() > 1) give_own(edit, g, g.first, cuts[0]);
    }
    if (!cut) throw user_error("argument", fmt::format("the body of loop {} has only one part", step.loop.str()));
    edit.hint = "cut at fewer places with 'before', so that statements that feed each other backwards stay together";
    return edit.finish(Proof::Order);
}

/// Keeps: every instance and its domain. The statements named get loops of their own, before, between and after the others as
/// they stand; the order is proved.
Kernel run_step(const Kernel& kernel, const DuplicateLoop& step) {
    Edit edit(kernel);
    const auto groups = edit.loops(step.loop);
    require_under(edit, groups, step.statements, step.loop);
    const Name from = step.loop.loop, name = step.into.empty() ? from : edit.loop_names(step.into, {from.str()})[0];
    for (const Edit::Group& g : groups) {
        auto own = std::make_shared<Node>(*g.loop);
        own->loop = name;
        for (std::size_t k = g.first; k < g.last; ++k) {
            const Edit::Strand& s = edit.strands[k];
            if (std::find(step.statements.begin(), step.statements.end(), edit.statement_of(s).label) == step.statements.end())
                continue;
            if (name != from) edit.change(s.part, {{from, Affine::symbol(name)}}, {{name, Affine::symbol(from)}});
            edit.replace({g.loop, k, k + 1, g.depth}, {own});
        }
        for (std::size_t k = g.first; k < g.last; ++k) edit.parts[edit.strands[k].part].moved = true;
    }
    edit.hint = "give all statements that feed each other to the copy";
    return edit.finish(Proof::Order);
}

}  // namespace heddle
