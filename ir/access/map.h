// Accesses as isl relations: for footprints and counts.
#pragma once

#include <isl/cpp.h>

#include <optional>
#include <vector>

#include "ir/access.h"

namespace heddle {

/// { statement[loops] -> array[scope loops, subscripts] }: the elements an access touches, instances of scoped temporaries
/// apart. An unknown subscript is any value; a whole access is any value in every dimension of the array. The domain is not
/// applied.
isl::map access_map(const KernelData& kernel, const Access& a, const std::vector<Name>& loops, const std::vector<Name>& scope,
                    Name tuple);
/// An integer expression with min, max and select as isl's piecewise form on the space of `dims`; nothing when it is not
/// quasi-affine.
std::optional<isl::pw_aff> pw_aff_of(const Expr& e, const std::vector<Name>& dims, Name tuple);

}  // namespace heddle
