// Where the temporaries that the host allocates lie in the one block of memory of a call.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "ir/uses.h"

namespace heddle {

/// A block that is needed for a while.
struct Tenant {
    Name name;
    LiveRange live;
    DType type = DType::F64;  ///< blocks of different types never share bytes: compilers may take them for different objects
    double size = 0;          ///< in bytes, for typical sizes: decides who lies above whom, never whether that is right
};

/// A block and those it lies above: it starts where the highest of them ends. Whoever is needed at the same time as another
/// (or is of another type) lies above it or below it, so the plan is right whatever the sizes turn out to be.
struct Slot {
    Name name;
    LiveRange live;
    bool shares = false;             ///< may bytes of it belong to another block at another time?
    std::vector<std::size_t> above;  ///< earlier slots of the plan
};

/// Lays blocks on each other so that those needed at the same time do not meet and the stack stays low for the given sizes:
/// first fit in several orders (largest first, longest first, as they come), the lowest result. Equal inputs give equal plans.
/// Slots come before those that lie above them.
std::vector<Slot> plan_memory(const std::vector<Tenant>& tenants);
/// Start and end of each slot when they have these sizes; nothing where that does not fit 64 bits.
std::optional<std::vector<std::pair<std::int64_t, std::int64_t>>> lay_out(const std::vector<Slot>& plan,
                                                                          const std::vector<std::int64_t>& sizes);

}  // namespace heddle
