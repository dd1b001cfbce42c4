// hoist: statements that do the same in every iteration move in front of the loop.
#include <fmt/format.h>

#include <algorithm>

#include "ir/access.h"
#include "ir/depend.h"
#include "ir/poly.h"
#include "ir/tree.h"
#include "transform/edit.h"
#include "transform/fuse.h"
#include "transform/refuse.h"

namespace heddle {

namespace {

std::set<Name> names_read(const KernelData& kernel, const Statement& s) {
    std::set<Name> out;
    each_expression(s, [&](const Expr& e) { out.merge(names_mentioned(kernel, e)); });
    return out;
}

bool writes(const KernelData& kernel, const Statement& s, Name array) {
    return std::any_of(s.places.begin(), s.places.end(), [&](const Place& p) { return storage_of(kernel, p.array) == array; });
}

/// May a place of `array` be one of an array among these?
bool touches(const KernelData& kernel, const std::set<Name>& names, Name array) {
    return std::any_of(names.begin(), names.end(), [&](Name n) { return may_overlap(kernel, n, array); });
}

Error not_invariant(const Statement& s, const Node& loop, const std::string& why) {
    return user_error("not-invariant", fmt::format("statement {} does not do the same in every iteration of loop {}: {}",
                                                   s.label.str(), loop.loop.str(), why));
}

std::vector<Name> loops_from(const Edit::Strand& strand, std::size_t depth) {
    std::vector<Name> out;
    for (std::size_t k = depth; k < strand.way.size(); ++k)
        if (strand.way[k]->kind == Node::Kind::Loop) out.push_back(strand.way[k]->loop);
    return out;
}

/// Done twice with the same value, does it leave what it leaves when done once?
bool repeatable(Update update) {
    return update == Update::Assign || update == Update::Min || update == Update::Max || update == Update::And ||
           update == Update::Or;
}

/// What the statement itself has to be: an assignment, a minimum or maximum, whose place, value, conditions and inner loops do
/// not depend on the loop.
void require_invariant(const Edit& edit, const Edit::Strand& strand, const Edit::Group& g) {
    const Statement& s = edit.statement_of(strand);
    const Name loop = g.loop->loop;
    if (s.call) throw not_invariant(s, *g.loop, "it calls a kernel");
    if (!repeatable(s.update)) refuse(not_invariant(s, *g.loop, "it updates what is there"));
    const std::set<Name> read = names_read(edit.data, s);
    if (read.count(loop)) throw not_invariant(s, *g.loop, fmt::format("it uses {}", loop.str()));
    for (const Place& p : s.places)
        if (touches(edit.data, read, p.array))
            refuse(not_invariant(s, *g.loop, fmt::format("it reads {}, which it writes", p.array.str())));
    const std::vector<Name> inner = loops_from(strand, g.depth + 1);
    for (const Conjunct& piece : s.domain.pieces)
        for (const Constraint& c : piece)
            for (Name n : inner)
                if (c.form.mentions(loop) && c.form.mentions(n))
                    throw not_invariant(s, *g.loop, fmt::format("the bounds of {} depend on {}", n.str(), loop.str()));
}

/// Whenever `user` runs in an iteration of the loop, `s` runs in that iteration too.
bool always_before(const Edit& edit, const Edit::Strand& user, const Edit::Strand& s, std::size_t depth) {
    const Domain uses =
        poly::project(intersect(edit.statement_of(user).domain, edit.data.assumptions), loops_from(user, depth + 1));
    return poly::is_subset(uses, poly::project(edit.statement_of(s).domain, loops_from(s, depth + 1)));
}

/// What the rest of the loop's body has to be: it writes nothing the statement reads or writes, and reads its result only after
/// it.
void require_undisturbed(const Edit& edit, std::size_t at, const Edit::Group& g) {
    const Edit::Strand& strand = edit.strands[at];
    const Statement& s = edit.statement_of(strand);
    const std::set<Name> read = names_mentioned(edit.data, s);
    for (std::size_t k = g.first; k < g.last; ++k) {
        if (k == at) continue;
        const Statement& other = edit.statement_of(edit.strands[k]);
        if (other.call) throw not_invariant(s, *g.loop, fmt::format("{} calls a kernel there", other.label.str()));
        for (const Place& p : other.places)
            if (touches(edit.data, read, p.array))
                refuse(not_invariant(s, *g.loop, fmt::format("{} writes {} there", other.label.str(), p.array.str())));
        const std::set<Name> used = names_mentioned(edit.data, other);
        for (const Place& p : s.places)
            if (touches(edit.data, used, p.array) && (k < at || !always_before(edit, edit.strands[k], strand, g.depth)))
                refuse(not_invariant(s, *g.loop,
                                     fmt::format("{} may read {} before it is written", other.label.str(), p.array.str())));
    }
}

/// Do the two accesses of one array differ wherever the loop's variable does, in a way that both share?
bool tell_apart(const std::vector<std::optional<Affine>>& write, const std::vector<std::optional<Affine>>& use, Name loop,
                const std::vector<Name>& inner) {
    for (std::size_t d = 0; d < write.size() && d < use.size(); ++d) {
        if (!write[d] || !use[d] || !(*write[d] == *use[d]) || write[d]->coefficient(loop) == 0 || write[d]->has_floor()) continue;
        const auto other = [&](Name n) { return n != loop && write[d]->mentions(n); };
        if (std::none_of(inner.begin(), inner.end(), other)) return true;
    }
    return false;
}

/// Loops inside the hoisted one that hold the statement and a use of what it writes: all their iterations of the statement come to
/// run before the first use, so each has to write elements of its own, and a use to read those of its own iteration.
void require_apart(const Edit& edit, std::size_t at, const Edit::Group& g) {
    const Edit::Strand& strand = edit.strands[at];
    const Statement& s = edit.statement_of(strand);
    const std::vector<Name> inner = loops_from(strand, g.depth + 1);
    const auto own = accesses_of(edit.data, s);
    for (std::size_t k = g.first; k < g.last; ++k) {
        if (k == at) continue;
        const auto others = accesses_of(edit.data, edit.statement_of(edit.strands[k]));
        const auto& way = edit.strands[k].way;
        for (std::size_t d = g.depth + 1; d < std::min(way.size(), strand.way.size()) && way[d] == strand.way[d]; ++d) {
            if (way[d]->kind != Node::Kind::Loop) continue;
            for (const Access& w : own)
                for (const Access& u : others) {
                    if (!w.write || !touches(edit.data, {u.array}, w.array)) continue;
                    const auto& temporaries = way[d]->temporaries;
                    const bool scoped = std::find(temporaries.begin(), temporaries.end(), w.array) != temporaries.end();
                    if (!scoped && u.array == w.array && tell_apart(w.affine, u.affine, way[d]->loop, inner)) continue;
                    refuse(not_invariant(s, *g.loop,
                                         fmt::format("all iterations of {} would write {} before {} uses it", way[d]->loop.str(),
                                                     w.array.str(), edit.statement_of(edit.strands[k]).label.str()))
                               .hint(fmt::format("expand {} over {} and distribute first", w.array.str(), way[d]->loop.str())));
                }
        }
    }
}

/// Declares temporaries in front of a loop: in the scope that the loop stands in, or in a new one.
void declare_before(Edit& edit, const Edit::Group& g, const std::vector<Name>& temporaries) {
    const NodePtr outer = g.depth > 0 ? edit.strands[g.first].way[g.depth - 1] : nullptr;
    if (!outer || outer->kind != Node::Kind::Block) {
        const NodePtr scope = make_block({}, temporaries);
        for (std::size_t k = g.first; k < g.last; ++k) {
            auto& way = edit.strands[k].way;
            way.insert(way.begin() + static_cast<std::ptrdiff_t>(g.depth), scope);
        }
        return;
    }
    auto scope = std::make_shared<Node>(*outer);
    scope->temporaries.insert(scope->temporaries.end(), temporaries.begin(), temporaries.end());
    for (Edit::Strand& s : edit.strands) std::replace(s.way.begin(), s.way.end(), outer, NodePtr(scope));
}

/// Declares the temporaries that strand `at` writes inside the loop in front of it: all iterations write the same into them.
void lift_temporaries(Edit& edit, std::size_t at, const Edit::Group& g) {
    const Statement& s = edit.statement_of(edit.strands[at]);
    std::vector<Name> lifted;
    const std::vector<NodePtr> way = edit.strands[at].way;
    for (std::size_t d = g.depth + 1; d < way.size(); ++d) {
        auto rest = std::make_shared<Node>(*way[d]);
        std::erase_if(rest->temporaries, [&](Name t) {
            if (writes(edit.data, s, t)) lifted.push_back(t);
            return writes(edit.data, s, t);
        });
        if (rest->temporaries.size() == way[d]->temporaries.size()) continue;
        for (std::size_t k = g.first; k < g.last; ++k)
            std::replace(edit.strands[k].way.begin(), edit.strands[k].way.end(), way[d], NodePtr(rest));
    }
    if (lifted.empty()) return;
    declare_before(edit, g, lifted);
    edit.free_storage.insert(lifted.begin(), lifted.end());
}

void hoist_one(Edit& edit, std::size_t at, const LoopRef& ref) {
    const auto depth = edit.strands[at].find_loop(ref.loop);
    const Statement& s = edit.statement_of(edit.strands[at]);
    if (!depth) throw user_error("nest", fmt::format("statement {} is not under loop {}", s.label.str(), ref.loop.str()));
    const Edit::Group g = edit.group_at(at, *depth);
    require_invariant(edit, edit.strands[at], g);
    require_undisturbed(edit, at, g);
    require_apart(edit, at, g);
    lift_temporaries(edit, at, g);
    Statement next = edit.statement_of(edit.strands[at]);
    next.domain = poly::project(next.domain, {ref.loop});
    std::erase_if(next.origin, [&](const auto& o) { return mentions(o.second, ref.loop); });
    edit.set(edit.strands[at].part, std::move(next));
    auto& way = edit.strands[at].way;
    const auto inside = way.begin() + static_cast<std::ptrdiff_t>(*edit.strands[at].find(g.loop));
    way.erase(std::remove_if(inside, way.end(), [&](const NodePtr& e) { return e == g.loop || e->kind == Node::Kind::Block; }),
              way.end());
    const auto begin = edit.strands.begin();
    std::rotate(begin + static_cast<std::ptrdiff_t>(g.first), begin + static_cast<std::ptrdiff_t>(at),
                begin + static_cast<std::ptrdiff_t>(at) + 1);
}

}  // namespace

/// Keeps: what every element holds whenever it is read. The statement is an assignment, minimum or maximum that reads nothing
/// written in the loop, writes what nothing else there writes, and has run before each use in the same iteration; so one run in
/// front of the loop, wherever the loop has an iteration in which it ran (the exact projection), leaves the same. Temporaries
/// it writes are declared in front of the loop as well.
Kernel run_step(const Kernel& kernel, const Hoist& step) {
    Edit edit(kernel);
    edit.loops(step.loop);
    std::vector<std::size_t> order;
    for (Name label : step.statements) order.push_back(edit.strand_of(label));
    std::sort(order.begin(), order.end());
    order.erase(std::unique(order.begin(), order.end()), order.end());
    for (std::size_t at : order) hoist_one(edit, at, step.loop);
    return edit.finish(Proof::ByConstruction);
}

}  // namespace heddle
