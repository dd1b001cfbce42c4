#include <fmt/format.h>

#include "runtime/device/cuda.h"

namespace heddle::runtime {
namespace {

constexpr int max_threads = 0, static_shared = 1, max_dynamic_shared = 8;

unsigned as_unsigned(std::int64_t n) { return static_cast<unsigned>(n); }

}  // namespace

CudaFunction::CudaFunction(const std::string& name, std::shared_ptr<CudaContext> context, std::shared_ptr<void> module,
                           void* function, const DeviceLimits& limits)
    : LoadedFunction(name), context_(std::move(context)), module_(std::move(module)), function_(function), limits_(limits) {
    int threads = 0, bytes = 0;
    context_->check(context_->api->function_attribute(&threads, max_threads, function_), "cuFuncGetAttribute");
    context_->check(context_->api->function_attribute(&bytes, static_shared, function_), "cuFuncGetAttribute");
    limits_.lanes_of_block = std::min<std::int64_t>(limits_.lanes_of_block, threads);
    limits_.shared_bytes -= std::min(limits_.shared_bytes, static_cast<std::size_t>(bytes));
    allowed_ -= std::min(allowed_, static_cast<std::size_t>(bytes));
    read_parameters();
}

void CudaFunction::read_parameters() {
    known_ = context_->api->parameter_info != nullptr;
    if (!known_) return;
    std::size_t offset = 0, bytes = 0;
    while (context_->api->parameter_info(function_, parameters_.size(), &offset, &bytes) == 0) parameters_.push_back(bytes);
}

void CudaFunction::allow_shared(const heddle_launch& l) {
    const std::lock_guard lock(mutex_);
    if (l.shared_bytes <= allowed_) return;
    const int status = context_->api->set_function_attribute(function_, max_dynamic_shared, static_cast<int>(l.shared_bytes));
    if (status != 0) launch_failed(l, "cuFuncSetAttribute says " + cuda_error(*context_->api, status));
    allowed_ = l.shared_bytes;
}

bool CudaFunction::prepare(const heddle_launch& l) {
    if (!check_shape(l, limits_)) return false;
    if (known_ && static_cast<std::size_t>(l.count) != parameters_.size())
        refuse_launch(l, fmt::format("{} arguments for {} parameters", l.count, parameters_.size()));
    for (std::size_t k = 0; k < parameters_.size(); ++k)
        if (l.arguments[k].size != parameters_[k])
            refuse_launch(
                l, fmt::format("argument {} has {} bytes, the parameter {}", k + 1, l.arguments[k].size, parameters_[k]));
    allow_shared(l);
    return true;
}

void CudaFunction::launch(const heddle_launch& l, void* queue) {
    const CudaCurrent current(*context_);
    if (!prepare(l)) return;
    auto values = cuda_arguments(l);
    const int status =
        context_->api->launch_kernel(function_, as_unsigned(l.blocks[0]), as_unsigned(l.blocks[1]), as_unsigned(l.blocks[2]),
                                     as_unsigned(l.lanes[0]), as_unsigned(l.lanes[1]), as_unsigned(l.lanes[2]),
                                     as_unsigned(static_cast<std::int64_t>(l.shared_bytes)), queue, values.data(), nullptr);
    if (status != 0) launch_failed(l, "cuLaunchKernel says " + cuda_error(*context_->api, status));
}

std::vector<void*> cuda_arguments(const heddle_launch& l) {
    std::vector<void*> out;
    out.reserve(static_cast<std::size_t>(l.count));
    for (std::int32_t k = 0; k < l.count; ++k) out.push_back(const_cast<void*>(l.arguments[k].value));
    return out;
}

}  // namespace heddle::runtime
