#include "transform/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "ir/subscripts.h"
#include "transform/axes.h"
#include "transform/rewrite.h"

namespace heddle {

namespace {

/// What others see of an array changes only where the step says so.
void require_interface(const Array& array, bool interface, const char* what) {
    if (!array.is_argument() || interface) return;
    throw user_error("interface", fmt::format("'{}' is an argument: {} changes what callers must pass", array.name.str(), what), array.loc)
        .hint("add 'interface' to the step if they will, or 'stage' it into a temporary");
}

void refuse_shared_memory(const KernelData& kernel, const Array& array) {
    for (const Array& a : kernel.arrays)
        if (a.view_of == array.name || (a.name == array.name && !a.view_of.empty()))
            throw user_error("layout",
                             fmt::format("'{}' is seen under another shape: the view '{}' reads the memory of '{}' in row-major order",
                                         array.name.str(), a.name.str(), a.view_of.str()),
                             array.loc);
    for (const auto& s : kernel.statements)
        if (s->call && mentions(kernel, *s, array.name))
            throw user_error("layout", fmt::format("'{}' is passed to the kernel '{}', which expects it as it is", array.name.str(),
                                                   s->call->callee->name.str()),
                             s->loc)
                .hint(fmt::format("inline {} first", s->label.str()));
}

std::vector<int> checked_order(const Array& array, const std::vector<std::int64_t>& order) {
    std::vector<std::int64_t> sorted = order, all(array.shape.size());
    std::sort(sorted.begin(), sorted.end());
    std::iota(all.begin(), all.end(), 0);
    if (sorted != all)
        throw user_error("layout", fmt::format("'{}' has {} axes: an order names each of 0 to {} once", array.name.str(), all.size(),
                                               static_cast<std::int64_t>(all.size()) - 1),
                         array.loc);
    return {order.begin(), order.end()};
}

std::vector<std::int64_t> checked_padding(const Array& array, const std::vector<std::int64_t>& pad) {
    if (pad.size() != array.shape.size())
        throw user_error("layout", fmt::format("'{}' has {} axes, and {} paddings are given", array.name.str(), array.shape.size(), pad.size()),
                         array.loc);
    if (std::any_of(pad.begin(), pad.end(), [](std::int64_t p) { return p < 0; }))
        throw user_error("layout", fmt::format("a padding of '{}' is negative", array.name.str()), array.loc);
    return pad;
}

int checked_separate(const Array& array, const std::vector<std::int64_t>& separate) {
    if (separate.size() != 1) throw user_error("layout", "one axis at most can be separate", array.loc);
    const std::size_t axis = checked_axis(array, separate[0]);
    const auto extent = affine_of(array.shape[axis]);
    if (!extent || !extent->is_constant())
        throw user_error("layout", fmt::format("axis {} of '{}' has no constant extent, so it cannot become that many arrays", axis,
                                               array.name.str()),
                         array.loc);
    return static_cast<int>(axis);
}

}  // namespace

Kernel run_step(const Kernel& kernel, const SetLayout& step) {
    const KernelData& data = kernel.data();
    Array array = array_named(data, step.array);
    require_interface(array, step.interface, "another layout");
    refuse_shared_memory(data, array);
    if (array.shape.empty()) throw user_error("layout", fmt::format("'{}' is a scalar and has no layout", array.name.str()), array.loc);
    if (array.role == Role::Table) throw user_error("layout", fmt::format("'{}' is a constant table", array.name.str()), array.loc);
    if (step.order.empty() && step.pad.empty() && step.separate.empty())
        throw user_error("layout", "'layout' needs 'order', 'pad' or 'separate'");
    if (!array.layout.strides.empty())
        throw user_error("layout", fmt::format("'{}' has explicit strides already", array.name.str()), array.loc);
    if (!step.order.empty()) array.layout.order = checked_order(array, step.order);
    if (!step.pad.empty()) array.layout.padding = checked_padding(array, step.pad);
    if (!step.separate.empty()) array.layout.separate_axis = checked_separate(array, step.separate);
    Draft draft(kernel);
    replace_array(draft, array);
    return draft.finish();
}

Kernel run_step(const Kernel& kernel, const SplitAxis& step) {
    const KernelData& data = kernel.data();
    const Declared d = plain_temporary(data, step.array, "split_axis");
    const std::size_t axis = checked_axis(*d.array, step.axis);
    if (step.by < 2) throw user_error("layout", "a block of an axis has at least 2 entries");
    const auto extent = affine_of(d.array->shape[axis]);
    if (!extent)
        throw user_error("layout", fmt::format("the extent of axis {} of '{}' is not affine", axis, step.array.str()), d.array->loc);
    Array array = *d.array;
    array.shape[axis] = expr_of(Affine::floor_div(*extent + Affine(step.by - 1), step.by));
    array.shape.insert(array.shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, int_literal(step.by, index_type));
    Draft draft(kernel);
    rewrite_accesses(draft, d, [&](std::vector<Expr> subscripts, const Statement& s) {
        const auto [block, entry] = block_and_entry(subscripts[axis], step.by, s.domain);
        subscripts[axis] = block;
        subscripts.insert(subscripts.begin() + static_cast<std::ptrdiff_t>(axis) + 1, entry);
        return subscripts;
    });
    replace_array(draft, array);
    return draft.finish();
}

Kernel run_step(const Kernel& kernel, const TransposeArray& step) {
    const KernelData& data = kernel.data();
    const Declared d = plain_temporary(data, step.array, "transpose");
    const std::vector<int> order = checked_order(*d.array, step.axes);
    const auto permuted = [&](const std::vector<Expr>& in) {
        std::vector<Expr> out;
        for (int k : order) out.push_back(in[static_cast<std::size_t>(k)]);
        return out;
    };
    Array array = *d.array;
    array.shape = permuted(array.shape);
    Draft draft(kernel);
    rewrite_accesses(draft, d, [&](const std::vector<Expr>& subscripts, const Statement&) { return permuted(subscripts); });
    replace_array(draft, array);
    return draft.finish();
}

namespace {

void rename_declaration(Draft& draft, Name from, Name to) {
    for (Array& a : draft.data.arrays) {
        if (a.name == from) a.name = to;
        if (a.view_of == from) a.view_of = to;
    }
    draft.data.index.reset();
    std::replace(draft.data.argument_order.begin(), draft.data.argument_order.end(), from, to);
    for (Assertion& a : draft.data.assertions) std::replace(a.arrays.begin(), a.arrays.end(), from, to);
}

}  // namespace

Kernel run_step(const Kernel& kernel, const RenameArray& step) {
    const KernelData& data = kernel.data();
    const Array& array = array_named(data, step.array);
    require_interface(array, step.interface, "another name");
    Draft draft(kernel);
    draft.claim(step.to, step.array.str());
    rename_declaration(draft, step.array, step.to);
    rename_uses(draft, step.array, step.to);
    draft.rename_declared(step.array, step.to);
    return draft.finish();
}

}  // namespace heddle
