// From a conjunct with a point to the witness that a refusal shows.
#pragma once

#include "ir/depend.h"
#include "ir/depend/pairs.h"

namespace heddle::depend {

DependenceKind kind_of(const Access& source, const Access& sink);
/// May these two updates change places?
bool commute(const StatementModel& p, const AccessModel& a, const StatementModel& q, const AccessModel& b, bool atomics);
/// A point of `c` as two instances; p's symbols by their names, q's by their copies. Null when isl finds that there is no point
/// after all.
std::optional<Witness> witness_at(const Model& model, const Conjunct& c, const StatementModel& p, const AccessModel& a,
                                  const StatementModel& q, const AccessModel& b);
/// Is anything in `c` data that may differ between the two instances?
bool mentions_data(const Conjunct& c, const StatementModel& p, const StatementModel& q);
/// "S(i=1, j=2)" in the user's loops.
std::string instance_text(const Statement& s, const std::vector<Name>& loops, const Env& point, const Env& parameters);

}  // namespace heddle::depend
