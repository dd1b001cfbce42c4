// What `precompute`, `stage` and `buffer` share: where a table of values is filled, what it holds, and how uses find their element.
#pragma once

#include "transform/draft.h"
#include "transform/box.h"
#include "transform/occurrence.h"

namespace heddle {

/// What the user asked for.
struct TableRequest {
    Name name;  ///< the rule or array
    std::vector<Name> over;
    LoopRef at;
    AddressSpace space = AddressSpace::Auto;
    Name into;
    std::vector<Name> loops;
    std::vector<Name> statements;
    std::string suffix = "_t";  ///< of the table's name when the user gave none
};

/// A statement under `at` that uses the rule or array, with the rules opened that stand in between.
struct TableUser {
    std::size_t index;
    Statement statement;
    std::vector<Occurrence> uses;
};

/// Where a table stands: in the block or loop `home`, filled in front of its child `first`, done with behind its child `last`.
struct TablePlace {
    const Node* home = nullptr;
    const Node* first = nullptr;
    const Node* last = nullptr;
    std::set<Name> fixed;  ///< loops, scalars and lets that keep their values from the fill to the last use
};

/// A table with its footprint: which axes are kept, under which loops it is filled.
struct Table {
    Name name;
    ElementBox elements;
    std::vector<std::size_t> kept;  ///< axes with more than one value
    std::vector<Name> loops;        ///< one for each kept axis
    Array array;

    /// The element that stands for these subscripts of the rule or array.
    std::vector<Expr> element(const std::vector<Affine>& subscripts, const Domain& domain) const;
    /// The subscripts of the rule or array that the element under `loops` stands for.
    std::vector<Affine> subscripts() const;
    /// A set over the footprint's axes as one over the filling loops.
    Domain over_loops(const KernelData& kernel, const Domain& image) const;
    /// The element under `loops`.
    std::vector<Expr> own() const;
};

/// The users, in written order; with `writers` also statements that only write the array. Errors (User, "name", "footprint"): no
/// user, unknown names, loops of that name with users of their own.
std::vector<TableUser> table_users(const KernelData& kernel, const TableRequest& request, NodePtr& at, bool writers);
TablePlace table_place(const KernelData& kernel, const NodePtr& at, const std::vector<TableUser>& users);
/// The affine forms of subscripts; refuses others.
std::vector<Affine> affine_forms(const KernelData& kernel, const std::vector<Expr>& subscripts, const TableUser& user, Name name,
                                 const Loc& loc);
/// Instances that touch the element; refuses what mentions loops that `over` does not name.
Touch touch_of(const KernelData& kernel, const TableRequest& request, const TablePlace& place, const TableUser& user,
               std::vector<Affine> subscripts, const Domain& when, bool conditional, const Loc& loc);
/// The table over a footprint, named and with its loops; not declared yet.
Table make_table(Draft& draft, const TableRequest& request, const TablePlace& place, const std::vector<Touch>& touches, DType type,
                 const std::vector<std::string>& loop_bases);

}  // namespace heddle
