// Loop tree -> loops with bounds and guards.
#pragma once

#include "target/program.h"

namespace heddle {

/// Derives every loop's range from the domains of the statements under it, and the guards that the ranges leave necessary.
/// Bounds that follow from inner loops are found by Fourier-Motzkin elimination; each constraint of a domain is enforced at the
/// loop or guard of its innermost symbol. Loops that are collapsed get rectangular ranges, with the guards inside the last of
/// them. Errors: a loop without a lower or upper bound (User, "bounds").
CodePtr schedule(const KernelData& kernel);

}  // namespace heddle
