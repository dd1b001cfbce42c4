#include "tools/heddle/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "ir/error.h"
#include "ir/interpret_machine.h"

namespace heddle::tools {
namespace {

/// Strides in elements, by axis, and the number of elements that the memory holds.
struct Strides {
    std::vector<std::int64_t> by_axis;
    std::int64_t count = 1;
};

Strides given_strides(const Array& array, const std::vector<std::int64_t>& shape, const Env& sizes) {
    Strides out;
    const bool empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
    for (std::size_t k = 0; k < shape.size(); ++k) {
        const auto s = interp::index_value(array.layout.strides[k], sizes);
        if (!s || *s < 0)
            throw user_error("layout", fmt::format("stride {} of {} has no value that can be used", k + 1, array.name.str()),
                             array.loc);
        out.by_axis.push_back(*s);
        std::int64_t reach = 0;
        if (!empty &&
            (__builtin_mul_overflow(shape[k] - 1, *s, &reach) || __builtin_add_overflow(out.count, reach, &out.count)))
            throw Error(ErrorKind::Runtime, "memory",
                        fmt::format("no memory for {}: its strides reach beyond 64 bits", array.name.str()), array.loc);
    }
    if (empty) out.count = 0;
    return out;
}

Strides strides_of(const Array& array, const std::vector<std::int64_t>& shape, const Env& sizes) {
    const Layout& layout = array.layout;
    if (!layout.strides.empty()) return given_strides(array, shape, sizes);
    Strides out{std::vector<std::int64_t>(shape.size(), 1), 1};
    const auto place = [&](std::size_t axis) {
        out.by_axis[axis] = out.count;
        out.count *= shape[axis] + (layout.padding.empty() ? 0 : layout.padding[axis]);
    };
    for (std::size_t k = shape.size(); k-- > 0;) {
        const std::size_t axis = layout.order.empty() ? k : static_cast<std::size_t>(layout.order[k]);
        if (static_cast<int>(axis) != layout.separate_axis) place(axis);
    }
    if (layout.separate_axis < 0) return out;
    const auto separate = static_cast<std::size_t>(layout.separate_axis);
    out.by_axis[separate] = out.count;
    out.count *= shape[separate];
    return out;
}

std::vector<std::byte> memory_for(const Array& array, const Strides& strides, std::size_t size) {
    try {
        return std::vector<std::byte>(static_cast<std::size_t>(strides.count) * size);
    } catch (const std::exception&) {
        throw Error(ErrorKind::Runtime, "memory",
                    fmt::format("no memory for the {} places of {}", strides.count, array.name.str()), array.loc);
    }
}

/// Calls `f` with the row-major and the laid out position of every element.
void for_each_element(const std::vector<std::int64_t>& shape, const Strides& strides,
                      const std::function<void(std::size_t, std::size_t)>& f) {
    std::int64_t count = 1, at = 0;
    for (const std::int64_t extent : shape) count *= extent;
    std::vector<std::int64_t> index(shape.size(), 0);
    for (std::int64_t n = 0; n < count; ++n) {
        f(static_cast<std::size_t>(n), static_cast<std::size_t>(at));
        for (std::size_t k = shape.size(); k-- > 0;) {
            at += strides.by_axis[k];
            if (++index[k] < shape[k]) break;
            at -= strides.by_axis[k] * shape[k];
            index[k] = 0;
        }
    }
}

}  // namespace

bool is_plain(const Array& array) { return array.layout.is_default(); }

std::int64_t parts_of(const Array& array, const std::vector<std::int64_t>& shape) {
    return array.layout.separate_axis < 0 ? 1 : shape[static_cast<std::size_t>(array.layout.separate_axis)];
}

std::vector<std::byte> packed(const Array& array, const Buffer& elements, const Env& sizes) {
    const Strides strides = strides_of(array, elements.shape, sizes);
    const auto size = static_cast<std::size_t>(size_of(array.type));
    std::vector<std::byte> memory = memory_for(array, strides, size);
    std::vector<bool> taken(array.layout.strides.empty() ? 0 : static_cast<std::size_t>(strides.count));
    for_each_element(elements.shape, strides, [&](std::size_t n, std::size_t at) {
        const std::byte* from = elements.bytes.data() + n * size;
        std::byte* to = memory.data() + at * size;
        if (!taken.empty() && taken[at] && std::memcmp(to, from, size) != 0)
            throw user_error(
                "layout",
                fmt::format("the strides of {} put two elements with different values in one place", array.name.str()),
                array.loc);
        if (!taken.empty()) taken[at] = true;
        std::memcpy(to, from, size);
    });
    return memory;
}

void unpack(const Array& array, const std::vector<std::byte>& memory, const Env& sizes, Buffer& elements) {
    const Strides strides = strides_of(array, elements.shape, sizes);
    const auto size = static_cast<std::size_t>(size_of(array.type));
    for_each_element(elements.shape, strides, [&](std::size_t n, std::size_t at) {
        std::memcpy(elements.bytes.data() + n * size, memory.data() + at * size, size);
    });
}

}  // namespace heddle::tools
