// Expansion of substitution rules.
#include "ir/access_rules.h"

#include <fmt/format.h>

#include "ir/error.h"

namespace heddle {

Expr RuleExpander::expand(const Expr& e) {
    bool any = false;
    visit(e, [&](const Expr& node) { any |= node.op() == Op::Rule; });
    if (!any) return e;
    return rewrite(e, [&](const Expr& node) { return node.op() == Op::Rule ? apply(node) : node; });
}

/// The body with the arguments in place of the parameters.
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
    return substitute(body(*rule), map);
}

/// The rule's body with the rules in it expanded; once for each rule.
const Expr& RuleExpander::body(const RuleDef& rule) {
    auto [it, fresh] = bodies_.try_emplace(rule.name);
    if (fresh) {
        Expr expanded = expand(rule.body);
        return bodies_[rule.name] = std::move(expanded);
    }
    if (!it->second)
        throw user_error("name", fmt::format("the rule '{}' uses itself", rule.name.str()), rule.loc)
            .hint("a rule is a substitution, not a function: write a loop instead");
    return it->second;
}

const RuleDef* RuleExpander::find(Name name) {
    if (rules_.empty())
        for (const RuleDef& r : kernel_.rules) rules_.emplace(r.name, &r);
    const auto it = rules_.find(name);
    return it == rules_.end() ? nullptr : it->second;
}

Expr expand_rules(const KernelData& kernel, const Expr& e) { return RuleExpander(kernel).expand(e); }

}  // namespace heddle
