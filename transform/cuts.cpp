// cut and peel: loops over parts of the iterations.
#include "transform/cuts.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "transform/blocks.h"
#include "transform/loops.h"

namespace heddle {

void cut_groups(Edit& edit, const std::vector<Cut>& cuts, MainPart main) {
    std::vector<Edit::Insertion> insertions;
    for (const auto& [g, at] : cuts) {
        const Affine i = Affine::symbol(g.loop->loop);
        const Domain below = domain_of(less(i, at)), above = domain_of(at_least(i, at));
        std::vector<Edit::Strand> other = edit.copy(g.first, g.last, g.depth);
        for (std::size_t k = g.first; k < g.last; ++k)
            edit.narrow(edit.strands[k].part, main == MainPart::Lower ? below : above);
        for (const Edit::Strand& s : other) edit.narrow(s.part, main == MainPart::Lower ? above : below);
        const bool other_first = (main == MainPart::Upper) != g.loop->descending;
        insertions.push_back({other_first ? g.first : g.last, std::move(other)});
    }
    edit.insert(std::move(insertions));
}

namespace {

LoopBounds require_bounds(const Edit& edit, const Edit::Group& group) {
    if (const auto bounds = bounds_of(edit, group)) return *bounds;
    throw user_error("bounds", fmt::format("loop {} does not have one first and one last value for all statements under it",
                                           group.loop->loop.str()))
        .hint(fmt::format("say where: cut {} at …", group.loop->loop.str()));
}

/// Positions change when strands are inserted; the elements stay.
std::vector<Edit::Group> found_again(const Edit& edit, const std::vector<Edit::Group>& groups) {
    std::unordered_map<const Node*, std::size_t> first;
    for (std::size_t k = edit.strands.size(); k-- > 0;)
        for (const NodePtr& e : edit.strands[k].way) first[e.get()] = k;
    std::vector<Edit::Group> out;
    for (const Edit::Group& g : groups) {
        const std::size_t at = first.at(g.loop.get());
        out.push_back(edit.group_at(at, *edit.strands[at].find(g.loop)));
    }
    return out;
}

}  // namespace

std::vector<Affine> cut_to_blocks(Edit& edit, std::vector<Edit::Group>& groups, std::int64_t size) {
    std::vector<Cut> cuts;
    std::vector<Affine> counts;
    for (const Edit::Group& g : groups) {
        const LoopBounds bounds = require_bounds(edit, g);
        const Affine i = Affine::symbol(g.loop->loop);
        counts.push_back(bounds.last - bounds.first + Affine(1));
        if (!(bounds.first == Affine(0)))
            edit.change(g, {{g.loop->loop, i + bounds.first}}, {{g.loop->loop, i - bounds.first}});
        cuts.push_back({g, size * Affine::floor_div(counts.back(), size)});
    }
    cut_groups(edit, cuts, MainPart::Lower);
    groups = found_again(edit, groups);
    return counts;
}

void bound_by_blocks(Edit& edit, const Edit::Group& group, std::int64_t size, const std::vector<Name>& names,
                     const Affine& count) {
    const Affine block = Affine::symbol(names[0]), i = size * block + Affine::symbol(names[1]),
                 blocks = Affine::floor_div(count, size);
    const std::vector<Constraint> old{at_least(i, 0), less(i, count), less(i, size * blocks)};
    for (std::size_t k = group.first; k < group.last; ++k) {
        Statement s = edit.statement_of(edit.strands[k]);
        for (Conjunct& piece : s.domain.pieces) {
            std::erase_if(piece, [&](const Constraint& c) { return std::find(old.begin(), old.end(), c) != old.end(); });
            piece.push_back(at_least(block, 0));
            piece.push_back(less(block, blocks));
        }
        edit.set(edit.strands[k].part, std::move(s));
    }
}

/// Keeps: every instance, in one of two loops that follow each other as the iterations did, so legality is not asked. The parts
/// cover the domain exactly: i < at, or i >= at.
Kernel run_step(const Kernel& kernel, const CutLoop& step) {
    Edit edit(kernel);
    std::vector<Cut> cuts;
    for (const Edit::Group& g : edit.loops(step.loop)) cuts.push_back({g, edit.affine(step.at, edit.loops_outside(g))});
    cut_groups(edit, cuts, MainPart::Lower);
    return edit.finish(Proof::ByConstruction);
}

namespace {

/// Cuts `count` iterations off at the low or the high end.
void peel_end(Edit& edit, const std::vector<Edit::Group>& groups, std::int64_t count, bool low) {
    std::vector<Cut> cuts;
    for (const Edit::Group& g : groups) {
        const LoopBounds bounds = require_bounds(edit, g);
        cuts.push_back({g, low ? bounds.first + Affine(count) : bounds.last - Affine(count - 1)});
    }
    cut_groups(edit, cuts, low ? MainPart::Upper : MainPart::Lower);
}

}  // namespace

/// Keeps: every instance and their order; it is one or two cuts at the first and last values of the loop.
Kernel run_step(const Kernel& kernel, const PeelLoop& step) {
    if (step.first < 0 || step.last < 0 || step.first + step.last == 0)
        throw user_error("argument", "give the number of iterations to peel, 1 or more").hint("peel i first 1");
    Edit edit(kernel);
    const std::vector<Edit::Group> groups = edit.loops(step.loop);
    const bool descending = groups[0].loop->descending;
    for (const Edit::Group& g : groups)
        if (g.loop->descending != descending)
            throw user_error("argument", "some of these loops run upwards, some downwards").hint("name them one at a time");
    if (step.first > 0) peel_end(edit, groups, step.first, !descending);
    if (step.last > 0) peel_end(edit, found_again(edit, groups), step.last, descending);
    return edit.finish(Proof::ByConstruction);
}

}  // namespace heddle
