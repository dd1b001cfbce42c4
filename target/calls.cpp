#include "target/calls.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/error.h"
#include "ir/infer.h"
#include "ir/tree.h"

namespace heddle {
namespace {

class Linker {
public:
    Linker(const std::shared_ptr<const KernelData>& kernel, const TargetOptions& options)
        : kernel_(*kernel), out_(std::make_shared<KernelData>(*kernel)), options_(options), used_(names_in_use(*kernel)) {}
    void call(std::size_t statement, bool parallel, CallPlan& plan, std::map<Name, Storage>& storage);
    std::shared_ptr<const KernelData> kernel() const { return out_; }

private:
    std::shared_ptr<const Program> lowered(const std::shared_ptr<const KernelData>& callee, bool openmp);
    void check_arguments(const Statement& s) const;
    Expr in_our_terms(const Statement& s, const Expr& shape, Name temporary) const;

    const KernelData& kernel_;
    std::shared_ptr<KernelData> out_;
    TargetOptions options_;
    std::set<Name> used_;
    std::map<std::pair<const KernelData*, bool>, std::shared_ptr<const Program>> lowered_;
};

std::shared_ptr<const Program> Linker::lowered(const std::shared_ptr<const KernelData>& callee, bool openmp) {
    auto& program = lowered_[{callee.get(), openmp}];
    if (!program) {
        TargetOptions options = options_;
        options.openmp = openmp;
        auto any_sizes = std::make_shared<KernelData>(*callee);
        any_sizes->assumptions = Domain::everything();  // the sizes of a call are not checked again
        program = lower(Kernel(std::move(any_sizes)), options);
    }
    return program;
}

bool same_layout(const Layout& a, const Layout& b) {
    return a.order == b.order && a.padding == b.padding && a.strides.empty() && b.strides.empty() &&
           a.separate_axis == b.separate_axis;
}

/// Arrays are handed over as they are, and none that is written comes in twice.
void Linker::check_arguments(const Statement& s) const {
    std::map<Name, bool> seen;  // our array -> is it written
    for (const auto& [formal, value] : s.call->bindings) {
        const Array* wanted = s.call->callee->find_array(formal);
        if (!wanted || wanted->by_value()) continue;
        const Array* given = kernel_.find_array(value.name());
        require(given != nullptr, "an array argument of a call names an array");
        if (!same_layout(wanted->layout, given->layout))
            throw user_error("call",
                             fmt::format("'{}' lies in memory in another way than '{}' of kernel '{}' expects",
                                         given->name.str(), formal.str(), s.call->callee->name.str()),
                             s.loc)
                .hint("inline the call, or give both the same layout");
        const bool written = wanted->role != Role::In;
        const auto [it, is_new] = seen.emplace(given->name, written);
        if (!is_new && (written || it->second))
            throw user_error("call", fmt::format("'{}' is handed over twice, and written", given->name.str()), s.loc)
                .hint("copy it first, or inline the call");
        it->second |= written;
    }
}

Expr Linker::in_our_terms(const Statement& s, const Expr& shape, Name temporary) const {
    Substitution map;
    for (const auto& [formal, value] : s.call->bindings) map.emplace_back(formal, value);
    const Expr out = substitute(shape, map);
    visit(out, [&](const Expr& e) {
        const bool name = e.op() == Op::Var || e.op() == Op::Read;
        if (name && !kernel_.is_parameter(e.name()))
            throw user_error(
                "call",
                fmt::format("the size of '{}' in kernel '{}' depends on '{}', which is not known before the launch",
                            temporary.str(), s.call->callee->name.str(), e.name().str()),
                s.loc)
                .hint("inline the call, or keep the temporary's size constant");
    });
    return out;
}

void Linker::call(std::size_t statement, bool parallel, CallPlan& plan, std::map<Name, Storage>& storage) {
    const Statement& s = *kernel_.statements[statement];
    check_arguments(s);
    plan.concurrent = parallel;
    plan.callee = lowered(s.call->callee, options_.openmp && !parallel);
    for (const auto& [name, place] : plan.callee->storage) {
        if (place.kind != Storage::Kind::Allocated) continue;
        Array ours = *plan.callee->kernel->find_array(name);
        for (Expr& e : ours.shape) e = in_our_terms(s, e, name);
        for (Expr& e : ours.layout.strides) e = in_our_terms(s, e, name);
        ours.name = fresh_name(used_, s.call->callee->name.str() + "_" + name.str());
        used_.insert(ours.name);
        plan.borrowed.emplace_back(name, ours.name);
        Storage own;
        own.kind = Storage::Kind::Allocated;
        own.for_each_thread = parallel || place.for_each_thread;
        own.reason = "the called kernel '" + s.call->callee->name.str() + "' wants it: " + place.reason;
        storage.emplace(ours.name, own);
        out_->arrays.push_back(std::move(ours));
    }
}

}  // namespace

std::shared_ptr<const KernelData> link_calls(const std::shared_ptr<const KernelData>& kernel, const TargetOptions& options,
                                             std::map<std::size_t, CallPlan>& calls, std::map<Name, Storage>& storage) {
    const auto& all = kernel->statements;
    if (std::none_of(all.begin(), all.end(), [](const auto& s) { return s->call.has_value(); })) return kernel;
    Linker linker(kernel, options);
    const std::vector<Path> paths = paths_of(*kernel);
    for (std::size_t k = 0; k < all.size(); ++k) {
        if (!all[k]->call) continue;
        const auto loops = paths[k].loops();
        const bool parallel = options.openmp && std::any_of(loops.begin(), loops.end(), [](const Node* n) {
                                  return n->tag.kind == LoopTag::Kind::Parallel;
                              });
        linker.call(k, parallel, calls[k], storage);
    }
    return linker.kernel();
}

}  // namespace heddle
