// The end of an edit: the new tree, and everything that is proved about it.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "ir/check.h"
#include "ir/depend.h"
#include "ir/tree.h"
#include "transform/edit.h"
#include "transform/refuse.h"

namespace heddle {

namespace {

bool is_loop(const NodePtr& element) { return element->kind == Node::Kind::Loop; }

/// A loop whose whole body is one scope declares its temporaries itself.
NodePtr with_children(const NodePtr& element, std::vector<NodePtr> children) {
    auto out = std::make_shared<Node>(*element);
    if (is_loop(element) && children.size() == 1 && children[0]->kind == Node::Kind::Block) {
        out->temporaries = children[0]->temporaries;
        out->children = children[0]->children;
    } else {
        out->children = std::move(children);
    }
    return out;
}

/// The end of what two ways have in common, in the first.
std::vector<NodePtr>::const_iterator common_end(const std::vector<NodePtr>& a, const std::vector<NodePtr>& b) {
    return std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
}

std::vector<Name> loops_before(const Edit::Strand& strand, std::size_t depth) {
    std::vector<Name> out;
    for (std::size_t k = 0; k < depth; ++k)
        if (is_loop(strand.way[k])) out.push_back(strand.way[k]->loop);
    return out;
}

bool contains(const std::vector<Name>& names, Name name) { return std::find(names.begin(), names.end(), name) != names.end(); }

/// Is the value of each of `loops` known from `scope` alone? `forms` gives those that are forms of others, all other names in
/// `around` are loops.
bool known_from(const std::vector<Name>& loops, const Forms& forms, const std::vector<Name>& scope,
                const std::vector<Name>& around) {
    for (Name loop : loops) {
        std::vector<Name> symbols{loop};
        if (const Affine* form = find_form(forms, loop)) {
            symbols.clear();
            form->symbols(symbols);
        }
        for (Name s : symbols)
            if (contains(around, s) && !contains(scope, s)) return false;
    }
    return true;
}

}  // namespace

void refuse_order(const KernelData& old, const Witness& witness, const std::string& hint) {
    Error e =
        user_error("illegal-order", "instances that depend on each other would run in another order").note(witness.text(old));
    e.hint(!hint.empty() ? hint
                         : "`heddle explain` lists every dependence; a skew or a shift before often makes such a change legal");
    refuse(std::move(e));
}

void Edit::check_loop_names() const {
    std::set<const Node*> seen;
    for (const Strand& s : strands)
        for (std::size_t k = 0; k < s.way.size(); ++k) {
            if (!is_loop(s.way[k]) || !seen.insert(s.way[k].get()).second) continue;
            const Name name = s.way[k]->loop;
            if (*s.find_loop(name) != k)
                throw user_error("name", fmt::format("a loop {} would stand inside another loop {} (around statement {})",
                                                     name.str(), name.str(), statement_of(s).label.str()))
                    .hint("choose another name");
            if (data.is_parameter(name) || data.find_array(name) || data.find_rule(name) || data.find_operator(name) ||
                data.find_extern(name))
                throw user_error("name", fmt::format("the name {} is taken by something else in the kernel", name.str()))
                    .hint("choose another name");
        }
}

/// Scopes that came apart: each part keeps the temporaries that only it uses; one that several use stands in the way.
void Edit::part_scopes() {
    std::vector<std::vector<Group>> runs;
    std::unordered_map<const Node*, std::size_t> index;
    for (std::size_t k = 0; k < strands.size(); ++k) {
        const auto& way = strands[k].way;
        const auto shared = k == 0 ? way.begin() : common_end(way, strands[k - 1].way);
        for (auto e = way.begin(); e != way.end(); ++e) {
            if (is_loop(*e)) continue;
            const auto [it, fresh] = index.try_emplace(e->get(), runs.size());
            if (fresh) runs.emplace_back();
            std::vector<Group>& of_this = runs[it->second];
            if (!fresh && e < shared)
                of_this.back().last = k + 1;
            else
                of_this.push_back({*e, k, k + 1, 0});
        }
    }
    for (const std::vector<Group>& groups : runs)
        if (groups.size() > 1) share_out(*groups[0].loop, groups);
}

void Edit::share_out(const Node& scope, const std::vector<Group>& groups) {
    std::map<Name, std::pair<std::size_t, Name>> home;  // temporary -> the part that uses it, a statement there
    std::vector<std::vector<Name>> shares(groups.size());
    for (std::size_t g = 0; g < groups.size(); ++g)
        for (std::size_t k = groups[g].first; k < groups[g].last; ++k) {
            const Statement& s = statement_of(strands[k]);
            const std::set<Name> names = names_mentioned(data, s);
            for (Name t : scope.temporaries) {
                if (!names.count(t)) continue;
                const auto [it, fresh] = home.try_emplace(t, g, s.label);
                if (fresh) shares[g].push_back(t);
                if (it->second.first == g) continue;
                throw user_error(
                    "scope",
                    fmt::format("statements {} and {} would lose the temporary {} that they share: every iteration of the "
                                "loops around it has its own",
                                it->second.second.str(), s.label.str(), t.str()))
                    .hint(fmt::format("expand {} over the loops that come apart first", t.str()));
            }
        }
    for (Name t : scope.temporaries)
        if (!home.count(t)) shares[0].push_back(t);
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const NodePtr mine = make_block({}, shares[g]);
        for (std::size_t k = groups[g].first; k < groups[g].last; ++k) {
            auto& way = strands[k].way;
            *std::find_if(way.begin(), way.end(), [&](const NodePtr& e) { return e.get() == &scope; }) = mine;
        }
    }
    drop_empty_scopes();
}

void Edit::drop_empty_scopes() {
    for (Strand& s : strands) std::erase_if(s.way, [](const NodePtr& e) { return !is_loop(e) && e->temporaries.empty(); });
}

void Edit::check_scopes() const {
    for (const Strand& s : strands) {
        if (!parts[s.part].moved) continue;
        std::set<Name> names;
        for (std::size_t d = 0; d < s.way.size(); ++d) {
            if (is_loop(s.way[d])) continue;
            if (names.empty()) names = names_mentioned(data, statement_of(s));
            for (Name t : s.way[d]->temporaries)
                if (names.count(t) && !free_storage.count(t)) check_scope(s, t, loops_before(s, d));
        }
    }
}

/// Does any statement read it? A temporary that is only written may have any instances.
bool Edit::is_read(Name temporary) const {
    const bool viewed =
        std::any_of(data.arrays.begin(), data.arrays.end(), [&](const Array& a) { return a.view_of == temporary; });
    return viewed || std::any_of(strands.begin(), strands.end(), [&](const Strand& strand) {
               const Statement& s = statement_of(strand);
               bool found = s.domain.mentions(temporary);
               each_expression(s, [&](const Expr& e) { found = found || names_mentioned(data, e).count(temporary) != 0; });
               return found;
           });
}

/// Each iteration of the loops around a temporary has its own instance: the old loops around it must tell the new ones and the
/// other way round.
void Edit::check_scope(const Strand& strand, Name temporary, const std::vector<Name>& now) const {
    const Part& part = parts[strand.part];
    const auto source = copied_.find(temporary);
    const auto before = old_scopes_.find(source == copied_.end() ? temporary : source->second);
    if (before == old_scopes_.end()) return;
    const std::vector<Name> old_around = old_loops_[part.old], new_around = loops_before(strand, strand.way.size());
    if (known_from(now, part.backward, before->second, old_around) && known_from(before->second, part.forward, now, new_around))
        return;
    if (!is_read(temporary)) return;
    refuse(user_error("scope", fmt::format("the temporary {} that statement {} uses would have other instances than before",
                                           temporary.str(), part.statement->label.str()))
               .hint(fmt::format("expand {} over the loops in question first", temporary.str())));
}

NodePtr Edit::build(std::size_t first, std::size_t last, std::size_t depth, std::vector<std::size_t>& order) const {
    std::vector<NodePtr> children;
    while (first < last) {
        const Strand& strand = strands[first];
        if (strand.way.size() == depth) {
            children.push_back(make_leaf(order.size(), strand.loc));
            order.push_back(strand.part);
            ++first;
            continue;
        }
        std::size_t end = first + 1;
        while (end < last && strands[end].way.size() > depth && strands[end].way[depth] == strand.way[depth]) ++end;
        children.push_back(build(first, end, depth + 1, order));
        first = end;
    }
    const NodePtr element = depth == 0 ? make_block({}, old_->root->temporaries) : strands[last - 1].way[depth - 1];
    return with_children(element, std::move(children));
}

void Edit::prove_order(const KernelData& now, const std::vector<std::size_t>& order) const {
    std::vector<Correspondence> moved;
    for (std::size_t k = 0; k < order.size(); ++k)
        if (const Part& part = parts[order[k]]; part.moved) moved.push_back({part.old, k, part.backward, part.where});
    if (moved.empty()) return;
    if (const auto witness = violates_order(*old_, now, moved)) refuse_order(*old_, *witness, hint);
}

/// Loops that run concurrently and hold a statement that moved are asked again.
void Edit::check_tags(const KernelData& now, const std::vector<std::size_t>& order) const {
    LoopQuestions questions(now);
    walk(now.root, [&](const NodePtr& n) {
        if (!is_loop(n)) return;
        if (!n->tag.is_concurrent()) return;
        const std::vector<std::size_t> under = statements_under(n);
        if (std::any_of(under.begin(), under.end(), [&](std::size_t s) { return parts[order[s]].moved; }))
            require_concurrent(now, questions, n);
    });
}

Kernel Edit::finish(Proof proof) {
    part_scopes();
    check_loop_names();
    check_scopes();
    std::vector<std::size_t> order;
    data.root = build(0, strands.size(), 0, order);
    data.statements.clear();
    for (std::size_t part : order) data.statements.push_back(parts[part].statement);
    auto now = std::make_shared<const KernelData>(std::move(data));
    check(*now);
    if (proof == Proof::Order) prove_order(*now, order);
    if (proof != Proof::ByConstruction) check_tags(*now, order);
    return Kernel(std::move(now));
}

namespace {

/// The lanes of a vector may update one scalar, which becomes a reduction over lanes, but no common element of an array.
void require_scalar_reductions(const KernelData& kernel, const Node& loop) {
    for (const std::size_t s : reductions_carried(kernel, &loop)) {
        const Statement& update = *kernel.statements[s];
        const bool scalar = update.places.size() == 1 && update.places[0].subscripts.empty() && update.update != Update::Custom;
        if (scalar && !update.atomic) continue;
        refuse(user_error("reduction",
                          fmt::format("loop {} cannot run as a vector: its iterations update elements of {} that may be "
                                      "the same",
                                      loop.loop.str(), update.places[0].array.str()))
                   .hint("accumulate in a scalar temporary, or vectorize another loop"));
    }
}

}  // namespace

void require_concurrent(const KernelData& kernel, LoopQuestions& questions, const NodePtr& loop) {
    if (loop->tag.kind == LoopTag::Kind::Vector) require_scalar_reductions(kernel, *loop);
    NodePtr inner = loop;
    for (int k = 0; k < loop->tag.collapse; ++k) {
        if (const auto witness = questions.carried_by(inner.get(), true)) refuse_race(kernel, *inner, *witness);
        if (k + 1 < loop->tag.collapse) inner = inner->children[0];
    }
}

void refuse_race(const KernelData& kernel, const Node& loop, const Witness& witness) {
    Error e = user_error("race", fmt::format("iterations of loop {} depend on each other", loop.loop.str()))
                  .note(witness.text(kernel));
    const std::string label = kernel.statements[witness.source]->label.str();
    if (witness.kind == DependenceKind::Reduction)
        e.hint("allow reassociate " + label + (loop.tag.kind == LoopTag::Kind::Vector ? "" : ", or atomic " + label));
    else
        e.hint("`heddle explain` lists the loops that carry no dependence; skew first, or give each iteration its own storage");
    refuse(std::move(e));
}

}  // namespace heddle
