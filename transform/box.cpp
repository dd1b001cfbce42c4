#include "transform/box.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/checked_int.h"
#include "ir/error.h"
#include "ir/poly.h"

namespace heddle {

namespace {

std::vector<Name> moving(const Domain& d, const std::set<Name>& fixed, Name kept = {}) {
    std::vector<Name> out;
    d.symbols(out);
    std::erase_if(out, [&](Name n) { return n == kept || fixed.count(n) != 0; });
    return out;
}

Domain without(const Domain& d, const std::vector<Name>& gone) { return gone.empty() ? d : poly::project(d, gone); }

std::set<Name> parameters_of(const KernelData& kernel) {
    std::set<Name> out;
    for (const Parameter& p : kernel.parameters) out.insert(p.name);
    return out;
}

/// What the constraints say about one symbol alone: forms that may bound it from below or above, rounded to integers.
std::vector<Affine> bounds_of(const Domain& d, Name symbol, bool lower) {
    std::vector<Affine> out;
    for (const Conjunct& piece : d.pieces)
        for (const Constraint& c : piece) {
            const std::int64_t a = c.form.coefficient(symbol);
            const Affine rest = c.form - Affine::symbol(symbol, a);
            if (a == 0 || rest.mentions(symbol) || (!c.equality && (a > 0) != lower)) continue;
            const std::int64_t size = a < 0 ? -a : a;
            const Affine numerator = a > 0 ? -rest : rest;  // size * symbol against this
            const Affine bound = Affine::floor_div(lower ? numerator + Affine(size - 1) : numerator, size);
            if (std::find(out.begin(), out.end(), bound) == out.end()) out.push_back(bound);
        }
    return out;
}

/// The symbols a bound may use are all in `allowed`.
bool only(const Affine& a, const std::set<Name>& allowed) {
    std::vector<Name> symbols;
    a.symbols(symbols);
    return std::all_of(symbols.begin(), symbols.end(), [&](Name n) { return allowed.count(n) != 0; });
}

std::size_t complexity(const Affine& a) { return a.terms.size() * 2 + (a.has_floor() ? 5 : 0) + (a.constant != 0 ? 1 : 0); }

bool simpler(const Affine& a, const Affine& b) { return complexity(a) < complexity(b); }

/// The set { e = form : over `set` }, everything but e and the parameters projected out.
Domain range_of(const KernelData& kernel, const Affine& form, const Domain& set, Name e) {
    Domain both = intersect(intersect(set, kernel.assumptions), domain_of(equal(Affine::symbol(e), form)));
    return without(both, moving(both, parameters_of(kernel), e));
}

}  // namespace

Domain hull_of(const Domain& d) {
    Conjunct out;
    const auto keep = [&](const Affine& form) {
        const Constraint c{form, false};
        if (std::find(out.begin(), out.end(), c) == out.end() && poly::is_subset(d, Domain{{{c}}})) out.push_back(c);
    };
    for (const Conjunct& piece : d.pieces)
        for (const Constraint& c : piece) {
            keep(c.form);
            if (c.equality) keep(-c.form);
        }
    return poly::simplify(Domain{{out}});
}

Domain hull_over(const Domain& d, const std::vector<Name>& axes) {
    return poly::simplify(intersect(hull_of(d), merged(poly::project(d, axes))));
}

Domain merged(const Domain& d) {
    if (d.pieces.size() < 2) return poly::simplify(d);
    const Domain hull = hull_of(d);
    if (poly::is_subset(hull, d)) return hull;
    const Domain joined = poly::simplify(d);
    return joined.pieces.size() < d.pieces.size() ? joined : d;
}

std::optional<Affine> parametric_maximum(const KernelData& kernel, const Affine& form, const Domain& set) {
    const Domain known = intersect(set, kernel.assumptions);
    if (const auto largest = poly::constant_max(form, known)) return Affine(*largest);
    const Name e("#range");
    const Domain range = range_of(kernel, form, set, e);
    std::optional<Affine> best;
    for (const Affine& bound : bounds_of(range, e, false)) {
        if (!only(bound, parameters_of(kernel))) continue;
        const auto excess = poly::constant_max(Affine::symbol(e) - bound, range);
        if (!excess) continue;
        const Affine upper = bound + Affine(*excess);
        if (!best || simpler(upper, *best)) best = upper;
    }
    return best;
}

std::optional<Axis> axis_of(const KernelData& kernel, const Domain& set, Name symbol, const std::set<Name>& fixed) {
    std::set<Name> allowed = fixed;
    for (Name p : parameters_of(kernel)) allowed.insert(p);
    const Domain alone = intersect(without(set, moving(set, allowed, symbol)), kernel.assumptions);
    std::optional<Axis> best;
    for (const Affine& bound : bounds_of(alone, symbol, true)) {
        if (!only(bound, allowed)) continue;
        const auto slack = poly::constant_min(Affine::symbol(symbol) - bound, alone);
        if (!slack) continue;
        const Affine origin = bound + Affine(*slack);
        const auto largest = parametric_maximum(kernel, Affine::symbol(symbol) - origin, alone);
        if (!largest) continue;
        const Axis axis{origin, *largest + Affine(1), largest->is_constant() && largest->constant == 0};
        const bool constant = axis.extent.is_constant();
        const bool better = !best || (constant && !best->extent.is_constant()) ||
                            (constant == best->extent.is_constant() &&
                             (constant ? axis.extent.constant < best->extent.constant : simpler(axis.extent, best->extent)));
        if (better) best = axis;
    }
    return best;
}

Domain image_of(const KernelData& kernel, const Touch& t, const std::set<Name>& fixed, const std::vector<Name>& axes) {
    Domain both = t.domain;
    for (std::size_t k = 0; k < axes.size(); ++k)
        both = intersect(both, domain_of(equal(Affine::symbol(axes[k]), t.subscripts[k])));
    std::set<Name> kept = parameters_of(kernel);
    kept.insert(fixed.begin(), fixed.end());
    kept.insert(axes.begin(), axes.end());
    return without(both, moving(both, kept));
}

namespace {

[[noreturn]] void no_bounds(const KernelData& kernel, const Touch& t, std::size_t axis, const std::string& what) {
    throw user_error(
        "footprint",
        fmt::format("subscript {} of {} has no affine bounds while the outer loops stand still, so no temporary can "
                    "hold what is used",
                    axis + 1, what),
        t.loc)
        .note(fmt::format("used by '{}' with the subscript {}", kernel.statements[t.statement]->label.str(),
                          t.subscripts[axis].str()),
              t.loc)
        .hint("choose a loop further in, or bound the subscript in the loop's domain");
}

/// The one value of a subscript that is the same for all touches and does not move: `t mod 2` for each t.
std::optional<Axis> standing(const KernelData& kernel, const std::vector<Touch>& touches, const std::set<Name>& fixed,
                             std::size_t k) {
    std::set<Name> allowed = parameters_of(kernel);
    allowed.insert(fixed.begin(), fixed.end());
    const Affine& form = touches[0].subscripts[k];
    const bool same = std::all_of(touches.begin(), touches.end(), [&](const Touch& t) { return t.subscripts[k] == form; });
    return same && only(form, allowed) ? std::optional(Axis{form, Affine(1), true}) : std::nullopt;
}

}  // namespace

ElementBox element_box(const KernelData& kernel, const std::vector<Touch>& touches, const std::set<Name>& fixed,
                       const std::vector<Name>& axes, const std::string& what) {
    ElementBox out{Domain::nothing(), axes, {}, false};
    for (const Touch& t : touches) {
        out.image = unite(out.image, image_of(kernel, t, fixed, axes));
        out.conditional |= t.conditional;
    }
    out.image = merged(out.image);
    if (poly::is_empty(out.image))
        throw user_error("footprint", fmt::format("no instance ever uses {}", what), touches.at(0).loc);
    for (std::size_t k = 0; k < axes.size(); ++k) {
        auto axis = standing(kernel, touches, fixed, k);
        if (!axis) axis = axis_of(kernel, out.image, axes[k], fixed);
        if (!axis) no_bounds(kernel, touches[0], k, what);
        out.box.push_back(*axis);
    }
    return out;
}

Expr shape_of(const KernelData& kernel, const Affine& extent) {
    const Expr e = expr_of(extent);
    if (poly::is_subset(kernel.assumptions, domain_of(at_least(extent, Affine(0))))) return e;
    return make(Op::Max, index_type, {e, int_literal(0, index_type)});
}

}  // namespace heddle
