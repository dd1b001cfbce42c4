#include <fmt/format.h>

#include <cstring>

#include "runtime/device/opencl.h"

namespace heddle::runtime {
namespace {

constexpr std::uint32_t binary_sizes = 0x1165, binaries = 0x1166, build_log = 0x1183, argument_count = 0x1191,
                        group_size = 0x11B0;

/// A program object, released at the end.
class ClProgram {
public:
    ClProgram(std::shared_ptr<const ClContext> context, void* program) : context_(std::move(context)), program_(program) {}
    ~ClProgram() { context_->api.ReleaseProgram(program_); }
    ClProgram(const ClProgram&) = delete;
    void* get() const { return program_; }
    std::string log() const {
        return cl_text(
            [&](std::size_t n, void* v, std::size_t* s) {
                return context_->api.GetProgramBuildInfo(program_, context_->device, build_log, n, v, s);
            },
            "clGetProgramBuildInfo");
    }
    std::int32_t build(const std::string& options) const {
        return context_->api.BuildProgram(program_, 1, &context_->device, options.c_str(), nullptr, nullptr);
    }

private:
    std::shared_ptr<const ClContext> context_;
    void* program_;
};

class ClFunction : public LoadedFunction {
public:
    ClFunction(const std::string& name, std::shared_ptr<ClContext> context, std::shared_ptr<ClMemory> memory,
               std::shared_ptr<ClProgram> program, void* kernel, const DeviceLimits& limits)
        : LoadedFunction(name),
          context_(std::move(context)),
          memory_(std::move(memory)),
          program_(std::move(program)),
          kernel_(kernel),
          limits_(limits) {
        const auto& api = context_->api;
        parameters_ = cl_value<std::uint32_t>(
            [&](std::size_t n, void* v, std::size_t* s) { return api.GetKernelInfo(kernel_, argument_count, n, v, s); },
            "clGetKernelInfo");
        const auto most = cl_value<std::size_t>(
            [&](std::size_t n, void* v, std::size_t* s) {
                return api.GetKernelWorkGroupInfo(kernel_, context_->device, group_size, n, v, s);
            },
            "clGetKernelWorkGroupInfo");
        limits_.lanes_of_block = std::min(limits_.lanes_of_block, static_cast<std::int64_t>(most));
        last_.resize(parameters_);
    }
    ~ClFunction() override { context_->api.ReleaseKernel(kernel_); }

    void launch(const heddle_launch& l, void* queue) override {
        if (!check_shape(l, limits_)) return;
        const std::uint32_t given = static_cast<std::uint32_t>(l.count) + (l.shared_bytes != 0 ? 1 : 0);
        if (given != parameters_)
            refuse_launch(l, fmt::format("{} arguments{} for {} parameters", given,
                                         l.shared_bytes != 0 ? ", the shared memory among them," : "", parameters_));
        std::size_t global[3], local[3];
        for (int k = 0; k < 3; ++k) {
            local[k] = static_cast<std::size_t>(l.lanes[k]);
            global[k] = static_cast<std::size_t>(l.blocks[k]) * local[k];
        }
        const std::lock_guard lock(mutex_);  // a kernel object holds the arguments of the next launch
        for (std::int32_t k = 0; k < l.count; ++k) set(l, k);
        if (l.shared_bytes != 0) set(l, l.count, l.shared_bytes, nullptr);
        const auto status = context_->api.EnqueueNDRangeKernel(queue, kernel_, 3, nullptr, global, local, 0, nullptr, nullptr);
        if (status != cl_success) launch_failed(l, "clEnqueueNDRangeKernel says " + opencl_error(status));
    }

private:
    /// What the kernel object holds of a parameter: the bytes of a number; of memory its address, and how memory was then.
    struct Last {
        std::string bytes;
        std::uint64_t memory = 0;
    };
    /// An argument is passed again only when it changes.
    void set(const heddle_launch& l, std::int32_t k) {
        const heddle_argument& a = l.arguments[k];
        const std::uint64_t memory = a.is_memory != 0 ? memory_->version() : 0;
        Last& last = last_[static_cast<std::size_t>(k)];
        if (last.memory == memory && last.bytes.size() == a.size && std::memcmp(last.bytes.data(), a.value, a.size) == 0)
            return;
        last = {};
        if (a.is_memory != 0)
            set_memory(l, k);
        else
            set(l, k, a.size, a.value);
        last = {std::string(static_cast<const char*>(a.value), a.size), memory};
    }
    void set_memory(const heddle_launch& l, std::int32_t k) {
        void* object = nullptr;
        try {
            object = memory_->argument(*static_cast<const void* const*>(l.arguments[k].value));
        } catch (const RuntimeError& e) {
            refuse_launch(l, fmt::format("argument {}: {}", k + 1, e.what()));
        }
        set(l, k, sizeof object, &object);
    }
    void set(const heddle_launch& l, std::int32_t k, std::size_t bytes, const void* value) {
        const auto status = context_->api.SetKernelArg(kernel_, static_cast<std::uint32_t>(k), bytes, value);
        if (status != cl_success)
            launch_failed(l,
                          fmt::format("argument {} of {} bytes: clSetKernelArg says {}", k + 1, bytes, opencl_error(status)));
    }

    std::shared_ptr<ClContext> context_;
    std::shared_ptr<ClMemory> memory_;
    std::shared_ptr<ClProgram> program_;
    void* kernel_;
    DeviceLimits limits_;
    std::uint32_t parameters_ = 0;
    std::mutex mutex_;
    std::vector<Last> last_;
};

class ClLoaded : public LoadedProgram {
public:
    ClLoaded(std::shared_ptr<ClContext> context, std::shared_ptr<ClMemory> memory, std::shared_ptr<ClProgram> program,
             const DeviceLimits& limits)
        : context_(std::move(context)), memory_(std::move(memory)), program_(std::move(program)), limits_(limits) {}

private:
    std::unique_ptr<LoadedFunction> find(const std::string& name) override {
        std::int32_t status = 0;
        void* kernel = context_->api.CreateKernel(program_->get(), name.c_str(), &status);
        if (status != cl_success)
            throw RuntimeError(Code::LoadFailed,
                               fmt::format("the OpenCL text has no kernel '{}': {}", name, opencl_error(status)));
        return std::make_unique<ClFunction>(name, context_, memory_, program_, kernel, limits_);
    }
    std::shared_ptr<ClContext> context_;
    std::shared_ptr<ClMemory> memory_;
    std::shared_ptr<ClProgram> program_;
    DeviceLimits limits_;
};

/// Options as one text; what is no plain word would be read as two.
std::string build_options(const ProgramOptions& options) {
    std::string out = "-cl-std=CL1.2";
    for (const std::string& flag : options.flags) out += " " + flag;
    return out;
}

std::string make_binary(const std::shared_ptr<const ClContext>& context, const std::string& text, const std::string& options) {
    const char* source = text.c_str();
    const std::size_t size = text.size();
    std::int32_t status = 0;
    void* made = context->api.CreateProgramWithSource(context->context, 1, &source, &size, &status);
    opencl_check(status, "clCreateProgramWithSource");
    const ClProgram program(context, made);
    const auto built = program.build(options);
    if (built != cl_success)
        throw RuntimeError(Code::CompileFailed,
                           fmt::format("the OpenCL compiler of {} failed with {}:\n{}", context->device_text,
                                       opencl_error(built), with_source_line(program.log(), text)));
    std::size_t bytes = 0;
    opencl_check(context->api.GetProgramInfo(made, binary_sizes, sizeof bytes, &bytes, nullptr), "clGetProgramInfo");
    std::string binary(bytes, '\0');
    char* where = binary.data();
    opencl_check(context->api.GetProgramInfo(made, binaries, sizeof where, &where, nullptr), "clGetProgramInfo");
    return binary;
}

}  // namespace

std::string opencl_binary(const ClContext& context, const std::string& text, const ProgramOptions& options) {
    const std::shared_ptr<const ClContext> borrowed(&context, [](const ClContext*) {});
    return make_binary(borrowed, text, build_options(options));
}

std::shared_ptr<LoadedProgram> opencl_program(std::shared_ptr<ClContext> context, std::shared_ptr<ClMemory> memory,
                                              const std::string& binary, const DeviceLimits& limits) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
    const std::size_t size = binary.size();
    std::int32_t status = 0, accepted = 0;
    void* made = context->api.CreateProgramWithBinary(context->context, 1, &context->device, &size, &bytes, &accepted, &status);
    if (status != cl_success || accepted != cl_success)
        throw RuntimeError(Code::LoadFailed, fmt::format("{} does not take the compiled program: {}", context->device_text,
                                                         opencl_error(status != cl_success ? status : accepted)));
    auto program = std::make_shared<ClProgram>(context, made);
    if (const auto built = program->build(""); built != cl_success)
        throw RuntimeError(Code::LoadFailed, fmt::format("{} does not take the compiled program: {}\n{}", context->device_text,
                                                         opencl_error(built), program->log()));
    return std::make_shared<ClLoaded>(std::move(context), std::move(memory), std::move(program), limits);
}

}  // namespace heddle::runtime
