// Rewriting statements: loop variables by forms, names of storage, and what a statement mentions.
#pragma once

#include <set>

#include "ir/kernel_data.h"

namespace heddle {

/// Symbols and the forms that take their places, all at once.
using Forms = std::vector<std::pair<Name, Affine>>;
const Affine* find_form(const Forms& forms, Name name);

Affine substitute(const Affine& a, const Forms& forms);
Domain substitute(const Domain& d, const Forms& forms);
/// In an expression; subscripts that are quasi-affine come out in normal form ("i", not "(i - 1) + 1").
Expr substitute_loops(const KernelData& kernel, const Expr& e, const Forms& forms);
/// In domain, subscripts, values, predicates, call bindings and origin; loops of the user's that change for the first time
/// enter the origin.
Statement substitute_loops(const KernelData& kernel, const Statement& s, const Forms& forms);
/// Other names for arrays and temporaries, everywhere in a statement.
using Renaming = std::map<Name, Name>;
Statement rename_storage(const KernelData& kernel, const Statement& s, const Renaming& names);

/// Applies `f` to every expression of a statement: subscripts, values, predicates, call bindings, and with `origins` those too.
void map_expressions(Statement& s, bool origins, const std::function<Expr(const Expr&)>& f);
void each_expression(const Statement& s, const std::function<void(const Expr&)>& f);  ///< the same without origins, to look at
/// Every name a statement's expressions and domain mention, those in the bodies of rules and the arrays behind views included.
std::set<Name> names_mentioned(const KernelData& kernel, const Statement& s);
std::set<Name> names_mentioned(const KernelData& kernel, const Expr& e);

}  // namespace heddle
