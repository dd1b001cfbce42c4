#include <algorithm>
#include <numeric>

#include "runtime/freeze/sequence.h"
#include "runtime/status.h"

namespace heddle::runtime {
namespace {

template <class T>
Value compute(Op op, Value a, Value b) {
    const T x = a.as<T>(), y = b.as<T>();
    if (op == Op::Less || op == Op::LessEqual || op == Op::Equal)
        return Value::of(static_cast<std::int64_t>(compare(op, x, y)));
    return Value::of(apply(op, x, y));
}

/// Calls with a value of the C++ type of an element.
template <class Work>
auto with_type(Element type, Work work) {
    switch (type) {
        case Element::I8:
            return work(std::int8_t{});
        case Element::I16:
            return work(std::int16_t{});
        case Element::I32:
            return work(std::int32_t{});
        case Element::U8:
            return work(std::uint8_t{});
        case Element::U16:
            return work(std::uint16_t{});
        case Element::U32:
            return work(std::uint32_t{});
        case Element::U64:
            return work(std::uint64_t{});
        case Element::F32:
            return work(float{});
        case Element::F64:
            return work(double{});
        default:
            return work(std::int64_t{});
    }
}

}  // namespace

void refuse_division() { throw RuntimeError(Code::BadArgument, "a size or number is divided by zero"); }

std::size_t bytes_of(Element e) {
    static constexpr std::size_t bytes[]{1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 8, 16};
    return bytes[static_cast<std::size_t>(e)];
}

const char* name_of(Element e) {
    static constexpr const char* names[]{"bool",    "int8_t",        "int16_t",       "int32_t",  "int64_t",
                                         "uint8_t", "uint16_t",      "uint32_t",      "uint64_t", "float",
                                         "double",  "float complex", "double complex"};
    return names[static_cast<std::size_t>(e)];
}

Value evaluate(const Formula& f, Element from, Value a, Value b) {
    if (f.op == Op::Convert)
        return with_type(from, [&](auto x) {
            const auto number = a.as<decltype(x)>();
            return with_type(f.type, [&](auto y) { return Value::of(static_cast<decltype(y)>(number)); });
        });
    return with_type(f.type, [&](auto x) { return compute<decltype(x)>(f.op, a, b); });
}

Range range_of(const Array& a) {
    const auto begin = reinterpret_cast<std::uintptr_t>(ArrayAccess::pointer(a));
    const auto& sizes = ArrayAccess::sizes(a);
    const auto& strides = ArrayAccess::strides(a);
    std::int64_t low = 0, high = 1, count = 1;
    for (int k = 0; k < a.rank(); ++k) {
        const auto n = sizes[static_cast<std::size_t>(k)].operand().value.as<std::int64_t>();
        if (n <= 0) return {begin, begin};
        count *= n;
        const std::int64_t reach = (n - 1) * strides[static_cast<std::size_t>(k)];
        (reach < 0 ? low : high) += reach;
    }
    if (a.contiguous()) high = count;
    const auto bytes = static_cast<std::int64_t>(bytes_of(a.element()));
    return {begin + static_cast<std::uintptr_t>(low * bytes), begin + static_cast<std::uintptr_t>(high * bytes)};
}

std::vector<Overlap> overlaps_of(const std::vector<Range>& ranges) {
    std::vector<std::uint32_t> order(ranges.size()), live;
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return ranges[a].begin < ranges[b].begin; });
    std::vector<Overlap> out;
    for (const std::uint32_t k : order) {
        const Range& r = ranges[k];
        if (r.begin == r.end) continue;
        std::erase_if(live, [&](std::uint32_t other) { return ranges[other].end <= r.begin; });
        for (const std::uint32_t other : live) {
            const auto [a, b] = std::minmax(k, other);
            const Range &x = ranges[a], &y = ranges[b];
            out.push_back({a, b, static_cast<std::int64_t>(y.begin - x.begin), x.begin == y.begin && x.end == y.end});
        }
        live.push_back(k);
    }
    std::sort(out.begin(), out.end(),
              [](const Overlap& a, const Overlap& b) { return std::tie(a.a, a.b) < std::tie(b.a, b.b); });
    return out;
}

}  // namespace heddle::runtime
