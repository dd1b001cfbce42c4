// Barriers of a device function: the fewest gaps between pieces of code that all crossings need.
#pragma once

#include "target/program.h"

namespace heddle {

/// Puts barriers where lanes wait for each other: between the two ends of each crossing, outside every loop over lanes, as
/// late as can be. Those of one list of statements are the fewest: each crossing asks for one of the gaps between its ends, and
/// gaps are chosen by their right ends. What an iteration of a loop has to wait for before the next is satisfied at the end of
/// its body, unless a barrier on the way is there already. Errors (User, "barrier"): a crossing inside a loop over lanes, where
/// no lane can wait.
struct Synchronised {
    CodePtr code;
    std::vector<Crossing> reasons;  ///< for each barrier one of those that need it, inner ones first
};
Synchronised insert_barriers(const CodePtr& code, const std::vector<Crossing>& crossings, const KernelData& kernel);

}  // namespace heddle
