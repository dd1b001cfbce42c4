// What statements read and write.
#pragma once

#include <isl/cpp.h>

#include <optional>
#include <vector>

#include "ir/kernel_data.h"
#include "ir/poly.h"

namespace heddle {

/// One access of a statement. A subscript that is not quasi-affine is unknown: that dimension counts as any value.
struct Access {
    Name array;
    bool write = false;
    bool reduction = false;                     ///< the read-and-write of an update that commutes with its like
    std::vector<Expr> subscripts;               ///< rules expanded
    std::vector<std::optional<Affine>> affine;  ///< for each subscript, where it is a single quasi-affine form
    bool exact() const;
    Loc loc;
};
/// All accesses of a statement: its values, predicates, subscripts, places, and integer lets used in its domain; writes last.
/// Kernel calls access their array arguments as a whole.
std::vector<Access> accesses_of(const KernelData& kernel, const Statement& s);

/// { statement[loops] -> array[scope loops, subscripts] }: the elements an access touches, instances of scoped temporaries
/// apart.
isl::map access_map(const KernelData& kernel, const Access& a, const std::vector<Name>& loops, const std::vector<Name>& scope,
                    Name tuple);
/// An integer expression with min, max and select as isl's piecewise form; nothing when it is not quasi-affine.
std::optional<isl::pw_aff> pw_aff_of(const Expr& e, const std::vector<Name>& dims, Name tuple);
/// Expands every substitution rule.
Expr expand_rules(const KernelData& kernel, const Expr& e);

}  // namespace heddle
