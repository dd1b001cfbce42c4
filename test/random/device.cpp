#include "test/random/device.h"

#include <fmt/format.h>

#include <map>

#include "ir/error.h"
#include "ir/kernel_data.h"
#include "ir/tree.h"
#include "runtime/status.h"
#include "target/target.h"
#include "test/random/generate.h"
#include "test/support/compare.h"
#include "tools/heddle/launch.h"
#include "transform/step.h"

namespace heddle::random_test {

using namespace heddle::test;

namespace {

struct Tally {
    int run = 0, refused_steps = 0, failures = 0, barriers = 0, shared = 0, atomics = 0;
    std::map<std::string, int> refused;  ///< mappings that became no program, by the error's code
};

/// The steps that the kernel accepts, in order.
class Schedule {
public:
    Schedule(const Kernel& kernel, Tally& tally) : kernel(kernel), tally_(tally) {}

    void attempt(const std::string& line) {
        try {
            kernel = heddle::apply(kernel, read_step({line, {}}));
            text += "  " + line + "\n";
        } catch (const Error& e) {
            if (e.kind() == ErrorKind::Internal) throw;
            ++tally_.refused_steps;
        }
    }

    Kernel kernel;
    std::string text;

private:
    Tally& tally_;
};

std::vector<std::string> plain_loops(const Kernel& kernel) {
    std::vector<std::string> out;
    walk(kernel.data().root, [&](const NodePtr& n) {
        if (n->kind == Node::Kind::Loop && n->tag == LoopTag{}) out.push_back(n->loop.str());
    });
    return out;
}

/// Some loops become those of blocks or lanes; some are split first, and their parts are mapped.
void map_loops(Rng& rng, Schedule& to) {
    static const char* const axes[] = {"block.x", "lane.x", "lane.x", "lane.y", "block.y", "lane.x"};
    const int wanted = 2 + pick(rng, 5);
    for (int k = 0; k < wanted; ++k) {
        const auto loops = plain_loops(to.kernel);
        if (loops.empty()) return;
        const std::string& loop = loops[static_cast<std::size_t>(pick(rng, static_cast<int>(loops.size())))];
        if (chance(rng, 25)) {
            to.attempt(fmt::format("split {0} by {1} into {0}_b, {0}_l", loop, 2 + pick(rng, 3)));
            to.attempt(fmt::format("map {}_b to block.x", loop));
            to.attempt(fmt::format("map {}_l to lane.x", loop));
        } else {
            to.attempt(fmt::format("map {} to {}", loop, axes[pick(rng, 6)]));
        }
    }
}

/// Where the runs on devices differ from the interpreter's, or nothing.
std::optional<std::string> mismatch(const Kernel& original, const Schedule& schedule, const DeviceRun& how, unsigned seed,
                                    Tally& tally) {
    TargetOptions cuda, opencl;
    cuda.device = Device::Cuda;
    opencl.device = Device::OpenCl;
    std::string text;
    try {
        text = emit_device_text(*lower(schedule.kernel, cuda));
    } catch (const Error& e) {
        if (e.kind() == ErrorKind::Internal) throw;
        ++tally.refused[e.code()];
        return std::nullopt;
    }
    ++tally.run;
    for (const auto& [word, count] : {std::pair("__syncthreads", &tally.barriers), std::pair("__shared__", &tally.shared),
                                      std::pair("atomicAdd", &tally.atomics)})
        if (text.find(word) != std::string::npos) ++*count;
    runtime::CompileOptions host;
    host.flags = {"-std=c11", "-O0"};
    const Compiled compiled(schedule.kernel);
    const tools::OnDevice emulated(schedule.kernel, cuda, "cuda-emulated", host);
    std::optional<tools::OnDevice> real;
    if (how.opencl) real.emplace(schedule.kernel, opencl, "opencl", host);
    const double tolerance = schedule.kernel.str().find("[reassociate") != std::string::npos ? 1e-4 : 0;
    for (const auto& [n, m] : {std::pair(5, 6), std::pair(1, 3), std::pair(6, 2)}) {
        if (!contains(schedule.kernel.data().assumptions, {{"n", n}, {"m", m}})) continue;
        const Arguments given = random_arguments(original, {{"n", n}, {"m", m}}, seed);
        Arguments expected = given, got = given;
        interpret(original, expected);
        const auto differs = [&](const char* what, const Arguments& other) -> std::optional<std::string> {
            const auto d = difference(expected, other, tolerance);
            return d ? std::optional(fmt::format("n = {}, m = {}, {}: {}\n{}", n, m, what, *d, text)) : std::nullopt;
        };
        if (auto wrong = differs("C", compiled.run(given))) return wrong;
        emulated.run(got);
        if (auto wrong = differs("emulated CUDA", got)) return wrong;
        if (!real) continue;
        got = given;
        real->run(got);
        if (auto wrong = differs("OpenCL", got)) return wrong;
    }
    return std::nullopt;
}

void one(const DeviceRun& how, unsigned seed, Tally& tally) {
    Rng rng(seed);
    const std::string text = random_affine_kernel(rng, "work");
    std::optional<Schedule> schedule;
    std::optional<std::string> wrong;
    try {
        const Kernel original = parse(text, "random").kernel("work");
        schedule.emplace(original, tally);
        for (int k = 0; k < how.steps; ++k) schedule->attempt(random_step(rng, schedule->kernel));
        map_loops(rng, *schedule);
        wrong = mismatch(original, *schedule, how, seed, tally);
    } catch (const Error& e) {
        wrong = e.render();
    } catch (const runtime::RuntimeError& e) {
        wrong = e.what();
    }
    if (!wrong) return;
    ++tally.failures;
    fmt::print("FAIL seed {}: {}\n{}schedule for it {{\n{}}}\n\n", seed, *wrong, text, schedule ? schedule->text : "");
    std::fflush(stdout);
}

}  // namespace

int check_devices(const DeviceRun& how) {
    Tally tally;
    for (int k = 0; k < how.count; ++k) one(how, how.seed + static_cast<unsigned>(k), tally);
    fmt::print(
        "{} kernels, {} run on devices ({} with barriers, {} with shared memory, {} with atomics), {} failures; {} steps "
        "refused\n",
        how.count, tally.run, tally.barriers, tally.shared, tally.atomics, tally.failures, tally.refused_steps);
    for (const auto& [code, count] : tally.refused) fmt::print("  refused: {:12s} {}\n", code, count);
    return tally.failures;
}

}  // namespace heddle::random_test
