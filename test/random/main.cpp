// Random kernels and step sequences: every compiled result equals the interpreter's on the kernel as written, or the step is
// refused.
//   heddle_random [--count N] [--seed S] [--steps K] [--interpreted]
//   heddle_random --refusals [--count N] [--seed S] [--steps K]
//   heddle_random --device [--count N] [--seed S] [--steps K] [--no-opencl]
#include <fmt/format.h>

#include <stdlib.h>

#include <CLI/CLI.hpp>
#include <map>

#include "ir/error.h"
#include "ir/kernel_data.h"
#include "runtime/status.h"
#include "target/target.h"
#include "test/random/device.h"
#include "test/random/generate.h"
#include "test/random/refusals.h"
#include "test/support/compare.h"
#include "transform/step.h"

namespace heddle::random_test {

using namespace heddle::test;

namespace {

struct Tally {
    int kernels = 0, failures = 0;
    std::map<std::string, int> accepted, refused;  ///< by verb; by verb and error code
};

std::string verb_of(const std::string& line) { return line.substr(0, line.find(' ')); }

/// The kernel after a random step, or the same kernel when it was refused.
Kernel stepped(Rng& rng, const Kernel& kernel, Tally& tally, std::string& script) {
    const std::string line = random_step(rng, kernel);
    try {
        Kernel next = heddle::apply(kernel, read_step({line, {}}));
        ++tally.accepted[verb_of(line)];
        script += "  " + line + "\n";
        return next;
    } catch (const Error& e) {
        if (e.kind() == ErrorKind::Internal) {
            script += "  " + line + "\n";
            throw;
        }
        ++tally.refused[verb_of(line) + " " + e.code()];
        return kernel;
    }
}

/// Three pairs (n, m) that the kernel's `where` allows: steps may have fixed one.
std::vector<std::pair<int, int>> allowed_sizes(const Kernel& kernel) {
    std::vector<std::pair<int, int>> out;
    for (const int n : {5, 1, 8, 2, 9, 3, 4, 6, 7})
        for (const int m : {7, 2, 3, 1, 4, 5, 6, 8, 9})
            if (out.size() < 3 && (out.empty() || out.back().first != n || out.size() == 2) &&
                contains(kernel.data().assumptions, {{"n", n}, {"m", m}}))
                out.emplace_back(n, m);
    return out;
}

/// What the schedule promised of an index array.
void make_injective(Buffer& g) {
    for (std::int64_t k = 0; k < g.count(); ++k) g.as<std::int64_t>()[k] = (k * 35 + 11) % g.count();
}

/// What is wrong with the transformed kernel, or nothing.
std::optional<std::string> mismatch(const Kernel& original, const Kernel& changed, unsigned seed, bool compile) {
    const std::string text = changed.str();
    if (!(parse(text).kernel(changed.name()) == changed)) return "the printed kernel parses to another kernel:\n" + text;
    std::optional<Compiled> compiled;  // whatever the steps accepted can be generated
    if (compile)
        compiled.emplace(changed);
    else
        emit_c_single(*lower(changed));
    const double tolerance = text.find("[reassociate") != std::string::npos ? 1e-4 : 0;  // sums may have another order
    for (const auto& [n, m] : allowed_sizes(changed)) {
        Arguments arguments = random_arguments(original, {{"n", n}, {"m", m}}, seed);
        if (text.find("assert injective g") != std::string::npos) make_injective(arguments.arrays.at("g"));
        Arguments reference = arguments, interpreted = arguments;
        interpret(original, reference);
        interpret(changed, interpreted);
        if (const auto d = difference(reference, interpreted, tolerance))
            return fmt::format("n = {}, m = {}: the steps change {}", n, m, *d);
        if (!compiled) continue;
        if (const auto d = difference(reference, compiled->run(arguments), tolerance))
            return fmt::format("n = {}, m = {}: the C code differs, {}", n, m, *d);
    }
    return std::nullopt;
}

void report(Tally& tally, unsigned seed, const std::string& text, const std::string& script, const std::string& what) {
    ++tally.failures;
    fmt::print("FAIL seed {}: {}\n{}schedule for it {{\n{}}}\n\n", seed, what, text, script);
}

void one(unsigned seed, int steps, bool compile, Tally& tally) {
    Rng rng(seed);
    const std::string text = random_kernel(rng, "work");
    std::string script;
    ++tally.kernels;
    try {
        const Kernel original = parse(text, "random").kernel("work");
        Kernel changed = original;
        for (int k = 0; k < steps; ++k) changed = stepped(rng, changed, tally, script);
        if (const auto wrong = mismatch(original, changed, seed, compile)) report(tally, seed, text, script, *wrong);
    } catch (const Error& e) {
        report(tally, seed, text, script, e.render());
    } catch (const runtime::RuntimeError& e) {
        report(tally, seed, text, script, e.what());
    }
}

void print(const Tally& tally) {
    fmt::print("{} pairs, {} failures\naccepted:", tally.kernels, tally.failures);
    for (const auto& [verb, count] : tally.accepted) fmt::print(" {} {}", verb, count);
    fmt::print("\nrefused:\n");
    for (const auto& [what, count] : tally.refused) fmt::print("  {:32s} {}\n", what, count);
}

}  // namespace
}  // namespace heddle::random_test

int main(int argc, char** argv) {
    ::setenv("HEDDLE_CACHE", "off", 1);  // random kernels do not come again
    CLI::App app("Random kernels and step sequences against the interpreter");
    int count = 100, steps = 4;
    bool interpreted = false, refusals = false, device = false, no_opencl = false;
    unsigned seed = 1;
    app.add_option("--count", count, "how many pairs");
    app.add_option("--seed", seed, "the first seed; pair k has seed + k");
    app.add_option("--steps", steps, "steps tried on each kernel");
    app.add_flag("--interpreted", interpreted, "compare on the interpreter only: C is generated, but not compiled");
    app.add_flag("--refusals", refusals, "hold every decision on a step against brute force");
    app.add_flag("--device", device, "map loops to blocks and lanes, and run as C, OpenCL and emulated CUDA");
    app.add_flag("--no-opencl", no_opencl, "with --device: only as C and emulated CUDA");
    CLI11_PARSE(app, argc, argv);
    if (device) return heddle::random_test::check_devices({seed, count, steps, !no_opencl}) == 0 ? 0 : 1;
    if (refusals) return heddle::random_test::check_refusals({seed, count, steps}) == 0 ? 0 : 1;
    heddle::random_test::Tally tally;
    for (int k = 0; k < count; ++k) heddle::random_test::one(seed + static_cast<unsigned>(k), steps, !interpreted, tally);
    heddle::random_test::print(tally);
    return tally.failures == 0 ? 0 : 1;
}
