#include "sample_data.h"

#include <algorithm>

#include "ir/interpret_machine.h"

namespace heddle::test {

namespace {

template <class T>
void fill(Buffer& buffer, std::uint32_t seed, std::int64_t modulus) {
    T* data = buffer.as<T>();
    const std::int64_t n = buffer.count() * (is_complex(buffer.type) ? 2 : 1);
    for (std::int64_t k = 0; k < n; ++k) {
        const std::int64_t mixed = (k * (modulus % 5 == 0 ? 7 : 5) + seed * 3) % modulus;  // all different below the modulus
        data[k] = static_cast<T>(mixed);
        if constexpr (std::is_floating_point_v<T>) data[k] = static_cast<T>(mixed - 4) / 8;
    }
}

void fill(Buffer& buffer, std::uint32_t seed, std::int64_t extent) {
    switch (buffer.type) {
        case DType::F32:
        case DType::C64:
            return fill<float>(buffer, seed, 13);
        case DType::F64:
        case DType::C128:
            return fill<double>(buffer, seed, 13);
        case DType::I64:
        case DType::U64:
            return fill<std::int64_t>(buffer, seed, extent);
        case DType::I32:
        case DType::U32:
            return fill<std::int32_t>(buffer, seed, extent);
        case DType::I16:
        case DType::U16:
            return fill<std::int16_t>(buffer, seed, extent);
        case DType::Bool:
            return fill<std::int8_t>(buffer, seed, 2);
        default:
            return fill<std::int8_t>(buffer, seed, extent);
    }
}

}  // namespace

std::vector<Env> sample_sizes(const KernelData& kernel, std::size_t count) {
    static constexpr std::int64_t candidates[] = {5, 8, 13, 1, 4, 0, 3, 12, 7, -1, 2, 6};
    constexpr std::size_t many = std::size(candidates);
    std::vector<Env> out;
    for (std::size_t trial = 0; trial < 4096 && out.size() < count; ++trial) {
        Env env;
        std::size_t digits = trial * 7;
        for (std::size_t p = 0; p < kernel.parameters.size(); ++p, digits /= 3)
            env[kernel.parameters[p].name] = candidates[(digits + trial / 5 * p) % many];
        if (contains(kernel.assumptions, env) && std::find(out.begin(), out.end(), env) == out.end()) out.push_back(env);
    }
    return out;
}

std::optional<Arguments> sample_arguments(const KernelData& kernel, const Env& sizes) {
    Arguments out;
    for (const auto& [name, value] : sizes) out.sizes[name.str()] = value;
    std::uint32_t seed = 0;
    for (const Array& a : kernel.arrays) {
        if (!a.is_argument() || !a.view_of.empty()) continue;
        std::vector<std::int64_t> shape;
        for (const Expr& e : a.shape) shape.push_back(interp::index_value(e, sizes).value());
        if (std::any_of(shape.begin(), shape.end(), [](std::int64_t n) { return n < 0; })) return std::nullopt;
        Buffer buffer = Buffer::zeros(a.type, shape);
        fill(buffer, ++seed, shape.empty() ? 13 : std::max<std::int64_t>(shape[0], 1));
        out.arrays[a.name.str()] = std::move(buffer);
    }
    return out;
}

std::optional<std::string> difference(const KernelData& kernel, const Arguments& a, const Arguments& b) {
    for (const Array& array : kernel.arrays) {
        const std::string name = array.name.str();
        if (a.arrays.count(name) && a.arrays.at(name).bytes != b.arrays.at(name).bytes) return name;
    }
    return std::nullopt;
}

}  // namespace heddle::test
