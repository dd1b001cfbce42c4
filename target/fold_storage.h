// Temporaries that the host would allocate, in as few places as hold values at a time.
#pragma once

#include "target/program.h"

namespace heddle {

/// A kernel that computes the same, and why its temporaries are smaller: the end of a sentence for each.
struct FoldedStorage {
    std::shared_ptr<const KernelData> kernel;
    std::map<Name, std::string> reasons;
};
/// Where at most 1, 2, 4 or 8 entries along an axis of an allocated temporary hold values at a time, it is stored modulo that
/// number, as the step `fold` does it: temporaries without a named space, a layout and views only, where the proof is cheap, no
/// concurrent loop comes to share an element, and no innermost loop has to compute a remainder. Needs expanded rules. Kernels
/// of many statements stay as they are.
FoldedStorage fold_storage(const std::shared_ptr<const KernelData>& kernel, const std::map<Name, Storage>& storage);

}  // namespace heddle
