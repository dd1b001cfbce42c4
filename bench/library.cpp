// Library time from kernel text to C text for the benchmarks' work, for chain and rows with all dependences listed. Prints the
// seconds of one run.
//   bench_library WORK [COUNT]   WORK: matmul-tiled, matmul-two-level, matmul-two-level-unrolled, chain, rows, nests, square, rules,
//                                  table (from the builder; COUNT numbers)
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "bench/work.h"
#include "ir/builder.h"
#include "ir/depend.h"
#include "ir/error.h"
#include "ir/kernel.h"
#include "target/target.h"
#include "transform/step.h"

namespace {

const char* const matmul =
    "kernel work(n : index; a : in f64[n, n], b : in f64[n, n], c : inout f64[n, n])\n  where n >= 1\n{\n"
    "  for [i, j, k] : 0 <= i, j, k < n { s: c[i, j] += a[i, k] * b[k, j] }\n}\n";

struct Work {
    std::string text;
    std::vector<std::string> steps;
    bool dependences = false;  ///< all of them are computed, too
};

Work work_of(const std::string& name, int count) {
    const std::string two = "tile i, j, k by 128, 128, 128 into ia, ja, ka, i, j, k separate";
    const std::string inner = "tile i, j, k by 8, 24, 128 into ib, jb, kb, ic, jc, kc separate";
    if (name == "matmul-tiled") return {matmul, {"tile i, j, k by 64, 64, 64 separate"}};
    if (name == "matmul-two-level") return {matmul, {two, inner}};
    if (name == "matmul-two-level-unrolled") return {matmul, {two, inner, "reorder ic, jc, kc", "unroll ic", "unroll jc"}};
    if (name == "chain") return {heddle::bench::chain(count), {}, true};
    if (name == "rows") return {heddle::bench::rows(count), {"parallel i"}, true};
    if (name == "nests") return {heddle::bench::separate_nests(count), {}};
    if (name == "square") return {heddle::bench::square(count), {"unroll i", "unroll j"}};
    if (name == "rules") return {heddle::bench::nested_rules(count), {}};
    return {};
}

/// y[i] = w[i] for a constant table of so many numbers.
heddle::Kernel table_kernel(const std::vector<double>& values) {
    using namespace heddle::build;
    KernelBuilder k("work");
    const auto count = static_cast<std::int64_t>(values.size());
    auto w = k.table("w", {count}, values);
    auto y = k.out<double>("y", {count});
    k.loop("i", 0, count, [&](Index i) { y(i) = w(i); });
    return k.build();
}

double seconds_for_table(int count) {
    std::vector<double> values(static_cast<std::size_t>(count));
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = 1.0 / static_cast<double>(k + 1);
    const auto start = std::chrono::steady_clock::now();
    std::vector<heddle::SourceFile> objects;
    const std::string text = heddle::emit_c_single(*heddle::lower(table_kernel(values)), &objects);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    return text.empty() ? -1 : elapsed.count();
}

double seconds_for(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    heddle::Kernel kernel = heddle::parse(work.text, "work").kernel();
    for (const std::string& line : work.steps) kernel = heddle::apply(kernel, heddle::read_step({line, {}}));
    const std::size_t listed = work.dependences ? heddle::dependences(kernel.data()).size() : 0;
    const std::string text = heddle::emit_c_single(*heddle::lower(kernel));
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    if (work.dependences && listed == 0) return -1;
    return text.empty() ? -1 : elapsed.count();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return fmt::print(stderr, "usage: bench_library WORK [COUNT]\n"), 2;
    const int count = argc > 2 ? std::atoi(argv[2]) : 1000;
    if (std::string(argv[1]) == "table") return fmt::print("{:.6f}\n", seconds_for_table(count)), 0;
    const Work work = work_of(argv[1], count);
    if (work.text.empty()) return fmt::print(stderr, "unknown work: {}\n", argv[1]), 2;
    try {
        fmt::print("{:.6f}\n", seconds_for(work));
    } catch (const heddle::Error& e) {
        fmt::print(stderr, "{}", e.render());
        return 1;
    }
    return 0;
}
