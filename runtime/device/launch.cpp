// The shape of a launch: what is allowed, and how messages show it.
#include <fmt/format.h>

#include "runtime/device/driver.h"

namespace heddle::runtime {
namespace {

template <class T>
std::string shape_text(const T* s) {
    return fmt::format("{} x {} x {}", s[0], s[1], s[2]);
}

void check_lanes(const heddle_launch& l, const DeviceLimits& limits) {
    std::int64_t lanes = 1;
    bool fits = true;
    for (int k = 0; k < 3; ++k) {
        fits = fits && l.lanes[k] >= 1 && l.lanes[k] <= limits.lanes[k];
        lanes = fits ? lanes * l.lanes[k] : lanes;
    }
    if (!fits || lanes > limits.lanes_of_block)
        refuse_launch(l, fmt::format("blocks may have 1 to {} lanes, at most {} along x, y and z", limits.lanes_of_block,
                                     shape_text(limits.lanes.data())));
}

}  // namespace

std::string launch_text(const heddle_launch& l) {
    return fmt::format("launch of '{}' with {} blocks of {} lanes and {} bytes of shared memory", l.function,
                       shape_text(l.blocks), shape_text(l.lanes), l.shared_bytes);
}

void launch_failed(const heddle_launch& l, const std::string& why) {
    throw RuntimeError(Code::DeviceFailed, launch_text(l) + ": " + why);
}

void refuse_launch(const heddle_launch& l, const std::string& why) {
    throw RuntimeError(Code::BadArgument, launch_text(l) + ": " + why);
}

bool check_shape(const heddle_launch& l, const DeviceLimits& limits) {
    check_lanes(l, limits);
    if (l.shared_bytes > limits.shared_bytes)
        refuse_launch(l, fmt::format("the device has {} bytes of shared memory for a block", limits.shared_bytes));
    for (const std::int64_t blocks : l.blocks)
        if (blocks <= 0) return false;
    for (int k = 0; k < 3; ++k)
        if (l.blocks[k] > limits.blocks[k])
            refuse_launch(l,
                          fmt::format("grids may have at most {} blocks along x, y and z", shape_text(limits.blocks.data())));
    return true;
}

}  // namespace heddle::runtime
