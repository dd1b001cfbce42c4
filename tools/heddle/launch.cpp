#include "tools/heddle/launch.h"

#include <algorithm>
#include <chrono>
#include <list>

#include "ir/kernel_data.h"
#include "runtime/status.h"
#include "target/names.h"
#include "tools/heddle/layout.h"

namespace heddle::tools {
namespace {

runtime::Module compiled(const Kernel& kernel, TargetOptions options, runtime::CompileOptions compiler) {
    options.entry = true;
    std::vector<SourceFile> objects;
    const std::string text = emit_c_single(*lower(kernel, options), &objects);
    for (const SourceFile& o : objects) compiler.objects.emplace_back(o.name, o.text);
    return runtime::compile_c(text, compiler);
}

/// The addresses that the entry function takes, and memory for arguments whose layout is their own.
class Addresses {
public:
    Addresses(const KernelData& kernel, Arguments& arguments) : arguments_(arguments) {
        for (const Parameter& p : kernel.parameters) sizes_[p.name] = arguments.sizes.at(p.name.str());
        for (const Name name : kernel.argument_order) {
            if (const Array* array = kernel.find_array(name))
                add(*array);
            else
                pointers_.push_back(&arguments.sizes.at(name.str()));
        }
    }
    void* const* data() const { return pointers_.data(); }
    std::size_t count() const { return pointers_.size(); }
    /// Arguments that are memory, by their place among all.
    struct Memory {
        std::size_t place;
        std::size_t bytes;
        bool written;
    };
    const std::vector<Memory>& memories() const { return memories_; }
    /// Brings what was written into laid out memory back.
    void fetch() {
        for (const auto& [array, memory] : laid_out_)
            if (array->role != Role::In) unpack(*array, memory, sizes_, arguments_.arrays.at(array->name.str()));
    }

private:
    void add(const Array& array) {
        Buffer& buffer = arguments_.arrays.at(array.name.str());
        const bool written = array.role != Role::In;
        if (is_plain(array)) {
            if (!array.by_value()) memories_.push_back({pointers_.size(), buffer.bytes.size(), written});
            pointers_.push_back(buffer.bytes.data());
            return;
        }
        laid_out_.emplace_back(&array, packed(array, buffer, sizes_));
        std::vector<std::byte>& memory = laid_out_.back().second;
        const std::int64_t parts = parts_of(array, buffer.shape);
        const std::size_t bytes = memory.size() / static_cast<std::size_t>(parts);
        for (std::size_t k = 0; k < static_cast<std::size_t>(parts); ++k) {
            memories_.push_back({pointers_.size(), bytes, written});
            pointers_.push_back(memory.data() + bytes * k);
        }
    }

    Arguments& arguments_;
    Env sizes_;
    std::vector<void*> pointers_;
    std::vector<Memory> memories_;
    std::list<std::pair<const Array*, std::vector<std::byte>>> laid_out_;
};

}  // namespace

Compiled::Compiled(Kernel kernel, TargetOptions options, const runtime::CompileOptions& compiler)
    : kernel_(std::move(kernel)),
      module_(compiled(kernel_, options, compiler)),
      pool_(std::make_shared<runtime::Pool>()),
      entry_(c_identifier(kernel_.name())) {}

double Compiled::run(Arguments& arguments) const {
    const auto entry = reinterpret_cast<std::int32_t (*)(void* const*, const void*)>(module_.symbol(entry_ + "_entry"));
    const auto message = reinterpret_cast<const char* (*)()>(module_.symbol(entry_ + "_error"));
    Addresses addresses(kernel_.data(), arguments);
    const auto start = std::chrono::steady_clock::now();
    const std::int32_t status = entry(addresses.data(), pool_->allocator().raw());
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (status != 0) throw runtime::RuntimeError(static_cast<runtime::Code>(status), message());
    addresses.fetch();
    return taken.count();
}

namespace {

runtime::Device device_named(const std::string& name) {
    if (name == "opencl") return runtime::opencl_device();
    return name == "cuda" ? runtime::cuda_device() : runtime::emulated_cuda_device({true, {}});
}

runtime::DeviceProgram device_program(const runtime::Device& device, const Kernel& kernel, const std::string& text) {
    runtime::ProgramOptions how;
    how.name = kernel.name();
    return device.compile(text, how);
}

/// Memory of a device, given back at the end.
class DeviceBlock {
public:
    DeviceBlock(const runtime::Device& device, std::size_t bytes)
        : memory_(device.memory()), request_{std::max<std::size_t>(bytes, 1), 512, heddle_space_device, nullptr}, block_(memory_.allocate(request_)) {}
    ~DeviceBlock() { memory_.release(block_, request_); }
    DeviceBlock(const DeviceBlock&) = delete;
    void* get() const { return block_; }

private:
    runtime::Allocator memory_;
    runtime::Request request_;
    void* block_;
};

}  // namespace

OnDevice::OnDevice(Kernel kernel, TargetOptions options, const std::string& device, const runtime::CompileOptions& compiler,
                   const std::string& text)
    : kernel_(std::move(kernel)),
      device_(device_named(device)),
      device_text_(text.empty() ? emit_device_text(*lower(kernel_, options)) : text),
      program_(device_program(device_, kernel_, device_text_)),
      host_(runtime::compile_c(emit_device_host(*lower(kernel_, options)), compiler)),
      entry_(c_identifier(kernel_.name())) {}

double OnDevice::run(Arguments& arguments) const {
    using Entry = std::int32_t (*)(void* const*, const heddle_device*, void*);
    const auto entry = reinterpret_cast<Entry>(host_.symbol(entry_ + "_entry"));
    const auto message = reinterpret_cast<const char* (*)()>(host_.symbol(entry_ + "_error"));
    Addresses addresses(kernel_.data(), arguments);
    std::vector<void*> pointers(addresses.data(), addresses.data() + addresses.count());
    std::list<DeviceBlock> blocks;
    const runtime::Queue& queue = device_.queue();
    for (const Addresses::Memory& m : addresses.memories()) {
        void* const block = blocks.emplace_back(device_, m.bytes).get();
        if (m.bytes > 0) queue.copy(block, pointers[m.place], m.bytes, heddle_copy_to_device);
        pointers[m.place] = block;
    }
    queue.finish();
    const auto start = std::chrono::steady_clock::now();
    const std::int32_t status = entry(pointers.data(), program_.raw(), queue.raw());
    if (status != 0) throw runtime::RuntimeError(static_cast<runtime::Code>(status), message());
    queue.finish();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    for (const Addresses::Memory& m : addresses.memories())
        if (m.written && m.bytes > 0) queue.copy(addresses.data()[m.place], pointers[m.place], m.bytes, heddle_copy_from_device);
    queue.finish();
    addresses.fetch();
    return taken.count();
}

}  // namespace heddle::tools
