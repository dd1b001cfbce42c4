#include "transform/axes.h"

#include <fmt/format.h>

#include "ir/error.h"

namespace heddle {

Declared plain_temporary(const KernelData& kernel, Name name, const std::string& verb) {
    Declared d = declared(kernel, name, verb);
    if (!d.array->layout.is_default())
        throw user_error("layout",
                         fmt::format("'{}' has a layout of its own, which says nothing about its new axes", name.str()),
                         d.array->loc)
            .hint("change the axes first, then the layout");
    return d;
}

std::size_t checked_axis(const Array& array, std::int64_t axis) {
    if (axis < 0 || axis >= static_cast<std::int64_t>(array.shape.size()))
        throw user_error(
            "layout",
            fmt::format("'{}' has {} axes, counted from 0, and no axis {}", array.name.str(), array.shape.size(), axis),
            array.loc);
    return static_cast<std::size_t>(axis);
}

std::pair<Expr, Expr> block_and_entry(const Expr& subscript, std::int64_t by, const Domain& domain) {
    const Expr size = int_literal(by, index_type);
    const auto form = affine_of(subscript);
    if (!form) return {make(Op::FloorDiv, index_type, {subscript, size}), make(Op::Mod, index_type, {subscript, size})};
    const Affine block = settle_floors(Affine::floor_div(*form, by), domain);
    if (block.has_floor()) return {expr_of(block), make(Op::Mod, index_type, {expr_of(*form), size})};
    return {expr_of(block), expr_of(*form - by * block)};
}

}  // namespace heddle
