#include "ir/interpret.h"

#include <fmt/format.h>

#include "ir/error.h"
#include "ir/interpret_run.h"

namespace heddle {
namespace {

std::int64_t elements(const std::vector<std::int64_t>& shape) {
    std::int64_t n = 1;
    for (const std::int64_t extent : shape)
        if (__builtin_mul_overflow(n, std::max<std::int64_t>(extent, 0), &n)) return -1;
    return n;
}

interp::Stores stores_of(const KernelData& kernel, Arguments& arguments) {
    interp::Stores out;
    for (const Array& array : kernel.arrays) {
        if (!array.is_argument()) continue;
        Buffer& buffer = arguments.arrays.at(array.name.str());
        auto store = std::make_shared<interp::Store>();
        store->data = buffer.bytes.data();
        if (array.role == Role::Out) store->track(static_cast<std::size_t>(buffer.count()));
        out[array.name] = std::move(store);
    }
    return out;
}

}  // namespace

std::int64_t Buffer::count() const { return elements(shape); }

Buffer Buffer::zeros(DType type, std::vector<std::int64_t> shape) {
    for (std::int64_t& extent : shape) extent = std::max<std::int64_t>(extent, 0);
    const std::int64_t count = elements(shape);
    std::int64_t size = 0;
    const bool too_large = count < 0 || __builtin_mul_overflow(count, static_cast<std::int64_t>(size_of(type)), &size);
    const auto refuse = [&] {
        return Error(ErrorKind::Runtime, "memory", fmt::format("no memory for {}[{}]", name_of(type), fmt::join(shape, ", ")));
    };
    if (too_large) throw refuse();
    Buffer out{type, std::move(shape), {}};
    try {
        out.bytes.resize(static_cast<std::size_t>(size));
    } catch (const std::exception&) {
        shape = out.shape;
        throw refuse();
    }
    return out;
}

void interpret(const Kernel& kernel, Arguments& arguments, const Trace& trace, const ExternTable& externs) {
    const KernelData& data = kernel.data();
    complete_in_place(data, arguments);
    Env sizes;
    for (const Parameter& p : data.parameters) sizes[p.name] = arguments.sizes.at(p.name.str());
    interp::Run run(data, sizes, stores_of(data, arguments), externs);
    run.execute(trace);
}

}  // namespace heddle
