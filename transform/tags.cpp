// unroll, jam, vectorize, parallel, sequential: how loops run.
#include "transform/tags.h"

#include <fmt/format.h>

#include <algorithm>

#include "transform/blocks.h"

namespace heddle {

namespace {

/// Tags the whole loop, or with `by` the inner loop of blocks of that many iterations.
void tag_loops(Edit& edit, const LoopRef& ref, std::int64_t by, const std::vector<Name>& into, LoopTag::Kind kind) {
    LoopTag tag;
    tag.kind = kind;
    if (by == 0 && !into.empty()) throw user_error("argument", "'into' names new loops, but nothing is split").hint("add 'by'");
    if (by != 0) require_size(by);
    const auto groups = edit.loops(ref);
    const std::string name = ref.loop.str();
    const auto names = by == 0 ? into : edit.loop_names(into, {name + "_o", name + "_i"});
    for (const Edit::Group& g : groups) {
        require_plain(*g.loop);
        if (by == 0) {
            edit.replace(g, {tagged_loop(*g.loop, tag)});
            continue;
        }
        const NodePtr inner = split_group(edit, g, by, names[0], names[1]).second;
        edit.replace({inner, g.first, g.last, g.depth + 1}, {tagged_loop(*inner, tag)});
    }
}

}  // namespace

/// Keeps: every instance and the order; the tag says that the copies are written one after the other, so legality is not asked.
/// That the number of copies is constant is an invariant of kernels.
Kernel run_step(const Kernel& kernel, const UnrollLoop& step) {
    Edit edit(kernel);
    tag_loops(edit, step.loop, step.by, step.into, LoopTag::Kind::Unroll);
    try {
        return edit.finish(Proof::ByConstruction);
    } catch (const Error& e) {
        if (e.code() != "invalid" || step.by != 0) throw;
    }
    throw user_error("bounds", fmt::format("the number of iterations of loop {} is not constant", step.loop.str()))
        .hint(fmt::format("unroll {} by 4, or fix the parameter first", step.loop.str()));
}

namespace {

/// Moves a loop to the innermost place among the loops on every way through it; scopes inside them all stay inside.
void sink(Edit& edit, const Edit::Group& group) {
    for (std::size_t k = group.first; k < group.last; ++k) {
        auto& way = edit.strands[k].way;
        const auto at = way.begin() + static_cast<std::ptrdiff_t>(group.depth);
        const auto end = std::find_if(way.rbegin(), way.rend(), [](const NodePtr& e) { return e->kind == Node::Kind::Loop; });
        std::rotate(at, at + 1, end.base());
    }
}

}  // namespace

/// Keeps: every instance. The loop is split and its inner part runs innermost, under all loops that were inside: that order is
/// proved.
Kernel run_step(const Kernel& kernel, const JamLoop& step) {
    require_size(step.by);
    Edit edit(kernel);
    LoopTag tag;
    tag.kind = LoopTag::Kind::Unroll;
    const std::string name = step.loop.loop.str();
    const auto names = edit.loop_names(step.into, {name + "_o", name + "_i"});
    for (const Edit::Group& g : edit.loops(step.loop)) {
        const NodePtr inner = split_group(edit, g, step.by, names[0], names[1]).second;
        const Edit::Group block{inner, g.first, g.last, g.depth + 1};
        edit.replace(block, {tagged_loop(*inner, tag)});
        sink(edit, edit.group_at(g.first, g.depth + 1));
    }
    edit.hint = "unroll without jamming keeps the order";
    return edit.finish(Proof::Order);
}

/// Keeps: every instance; lanes of one block run at the same time, so no dependence may join two of them (updates that may be
/// reassociated excepted). That a block has a constant number of lanes is an invariant of kernels.
Kernel run_step(const Kernel& kernel, const Vectorize& step) {
    Edit edit(kernel);
    tag_loops(edit, step.loop, step.by, step.into, LoopTag::Kind::Vector);
    return edit.finish(Proof::Concurrent);
}

namespace {

LoopTag parallel_tag(const Parallel& step) {
    if (step.schedule != Name("static") && step.schedule != Name("dynamic"))
        throw user_error("argument", fmt::format("there is no schedule '{}'", step.schedule.str()))
            .hint("schedules: static, dynamic");
    if (step.chunk < 0 || step.threshold < 0) throw user_error("argument", "chunk and threshold are 0 or more");
    if (step.collapse < 1 || step.collapse > 16)
        throw user_error("argument", "collapse is the number of loops, 1 or more").hint("1 to 16");
    LoopTag tag;
    tag.kind = LoopTag::Kind::Parallel;
    tag.dynamic = step.schedule == Name("dynamic");
    tag.chunk = step.chunk;
    tag.collapse = static_cast<int>(step.collapse);
    tag.threshold = step.threshold;
    return tag;
}

/// The loops that share the threads with one: directly inside each other, without tags of their own.
void require_collapsible(const Edit& edit, const Edit::Group& group, int count) {
    for (int c = 1; c < count; ++c) {
        const std::size_t depth = group.depth + static_cast<std::size_t>(c);
        const auto& way = edit.strands[group.first].way;
        const bool loop = way.size() > depth && way[depth]->kind == Node::Kind::Loop && way[depth]->tag == LoopTag{};
        const Edit::Group inner = loop ? edit.group_at(group.first, depth) : group;
        if (loop && inner.first == group.first && inner.last == group.last) continue;
        throw user_error("nest", fmt::format("loop {} does not have {} plain loops directly inside each other",
                                             group.loop->loop.str(), count))
            .hint("collapse fewer, or distribute the loop first");
    }
}

}  // namespace

/// Keeps: every instance; iterations run at the same time, so no dependence may join two of them (updates that may be
/// reassociated or are atomic excepted).
Kernel run_step(const Kernel& kernel, const Parallel& step) {
    Edit edit(kernel);
    const LoopTag tag = parallel_tag(step);
    for (const Edit::Group& g : edit.loops(step.loop)) {
        require_plain(*g.loop);
        require_collapsible(edit, g, tag.collapse);
        edit.replace(g, {tagged_loop(*g.loop, tag)});
    }
    return edit.finish(Proof::Concurrent);
}

/// Keeps: every instance; blocks and lanes run at the same time, so no dependence may join two iterations (updates that may be
/// reassociated excepted: they have to be atomic, or reduced by steps). Barriers order what different loops of lanes do.
Kernel run_step(const Kernel& kernel, const MapLoop& step) {
    Edit edit(kernel);
    LoopTag tag;
    tag.kind = step.to.lane ? LoopTag::Kind::Lane : LoopTag::Kind::Block;
    tag.axis = step.to.number;
    for (const Edit::Group& g : edit.loops(step.loop)) {
        require_plain(*g.loop);
        edit.replace(g, {tagged_loop(*g.loop, tag)});
    }
    return edit.finish(Proof::Concurrent);
}

/// Keeps: everything; without its tag a loop runs in written order.
Kernel run_step(const Kernel& kernel, const Sequential& step) {
    Edit edit(kernel);
    for (const Edit::Group& g : edit.loops(step.loop)) edit.replace(g, {tagged_loop(*g.loop, {})});
    return edit.finish(Proof::ByConstruction);
}

}  // namespace heddle
