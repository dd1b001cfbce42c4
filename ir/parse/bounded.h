// Does a formula bound its loops? Internal to the reader.
#pragma once

#include <optional>
#include <vector>

#include "ir/affine.h"

namespace heddle {

struct Unbounded {
    Name loop;
    bool below = false;  ///< no lower bound; otherwise no upper one
};
/// The first of `loops` (outermost first) that some piece of the set leaves without a bound in terms of all other names and the
/// loops before it. By Fourier-Motzkin over the rationals, which is exact for this question.
std::optional<Unbounded> find_unbounded(const Domain& d, const std::vector<Name>& loops);

}  // namespace heddle
