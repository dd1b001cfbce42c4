#include "tools/heddle/launch.h"

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
    /// Brings what was written into laid out memory back.
    void fetch() {
        for (const auto& [array, memory] : laid_out_)
            if (array->role != Role::In) unpack(*array, memory, sizes_, arguments_.arrays.at(array->name.str()));
    }

private:
    void add(const Array& array) {
        Buffer& buffer = arguments_.arrays.at(array.name.str());
        if (is_plain(array)) {
            pointers_.push_back(buffer.bytes.data());
            return;
        }
        laid_out_.emplace_back(&array, packed(array, buffer, sizes_));
        std::vector<std::byte>& memory = laid_out_.back().second;
        const std::int64_t parts = parts_of(array, buffer.shape);
        for (std::int64_t k = 0; k < parts; ++k)
            pointers_.push_back(memory.data() + static_cast<std::int64_t>(memory.size()) / parts * k);
    }

    Arguments& arguments_;
    Env sizes_;
    std::vector<void*> pointers_;
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

}  // namespace heddle::tools
