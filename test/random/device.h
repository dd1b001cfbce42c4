// Random kernels on random device schedules.
#pragma once

namespace heddle::random_test {

struct DeviceRun {
    unsigned seed;
    int count, steps;
    bool opencl = true;  ///< beside emulated CUDA
};
/// Random affine kernels, each after random steps and with random loops mapped to blocks and lanes, as C, by OpenCL, as
/// emulated CUDA text that is checked, and by the interpreter: all agree, or the mapping is refused. Prints a tally; gives the
/// number of failures.
int check_devices(const DeviceRun& run);

}  // namespace heddle::random_test
