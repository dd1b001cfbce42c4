// How many integer points a domain has: as a formula in the parameters, or as a number for given ones.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/count/piecewise.h"

namespace heddle {

/// The number of points of a domain. Exact, or not there.
struct Count {
    Domain domain;
    std::vector<Name> dims;            ///< all other symbols are parameters
    std::optional<Piecewise> formula;  ///< valid for parameters in the context it was made for
    std::string reason;                ///< why there is no formula

    /// The number for given values of all parameters: from the formula, else by counting. Nothing when counting would take too
    /// long. Errors (User, "count"): not finite.
    std::optional<Wide> at(const Env& parameters) const;
    std::string str() const;  ///< the formula, or "unknown: " and the reason
};

/// Counts the points of a union of conjuncts (each once) over `dims`, for parameters in `context`. Sums one dimension after
/// another, after Clauss and Faulhaber; see docs/stats.md. Where the bounds do not allow a formula of reasonable size, `reason`
/// says so.
Count count(const Domain& d, const std::vector<Name>& dims, const Domain& context = Domain::everything());

/// The number for fixed parameters without a formula in them; at most `limit` points are looked at one by one, then nothing.
std::optional<Wide> count_points(const Domain& d, const std::vector<Name>& dims, const Env& parameters,
                                 std::int64_t limit = 20'000'000);

/// The same points in pieces of which no two overlap.
Domain disjoint(const Domain& d);

}  // namespace heddle
