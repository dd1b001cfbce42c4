#include "transform/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/error.h"
#include "ir/poly.h"
#include "ir/subscripts.h"
#include "transform/declared.h"

namespace heddle {

namespace {

bool writes(const Statement& s, Name array) {
    return std::any_of(s.places.begin(), s.places.end(), [&](const Place& p) { return p.array == array; });
}

std::vector<TableUser> users_under(const KernelData& kernel, const TableRequest& request, RuleOpener& opener, const NodePtr& at,
                                   bool writers) {
    std::vector<TableUser> out;
    for (std::size_t k : statements_under(at)) {
        const Statement& s = *kernel.statements[k];
        const auto& only = request.statements;
        if (!only.empty() && std::find(only.begin(), only.end(), s.label) == only.end()) continue;
        TableUser user{k, opener.open(s), {}};
        user.uses = occurrences(kernel, user.statement, request.name);
        if (!user.uses.empty() || (writers && writes(s, request.name))) out.push_back(std::move(user));
    }
    return out;
}

[[noreturn]] void several(const KernelData& kernel, const TableRequest& request, const std::vector<std::vector<TableUser>>& all) {
    std::string names;
    for (const auto& users : all)
        if (!users.empty())
            names += fmt::format("{}{}.{}", names.empty() ? "" : ", ", kernel.statements[users[0].index]->label.str(),
                                 request.at.loop.str());
    throw user_error("name", fmt::format("several loops '{}' hold uses of '{}'", request.at.loop.str(), request.name.str()))
        .hint("say which: " + names);
}

[[noreturn]] void unused(const KernelData& kernel, const TableRequest& request) {
    const std::string where = request.at.loop.empty() ? "in the kernel" : fmt::format("under loop '{}'", request.at.str());
    Error e = user_error("footprint", fmt::format("no value of '{}' is used {}, so there is nothing to tabulate", request.name.str(), where));
    const bool written = std::any_of(kernel.statements.begin(), kernel.statements.end(), [&](const auto& s) { return writes(*s, request.name); });
    if (written) e.hint(fmt::format("'buffer {}' copies what is written or updated", request.name.str()));
    throw e;
}

}  // namespace

std::vector<TableUser> table_users(const KernelData& kernel, const TableRequest& request, NodePtr& at, bool writers) {
    RuleOpener opener(kernel, rules_mentioning(kernel, request.name));
    for (Name label : request.statements) statement_named(kernel, label);
    std::vector<NodePtr> candidates{kernel.root};
    if (!request.at.loop.empty()) candidates = loops_named(kernel, request.at);
    std::vector<std::vector<TableUser>> all;
    std::size_t found = 0, where = 0;
    for (const NodePtr& n : candidates) {
        all.push_back(users_under(kernel, request, opener, n, writers));
        if (all.back().empty()) continue;
        ++found;
        where = all.size() - 1;
    }
    if (found > 1) several(kernel, request, all);
    if (found == 0) unused(kernel, request);
    at = candidates[where];
    return std::move(all[where]);
}

namespace {

bool holds_user(const NodePtr& node, const std::set<std::size_t>& users) {
    const std::vector<std::size_t> under = statements_under(node);
    return std::any_of(under.begin(), under.end(), [&](std::size_t s) { return users.count(s) != 0; });
}

}  // namespace

TablePlace table_place(const KernelData& kernel, const NodePtr& at, const std::vector<TableUser>& users) {
    std::set<std::size_t> indices;
    for (const TableUser& u : users) indices.insert(u.index);
    TablePlace out;
    out.home = at.get();
    for (bool deeper = true; deeper;) {
        out.first = out.last = nullptr;
        for (const NodePtr& child : out.home->children) {
            if (!holds_user(child, indices)) continue;
            if (!out.first) out.first = child.get();
            out.last = child.get();
        }
        deeper = out.first == out.last && out.first->kind == Node::Kind::Block;
        if (deeper) out.home = out.first;
    }
    out.fixed = fixed_outside(kernel, out.first);
    return out;
}

std::vector<Affine> affine_forms(const KernelData& kernel, const std::vector<Expr>& subscripts, const TableUser& user, Name name,
                                 const Loc& loc) {
    std::vector<Affine> out;
    for (std::size_t k = 0; k < subscripts.size(); ++k) {
        const auto form = affine_of(subscripts[k]);
        if (!form)
            throw user_error("footprint",
                             fmt::format("'{}' uses '{}' with a subscript {} that is not affine, so which elements are used is not known",
                                         kernel.statements[user.index]->label.str(), name.str(), k + 1),
                             loc)
                .hint("name the statements that are meant with 'for', or keep the array where it is");
        out.push_back(*form);
    }
    return out;
}

namespace {

void require_known(const TableRequest& request, const TablePlace& place, const std::set<Name>& loops, Name symbol,
                   const KernelData& kernel, const TableUser& user, const Loc& loc) {
    if (place.fixed.count(symbol) || kernel.is_parameter(symbol)) return;
    const std::string label = kernel.statements[user.index]->label.str();
    if (!loops.count(symbol))
        throw user_error("footprint",
                         fmt::format("'{}' uses '{}' at a place that depends on '{}', which has no value yet where the table is filled",
                                     label, request.name.str(), symbol.str()),
                         loc)
            .hint("choose a loop further in");
    if (request.over.empty() || std::find(request.over.begin(), request.over.end(), symbol) != request.over.end()) return;
    throw user_error("footprint",
                     fmt::format("'{}' uses '{}' at a place that depends on loop '{}', which is under '{}' and not among the loops "
                                 "that the table spans",
                                 label, request.name.str(), symbol.str(), request.at.loop.empty() ? "the kernel" : request.at.str()),
                     loc)
        .hint(fmt::format("add '{}' to 'over', or choose it for 'at'", symbol.str()));
}

}  // namespace

Touch touch_of(const KernelData& kernel, const TableRequest& request, const TablePlace& place, const TableUser& user,
               std::vector<Affine> subscripts, const Domain& when, bool conditional, const Loc& loc) {
    const std::vector<Name> around = loops_around(kernel, user.index);
    const std::set<Name> loops(around.begin(), around.end());
    for (const Affine& a : subscripts) {
        std::vector<Name> symbols;
        a.symbols(symbols);
        for (Name n : symbols) require_known(request, place, loops, n, kernel, user, loc);
    }
    for (const Conjunct& piece : when.pieces)
        for (const Constraint& c : piece) {
            std::vector<Name> symbols;
            c.form.symbols(symbols);
            for (Name n : symbols) conditional |= !loops.count(n) && !place.fixed.count(n) && !kernel.is_parameter(n);
        }
    return {user.index, when, std::move(subscripts), conditional, loc};
}

namespace {

/// Every name in `over` is a loop inside `at` around some user.
void check_over(const KernelData& kernel, const TableRequest& request, const TablePlace& place, const std::vector<Touch>& touches) {
    std::set<Name> inner;
    for (const Touch& t : touches)
        for (Name n : loops_around(kernel, t.statement))
            if (!place.fixed.count(n)) inner.insert(n);
    for (Name n : request.over)
        if (!inner.count(n)) {
            Error e = user_error("name", fmt::format("no use of '{}' stands in a loop '{}' under {}", request.name.str(), n.str(),
                                                     request.at.loop.empty() ? "the kernel" : "'" + request.at.str() + "'"));
            if (!inner.empty()) e.hint("loops there: " + listed({inner.begin(), inner.end()}));
            throw e;
        }
}

}  // namespace

Table make_table(Draft& draft, const TableRequest& request, const TablePlace& place, const std::vector<Touch>& touches, DType type,
                 const std::vector<std::string>& loop_bases) {
    const KernelData& kernel = draft.old();
    check_over(kernel, request, place, touches);
    Table out;
    std::vector<Name> axes;
    for (std::size_t k = 0; k < loop_bases.size(); ++k) axes.push_back(Name("#" + std::to_string(k)));
    out.elements = element_box(kernel, touches, place.fixed, axes, "'" + request.name.str() + "'");
    for (std::size_t k = 0; k < axes.size(); ++k)
        if (!out.elements.box[k].single) out.kept.push_back(k);
    if (!request.loops.empty() && request.loops.size() != out.kept.size())
        throw user_error("name", fmt::format("the table of '{}' has {} axes, and {} loops are named", request.name.str(),
                                             out.kept.size(), request.loops.size()));
    out.name = draft.claim(request.into, request.name.str() + request.suffix);
    out.array.name = out.name;
    out.array.type = type;
    out.array.role = Role::Temp;
    out.array.space = request.space;
    for (std::size_t k = 0; k < out.kept.size(); ++k) {
        out.loops.push_back(draft.claim(request.loops.empty() ? Name() : request.loops[k], loop_bases[out.kept[k]]));
        out.array.shape.push_back(shape_of(kernel, out.elements.box[out.kept[k]].extent));
    }
    return out;
}

std::vector<Expr> Table::element(const std::vector<Affine>& subscripts, const Domain& domain) const {
    std::vector<Expr> out;
    for (std::size_t k : kept) out.push_back(expr_of(settle_floors(subscripts[k] - elements.box[k].origin, domain)));
    return out;
}

std::vector<Affine> Table::subscripts() const {
    std::vector<Affine> out;
    for (const Axis& a : elements.box) out.push_back(a.origin);
    for (std::size_t k = 0; k < kept.size(); ++k) out[kept[k]] = out[kept[k]] + Affine::symbol(loops[k]);
    return out;
}

Domain Table::over_loops(const KernelData& kernel, const Domain& image) const {
    Domain out = image;
    const std::vector<Affine> forms = subscripts();
    for (std::size_t k = 0; k < forms.size(); ++k) out = out.substitute(elements.axes[k], forms[k]);
    for (std::size_t k = 0; k < kept.size(); ++k) {
        out = intersect(out, domain_of(at_least(Affine::symbol(loops[k]), Affine(0))));
        out = intersect(out, domain_of(less(Affine::symbol(loops[k]), elements.box[kept[k]].extent)));
    }
    Domain tight = Domain::nothing();
    for (const Conjunct& piece : out.pieces) tight = unite(tight, poly::gist(poly::simplify(Domain{{piece}}), kernel.assumptions));
    return tight;
}

std::vector<Expr> Table::own() const {
    std::vector<Expr> out;
    for (Name n : loops) out.push_back(variable(n));
    return out;
}

}  // namespace heddle
