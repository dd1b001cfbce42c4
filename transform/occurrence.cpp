#include "transform/occurrence.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "ir/access.h"
#include "ir/error.h"
#include "ir/infer.h"
#include "transform/rewrite.h"
#include "transform/tidy.h"

namespace heddle {

namespace {

bool names(const Expr& node, Name name) {
    return (node.op() == Op::Rule || node.op() == Op::Read || node.op() == Op::Var) && node.name() == name;
}

}  // namespace

std::set<Name> rules_mentioning(const KernelData& kernel, Name name) {
    std::map<Name, std::vector<Name>> users;
    for (const RuleDef& rule : kernel.rules)
        visit(rule.body, [&](const Expr& node) {
            const bool own = std::find(rule.parameters.begin(), rule.parameters.end(), node.name()) != rule.parameters.end();
            if (!node.name().empty() && !own) users[node.name()].push_back(rule.name);
        });
    std::set<Name> out;
    std::vector<Name> todo{name};
    while (!todo.empty()) {
        const Name next = todo.back();
        todo.pop_back();
        for (Name user : users[next])
            if (out.insert(user).second) todo.push_back(user);
    }
    return out;
}

Expr RuleOpener::open(const Expr& e) {
    if (rules_.empty()) return e;
    return rewrite(e, [&](const Expr& node) -> Expr {
        if (node.op() != Op::Rule || !rules_.count(node.name())) return node;
        const Expr& definition = body(node.name());
        const std::vector<Name>& parameters = kernel_.find_rule(node.name())->parameters;
        Substitution arguments;
        for (std::size_t k = 0; k < parameters.size(); ++k) arguments.emplace_back(parameters[k], node.arg(k));
        return substitute(definition, arguments);
    });
}

Statement RuleOpener::open(Statement s) {
    bool changed = false;
    map_expressions(s, false, [&](const Expr& e) {
        const Expr out = open(e);
        changed |= out.node() != e.node();
        return out;
    });
    return changed ? infer(kernel_, tidy_subscripts(std::move(s))) : s;
}

Statement tidy_subscripts(Statement s) {
    map_expressions(s, false, [](const Expr& e) {
        return rewrite(e, [](const Expr& node) -> Expr {
            if (node.op() != Op::Read || node.args().empty()) return node;
            std::vector<Expr> args;
            for (const Expr& a : node.args()) {
                const auto form = affine_of(a);
                args.push_back(form ? readable(*form) : a);
            }
            return with_args(node, std::move(args));
        });
    });
    return s;
}

const Expr& RuleOpener::body(Name rule) {
    const auto [it, fresh] = bodies_.try_emplace(rule);
    if (fresh) {
        Expr opened = open(kernel_.find_rule(rule)->body);
        return bodies_[rule] = std::move(opened);
    }
    if (!it->second) throw user_error("name", fmt::format("the rule '{}' uses itself", rule.str()), kernel_.find_rule(rule)->loc);
    return it->second;
}

namespace {

/// Walks the expressions of one statement, each with the conditions under which it is evaluated.
class Finder {
public:
    Finder(const KernelData& kernel, const Statement& s, Name name) : kernel_(kernel), name_(name), base_{s.domain, false} {
        for (const Expr& p : s.predicates) {
            expression(p);
            base_ = narrowed(base_, p, false);
        }
        for (const Expr& v : s.values) expression(v);
        for (const Place& p : s.places)
            for (const Expr& e : p.subscripts) expression(e);
        if (s.call)
            for (const auto& [formal, e] : s.call->bindings) expression(e);
    }
    std::vector<Occurrence> found;

private:
    struct Guard {
        Domain when;
        bool conditional;
    };
    struct Step {
        Expr e;
        std::size_t guard;
    };

    void expression(const Expr& e) {
        guards_ = {base_};
        seen_.clear();
        std::vector<Step> todo{{e, 0}};
        while (!todo.empty()) {
            const Step at = todo.back();
            todo.pop_back();
            if (!seen_.insert({at.e.node(), at.guard}).second) continue;
            if (names(at.e, name_)) found.push_back({at.e, guards_[at.guard].when, guards_[at.guard].conditional});
            const bool lazy = at.e.op() == Op::Select || at.e.op() == Op::And || at.e.op() == Op::Or;
            for (std::size_t k = at.e.args().size(); k-- > 0;)
                todo.push_back({at.e.arg(k), lazy && k > 0 ? guard(at, k) : at.guard});
        }
    }
    std::size_t guard(const Step& at, std::size_t argument) {
        const bool negated = at.e.op() == Op::Or || argument == 2;
        guards_.push_back(narrowed(guards_[at.guard], at.e.arg(0), negated));
        return guards_.size() - 1;
    }
    Guard narrowed(const Guard& outer, const Expr& condition, bool negated) const {
        constexpr std::size_t most_pieces = 8;
        const auto set = domain_of(expand_rules(kernel_, condition));
        if (!set || set->pieces.size() > most_pieces) return {outer.when, true};
        return {intersect(outer.when, negated ? complement(*set) : *set), outer.conditional};
    }

    const KernelData& kernel_;
    Name name_;
    Guard base_;
    std::vector<Guard> guards_;
    std::set<std::pair<const ExprNode*, std::size_t>> seen_;
};

}  // namespace

std::vector<Occurrence> occurrences(const KernelData& kernel, const Statement& s, Name name) {
    if (!names_mentioned(kernel, s).count(name) && !kernel.find_rule(name)) return {};
    return Finder(kernel, s, name).found;
}

Statement replace_occurrences(const Statement& s, Name name, const std::function<Expr(const Expr&)>& f) {
    Statement out = s;
    map_expressions(out, false, [&](const Expr& e) {
        return rewrite(e, [&](const Expr& node) { return names(node, name) ? f(node) : node; });
    });
    return out;
}

bool mentions(const KernelData& kernel, const Statement& s, Name name) { return names_mentioned(kernel, s).count(name) != 0; }

}  // namespace heddle
