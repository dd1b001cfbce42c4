#include "ir/interpret.h"

#include "ir/interpret/run.h"

namespace heddle {
namespace {

interp::Stores stores_of(const KernelData& kernel, Arguments& arguments) {
    interp::Stores out;
    for (const Array& array : kernel.arrays) {
        if (!is_passed(array)) continue;
        Buffer& buffer = arguments.arrays.at(array.name.str());
        auto store = std::make_shared<interp::Store>();
        store->data = buffer.bytes.data();
        if (array.role == Role::Out) store->track(static_cast<std::size_t>(buffer.count()));
        out[array.name] = std::move(store);
    }
    return out;
}

}  // namespace

void interpret(const Kernel& kernel, Arguments& arguments, const Trace& trace, const ExternTable& externs) {
    const KernelData& data = kernel.data();
    complete_in_place(data, arguments);
    Env sizes;
    for (const Parameter& p : data.parameters) sizes[p.name] = arguments.sizes.at(p.name.str());
    interp::Run run(data, sizes, stores_of(data, arguments), externs);
    run.execute(trace);
}

}  // namespace heddle
