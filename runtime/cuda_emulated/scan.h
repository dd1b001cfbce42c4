// What has to be known of CUDA text before it is compiled.
#pragma once

#include <string>
#include <vector>

namespace heddle::runtime {

struct CudaText {
    struct Kernel {
        std::string name;   ///< with its namespaces
        std::string bound;  ///< the first argument of __launch_bounds__; empty: none
    };
    std::vector<Kernel> kernels;       ///< __global__ functions with a body that are no templates
    std::vector<std::string> dynamic;  ///< symbols of `extern __shared__` arrays, as the linker sees them
};

/// Looks at the words of the text, outside comments, literals and preprocessor lines: what macros make is not seen.
CudaText scan_cuda_text(const std::string& text);

}  // namespace heddle::runtime
