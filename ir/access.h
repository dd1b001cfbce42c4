// What statements read and write. No isl here: `ir/access_map.h` has the isl forms.
#pragma once

#include <optional>
#include <vector>

#include "ir/kernel_data.h"

namespace heddle {

/// One access of a statement. A subscript that is not quasi-affine is unknown: that dimension counts as any value.
struct Access {
    Name array;
    bool write = false;
    bool reduction = false;        ///< the read-and-write of an update that commutes with its like; then `write` too
    bool whole = false;            ///< a kernel call's: any element, `subscripts` is empty
    std::vector<Expr> subscripts;  ///< rules expanded
    std::vector<std::optional<Affine>> affine;  ///< for each subscript, where it is a single quasi-affine form
    Domain when;                                ///< affine conditions of selects around it: it happens only there
    bool conditional = false;                   ///< it happens under a run-time condition, or the statement does
    Loc loc;

    /// Every subscript is a single quasi-affine form.
    bool exact() const;
    bool reads() const { return !write || reduction; }
};
/// All accesses of a statement: its values, predicates, subscripts, places, and lets used in its domain; writes last. An update
/// that does not commute with its like (argmin, argmax, non-commutative operators) is a read and a write. Equal accesses are
/// listed once. Kernel calls access their array arguments as a whole. The branches of a select, and the right sides of `and`
/// and `or`, happen only where their condition says so; predicates are tested in order, each after those before it held.
std::vector<Access> accesses_of(const KernelData& kernel, const Statement& s);
/// The same for every statement at once, by statement index: rules are expanded once.
std::vector<std::vector<Access>> accesses_of(const KernelData& kernel);

/// Is the update of this statement of the kind that commutes with its like, leaving rounding aside?
bool is_reduction(const KernelData& kernel, const Statement& s);
/// Does the order of this statement's updates surely not matter? Integers, bools, min and max always; floating-point sums and
/// products, and the user's operators, where the statement says `reassociate` (or `atomic`, when `atomics` is set). False for
/// what is no reduction.
bool order_free(const KernelData& kernel, const Statement& s, bool atomics = false);

/// Expands every substitution rule. Throws Error(User) for a rule that uses itself.
Expr expand_rules(const KernelData& kernel, const Expr& e);

/// Part of a piecewise quasi-affine form: `value` where all of `when` holds.
struct Piece {
    Conjunct when;
    Affine value;
};
/// An integer expression with min, max and select as disjoint pieces that cover everything; nothing when it is not quasi-affine
/// or has more than 32 pieces.
std::optional<std::vector<Piece>> pieces_of(const Expr& e);
/// The integer points where a condition holds: comparisons of quasi-affine forms (min, max, select included) under and, or,
/// not. Nothing when it is not of that kind.
std::optional<Domain> domain_of(const Expr& condition);

}  // namespace heddle
