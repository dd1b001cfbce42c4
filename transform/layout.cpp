#include "transform/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "transform/declared.h"
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

std::size_t checked_axis(const Array& array, std::int64_t axis) {
    if (axis < 0 || axis >= static_cast<std::int64_t>(array.shape.size()))
        throw user_error("layout", fmt::format("'{}' has {} axes, counted from 0, and no axis {}", array.name.str(), array.shape.size(), axis),
                         array.loc);
    return static_cast<std::size_t>(axis);
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

namespace {

Declared plain_temporary(const KernelData& kernel, Name name, const std::string& verb) {
    Declared d = declared(kernel, name, verb);
    if (!d.array->layout.is_default())
        throw user_error("layout", fmt::format("'{}' has a layout of its own, which says nothing about its new axes", name.str()), d.array->loc)
            .hint("change the axes first, then the layout");
    return d;
}

/// floor(e/by) and e mod by, settled where the statement's domain decides.
std::pair<Expr, Expr> block_and_entry(const Expr& subscript, std::int64_t by, const Domain& domain) {
    const Expr size = int_literal(by, index_type);
    const auto form = affine_of(subscript);
    if (!form)
        return {make(Op::FloorDiv, index_type, {subscript, size}), make(Op::Mod, index_type, {subscript, size})};
    const Affine block = settle_floors(Affine::floor_div(*form, by), domain);
    if (block.has_floor()) return {expr_of(block), make(Op::Mod, index_type, {expr_of(*form), size})};
    return {expr_of(block), expr_of(*form - by * block)};
}

}  // namespace

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

Expr renamed(const Expr& e, Name from, Name to) {
    return rewrite(e, [&](const Expr& node) -> Expr {
        if (node.name() != from) return node;
        if (node.op() == Op::Var) return variable(to, node.loc());
        return node.op() == Op::Read ? read(to, node.args(), node.type(), node.loc()) : node;
    });
}

/// Rules read arrays too; their parameters hide a name.
void rename_in_rules(KernelData& data, Name from, Name to) {
    for (RuleDef& r : data.rules)
        if (std::find(r.parameters.begin(), r.parameters.end(), from) == r.parameters.end()) r.body = renamed(r.body, from, to);
}

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
    rename_in_rules(draft.data, step.array, step.to);
    for (std::size_t k = 0; k < data.statements.size(); ++k) {
        if (!mentions(data, *data.statements[k], step.array)) continue;
        Statement s = *data.statements[k];
        map_expressions(s, true, [&](const Expr& e) { return renamed(e, step.array, step.to); });
        for (Place& p : s.places)
            if (p.array == step.array) p.array = step.to;
        s.domain = s.domain.substitute(step.array, Affine::symbol(step.to));
        draft.set(k, std::move(s));
    }
    draft.rename_declared(step.array, step.to);
    return draft.finish();
}

}  // namespace heddle
