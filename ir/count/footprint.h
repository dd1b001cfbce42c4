// Which elements of an array are touched, and how many.
#pragma once

#include <optional>
#include <vector>

#include "ir/access.h"
#include "ir/count/quantity.h"

namespace heddle {

/// Symbols for the elements of a footprint, one for each axis.
std::vector<Name> element_symbols(std::size_t rank);
/// The elements that an access touches for the points of `domain` (with its own conditions), over element_symbols and the
/// parameters. Needs an exact access.
Domain image_of(const Access& a, const Domain& domain, const std::vector<Name>& loops);

/// Collects what accesses touch of one array.
class Footprint {
public:
    explicit Footprint(const Array& array) : array_(&array) {}

    /// Adds an access; one that is not exact, or whose domain depends on data, makes the result an upper bound: the whole
    /// array.
    void add(const Access& a, const Domain& domain, const std::vector<Name>& loops, const Counter& counter);
    /// The number of distinct elements.
    Quantity elements(const Counter& counter) const;

private:
    const Array* array_;
    DomainTable images_;
    bool unknown_ = false, at_most_ = false;
};

}  // namespace heddle
