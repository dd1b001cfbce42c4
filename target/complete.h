// Proof that emitted loops run exactly what the kernel says.
#pragma once

#include "target/program.h"

namespace heddle {

/// Every statement's instances in the code are those of its domain, for all parameter values that the assumptions allow. Where
/// the enforced constraints and the domain's imply each other by the cheap test that is the proof; otherwise isl compares the
/// two sets. Errors: Internal, "incomplete", with a point that one of the two lacks.
void prove_complete(const KernelData& kernel, const CodePtr& code);

}  // namespace heddle
