// The second opinion on an order that turns dependences round: does any read see another write?
#pragma once

#include "ir/depend/model.h"

namespace heddle::depend {

/// Instances of an old statement, where they stand in the old order and in the new one.
struct Placed {
    const StatementModel* old = nullptr;
    StatementModel now;
    std::vector<Affine> forms;  ///< the new loops, in terms of the old
    Domain where;               ///< old instances, exactly
};

/// Does every read of the array see the same write in both orders, and is every element's last write the same? Both are
/// computed as exact dataflow and compared (Feautrier, "Dataflow analysis of array and scalar references", 1991; isl does it).
/// So dead writes may change places. `placed` covers every instance of every statement that accesses the array, once. False
/// also where this is not known: accesses or instances that depend on data, too many of them, too hard.
bool same_flow(const KernelData& kernel, Name array, const std::vector<Placed>& placed);

}  // namespace heddle::depend
