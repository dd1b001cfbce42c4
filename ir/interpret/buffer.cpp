#include <fmt/format.h>

#include <algorithm>

#include "ir/error.h"
#include "ir/interpret.h"

namespace heddle {
namespace {

/// The number of elements, or -1 when it does not fit.
std::int64_t elements(const std::vector<std::int64_t>& shape) {
    std::int64_t n = 1;
    for (const std::int64_t extent : shape)
        if (__builtin_mul_overflow(n, std::max<std::int64_t>(extent, 0), &n)) return -1;
    return n;
}

}  // namespace

std::int64_t Buffer::count() const { return elements(shape); }

Buffer Buffer::zeros(DType type, std::vector<std::int64_t> shape) {
    for (std::int64_t& extent : shape) extent = std::max<std::int64_t>(extent, 0);
    const std::int64_t count = elements(shape);
    std::int64_t size = 0;
    const bool too_large = count < 0 || __builtin_mul_overflow(count, static_cast<std::int64_t>(size_of(type)), &size);
    const auto refuse = [&] {
        return Error(ErrorKind::Runtime, "memory", fmt::format("no memory for {}[{}]", name_of(type), fmt::join(shape, ", ")));
    };
    if (too_large) throw refuse();
    Buffer out{type, std::move(shape), {}};
    try {
        out.bytes.resize(static_cast<std::size_t>(size));
    } catch (const std::exception&) {
        shape = out.shape;
        throw refuse();
    }
    return out;
}

}  // namespace heddle
