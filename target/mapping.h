// Code of a device: which part is the host's, which launches there are, and which lane runs what.
#pragma once

#include "target/known.h"
#include "target/program.h"

namespace heddle {

/// The number of a lane or of a block along an axis, as a symbol of device code.
Name lane_symbol(int axis);
Name block_symbol(int axis);

/// The kernel whose loops over blocks that stand directly inside each other have ranges of their own (they are marked as one
/// band), and whose tags for the CPU are gone.
std::shared_ptr<const KernelData> with_block_bands(const std::shared_ptr<const KernelData>& kernel);

/// Scheduled code as host code, whose leaves are launches. A launch is a loop over blocks with the loops over blocks directly
/// inside it, or the largest piece of code that has none. Loops over lanes are still loops in there; their statements have
/// their lanes, along axes without a loop none.
/// Errors (User): "map" where loops over blocks or lanes do not nest as a device has them, or have too many lanes.
struct HostCode {
    CodePtr code;
    std::vector<Launch> launches;
};
HostCode split_launches(const CodePtr& code, const KernelData& kernel, const TargetOptions& options);

/// A launch with loops over lanes and blocks replaced by the values that a lane has, and with what one lane does for all
/// guarded.
CodePtr realise_lanes(const Launch& launch, const KernelData& kernel);
/// What holds for lanes and blocks of a launch.
void know_launch(const Launch& launch, Known& known);

}  // namespace heddle
