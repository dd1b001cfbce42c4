// reorder, reverse, shift, skew, rename: loops in other places, directions and values.
#include <fmt/format.h>

#include <algorithm>

#include "transform/blocks.h"
#include "transform/loops.h"

namespace heddle {

/// Keeps: every instance and its domain. Statements under some of the loops only keep those, in the new order, and come apart
/// from the others where the loops differ. The order is proved.
Kernel run_step(const Kernel& kernel, const ReorderLoops& step) {
    if (step.loops.size() < 2)
        throw user_error("argument", "one loop has no order").hint("name two or more loops, outermost first");
    Edit edit(kernel);
    std::vector<std::vector<NodePtr>> kinds;
    for (const auto& groups : nest_groups(edit, step.loops)) {
        kinds.emplace_back();
        for (const Edit::Group& g : groups) kinds.back().push_back(g.loop);
    }
    permute(edit, kinds);
    edit.hint = "skew one loop by the other first, or choose an order in which the dependence still points forwards";
    return edit.finish(Proof::Order);
}

/// Keeps: every instance and its domain; the loop runs from its last value to its first. The order is proved.
Kernel run_step(const Kernel& kernel, const ReverseLoop& step) {
    Edit edit(kernel);
    for (const Edit::Group& g : edit.loops(step.loop)) {
        auto turned = std::make_shared<Node>(*g.loop);
        turned->descending = !turned->descending;
        edit.replace(g, {turned});
    }
    return edit.finish(Proof::Order);
}

namespace {

/// i becomes i - by, where the new i is the old one plus `by`.
void add_to_loop(Edit& edit, const Edit::Group& group, const Affine& by) {
    const Affine i = Affine::symbol(group.loop->loop);
    edit.change(group, {{group.loop->loop, i - by}}, {{group.loop->loop, i + by}});
}

/// Loops inside a group that are around every statement of it.
std::vector<Name> loops_inside(const Edit& edit, const Edit::Group& group) {
    std::vector<Name> out;
    const auto& way = edit.strands[group.first].way;
    for (std::size_t d = group.depth + 1; d < way.size(); ++d) {
        if (way[d]->kind != Node::Kind::Loop) continue;
        const Name name = way[d]->loop;
        bool everywhere = true;
        for (std::size_t k = group.first; k < group.last; ++k) everywhere = everywhere && edit.strands[k].find_loop(name);
        if (everywhere) out.push_back(name);
    }
    return out;
}

}  // namespace

/// Keeps: every instance, and their order: the amount is the same for all iterations at equal outer loops, so legality is not
/// asked.
Kernel run_step(const Kernel& kernel, const ShiftLoop& step) {
    Edit edit(kernel);
    for (const Edit::Group& g : edit.loops(step.loop)) add_to_loop(edit, g, edit.affine(step.by, edit.loops_outside(g)));
    return edit.finish(Proof::ByConstruction);
}

/// Keeps: every instance. By outer loops only this is a shift and keeps the order; by inner ones it changes it, so then it is
/// proved.
Kernel run_step(const Kernel& kernel, const SkewLoop& step) {
    Edit edit(kernel);
    Proof proof = Proof::ByConstruction;
    for (const Edit::Group& g : edit.loops(step.loop)) {
        std::vector<Name> allowed = edit.loops_outside(g);
        const std::vector<Name> inside = loops_inside(edit, g);
        allowed.insert(allowed.end(), inside.begin(), inside.end());
        const Affine by = edit.affine(step.by, allowed);
        if (std::any_of(inside.begin(), inside.end(), [&](Name n) { return by.mentions(n); })) proof = Proof::Order;
        add_to_loop(edit, g, by);
    }
    return edit.finish(proof);
}

/// Keeps: everything but a name.
Kernel run_step(const Kernel& kernel, const RenameLoop& step) {
    Edit edit(kernel);
    const Name from = step.loop.loop;
    for (const Edit::Group& g : edit.loops(step.loop)) {
        edit.change(g, {{from, Affine::symbol(step.to)}}, {{step.to, Affine::symbol(from)}});
        auto renamed = std::make_shared<Node>(*g.loop);
        renamed->loop = step.to;
        edit.replace(g, {renamed});
    }
    return edit.finish(Proof::ByConstruction);
}

}  // namespace heddle
