// Expansion of substitution rules, each body once.
#pragma once

#include <unordered_map>

#include "ir/access.h"

namespace heddle {

/// Expands rules of one kernel; keeps what it expanded. The kernel must outlive it.
class RuleExpander {
public:
    explicit RuleExpander(const KernelData& kernel) : kernel_(kernel) {}
    Expr expand(const Expr& e);

private:
    Expr apply(const Expr& use);
    const Expr& body(const RuleDef& rule);
    const RuleDef* find(Name name);

    const KernelData& kernel_;
    std::unordered_map<Name, Expr> bodies_;
    std::unordered_map<Name, const RuleDef*> rules_;
};

/// The accesses of a statement, with rules expanded by `rules`.
std::vector<Access> accesses_of(const KernelData& kernel, const Statement& s, RuleExpander& rules);

}  // namespace heddle
