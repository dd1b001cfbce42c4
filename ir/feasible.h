// A cheap test of our own that most questions end in before isl is asked.
#pragma once

#include "ir/affine.h"

namespace heddle {

/// Has the conjunct an integer point, all symbols free? Gaussian elimination, then Fourier-Motzkin with integer tightening,
/// bounded in size. `False` and `True` are certain; `Unknown` means "ask isl".
Truth feasible(const Conjunct& c);

}  // namespace heddle
