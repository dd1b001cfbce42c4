// The bridge to isl, and the only file that includes its C side. One isl context for each thread; isl objects never leave their
// thread.
#pragma once

#include <isl/cpp.h>

#include <map>
#include <vector>

#include "ir/affine.h"

namespace heddle::poly {

/// The context of this thread: errors become exceptions, printed warnings are off.
isl::ctx context();

/// Limits isl's work while it lives; beyond it calls throw Error(User, "budget") naming `what`. Nested budgets: the inner one
/// counts.
class Budget {
public:
    explicit Budget(std::string what, unsigned long operations = 20'000'000);
    ~Budget();
    Budget(const Budget&) = delete;

private:
    unsigned long outer_;
};
/// Runs `f` and turns isl's exceptions into ours: quota into "budget", anything else into Internal.
template <class F>
auto guarded(const std::string& what, F f) -> decltype(f());
[[noreturn]] void rethrow(const std::string& what);

/// The set over `dims` in that order, tuple name `tuple`; every other symbol becomes a parameter.
isl::set to_set(const Domain& d, const std::vector<Name>& dims, Name tuple = {});
isl::set to_parameter_set(const Domain& d);
/// Back to plain data, with explicit floors for existentials; pieces are disjoint. Dims take the given names.
Domain from_set(const isl::set& s, const std::vector<Name>& dims);
/// A form as isl's, on the space of `dims` (tuple name `tuple`).
isl::aff to_aff(const Affine& a, const std::vector<Name>& dims, Name tuple = {});
Affine from_aff(const isl::aff& a, const std::vector<Name>& dims);

// Questions about domains. `dims` are the symbols to be treated as dimensions; all others are parameters (any value).
bool is_empty(const Domain& d);
bool is_subset(const Domain& a, const Domain& b);
bool is_equal(const Domain& a, const Domain& b);
/// A point of the set (all symbols), preferring small values; nothing when it is empty.
std::optional<Env> sample(const Domain& d);
/// The exact projection: `gone` are eliminated.
Domain project(const Domain& d, const std::vector<Name>& gone);
/// `d` without what `context` implies.
Domain gist(const Domain& d, const Domain& context);
Domain subtract(const Domain& a, const Domain& b);
/// One conjunct without redundant constraints, coalesced where possible.
Domain simplify(const Domain& d);
/// Smallest and largest value of a form over the set when they are constants.
std::optional<std::int64_t> constant_min(const Affine& a, const Domain& d);
std::optional<std::int64_t> constant_max(const Affine& a, const Domain& d);
/// Text in isl's syntax; used by the parser for formulas with `exists` and by messages.
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
