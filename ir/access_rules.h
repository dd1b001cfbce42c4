// Expansion of substitution rules, without recursion and each distinct expression once.
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
    struct Task {
        Expr e;
        std::size_t next = 0;  ///< the argument to look at
        Expr substituted;      ///< a rule's body with the arguments in it, once they are expanded
    };
    void step(std::vector<Task>& tasks);
    Expr apply(const Expr& use);
    const RuleDef* find(Name name);
    const Expr* result_of(const Expr& e) const;
    void finish(const Expr& e, const Expr& result);
    Expr with_results(const Expr& e) const;

    const KernelData& kernel_;
    std::unordered_map<const ExprNode*, std::pair<Expr, Expr>> done_;  ///< node -> what keeps it alive, and its expansion
    std::unordered_map<Name, const RuleDef*> rules_;
    std::size_t open_ = 0;  ///< rules whose bodies are being expanded, one inside the other
};

/// The accesses of a statement, with rules expanded by `rules`.
std::vector<Access> accesses_of(const KernelData& kernel, const Statement& s, RuleExpander& rules);

}  // namespace heddle
