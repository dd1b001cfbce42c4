#include "transform/blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace heddle {

void require_size(std::int64_t size) {
    if (size < 1)
        throw user_error("argument", fmt::format("blocks of {} iterations are not possible", size))
            .hint("give a size of 1 or more");
}

void require_plain(const Node& loop) {
    const bool lanes = loop.tag.kind == LoopTag::Kind::Vector;
    if (!lanes && loop.tag.kind != LoopTag::Kind::Unroll) return;
    throw user_error("tag", fmt::format("loop {} is already {}", loop.loop.str(), lanes ? "run as vector lanes" : "unrolled"))
        .hint(fmt::format("sequential {} first", loop.loop.str()));
}

std::pair<NodePtr, NodePtr> split_group(Edit& edit, const Edit::Group& group, std::int64_t size, Name outer, Name inner,
                                        bool separate) {
    require_plain(*group.loop);
    const Name i = group.loop->loop;
    const Affine block = Affine::floor_div(Affine::symbol(i), size), in = Affine::symbol(inner);
    edit.change(group, {{i, Affine::symbol(outer, size) + in}}, {{outer, block}, {inner, Affine::symbol(i) - size * block}},
                {at_least(in, 0), less(in, size)});
    auto outer_loop = std::make_shared<Node>(*group.loop);
    outer_loop->loop = outer;
    auto inner_loop = std::make_shared<Node>(*plain_loop(*group.loop, inner));
    inner_loop->separate = separate;
    edit.replace(group, {outer_loop, inner_loop});
    return {outer_loop, inner_loop};
}

namespace {

using Ranks = std::unordered_map<const Node*, std::size_t>;

std::vector<std::size_t> ranked_places(const Edit::Strand& strand, const Ranks& ranks) {
    std::vector<std::size_t> out;
    for (std::size_t k = 0; k < strand.way.size(); ++k)
        if (ranks.count(strand.way[k].get())) out.push_back(k);
    return out;
}

/// The way of a strand with its ranked loops in the order of their ranks, and the first element that changes its place; null
/// when none does.
std::pair<std::vector<NodePtr>, const Node*> permuted(const Edit::Strand& strand, const Ranks& ranks) {
    const std::vector<std::size_t> places = ranked_places(strand, ranks);
    std::vector<NodePtr> elements, way = strand.way;
    for (std::size_t p : places) elements.push_back(way[p]);
    std::stable_sort(elements.begin(), elements.end(),
                     [&](const NodePtr& a, const NodePtr& b) { return ranks.at(a.get()) < ranks.at(b.get()); });
    for (std::size_t k = 0; k < places.size(); ++k) way[places[k]] = elements[k];
    const auto first = std::mismatch(way.begin(), way.end(), strand.way.begin()).second;
    return {std::move(way), first == strand.way.end() ? nullptr : first->get()};
}

void require_distinct(const std::vector<LoopRef>& loops) {
    for (auto it = loops.begin(); it != loops.end(); ++it)
        if (std::find(loops.begin(), it, *it) != it)
            throw user_error("argument", fmt::format("loop {} is named twice", it->str()));
}

}  // namespace

std::vector<std::vector<Edit::Group>> nest_groups(const Edit& edit, const std::vector<LoopRef>& refs) {
    require_distinct(refs);
    std::vector<std::vector<Edit::Group>> out;
    Ranks ranks;
    for (const LoopRef& ref : refs) {
        out.push_back(edit.loops(ref));
        for (const Edit::Group& g : out.back()) ranks.emplace(g.loop.get(), out.size());
    }
    std::unordered_set<const Node*> kept;
    for (const Edit::Strand& s : edit.strands)
        if (const auto places = ranked_places(s, ranks); places.size() == refs.size())
            for (std::size_t p : places) kept.insert(s.way[p].get());
    for (auto& groups : out) std::erase_if(groups, [&](const Edit::Group& g) { return !kept.count(g.loop.get()); });
    if (out[0].empty())
        throw user_error("nest", "no statement is under all of these loops").hint("name loops that are around one statement");
    return out;
}

void permute(Edit& edit, const std::vector<std::vector<NodePtr>>& kinds) {
    Ranks ranks;
    for (std::size_t k = 0; k < kinds.size(); ++k)
        for (const NodePtr& e : kinds[k]) ranks.emplace(e.get(), k);
    std::vector<std::vector<NodePtr>> ways;
    std::unordered_set<const Node*> tops;
    for (const Edit::Strand& s : edit.strands) {
        auto [way, top] = permuted(s, ranks);
        if (top != nullptr) tops.insert(top);
        ways.push_back(std::move(way));
    }
    for (std::size_t k = 0; k < ways.size(); ++k) {
        Edit::Strand& s = edit.strands[k];
        // Statements that keep their loops may come apart when one between them leaves: all under the loop that moves are asked
        // about.
        const bool under = std::any_of(s.way.begin(), s.way.end(), [&](const NodePtr& e) { return tops.count(e.get()) != 0; });
        edit.parts[s.part].moved = edit.parts[s.part].moved || under;
        s.way = std::move(ways[k]);
    }
}

namespace {

/// The lower bounds (+1) or upper bounds (-1) that a conjunct gives a loop; nothing where it has multiples, floors or
/// equalities of it.
std::optional<std::vector<Affine>> unit_bounds(const Conjunct& piece, Name loop, std::int64_t sign) {
    std::vector<Affine> out;
    for (const Constraint& c : piece) {
        if (!c.form.mentions(loop)) continue;
        const std::int64_t k = c.form.coefficient(loop);
        const Affine rest = c.form - Affine::symbol(loop, k);
        if (c.equality || rest.mentions(loop) || (k != 1 && k != -1)) return std::nullopt;
        if (k == sign) out.push_back(sign > 0 ? -rest : rest);
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

/// The one strongest of several bounds that differ by constants.
std::optional<Affine> strongest(const std::vector<Affine>& bounds, std::int64_t sign) {
    if (bounds.empty()) return std::nullopt;
    Affine best = bounds[0];
    for (const Affine& b : bounds) {
        const Affine gap = b - best;
        if (!gap.is_constant()) return std::nullopt;
        if (sign * gap.constant > 0) best = b;
    }
    return best;
}

std::optional<LoopBounds> bounds_in(const Edit& edit, const Edit::Strand& strand, std::size_t depth) {
    const Domain& domain = edit.statement_of(strand).domain;
    if (!domain.convex()) return std::nullopt;
    Conjunct piece = domain.pieces[0];
    for (std::size_t k = strand.way.size(); k-- > depth + 1;)
        if (strand.way[k]->kind == Node::Kind::Loop) piece = eliminate(piece, strand.way[k]->loop);
    const Name loop = strand.way[depth]->loop;
    const auto lower = unit_bounds(piece, loop, 1), upper = unit_bounds(piece, loop, -1);
    if (!lower || !upper) return std::nullopt;
    const auto first = strongest(*lower, 1), last = strongest(*upper, -1);
    return first && last ? std::optional(LoopBounds{*first, *last}) : std::nullopt;
}

}  // namespace

std::optional<LoopBounds> bounds_of(const Edit& edit, const Edit::Group& group) {
    std::optional<LoopBounds> out;
    for (std::size_t k = group.first; k < group.last; ++k) {
        const auto here = bounds_in(edit, edit.strands[k], group.depth);
        if (!here || (out && !(out->first == here->first && out->last == here->last))) return std::nullopt;
        out = here;
    }
    return out;
}

}  // namespace heddle
