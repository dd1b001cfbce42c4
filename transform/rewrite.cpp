#include "transform/rewrite.h"

#include <algorithm>

#include "ir/depend.h"
#include "transform/tidy.h"

namespace heddle {

namespace {

bool clash(const Forms& forms) {
    if (forms.size() < 2) return false;
    return std::any_of(forms.begin(), forms.end(), [&](const auto& a) {
        return std::any_of(forms.begin(), forms.end(), [&](const auto& b) { return a.second.mentions(b.first); });
    });
}

/// Two lists that one after the other do what `forms` does at once: first to names that nobody has, then to the forms.
std::pair<Forms, Forms> through_placeholders(const Forms& forms) {
    std::pair<Forms, Forms> out;
    for (std::size_t k = 0; k < forms.size(); ++k) {
        const Name placeholder("#" + std::to_string(k));
        out.first.emplace_back(forms[k].first, Affine::symbol(placeholder));
        out.second.emplace_back(placeholder, forms[k].second);
    }
    return out;
}

template <class T>
T one_by_one(T value, const Forms& forms) {
    for (const auto& [name, form] : forms)
        if (value.mentions(name)) value = value.substitute(name, form);
    return value;
}

template <class T>
T at_once(const T& value, const Forms& forms) {
    if (!clash(forms)) return one_by_one(value, forms);
    const auto [out, in] = through_placeholders(forms);
    return one_by_one(one_by_one(value, out), in);
}

void collect_names(const KernelData& kernel, const Expr& e, std::set<Name>& out, std::set<Name>& rules) {
    visit(e, [&](const Expr& node) {
        if (node.op() == Op::Var || node.op() == Op::Read) out.insert(node.name());
        if (node.op() != Op::Rule || !rules.insert(node.name()).second) return;
        if (const RuleDef* rule = kernel.find_rule(node.name())) collect_names(kernel, rule->body, out, rules);
    });
}

/// Replaces uses of rules whose bodies mention one of `names` by those bodies.
Expr open_rules(const KernelData& kernel, const Expr& e, const std::function<bool(Name)>& affected) {
    return rewrite(e, [&](const Expr& node) -> Expr {
        if (node.op() != Op::Rule) return node;
        const RuleDef* rule = kernel.find_rule(node.name());
        if (rule == nullptr) return node;
        std::set<Name> mentioned, rules;
        collect_names(kernel, rule->body, mentioned, rules);
        for (Name p : rule->parameters) mentioned.erase(p);
        if (std::none_of(mentioned.begin(), mentioned.end(), affected)) return node;
        Substitution arguments;
        for (std::size_t k = 0; k < rule->parameters.size(); ++k) arguments.emplace_back(rule->parameters[k], node.arg(k));
        return open_rules(kernel, substitute(rule->body, arguments), affected);
    });
}

/// Loops that the user wrote and that are still themselves enter the origin before they change.
void note_origins(Statement& s, const Forms& forms) {
    for (const auto& [name, form] : forms) {
        const bool known = std::any_of(s.origin.begin(), s.origin.end(),
                                       [n = name](const auto& o) { return o.first == n || mentions(o.second, n); });
        if (!known) s.origin.emplace_back(name, variable(name));
    }
}

bool is_self(const std::pair<Name, Expr>& origin) {
    return origin.second.op() == Op::Var && origin.second.name() == origin.first;
}

}  // namespace

const Affine* find_form(const Forms& forms, Name name) {
    const auto it = std::find_if(forms.begin(), forms.end(), [&](const auto& f) { return f.first == name; });
    return it == forms.end() ? nullptr : &it->second;
}

Affine substitute(const Affine& a, const Forms& forms) { return at_once(a, forms); }
Domain substitute(const Domain& d, const Forms& forms) { return at_once(d, forms); }

Expr substitute_loops(const KernelData& kernel, const Expr& e, const Forms& forms) {
    const auto tidy = [](const Expr& index) {
        const auto form = affine_of(index);
        return form ? readable(*form) : index;
    };
    const Expr open = open_rules(kernel, e, [&](Name n) { return find_form(forms, n) != nullptr; });
    return rewrite(open, [&](const Expr& node) -> Expr {
        if (node.op() == Op::Var) {
            const Affine* form = find_form(forms, node.name());
            return form ? readable(*form) : node;
        }
        if (node.op() != Op::Read || node.args().empty()) return node;
        std::vector<Expr> args;
        for (const Expr& a : node.args()) args.push_back(tidy(a));
        return with_args(node, std::move(args));
    });
}

void map_expressions(Statement& s, bool origins, const std::function<Expr(const Expr&)>& f) {
    for (Place& p : s.places)
        for (Expr& e : p.subscripts) e = f(e);
    for (Expr& e : s.values) e = f(e);
    for (Expr& e : s.predicates) e = f(e);
    if (s.call)
        for (auto& [name, e] : s.call->bindings) e = f(e);
    if (origins)
        for (auto& [name, e] : s.origin) e = f(e);
}

void each_expression(const Statement& s, const std::function<void(const Expr&)>& f) {
    for (const Place& p : s.places) std::for_each(p.subscripts.begin(), p.subscripts.end(), f);
    std::for_each(s.values.begin(), s.values.end(), f);
    std::for_each(s.predicates.begin(), s.predicates.end(), f);
    if (s.call)
        for (const auto& [name, e] : s.call->bindings) f(e);
}

Statement substitute_loops(const KernelData& kernel, const Statement& s, const Forms& forms) {
    Statement out = s;
    note_origins(out, forms);
    out.domain = substitute(s.domain, forms);
    tidy(out.domain);
    map_expressions(out, true, [&](const Expr& e) { return substitute_loops(kernel, e, forms); });
    const auto tidy = [](Expr& e) {
        if (const auto form = affine_of(e)) e = readable(*form);
    };
    for (Place& p : out.places)
        for (Expr& e : p.subscripts) tidy(e);
    for (auto& [name, e] : out.origin) tidy(e);
    std::erase_if(out.origin, is_self);
    return out;
}

Statement rename_storage(const KernelData& kernel, const Statement& s, const Renaming& names) {
    Statement out = s;
    const auto renamed = [&](Name n) {
        const auto it = names.find(n);
        return it == names.end() ? n : it->second;
    };
    for (Place& p : out.places) p.array = renamed(p.array);
    for (const auto& [from, to] : names) out.domain = out.domain.substitute(from, Affine::symbol(to));
    map_expressions(out, true, [&](const Expr& e) {
        const Expr open = open_rules(kernel, e, [&](Name n) { return names.count(n) != 0; });
        return rewrite(open, [&](const Expr& node) -> Expr {
            if (node.op() == Op::Var && names.count(node.name())) return variable(renamed(node.name()), node.loc());
            if (node.op() != Op::Read || !names.count(node.name())) return node;
            return read(renamed(node.name()), node.args(), node.type(), node.loc());
        });
    });
    return out;
}

namespace {

/// With every view the array that it reads.
std::set<Name> with_storage(const KernelData& kernel, std::set<Name> names) {
    std::set<Name> out = names;
    for (Name n : names) out.insert(storage_of(kernel, n));
    return out;
}

}  // namespace

std::set<Name> names_mentioned(const KernelData& kernel, const Expr& e) {
    std::set<Name> out, rules;
    collect_names(kernel, e, out, rules);
    return with_storage(kernel, std::move(out));
}

std::set<Name> names_mentioned(const KernelData& kernel, const Statement& s) {
    std::set<Name> out, rules;
    each_expression(s, [&](const Expr& e) { collect_names(kernel, e, out, rules); });
    for (const Place& p : s.places) out.insert(p.array);
    for (const Conjunct& piece : s.domain.pieces)
        for (const Constraint& c : piece) {
            std::vector<Name> symbols;
            c.form.symbols(symbols);
            out.insert(symbols.begin(), symbols.end());
        }
    return with_storage(kernel, std::move(out));
}

}  // namespace heddle
