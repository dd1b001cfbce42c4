// The names that statements use.
#pragma once

#include <functional>
#include <vector>

#include "ir/kernel_data.h"

namespace heddle {

/// Calls `see` with every name in a statement's places, values, predicates, bindings of its call, and domain: arrays (a view
/// under its own name), loops, parameters, lets. A name may come more than once.
void visit_names(const Statement& s, const std::function<void(Name)>& see);

/// The first and the last of the statements, by position in written order, from which a temporary is used until no more: the
/// children of the block that declares it, whole, from the first that uses it to the last.
struct LiveRange {
    std::size_t first = 0, last = 0;
    bool overlaps(const LiveRange& o) const { return first <= o.last && o.first <= last; }
};
/// Of every temporary that is used, also through views. One walk.
std::map<Name, LiveRange> live_ranges(const KernelData& kernel);

}  // namespace heddle
