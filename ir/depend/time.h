// When the instances of statements run, as vectors of affine forms that are compared from the first entry on.
#pragma once

#include <isl/cpp.h>

#include "ir/depend/model.h"

namespace heddle::depend {

/// When an instance runs: positions among siblings and loops in turn, from the root down. `forms`: a value for each loop.
std::vector<Affine> time_of(const StatementModel& s, const std::vector<Affine>& forms);
/// A form for each loop of the statement: itself.
std::vector<Affine> own_loops(const StatementModel& s);
/// { tuple[loops] -> time }; times shorter than `depth` end in zeros.
isl::map time_map(const std::vector<Name>& loops, Name tuple, const std::vector<Affine>& time, std::size_t depth);

}  // namespace heddle::depend
