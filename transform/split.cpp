// split, tile, join: loops into blocks, and back.
#include <fmt/format.h>

#include "ir/poly.h"
#include "transform/blocks.h"
#include "transform/cuts.h"
#include "transform/loops.h"

namespace heddle {

/// Keeps: every instance, and their order (blocks ascend and so do iterations in them; both descend where the loop does), so
/// legality is not asked. The domain is the old one with by*io + ii for i and 0 <= ii < by: each i has exactly one (io, ii).
Kernel run_step(const Kernel& kernel, const SplitLoop& step) {
    require_size(step.by);
    if (step.peeled && step.separate)
        throw user_error("argument", "'separate' and 'peeled' exclude each other")
            .hint("peeled cuts now, separate when code is emitted");
    Edit edit(kernel);
    auto groups = edit.loops(step.loop);
    const std::string name = step.loop.loop.str();
    const auto names = edit.loop_names(step.into, {name + "_o", name + "_i"});
    std::vector<Affine> counts;
    if (step.peeled) counts = cut_to_blocks(edit, groups, step.by);
    for (std::size_t k = 0; k < groups.size(); ++k) {
        split_group(edit, groups[k], step.by, names[0], names[1], step.separate);
        if (step.peeled) bound_by_blocks(edit, groups[k], step.by, names, counts[k]);
    }
    return edit.finish(Proof::ByConstruction);
}

namespace {

std::vector<std::int64_t> sizes_of(const Tile& step) {
    for (std::int64_t size : step.by) require_size(size);
    if (step.by.size() == step.loops.size()) return step.by;
    if (step.by.size() == 1) return std::vector<std::int64_t>(step.loops.size(), step.by[0]);
    throw user_error("argument", fmt::format("there are {} loops, but {} sizes", step.loops.size(), step.by.size()))
        .hint("give a size for each loop, or one for all");
}

std::vector<std::string> tile_names(const std::vector<LoopRef>& loops) {
    std::vector<std::string> out;
    for (const char* end : {"_o", "_i"})
        for (const LoopRef& l : loops) out.push_back(l.loop.str() + end);
    return out;
}

}  // namespace

/// Keeps: every instance. The order changes as by splitting each loop and putting the block loops outside, so it is proved.
/// Statements that are under some of the loops only get loops of their own.
Kernel run_step(const Kernel& kernel, const Tile& step) {
    const auto sizes = sizes_of(step);
    Edit edit(kernel);
    const std::size_t n = step.loops.size();
    const auto names = edit.loop_names(step.into, tile_names(step.loops));
    const auto members = nest_groups(edit, step.loops);
    std::vector<std::vector<NodePtr>> kinds(2 * n);
    for (std::size_t k = 0; k < n; ++k)
        for (const Edit::Group& g : members[k]) {
            const auto [outer, inner] =
                split_group(edit, edit.again(g), sizes[k], names[k], names[n + k], step.separate && k == 0);
            kinds[k].push_back(outer);
            kinds[n + k].push_back(inner);
        }
    permute(edit, kinds);
    edit.hint = "skew the loops first so that no dependence points backwards in any of them, or tile fewer loops";
    return edit.finish(Proof::Order);
}

namespace {

/// The values that a loop takes: constant ends, for all parameters allowed.
struct Range {
    std::int64_t first, count;
};
Range constant_range(const Edit& edit, const Edit::Group& group) {
    const Affine loop = Affine::symbol(group.loop->loop);
    std::optional<std::int64_t> low, high;
    for (std::size_t k = group.first; k < group.last; ++k) {
        const Domain d = intersect(edit.statement_of(edit.strands[k]).domain, edit.data.assumptions);
        const auto a = poly::constant_min(loop, d), b = poly::constant_max(loop, d);
        if (!a || !b)
            throw user_error("bounds", fmt::format("the length of loop {} is not constant", group.loop->loop.str()))
                .hint("fix or bound the parameter, or use 'parallel … collapse' to share out both loops");
        low = low ? std::min(*low, *a) : *a;
        high = high ? std::max(*high, *b) : *b;
    }
    return {*low, *high - *low + 1};
}

void join_two(Edit& edit, const Edit::Group& outer, const Edit::Group& inner, Name into) {
    const Range range = constant_range(edit, inner);
    const Name i = outer.loop->loop, j = inner.loop->loop;
    const Affine f = Affine::symbol(into), row = Affine::floor_div(f, range.count);
    edit.change(outer, {{i, row}, {j, f - range.count * row + Affine(range.first)}},
                {{into, Affine::symbol(i, range.count) + Affine::symbol(j) - Affine(range.first)}});
    edit.replace(inner, {});
    edit.replace(outer, {plain_loop(*outer.loop, into)});
}

void require_same_direction(const std::vector<Edit::Group>& nest) {
    for (const Edit::Group& g : nest) {
        if (g.loop->tag != LoopTag{})
            throw user_error("tag", fmt::format("loop {} has a tag", g.loop->loop.str()))
                .hint(fmt::format("sequential {} first", g.loop->loop.str()));
        if (g.loop->descending != nest[0].loop->descending)
            throw user_error("argument", fmt::format("loops {} and {} run in opposite directions", nest[0].loop->loop.str(),
                                                     g.loop->loop.str()))
                .hint("reverse one of them first");
    }
}

}  // namespace

/// Keeps: every instance, and their order: f = count*i + (j - first) grows with (i, j) in lexicographic order because j has
/// `count` values at most, so legality is not asked. Exact: i and j are the quotient and remainder of f, put into the old
/// domain.
Kernel run_step(const Kernel& kernel, const JoinLoops& step) {
    if (step.loops.size() < 2)
        throw user_error("argument", "one loop cannot be joined").hint("name two or more: join i, j into f");
    Edit edit(kernel);
    std::string base;
    for (const LoopRef& l : step.loops) base += (base.empty() ? "" : "_") + l.loop.str();
    const Name into = edit.loop_names(step.into, {base})[0];
    for (std::vector<Edit::Group> nest : edit.nests(step.loops)) {
        require_same_direction(nest);
        for (; nest.size() > 1; nest.pop_back()) {
            const std::size_t n = nest.size();
            const Name name = n == 2 ? into : edit.fresh(base);
            join_two(edit, nest[n - 2], nest[n - 1], name);
            nest[n - 2].loop = edit.strands[nest[n - 2].first].way[nest[n - 2].depth];
        }
    }
    return edit.finish(Proof::ByConstruction);
}

}  // namespace heddle
