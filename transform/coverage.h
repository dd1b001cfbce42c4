// Which reads of an array get values that were written in the same iteration of some outer loops.
#pragma once

#include <vector>

#include "ir/kernel_data.h"
#include "ir/tree.h"
#include "transform/rewrite.h"

namespace heddle {

/// An access of a statement to the array in question, with an exact place.
struct ArrayAccess {
    std::size_t statement = 0;
    Domain when;                     ///< its instances
    std::vector<Affine> subscripts;
    bool write = false;
    bool update = false;             ///< a write that reads the element first
    bool conditional = false;        ///< a run-time condition decides
    Loc loc;

    bool reads() const { return !write || update; }
};

/// Every access of the array under `region`, reads first within a statement. Rules are opened. Errors (User, `code`): subscripts
/// that are not affine, kernel calls; the array is `name` in messages.
std::vector<ArrayAccess> array_accesses(const KernelData& kernel, const NodePtr& region, Name name, const std::string& code);

/// Instances (x, y) of two statements, the loops of the first under the names that `hidden` gives, where the first runs strictly
/// before the second and the outermost `fixed` loops of both have equal values.
Domain runs_before(const Path& first, const Forms& hidden, const Path& second, std::size_t fixed);

/// The instances of a read that surely find a value written before, in the same iteration of the outermost `fixed` loops, by one
/// of `accesses`.
Domain covered(const std::vector<Path>& paths, const ArrayAccess& read, const std::vector<ArrayAccess>& accesses, std::size_t fixed);

/// Do iterations of the outermost `fixed` loops (those outside the first `outer` being equal) never touch the same element?
bool disjoint(const KernelData& kernel, const std::vector<Path>& paths, const std::vector<ArrayAccess>& accesses, std::size_t outer,
              std::size_t fixed);

}  // namespace heddle
