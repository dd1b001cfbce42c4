// THE pipeline: one flat list of pure calls.
#include <algorithm>

#include "ir/access_rules.h"
#include "ir/bounds.h"
#include "ir/infer.h"
#include "target/calls.h"
#include "target/complete.h"
#include "target/concurrency.h"
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

/// Allocated temporaries shrink to what is needed at a time, and may then live elsewhere. A checked build keeps the subscripts that
/// are to be tested.
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

}  // namespace

std::shared_ptr<const Program> place(const Kernel& kernel, const TargetOptions& options) { return placed(kernel, options); }

std::shared_ptr<const Program> lower(const Kernel& kernel, const TargetOptions& options) {
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
