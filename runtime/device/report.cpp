#include "runtime/device/cuda.h"
#include "runtime/device/opencl.h"

namespace heddle::runtime {

std::vector<std::string> device_report() {
    std::vector<std::string> out = opencl_report();
    for (std::string& line : cuda_report()) out.push_back(std::move(line));
    return out;
}

}  // namespace heddle::runtime
