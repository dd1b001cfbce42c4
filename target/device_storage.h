// Where temporaries of a device program live: registers, shared memory, or memory of the device that the host allocates.
#pragma once

#include "target/mapping.h"

namespace heddle {

/// Places every temporary. Of the host (declared around a loop over blocks): allocated. Declared in a loop over lanes: of the
/// lane. Between the two: of the lane, one copy each, where no lane reads what another wrote, else shared by the block.
/// Launches get their shared temporaries, and their statements the lanes that run them: what writes only copies of the lanes
/// is done by every lane, other statements outside of loops over lanes by one.
/// Errors (User, "storage"): a space that was asked for and is wrong; private or shared memory that does not fit, with numbers.
std::map<Name, Storage> place_on_device(const KernelData& kernel, std::vector<Launch>& launches, const TargetOptions& options);

/// The kernel with the shared temporaries of each launch declared where the launch starts: all iterations of loops inside
/// then use one memory, which lanes have to know of.
std::shared_ptr<const KernelData> hoist_shared(const std::shared_ptr<const KernelData>& kernel,
                                               const std::vector<Launch>& launches);

}  // namespace heddle
