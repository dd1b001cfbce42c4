// Domains taken apart into factors, which loop lines and conditions share out among themselves. Internal to `ir`.
#pragma once

#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/kernel_data.h"

namespace heddle {

/// What a domain is the intersection of: single constraints, and unions that are none. Equal factors have one number.
class Factors {
public:
    /// The factors of a domain, in its order, each once. Everything has none.
    std::vector<int> split(const Domain& d);
    /// Every name a factor mentions.
    const std::vector<Name>& symbols(int factor) const { return symbols_[std::size_t(factor)]; }
    /// Those of the factors that are one constraint, or nothing at all.
    std::vector<int> single(std::vector<int> factors) const;
    /// The intersection of these factors.
    Domain join(const std::vector<int>& factors) const;

private:
    int number(Domain factor);

    std::vector<Domain> factors_;
    std::vector<std::vector<Name>> symbols_;
    std::unordered_multimap<std::size_t, int> by_hash_;
};

/// Those of the first list that all lists contain, in its order.
std::vector<int> common_factors(const std::vector<std::vector<int>*>& lists);
/// Bounds that the formula of a line lacks for some of its loops, as far as what is known of each of the statements inside
/// implies them: in terms of known names and the loops before.
Conjunct missing_bounds(const Conjunct& line, const std::vector<Conjunct>& inside, const std::vector<Name>& loops,
                        const std::function<bool(Name)>& is_known);
/// Removes constraints that the others and the context surely imply.
void drop_implied(Conjunct& line, const Conjunct& context);
/// Removes factors from a list.
void remove_factors(std::vector<int>& from, const std::vector<int>& gone);

}  // namespace heddle
