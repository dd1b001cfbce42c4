// The bridge to isl, and the only room corner (poly*.cpp) that calls its C side. One isl context for each thread; isl objects
// never leave their thread. Questions about plain domains come first to a cheap test of our own (ir/feasible.h) and only then
// to isl.
#pragma once

#include <isl/cpp.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/affine.h"

namespace heddle::poly {

/// The context of this thread: errors become exceptions, printed warnings are off. Lives until the thread ends.
isl::ctx context();

/// Limits isl's work while it lives; beyond it calls throw Error(User, "budget") naming `what`. Nested budgets: the inner one
/// counts.
class Budget {
public:
    explicit Budget(std::string what, unsigned long operations = 20'000'000);
    ~Budget();
    Budget(const Budget&) = delete;
    Budget& operator=(const Budget&) = delete;

private:
    unsigned long outer_;
};
/// Runs `f` and turns isl's exceptions into ours: quota into "budget", anything else into Internal. An empty `what`: that of
/// the budget.
template <class F>
auto guarded(const std::string& what, F f) -> decltype(f());
/// Only inside a catch handler: turns the current exception of isl's into ours and throws it.
[[noreturn]] void rethrow(const std::string& what);

/// The set over `dims` in that order, tuple name `tuple`; every other symbol becomes a parameter.
isl::set to_set(const Domain& d, const std::vector<Name>& dims, Name tuple = {});
isl::set to_parameter_set(const Domain& d);
/// The relation { source[dims...] -> sink[dims...] } of a domain over both tuples' symbols; others become parameters.
isl::map to_map(const Domain& d, const std::vector<Name>& in, Name in_tuple, const std::vector<Name>& out, Name out_tuple);
/// Back to plain data, with explicit floors for existentials; pieces are disjoint. Dims take the given names.
Domain from_set(const isl::set& s, const std::vector<Name>& dims);
/// A form as isl's, on the space of `dims` (tuple name `tuple`).
isl::aff to_aff(const Affine& a, const std::vector<Name>& dims, Name tuple = {});
Affine from_aff(const isl::aff& a, const std::vector<Name>& dims);

// Questions about domains: all symbols are integers of any value. Each runs under a budget of its own when none is set.
bool is_empty(const Domain& d);
bool is_subset(const Domain& a, const Domain& b);
bool is_equal(const Domain& a, const Domain& b);
/// A point of the set (all symbols), preferring values near 0, then not negative, then small for the symbols of `first`, then
/// for the others; nothing when it is empty.
std::optional<Env> sample(const Domain& d, const std::vector<Name>& first = {});
/// The exact projection: `gone` are eliminated.
Domain project(const Domain& d, const std::vector<Name>& gone);
/// A superset of the projection without floors: each piece's real shadow (Fourier-Motzkin over the rationals, floors as unknowns).
/// It bounds a symbol wherever the piece does and has an integer point.
Domain real_shadow(const Domain& d, const std::vector<Name>& gone);
/// `d` without what `context` implies.
Domain gist(const Domain& d, const Domain& context);
Domain subtract(const Domain& a, const Domain& b);
/// Without redundant constraints, pieces joined where that is exact, trivial equalities made explicit.
Domain simplify(const Domain& d);
/// Smallest and largest value of a form over the set when they are constants; nothing when unbounded or the set is empty.
std::optional<std::int64_t> constant_min(const Affine& a, const Domain& d);
std::optional<std::int64_t> constant_max(const Affine& a, const Domain& d);
/// Reads a formula in isl's syntax ("exists e : i = 2e and 0 <= i < n") over these symbols; the parser uses it for formulas
/// with `exists`. Throws Error(User, "syntax").
Domain read(const std::string& formula, const std::vector<Name>& symbols);

template <class F>
auto guarded(const std::string& what, F f) -> decltype(f()) {
    try {
        return f();
    } catch (const isl::exception&) {
        rethrow(what);
    }
}

}  // namespace heddle::poly
