// Pairs of accesses that may touch one element, and what it takes that they do.
#pragma once

#include <functional>

#include "ir/depend/model.h"
#include "ir/poly/feasible.h"

namespace heddle::depend {

/// Two accesses, by statement (position in the list that was given) and access.
struct Candidate {
    std::size_t first, second, a, b;
};
/// Calls `f` for every pair of accesses that may meet, at least one a write, first <= second (and a <= b within one statement),
/// until it gives true; tells whether it did. Accesses with different constant subscripts never come together: linear in the
/// statements where an array's rows are told apart by a constant. Order: by array, then deterministic.
bool each_candidate(Model& model, const std::vector<const StatementModel*>& statements,
                    const std::function<bool(const Candidate&)>& f);

/// A way in which two accesses touch one element: over the symbols of the first statement and the copies of the second's.
struct Conflict {
    Conjunct constraints;
    Feasibility system;
};
/// The ways in which an instance of `p`, by access `a`, and an instance of `q`, by `b`, touch one element. `p_where` and
/// `q_where` (already copied) narrow them. What is plainly impossible is left out.
std::vector<Conflict> conflicts(const Model& model, const StatementModel& p, const AccessModel& a, const StatementModel& q,
                                const AccessModel& b, const Domain& p_where = {}, const Domain& q_where = {});

/// A way in which one instance comes before the other: the first `equal` loops have equal values.
struct OrderCase {
    Conjunct constraints;
    std::size_t equal = 0;
};
/// The first `equal` common loops equal, the next one before (in the loop's direction).
OrderCase before_at(const StatementModel& p, const StatementModel& q, std::size_t equal);
/// Every way in which an instance of p runs strictly before one of q.
std::vector<OrderCase> before(const StatementModel& p, const StatementModel& q);
/// What is equal in both instances when their first `equal` loops are: lets and other data.
void append_equal_data(const StatementModel& p, const StatementModel& q, std::size_t equal, Conjunct& out);

/// Has the conjunct a point? First our own test, then isl under a budget that names the two statements.
bool possible(const Conjunct& c, const StatementModel& p, const StatementModel& q);
/// The same for a conflict in a case of the order; gives all constraints together when it is.
std::optional<Conjunct> possible(const Conflict& base, const Conjunct& order, const StatementModel& p, const StatementModel& q);
Conjunct joined(const Conjunct& a, const Conjunct& b);
/// The list times the pieces of a domain, without what is plainly impossible.
void meet(std::vector<Conjunct>& list, const Domain& d);

}  // namespace heddle::depend
