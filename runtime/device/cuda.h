// A CUDA device: its primary context, so that programs which use CUDA's runtime share it.
#pragma once

#include "runtime/device/cuda_api.h"
#include "runtime/device/driver.h"

namespace heddle::runtime {

/// A device's context, retained.
struct CudaContext {
    CudaContext(std::shared_ptr<const CudaApi> a, int n);
    ~CudaContext() { api->primary_release(device); }
    CudaContext(const CudaContext&) = delete;
    void check(int status, const char* call) const { cuda_check(*api, status, call); }
    int attribute(int which) const;
    std::shared_ptr<const CudaApi> api;
    int device = 0;
    void* context = nullptr;
};

/// Makes the context current for this thread while in scope.
class CudaCurrent {
public:
    explicit CudaCurrent(const CudaContext& context);
    ~CudaCurrent();
    CudaCurrent(const CudaCurrent&) = delete;

private:
    const CudaContext& context_;
};

/// A function of a loaded cubin.
class CudaFunction : public LoadedFunction {
public:
    CudaFunction(const std::string& name, std::shared_ptr<CudaContext> context, std::shared_ptr<void> module, void* function,
                 const DeviceLimits& limits);
    void launch(const heddle_launch& launch, void* queue) override;
    /// Whether anything is to run: shape and arguments are checked, and shared memory is asked for, as for a launch.
    bool prepare(const heddle_launch& launch);
    void* handle() const { return function_; }
    const std::shared_ptr<CudaContext>& context() const { return context_; }

private:
    void read_parameters();
    void allow_shared(const heddle_launch& launch);
    std::shared_ptr<CudaContext> context_;
    std::shared_ptr<void> module_;
    void* function_;
    DeviceLimits limits_;
    bool known_ = false;  ///< the driver told the parameters
    std::vector<std::size_t> parameters_;
    std::mutex mutex_;
    std::size_t allowed_ = 48 * 1024;  ///< dynamic shared memory without asking
};

/// The values of a launch as CUDA takes them: a pointer to each.
std::vector<void*> cuda_arguments(const heddle_launch& launch);

std::shared_ptr<const std::string> nvrtc_cubin(const NvrtcApi& api, const std::string& text, const std::string& architecture,
                                               const ProgramOptions& options);

}  // namespace heddle::runtime
