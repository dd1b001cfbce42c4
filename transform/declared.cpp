#include "transform/declared.h"

#include <fmt/format.h>

#include <algorithm>

#include "transform/rewrite.h"

namespace heddle {

namespace {

bool find_way(const NodePtr& at, const Node* node, std::vector<const Node*>& way) {
    way.push_back(at.get());
    if (at.get() == node) return true;
    for (const NodePtr& child : at->children)
        if (find_way(child, node, way)) return true;
    way.pop_back();
    return false;
}

const Node* home_of(const KernelData& kernel, Name temporary) {
    const Node* out = nullptr;
    walk(kernel.root, [&](const NodePtr& n) {
        if (std::find(n->temporaries.begin(), n->temporaries.end(), temporary) != n->temporaries.end()) out = n.get();
    });
    require(out != nullptr, "a temporary is declared in some block");
    return out;
}

void refuse_views(const KernelData& kernel, const Array& array, const std::string& verb) {
    for (const Array& a : kernel.arrays)
        if (a.view_of == array.name)
            throw user_error("scope", fmt::format("'{}' cannot change '{}': the view '{}' reads its memory", verb, array.name.str(), a.name.str()), a.loc);
    if (!array.view_of.empty())
        throw user_error("scope", fmt::format("'{}' cannot change '{}': it is a view of '{}'", verb, array.name.str(), array.view_of.str()), array.loc);
}

}  // namespace

std::vector<const Node*> way_to(const KernelData& kernel, const Node* node) {
    std::vector<const Node*> out;
    find_way(kernel.root, node, out);
    return out;
}

const Node* parent_of(const KernelData& kernel, const Node* node) {
    const std::vector<const Node*> way = way_to(kernel, node);
    require(way.size() > 1, "the root has no parent");
    return way[way.size() - 2];
}

Declared declared(const KernelData& kernel, Name temporary, const std::string& verb) {
    Declared out;
    out.array = &temporary_named(kernel, temporary, fmt::format("and '{}' works on temporaries", verb));
    refuse_views(kernel, *out.array, verb);
    out.path.nodes = way_to(kernel, home_of(kernel, temporary));
    for (std::size_t k = 0; k < kernel.statements.size(); ++k) {
        const Statement& s = *kernel.statements[k];
        if (!mentions(kernel, s, temporary)) continue;
        if (s.call)
            throw user_error("scope", fmt::format("'{}' cannot change '{}': it is passed to a kernel call", verb, temporary.str()), s.loc)
                .hint(fmt::format("inline {} first", s.label.str()));
        out.users.push_back(k);
    }
    return out;
}

void refuse_in_bounds(const KernelData& kernel, const Declared& d) {
    for (std::size_t k : d.users)
        if (kernel.statements[k]->domain.mentions(d.array->name))
            throw user_error("scope",
                             fmt::format("'{}' stands in the bounds of loops around '{}', and must stay a scalar", d.array->name.str(),
                                         kernel.statements[k]->label.str()),
                             kernel.statements[k]->loc);
}

std::set<Name> fixed_outside(const KernelData& kernel, const Node* node) {
    std::set<Name> out;
    for (const Array& a : kernel.arrays)
        if (a.by_value() && is_integer(a.type)) out.insert(a.name);
    const std::vector<const Node*> way = way_to(kernel, node);
    for (std::size_t k = 0; k + 1 < way.size(); ++k) {
        if (way[k]->kind == Node::Kind::Loop) out.insert(way[k]->loop);
        for (const NodePtr& child : way[k]->children) {
            if (child.get() == way[k + 1]) break;
            if (child->kind != Node::Kind::Leaf) continue;
            for (const Place& p : kernel.statements[child->statement]->places)
                if (const Array* a = kernel.find_array(p.array); a && a->is_let) out.insert(p.array);
        }
    }
    return out;
}

void rewrite_accesses(Draft& draft, const Declared& d, const NewSubscripts& f) {
    const Name name = d.array->name;
    const std::set<Name> rules = rules_mentioning(draft.old(), name);
    RuleOpener opener(draft.old(), rules);
    for (std::size_t k : d.users) {
        const Statement opened = opener.open(draft.statement(k));
        Statement s = replace_occurrences(opened, name, [&](const Expr& node) {
            return read(name, f(node.args(), opened), d.array->type, node.loc());
        });
        for (Place& p : s.places)
            if (p.array == name) p.subscripts = f(p.subscripts, opened);
        draft.set(k, std::move(s));
    }
    std::erase_if(draft.data.rules, [&](const RuleDef& r) { return rules.count(r.name) != 0; });
}

void replace_array(Draft& draft, const Array& array) {
    for (Array& a : draft.data.arrays)
        if (a.name == array.name) a = array;
}

namespace {

Expr renamed(const Expr& e, Name from, Name to) {
    return rewrite(e, [&](const Expr& node) -> Expr {
        if (node.name() != from) return node;
        if (node.op() == Op::Var) return variable(to, node.loc());
        return node.op() == Op::Read ? read(to, node.args(), node.type(), node.loc()) : node;
    });
}

/// Rules read arrays too; their parameters hide a name.
void rename_in_rules(KernelData& data, Name from, Name to) {
    for (RuleDef& r : data.rules)
        if (std::find(r.parameters.begin(), r.parameters.end(), from) == r.parameters.end()) r.body = renamed(r.body, from, to);
}

}  // namespace

void rename_uses(Draft& draft, Name from, Name to) {
    const KernelData& kernel = draft.old();
    rename_in_rules(draft.data, from, to);
    for (std::size_t k = 0; k < kernel.statements.size(); ++k) {
        if (!mentions(kernel, *kernel.statements[k], from)) continue;
        Statement s = *kernel.statements[k];
        map_expressions(s, true, [&](const Expr& e) { return renamed(e, from, to); });
        for (Place& p : s.places)
            if (p.array == from) p.array = to;
        s.domain = s.domain.substitute(from, Affine::symbol(to));
        draft.set(k, std::move(s));
    }
}

}  // namespace heddle
