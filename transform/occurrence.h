// Uses of a substitution rule, and reads of an array, in statements: where they stand, under which conditions, and what takes
// their place.
#pragma once

#include <functional>
#include <set>
#include <unordered_map>
#include <vector>

#include "ir/kernel_data.h"

namespace heddle {

/// The rules whose bodies mention `name`, directly or through other rules.
std::set<Name> rules_mentioning(const KernelData& kernel, Name name);

/// Replaces uses of some rules by their bodies; each body is opened once. The kernel must outlive it.
class RuleOpener {
public:
    RuleOpener(const KernelData& kernel, std::set<Name> rules) : kernel_(kernel), rules_(std::move(rules)) {}

    /// Errors (User, "name"): a rule that uses itself.
    Expr open(const Expr& e);
    /// The statement with its subscripts tidied and its types inferred again where a rule was opened.
    Statement open(Statement s);

private:
    const Expr& body(Name rule);

    const KernelData& kernel_;
    std::set<Name> rules_;
    std::unordered_map<Name, Expr> bodies_;
};

/// A use of a rule or a read of an array.
struct Occurrence {
    Expr node;                 ///< Op::Rule, Op::Read, or Op::Var of an integer `let` in a subscript
    Domain when;               ///< the statement's domain, narrowed by the affine conditions around the use
    bool conditional = false;  ///< it stands under a run-time condition too
};
/// Every occurrence of `name` in a statement whose rules were opened as far as they mention it; places that are written do not
/// count, and neither do the bounds of loops.
std::vector<Occurrence> occurrences(const KernelData& kernel, const Statement& s, Name name);

/// Puts `f(node)` in the place of every occurrence. The node's own arguments are rewritten already.
Statement replace_occurrences(const Statement& s, Name name, const std::function<Expr(const Expr&)>& f);

/// Subscripts that are quasi-affine in their usual form: i - 1 + 1 is i.
Statement tidy_subscripts(Statement s);

/// Does the statement mention the name at all: read, write, rule, call, bound?
bool mentions(const KernelData& kernel, const Statement& s, Name name);

}  // namespace heddle
