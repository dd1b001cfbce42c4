#include "tools/heddle/compare.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace heddle::tools {
namespace {

template <class T>
Difference of_reals(const Buffer& got, const Buffer& wanted, std::int64_t count, double tolerance) {
    const T *a = got.as<T>(), *b = wanted.as<T>();
    double scale = 0;
    for (std::int64_t k = 0; k < count; ++k)
        if (std::isfinite(b[k])) scale = std::max(scale, std::abs(static_cast<double>(b[k])));
    Difference out;
    for (std::int64_t k = 0; k < count; ++k) {
        if (a[k] == b[k] || (std::isnan(a[k]) && std::isnan(b[k]))) continue;
        double d = std::abs(static_cast<double>(a[k]) - static_cast<double>(b[k]));
        d = std::isfinite(d) && scale > 0 ? d / scale : std::numeric_limits<double>::infinity();
        if (d > out.largest) out.largest = d, out.element = k;
    }
    out.within = out.largest <= tolerance;
    return out;
}

Difference of_integers(const Buffer& got, const Buffer& wanted) {
    const auto size = static_cast<std::size_t>(size_of(got.type));
    for (std::size_t at = 0; at < got.bytes.size(); at += size)
        if (std::memcmp(got.bytes.data() + at, wanted.bytes.data() + at, size) != 0)
            return {1, static_cast<std::int64_t>(at / size), false};
    return {};
}

}  // namespace

Difference difference(const Buffer& got, const Buffer& wanted) {
    const bool pairs = is_complex(got.type);
    const std::int64_t count = got.count() * (pairs ? 2 : 1);
    const DType part = real_of(got.type);
    if (!is_float(part)) return of_integers(got, wanted);
    Difference out =
        part == DType::F32 ? of_reals<float>(got, wanted, count, 1e-5) : of_reals<double>(got, wanted, count, 1e-12);
    if (pairs && out.element >= 0) out.element /= 2;
    return out;
}

std::string subscripts_text(const Buffer& buffer, std::int64_t element) {
    std::vector<std::int64_t> index(buffer.shape.size());
    for (std::size_t k = index.size(); k-- > 0;) {
        index[k] = element % buffer.shape[k];
        element /= buffer.shape[k];
    }
    return index.empty() ? std::string() : fmt::format("[{}]", fmt::join(index, ", "));
}

}  // namespace heddle::tools
