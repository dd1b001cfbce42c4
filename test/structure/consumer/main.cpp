// Outside Heddle: builds a kernel, transforms it, emits, compiles and runs it, and prints the result.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "ir/builder.h"
#include "ir/error.h"
#include "runtime/compile.h"
#include "target/target.h"
#include "transform/script.h"
#include "transform/step.h"

using namespace heddle::build;

int main() {
    heddle::KernelBuilder k("twice");
    auto n = k.index("n");
    auto x = k.inout<double>("x", {n});
    k.loop("i", 0, n, [&](Index i) { x(i) *= 2; });
    heddle::Kernel kernel = k.build();
    for (const char* line : {"split i by 4 into io, ii", "parallel io"})
        kernel = heddle::apply(kernel, heddle::read_step({line, {}}));
    heddle::TargetOptions options;
    options.entry = true;
    const auto module = heddle::runtime::compile_c(heddle::emit_c_single(*heddle::lower(kernel, options)));
    std::vector<double> data{1, 2, 3, 4, 5};
    std::int64_t size = 5;
    void* arguments[] = {&size, data.data()};
    const auto run = reinterpret_cast<std::int32_t (*)(void* const*)>(module.symbol("twice_entry"));
    const std::int32_t status = run(arguments);
    for (const double value : data) std::printf("%g ", value);
    try {
        heddle::apply(kernel, heddle::read_step({"reorder nowhere, io", {}}));
    } catch (const heddle::Error& e) {
        std::printf("refused: %s\n", e.code().c_str());
    }
    return status;
}
