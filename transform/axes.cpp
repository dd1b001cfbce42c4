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

}  // namespace heddle
