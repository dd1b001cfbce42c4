#include "ir/count/stride.h"

#include <algorithm>
#include <cstdlib>

namespace heddle {

std::string Stride::str() const { return elements ? elements->str() : "unknown"; }

bool operator==(const Stride& a, const Stride& b) { return a.elements == b.elements; }

std::optional<Polynomial> polynomial_of(const Expr& e) {
    if (const auto a = affine_of(e)) return Polynomial(*a);
    if (e.op() != Op::Add && e.op() != Op::Sub && e.op() != Op::Mul) return std::nullopt;
    const auto a = polynomial_of(e.arg(0)), b = polynomial_of(e.arg(1));
    if (!a || !b) return std::nullopt;
    return e.op() == Op::Add ? *a + *b : e.op() == Op::Sub ? *a - *b : *a * *b;
}

namespace {

/// Entries that lie in memory along an axis, padding included.
std::optional<Polynomial> extent(const Array& array, std::size_t axis) {
    auto p = polynomial_of(array.shape[axis]);
    if (p && axis < array.layout.padding.size()) *p += Polynomial(array.layout.padding[axis]);
    return p;
}

}  // namespace

std::vector<std::optional<Polynomial>> axis_strides(const Array& array) {
    std::vector<std::optional<Polynomial>> out(array.shape.size());
    if (!array.layout.strides.empty()) {
        for (std::size_t k = 0; k < out.size(); ++k) out[k] = polynomial_of(array.layout.strides[k]);
        return out;
    }
    std::optional<Polynomial> stride = Polynomial(1);
    for (std::size_t k = out.size(); k-- > 0;) {
        const std::size_t axis = array.layout.order.empty() ? k : static_cast<std::size_t>(array.layout.order[k]);
        if (static_cast<int>(axis) == array.layout.separate_axis) continue;
        out[axis] = stride;
        const auto size = extent(array, axis);
        stride = stride && size ? std::optional(*stride * *size) : std::nullopt;
    }
    return out;
}

std::optional<Polynomial> element_count(const Array& array) {
    Polynomial product(1);
    for (const Expr& size : array.shape) {
        const auto p = polynomial_of(size);
        if (!p) return std::nullopt;
        product = product * *p;
    }
    return product;
}

namespace {

/// A subscript's change when the loop moves by `step`; nothing when it is not the same everywhere.
std::optional<std::int64_t> change_of(const Affine& a, Name loop, std::int64_t step) {
    const Affine change = a.substitute(loop, Affine::symbol(loop) + Affine(step)) - a;
    return change.is_constant() ? std::optional(change.constant) : std::nullopt;
}

bool uses(const Expr& e, Name loop, const std::function<bool(Name)>& varies) {
    bool found = false;
    visit(e, [&](const Expr& x) {
        if (x.op() == Op::Var || x.op() == Op::Read) found = found || x.name() == loop || varies(x.name());
    });
    return found;
}

}  // namespace

Stride stride_of(const Array& array, const Access& a, Name loop, std::int64_t step, const std::function<bool(Name)>& varies) {
    const auto axes = axis_strides(array);
    if (a.whole || axes.size() != a.subscripts.size()) return {};
    Polynomial sum;
    for (std::size_t k = 0; k < axes.size(); ++k) {
        if (!uses(a.subscripts[k], loop, varies)) continue;
        const bool steady = a.affine[k] && !uses(a.subscripts[k], {}, varies);
        const auto change = steady ? change_of(*a.affine[k], loop, step) : std::nullopt;
        if (!change || (*change != 0 && !axes[k])) return {};
        if (*change != 0) sum += Polynomial(*change) * *axes[k];
    }
    return {sum};
}

std::int64_t step_of(const Domain& d, Name loop) {
    if (!d.convex()) return 1;
    for (const Constraint& c : d.pieces[0]) {
        const std::int64_t a = c.form.coefficient(loop);
        if (!c.equality || std::abs(a) != 1) continue;
        for (const auto& [atom, k] : c.form.terms) {
            const bool remainder = atom.is_floor() && k == -a * atom.denominator && atom.numerator->coefficient(loop) == 1;
            if (remainder && change_of(c.form, loop, atom.denominator) == 0) return atom.denominator;
        }
    }
    return 1;
}

}  // namespace heddle
