// Numbers for domains, equal ones the same.
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/affine.h"

namespace heddle {

/// Numbers pairs of a domain (as written) and its dimensions from 0, in the order in which they come.
class DomainTable {
public:
    /// The pair's number, and whether it is new.
    std::pair<std::size_t, bool> number_of(const Domain& d, const std::vector<Name>& dims);
    std::size_t size() const { return entries_.size(); }
    const Domain& domain(std::size_t number) const { return entries_[number].first; }

private:
    std::vector<std::pair<Domain, std::vector<Name>>> entries_;
    std::unordered_map<std::size_t, std::vector<std::size_t>> by_hash_;
};

}  // namespace heddle
