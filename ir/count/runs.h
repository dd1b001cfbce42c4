// The statements of a kernel as they run, those of called kernels in place.
#pragma once

#include <map>
#include <vector>

#include "ir/access.h"
#include "ir/kernel_data.h"

namespace heddle {

/// A statement of a kernel or of one that it calls, in terms of the outermost kernel: loops and arrays of a callee are named
/// "call.i" after the label of the call, its parameters are replaced by what they are bound to.
struct Run {
    const KernelData* kernel = nullptr;  ///< the statement's own
    const Statement* statement = nullptr;
    Name label;
    std::vector<Name> loops;  ///< outermost first
    bool descending = false;  ///< the innermost loop
    Domain domain;
    std::vector<Access> accesses;
};

struct Runs {
    std::vector<Run> statements;   ///< in written order; without those that only call
    std::map<Name, Array> locals;  ///< temporaries and tables of called kernels
    const Array* find_array(const KernelData& kernel, Name name) const;
};
/// Needs: the kernel, and so all it calls, outlives the result.
Runs runs_of(const KernelData& kernel);

}  // namespace heddle
