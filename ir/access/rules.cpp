// Expansion of substitution rules.
#include <fmt/format.h>

#include "ir/access_rules.h"
#include "ir/error.h"

namespace heddle {

Expr RuleExpander::expand(const Expr& e) {
    if (kernel_.rules.empty() || !e) return e;
    open_ = 0;
    std::vector<Task> tasks;
    tasks.push_back({e, 0, {}});
    while (!tasks.empty()) step(tasks);
    return *result_of(e);
}

/// Moves the last task on: to its next argument, into its rule's body, or to its end.
void RuleExpander::step(std::vector<Task>& tasks) {
    Task& t = tasks.back();
    if (result_of(t.e)) return tasks.pop_back();
    if (t.next < t.e.args().size()) {
        const Expr& arg = t.e.arg(t.next++);
        if (!result_of(arg)) tasks.push_back({arg, 0, {}});
        return;
    }
    if (t.e.op() != Op::Rule) {
        finish(t.e, with_results(t.e));
        return tasks.pop_back();
    }
    if (!t.substituted) {
        t.substituted = apply(with_results(t.e));
        if (++open_ > rules_.size())
            throw user_error("name", fmt::format("the rule '{}' uses itself", t.e.name().str()), t.e.loc())
                .hint("a rule is a substitution, not a function: write a loop instead");
        tasks.push_back({t.substituted, 0, {}});
        return;
    }
    --open_;
    finish(t.e, *result_of(t.substituted));
    tasks.pop_back();
}

/// The body with the arguments in place of the parameters; rules in the body are left.
Expr RuleExpander::apply(const Expr& use) {
    const RuleDef* rule = find(use.name());
    if (!rule) throw user_error("name", fmt::format("there is no rule '{}'", use.name().str()), use.loc());
    if (rule->parameters.size() != use.args().size())
        throw user_error("type",
                         fmt::format("the rule '{}' takes {} arguments and gets {}", use.name().str(), rule->parameters.size(),
                                     use.args().size()),
                         use.loc());
    Substitution map;
    for (std::size_t k = 0; k < use.args().size(); ++k) map.emplace_back(rule->parameters[k], use.arg(k));
    return substitute(rule->body, map);
}

const RuleDef* RuleExpander::find(Name name) {
    if (rules_.empty())
        for (const RuleDef& r : kernel_.rules) rules_.emplace(r.name, &r);
    const auto it = rules_.find(name);
    return it == rules_.end() ? nullptr : it->second;
}

const Expr* RuleExpander::result_of(const Expr& e) const {
    const auto it = done_.find(e.node());
    return it == done_.end() ? nullptr : &it->second.second;
}

void RuleExpander::finish(const Expr& e, const Expr& result) {
    done_.emplace(e.node(), std::pair(e, result));
    done_.emplace(result.node(), std::pair(result, result));
}

Expr RuleExpander::with_results(const Expr& e) const {
    std::vector<Expr> args;
    args.reserve(e.args().size());
    for (const Expr& a : e.args()) args.push_back(*result_of(a));
    return with_args(e, std::move(args));
}

Expr expand_rules(const KernelData& kernel, const Expr& e) { return RuleExpander(kernel).expand(e); }

}  // namespace heddle
