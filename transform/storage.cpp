#include "transform/storage.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/error.h"
#include "ir/lifetimes.h"
#include "ir/poly.h"
#include "ir/subscripts.h"
#include "transform/coverage.h"
#include "transform/declared.h"
#include "transform/fold.h"
#include "transform/refuse.h"

namespace heddle {

namespace {

/// New axes in front: what becomes of a layout.
Layout with_leading_axes(Layout layout, int count, const Array& array) {
    if (!layout.strides.empty())
        throw user_error("layout", fmt::format("'{}' has explicit strides, which say nothing about a new axis", array.name.str()), array.loc);
    if (!layout.order.empty()) {
        for (int& axis : layout.order) axis += count;
        for (int k = count; k-- > 0;) layout.order.insert(layout.order.begin(), k);
    }
    if (!layout.padding.empty()) layout.padding.insert(layout.padding.begin(), static_cast<std::size_t>(count), 0);
    if (layout.separate_axis >= 0) layout.separate_axis += count;
    return layout;
}

/// The scope loops of the declaration end with these, in some order; gives the outermost of them.
const Node* outermost_of(const Declared& d, const std::vector<Name>& over) {
    const std::vector<const Node*> around = d.path.loops();
    for (Name n : over)
        if (std::none_of(around.begin(), around.end(), [&](const Node* l) { return l->loop == n; }))
            throw user_error("name", fmt::format("'{}' has no instances of its own in loop '{}'", d.array->name.str(), n.str()), d.array->loc)
                .hint(around.empty() ? "it is declared outside all loops" : "loops around its declaration: " + listed(d.path.loop_names()));
    const std::size_t first = around.size() - std::min(over.size(), around.size());
    for (std::size_t k = first; k < around.size(); ++k)
        if (std::find(over.begin(), over.end(), around[k]->loop) == over.end())
            throw user_error("scope",
                             fmt::format("'{}' also has an instance for every iteration of loop '{}', which is further in", d.array->name.str(),
                                         around[k]->loop.str()),
                             d.array->loc)
                .hint(fmt::format("expand it over '{}' too", around[k]->loop.str()));
    return around[first];
}

std::vector<Touch> iterations(const KernelData& kernel, const Declared& d, const std::vector<Name>& over) {
    std::vector<Touch> out;
    std::vector<Affine> forms;
    for (Name n : over) forms.push_back(Affine::symbol(n));
    for (std::size_t k : d.users) out.push_back({k, kernel.statements[k]->domain, forms, false, kernel.statements[k]->loc});
    return out;
}

std::vector<Name> axis_names(std::size_t count) {
    std::vector<Name> out;
    for (std::size_t k = 0; k < count; ++k) out.push_back(Name("#" + std::to_string(k)));
    return out;
}

}  // namespace

Kernel run_step(const Kernel& kernel, const ExpandTemporary& step) {
    const KernelData& data = kernel.data();
    const Declared d = declared(data, step.temporary, "expand");
    if (std::set<Name>(step.over.begin(), step.over.end()).size() != step.over.size())
        throw user_error("name", "a loop is named twice after 'over'");
    const Node* outermost = outermost_of(d, step.over);
    refuse_in_bounds(data, d);
    const std::vector<Touch> touches = iterations(data, d, step.over);
    if (touches.empty()) throw user_error("scope", fmt::format("nothing uses '{}'", step.temporary.str()), d.array->loc);
    const ElementBox box = element_box(data, touches, fixed_outside(data, outermost), axis_names(step.over.size()),
                                    "'" + step.temporary.str() + "'");
    std::vector<Expr> shape, leading;
    for (std::size_t k = 0; k < step.over.size(); ++k) {
        shape.push_back(shape_of(data, box.box[k].extent));
        leading.push_back(expr_of(Affine::symbol(step.over[k]) - box.box[k].origin));
    }
    Array array = *d.array;
    array.layout = with_leading_axes(array.layout, static_cast<int>(shape.size()), array);
    array.shape.insert(array.shape.begin(), shape.begin(), shape.end());
    array.is_let = false;
    Draft draft(kernel);
    rewrite_accesses(draft, d, [&](const std::vector<Expr>& subscripts, const Statement&) {
        std::vector<Expr> out = leading;
        out.insert(out.end(), subscripts.begin(), subscripts.end());
        return out;
    });
    replace_array(draft, array);
    draft.redeclare(parent_of(data, outermost), step.temporary);
    return draft.finish();
}

namespace {

/// The loops under the declaration that hold all users, outermost first.
std::vector<const Node*> common_loops(const std::vector<Path>& paths, const Declared& d) {
    std::vector<const Node*> out;
    const Path& first = paths[d.users.at(0)];
    for (std::size_t k = d.path.nodes.size(); k < first.nodes.size(); ++k) {
        const Node* n = first.nodes[k];
        const bool all = std::all_of(d.users.begin(), d.users.end(), [&](std::size_t u) { return k < paths[u].nodes.size() && paths[u].nodes[k] == n; });
        if (!all) break;
        if (n->kind == Node::Kind::Loop) out.push_back(n);
    }
    return out;
}

/// The first read that may get a value from another iteration of the outermost `fixed` loops; nothing when there is none.
std::optional<ArrayAccess> flows_in(const KernelData& kernel, const std::vector<Path>& paths, const std::vector<ArrayAccess>& accesses,
                                    std::size_t outer, std::size_t fixed) {
    for (const ArrayAccess& a : accesses) {
        if (!a.reads()) continue;
        const Domain needed = intersect(a.when, kernel.assumptions);
        if (poly::is_subset(needed, covered(paths, a, accesses, fixed))) continue;
        if (disjoint(kernel, paths, accesses, outer, fixed)) return std::nullopt;
        return a;
    }
    return std::nullopt;
}

/// A temporary under way to a place further in.
struct Inward {
    Declared d;
    std::vector<Path> paths;
    std::vector<ArrayAccess> accesses;
    std::vector<const Node*> loops;  ///< where it may go

    Inward(const KernelData& kernel, Name name, const char* verb) : d(declared(kernel, name, verb)), paths(paths_of(kernel)) {
        if (d.users.empty()) throw user_error("scope", fmt::format("nothing uses '{}'", name.str()), d.array->loc);
        refuse_in_bounds(kernel, d);
        accesses = array_accesses(kernel, kernel.root, name, "scope");
        loops = common_loops(paths, d);
    }
    std::size_t outer() const { return d.path.loops().size(); }
    std::optional<ArrayAccess> obstacle(const KernelData& kernel, std::size_t level) const {
        return flows_in(kernel, paths, accesses, outer(), outer() + level + 1);
    }
};

void refuse_flow(const KernelData& kernel, const Declared& d, const ArrayAccess& a, const Node& loop) {
    refuse(user_error("illegal-order",
                      fmt::format("'{}' reads values of '{}' that another iteration of loop '{}' may have written",
                                  kernel.statements[a.statement]->label.str(), d.array->name.str(), loop.loop.str()),
                      a.loc)
               .hint("every iteration must write what it reads"));
}

}  // namespace

Kernel run_step(const Kernel& kernel, const Privatise& step) {
    const KernelData& data = kernel.data();
    const Inward in(data, step.temporary, "privatise");
    const std::vector<NodePtr> named = loops_named(data, step.at);
    for (std::size_t level = 0; level < in.loops.size(); ++level) {
        if (std::none_of(named.begin(), named.end(), [&](const NodePtr& n) { return n.get() == in.loops[level]; })) continue;
        if (const auto a = in.obstacle(data, level)) refuse_flow(data, in.d, *a, *in.loops[level]);
        Draft draft(kernel);
        draft.redeclare(in.loops[level], step.temporary);
        return draft.finish();
    }
    throw user_error("scope", fmt::format("not everything that uses '{}' stands inside loop '{}' under its declaration",
                                          step.temporary.str(), step.at.str()),
                     in.d.array->loc)
        .hint("loops that hold all uses: " + [&] {
            std::vector<Name> names;
            for (const Node* n : in.loops) names.push_back(n->loop);
            return names.empty() ? std::string("none") : listed(names);
        }());
}

namespace {

/// What each axis shrinks to while the fixed symbols keep their values, or nothing where it stays.
std::vector<std::optional<Axis>> shrunk_axes(const KernelData& kernel, const Array& array, const std::vector<Touch>& touches,
                                             const std::set<Name>& fixed) {
    const std::vector<Name> names = axis_names(array.shape.size());
    std::vector<std::optional<Axis>> out(names.size());
    Domain image = Domain::nothing();
    for (const Touch& t : touches) image = unite(image, image_of(kernel, t, fixed, names));
    image = merged(image);
    if (poly::is_empty(image)) return out;
    for (std::size_t k = 0; k < names.size(); ++k) {
        const auto axis = axis_of(kernel, image, names[k], fixed);
        const auto now = affine_of(array.shape[k]);
        const bool smaller = axis && axis->extent.is_constant() && (!now || !now->is_constant() || axis->extent.constant < now->constant);
        if (axis && (axis->single || smaller)) out[k] = axis;
    }
    return out;
}

std::vector<Expr> shrunk_subscripts(const std::vector<std::optional<Axis>>& axes, const std::vector<Expr>& subscripts, const Statement& s) {
    std::vector<Expr> out;
    for (std::size_t k = 0; k < axes.size(); ++k) {
        if (axes[k] && axes[k]->single) continue;
        out.push_back(axes[k] ? expr_of(settle_floors(*affine_of(subscripts[k]) - axes[k]->origin, s.domain)) : subscripts[k]);
    }
    return out;
}

std::vector<Touch> touches_of(const std::vector<ArrayAccess>& accesses) {
    std::vector<Touch> out;
    for (const ArrayAccess& a : accesses) out.push_back({a.statement, a.when, a.subscripts, a.conditional, a.loc});
    return out;
}

[[noreturn]] void refuse_contraction(const KernelData& kernel, const Inward& in, std::size_t level) {
    if (level < in.loops.size())
        if (const auto a = in.obstacle(kernel, level)) refuse_flow(kernel, in.d, *a, *in.loops[level]);
    throw user_error("scope", fmt::format("'{}' is no larger than what an iteration of the loops around all its uses needs",
                                          in.d.array->name.str()),
                     in.d.array->loc)
        .hint("fuse the loops that write and read it first");
}

}  // namespace

namespace {

/// The temporary declared further in, or with smaller axes; nothing where it is as small as that already makes it.
std::optional<Kernel> shrunk(const Kernel& kernel, const Inward& in, std::size_t level) {
    const KernelData& data = kernel.data();
    const Node* home = level == 0 ? in.d.path.nodes.back() : in.loops[level - 1];
    std::set<Name> fixed = fixed_outside(data, home);
    if (home->kind == Node::Kind::Loop) fixed.insert(home->loop);
    Array array = *in.d.array;
    if (array.shape.empty()) return std::nullopt;
    const auto axes = shrunk_axes(data, array, touches_of(in.accesses), fixed);
    if (std::none_of(axes.begin(), axes.end(), [](const auto& a) { return a.has_value(); })) return std::nullopt;
    std::vector<Expr> shape;
    for (std::size_t k = 0; k < axes.size(); ++k)
        if (!axes[k] || !axes[k]->single) shape.push_back(axes[k] ? shape_of(data, axes[k]->extent) : array.shape[k]);
    array.shape = shape;
    Draft draft(kernel);
    rewrite_accesses(draft, in.d, [&](const std::vector<Expr>& subscripts, const Statement& s) { return shrunk_subscripts(axes, subscripts, s); });
    replace_array(draft, array);
    if (level > 0) draft.redeclare(home, array.name);
    return draft.finish();
}

/// Do threads or lanes share the temporary?
bool shared_by_iterations(const KernelData& kernel, const Declared& d) {
    const std::vector<Path> paths = paths_of(kernel);
    return std::any_of(d.users.begin(), d.users.end(), [&](std::size_t u) {
        const auto& nodes = paths[u].nodes;
        return std::any_of(nodes.begin() + static_cast<std::ptrdiff_t>(d.path.nodes.size()), nodes.end(), [](const Node* n) {
            return n->tag.is_concurrent();
        });
    });
}

/// Drops an axis along which one element at a time holds a value; nothing where there is none.
std::optional<Kernel> without_an_axis(const Kernel& kernel, Name name) {
    const Declared d = declared(kernel.data(), name, "contract");
    if (d.array->shape.empty() || shared_by_iterations(kernel.data(), d)) return std::nullopt;
    const Lifetimes lives(kernel.data(), {name}, d.users);
    if (lives.unknown()) return std::nullopt;
    for (std::size_t axis = 0; axis < d.array->shape.size(); ++axis)
        if (!lives.folded(axis, 1)) return store_modulo(kernel, d, axis, 1);
    return std::nullopt;
}

}  // namespace

Kernel run_step(const Kernel& kernel, const ContractTemporary& step) {
    const KernelData& data = kernel.data();
    const Inward in(data, step.temporary, "contract");
    if (!in.d.array->layout.is_default())
        throw user_error("layout", fmt::format("'{}' has a layout of its own, which would lose its meaning", in.d.array->name.str()),
                         in.d.array->loc);
    std::size_t level = 0;
    while (level < in.loops.size() && !in.obstacle(data, level)) ++level;
    std::optional<Kernel> out = shrunk(kernel, in, level);
    for (std::optional<Kernel> next = without_an_axis(out ? *out : kernel, step.temporary); next;
         next = without_an_axis(*out, step.temporary))
        out = std::move(next);
    if (!out) refuse_contraction(data, in, level);
    return *out;
}

Kernel run_step(const Kernel& kernel, const PlaceTemporary& step) {
    const KernelData& data = kernel.data();
    const Declared d = declared(data, step.temporary, "place");
    const std::vector<Path> paths = paths_of(data);
    if (step.space == AddressSpace::Private)
        for (std::size_t u : d.users)
            for (std::size_t k = d.path.nodes.size(); k < paths[u].nodes.size(); ++k)
                if (paths[u].nodes[k]->tag.kind == LoopTag::Kind::Parallel)
                    throw user_error("space",
                                     fmt::format("'{}' cannot be private to a thread: the threads of loop '{}' share it", step.temporary.str(),
                                                 paths[u].nodes[k]->loop.str()),
                                     d.array->loc)
                        .hint(fmt::format("privatise {} at {} first", step.temporary.str(), paths[u].nodes[k]->loop.str()));
    Draft draft(kernel);
    Array array = *d.array;
    array.space = step.space;
    replace_array(draft, array);
    return draft.finish();
}

}  // namespace heddle
