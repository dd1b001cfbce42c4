// A stand-in for the CUDA driver and NVRTC: it writes down every call, keeps device memory in host memory, runs kernels by the
// emulator, and fails on demand. What a real driver would refuse, it refuses.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/device/cuda_api.h"

namespace heddle::test {

/// One call of the driver, with what matters of its arguments as text.
struct CudaCall {
    std::string name, text;
};

/// The one stand-in of a process; a test begins with `clear`.
class RecordingCuda {
public:
    static RecordingCuda& get();
    std::shared_ptr<const runtime::CudaApi> api() const;

    /// Forgets calls and failures that were asked for. What is live stays.
    void clear();
    std::vector<CudaCall> calls() const;
    /// The texts of the calls of one name, in order.
    std::vector<std::string> calls(const std::string& name) const;
    /// The n-th call of this function from now fails, the first being 1.
    void fail(const std::string& name, int n, int status);
    /// Objects that were made and not released: memory, streams, events, modules, graphs, executable graphs.
    std::size_t live(const std::string& kind) const;
    /// Calls with a handle that is not live, or without a context.
    std::vector<std::string> misuses() const;
    std::size_t live_bytes() const;

private:
    RecordingCuda() = default;
};

}  // namespace heddle::test
