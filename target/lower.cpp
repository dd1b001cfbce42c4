// THE pipeline: one flat list of pure calls.
#include <algorithm>

#include "ir/access_rules.h"
#include "ir/bounds.h"
#include "ir/error.h"
#include "ir/infer.h"
#include "ir/print.h"
#include "ir/tree.h"
#include "target/barriers.h"
#include "target/calls.h"
#include "target/complete.h"
#include "target/concurrency.h"
#include "target/device_storage.h"
#include "target/fold_storage.h"
#include "target/place_storage.h"
#include "target/schedule.h"
#include "target/separate.h"
#include "target/unroll.h"
#include "target/workspace.h"

namespace heddle {
namespace {

/// The kernel with every use of a substitution rule expanded and typed where it stands.
std::shared_ptr<const KernelData> without_rules(const std::shared_ptr<const KernelData>& kernel) {
    if (kernel->rules.empty()) return kernel;
    auto out = std::make_shared<KernelData>(*kernel);
    RuleExpander rules(*kernel);
    const auto expand = [&](Expr& e) { e = rules.expand(e); };
    for (auto& s : out->statements) {
        auto changed = std::make_shared<Statement>(*s);
        for (Place& p : changed->places) std::for_each(p.subscripts.begin(), p.subscripts.end(), expand);
        std::for_each(changed->values.begin(), changed->values.end(), expand);
        std::for_each(changed->predicates.begin(), changed->predicates.end(), expand);
        s = std::make_shared<Statement>(infer(*out, *changed));
    }
    return out;
}

/// The accesses that are not proved inside their arrays.
std::map<std::size_t, Tests> run_time_tests(const KernelData& kernel) {
    std::map<std::size_t, Tests> out;
    for (const Finding& f : check_bounds(kernel)) {
        if (f.kind != Finding::Kind::Unproved && f.kind != Finding::Kind::OutOfBounds) continue;
        const Array* a = kernel.find_array(f.array);
        const int rank = a ? static_cast<int>(a->shape.size()) : 0;
        for (int k = 0; k < rank; ++k)
            if (f.dimension < 0 || f.dimension == k) out[f.statement].emplace(f.array, k);
    }
    return out;
}

/// Allocated temporaries shrink to what is needed at a time, and may then live elsewhere. A checked build keeps the subscripts
/// that are to be tested.
void fold(Program& program) {
    const FoldedStorage folded = fold_storage(program.kernel, program.storage);
    if (folded.reasons.empty()) return;
    program.kernel = folded.kernel;
    program.storage = place_temporaries(*program.kernel, program.options);
    for (const auto& [name, reason] : folded.reasons) program.storage.at(name).reason += "; " + reason;
}

/// Storage is decided, called kernels are lowered; there is no code yet.
std::shared_ptr<Program> placed(const Kernel& kernel, const TargetOptions& options) {
    auto program = std::make_shared<Program>();
    program->options = options;
    program->kernel = without_rules(kernel.share());
    program->storage = place_temporaries(*program->kernel, options);
    if (!options.checked) fold(*program);
    program->kernel = link_calls(program->kernel, options, program->calls, program->storage);
    program->memory = plan_workspace(*program->kernel, program->storage, program->calls);
    return program;
}

/// What a device program cannot be made of.
void refuse_for_device(const KernelData& kernel, const TargetOptions& options) {
    if (options.checked)
        throw user_error("option", "a checked build for a device is not made")
            .hint("check the kernel on the CPU: --device c --checked");
    for (const auto& s : kernel.statements)
        if (s->call)
            throw user_error("call", "'" + s->label.str() + "' calls a kernel, which device functions do not", s->loc)
                .hint("inline " + s->label.str());
    if (!kernel.externs.empty())
        throw user_error("call",
                         "'" + kernel.externs[0].name.str() + "' is a function of the host, which device functions cannot call",
                         kernel.externs[0].loc);
    for (const Array& a : kernel.arrays)
        if (a.layout.separate_axis >= 0 && a.is_argument())
            throw user_error("layout", "'" + a.name.str() + "' is several arrays, which device functions do not take", a.loc);
}

/// Races of loops over blocks and lanes; statements whose updates have to be atomic.
std::set<std::size_t> atomic_updates(const KernelData& kernel) {
    std::set<std::size_t> out;
    std::optional<LoopQuestions> questions;
    walk(kernel.root, [&](const NodePtr& n) {
        if (n->kind != Node::Kind::Loop || !n->tag.is_mapped()) return;
        if (!questions) questions.emplace(kernel);
        if (const auto witness = questions->carried_by(n.get(), true))
            throw user_error(
                "race", "loop '" + n->loop.str() + "' cannot run on " + mapping_text(n->tag) + ": " + witness->text(kernel),
                n->loc);
        const auto carried = questions->reductions_carried(n.get());
        out.insert(carried.begin(), carried.end());
    });
    return out;
}

CodePtr with_atomics(const CodePtr& code, const std::set<std::size_t>& statements) {
    if (statements.empty()) return code;
    auto out = std::make_shared<Code>(*code);
    out->atomic = code->kind == Code::Kind::Run && statements.count(code->statement) != 0;
    for (CodePtr& c : out->body) c = with_atomics(c, statements);
    for (CodePtr& c : out->otherwise) c = with_atomics(c, statements);
    return out;
}

/// Barriers, lanes and unrolling: what one lane of a launch runs.
void finish_launch(Launch& launch, const KernelData& kernel, const Program& program) {
    const auto counts = [&](Name array) {
        const auto it = program.storage.find(storage_of(kernel, array));
        return it == program.storage.end() || it->second.kind != Storage::Kind::Local;
    };
    const bool alone = launch.lanes == std::array<std::int64_t, 3>{1, 1, 1};
    if (!alone) {
        LaneQuestions questions(kernel);
        const auto crossings = questions.crossings(launch.statements, launch.host_loops.size() + launch.blocks.size(), counts);
        Synchronised done = insert_barriers(launch.code, crossings, kernel);
        launch.code = std::move(done.code);
        launch.barriers = std::move(done.reasons);
    }
    launch.code = unroll(realise_lanes(launch, kernel), kernel, program.options.unroll_limit);
}

/// A host part with launches. Storage decides which temporaries lanes share; with those where the launch starts, what lanes
/// wait for is asked.
std::shared_ptr<const Program> lower_for_device(const Kernel& kernel, const TargetOptions& options) {
    auto program = std::make_shared<Program>();
    program->options = options;
    program->options.openmp = false;
    program->kernel = with_block_bands(without_rules(kernel.share()));
    refuse_for_device(*program->kernel, options);
    const std::set<std::size_t> atomics = atomic_updates(*program->kernel);
    const auto split = [&] {
        const CodePtr code = with_atomics(schedule(*program->kernel), atomics);
        if (options.prove_complete) prove_complete(*program->kernel, code);
        return split_launches(code, *program->kernel, options);
    };
    HostCode parts = split();
    program->storage = place_on_device(*program->kernel, parts.launches, options);
    const auto hoisted = hoist_shared(program->kernel, parts.launches);
    if (hoisted != program->kernel) {
        program->kernel = hoisted;
        parts = split();
        program->storage = place_on_device(*program->kernel, parts.launches, options);
    }
    program->memory = plan_workspace(*program->kernel, program->storage, program->calls);
    program->code = parts.code;
    program->launches = std::move(parts.launches);
    for (Launch& launch : program->launches) finish_launch(launch, *program->kernel, *program);
    return program;
}

}  // namespace

std::shared_ptr<const Program> place(const Kernel& kernel, const TargetOptions& options) {
    return options.device == Device::C ? placed(kernel, options) : lower_for_device(kernel, options);
}

std::shared_ptr<const Program> lower(const Kernel& kernel, const TargetOptions& options) {
    if (options.device != Device::C) return lower_for_device(kernel, options);
    const std::shared_ptr<Program> program = placed(kernel, options);
    if (options.checked) program->tests = run_time_tests(*program->kernel);
    CodePtr code = schedule(*program->kernel);
    if (options.openmp) code = make_concurrent(code, *program->kernel);
    code = separate_full_tiles(code, program->kernel->assumptions);
    if (options.prove_complete) prove_complete(*program->kernel, code);
    program->code = unroll(code, *program->kernel, options.unroll_limit);
    return program;
}

}  // namespace heddle
