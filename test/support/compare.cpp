#include "test/support/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "ir/kernel_data.h"
#include "runtime/compile.h"
#include "runtime/status.h"
#include "target/names.h"
#include "target/target.h"

namespace heddle::test {
namespace {

void fill(std::mt19937& rng, Buffer& b, bool index) {
    const auto small = [&] { return static_cast<int>(rng() % 21) - 10; };
    for (std::int64_t k = 0; k < b.count(); ++k) {
        switch (b.type) {
            case DType::F64:
                b.as<double>()[k] = small() * 0.2 + 0.013;
                break;
            case DType::F32:
                b.as<float>()[k] = static_cast<float>(small()) * 0.2F + 0.013F;
                break;
            case DType::I64:
                b.as<std::int64_t>()[k] = index ? static_cast<std::int64_t>(rng() % 96) : small();
                break;
            case DType::I32:
                b.as<std::int32_t>()[k] = small();
                break;
            default:
                b.bytes[static_cast<std::size_t>(k)] = static_cast<std::byte>(rng() % 2);
                break;
        }
    }
}

bool same_element(const Buffer& a, const Buffer& b, std::int64_t k) {
    const auto size = static_cast<std::size_t>(size_of(a.type));
    const auto at = static_cast<std::size_t>(k) * size;
    if (std::memcmp(a.bytes.data() + at, b.bytes.data() + at, size) == 0) return true;
    if (a.type == DType::F64) return std::isnan(a.as<double>()[k]) && std::isnan(b.as<double>()[k]);
    return a.type == DType::F32 && std::isnan(a.as<float>()[k]) && std::isnan(b.as<float>()[k]);
}

bool near(const Buffer& a, const Buffer& b, std::int64_t k, double tolerance) {
    if (tolerance == 0 || (a.type != DType::F64 && a.type != DType::F32)) return false;
    const double x = a.type == DType::F64 ? a.as<double>()[k] : a.as<float>()[k];
    const double y = b.type == DType::F64 ? b.as<double>()[k] : b.as<float>()[k];
    return std::abs(x - y) <= tolerance * std::max({1.0, std::abs(x), std::abs(y)});
}

std::string element_text(const Buffer& b, std::int64_t k) {
    switch (b.type) {
        case DType::F64:
            return fmt::format("{}", b.as<double>()[k]);
        case DType::F32:
            return fmt::format("{}", b.as<float>()[k]);
        case DType::I64:
            return fmt::format("{}", b.as<std::int64_t>()[k]);
        case DType::I32:
            return fmt::format("{}", b.as<std::int32_t>()[k]);
        default:
            return fmt::format("{}", static_cast<int>(b.bytes[static_cast<std::size_t>(k)]));
    }
}

}  // namespace

Arguments random_arguments(const Kernel& kernel, const std::map<std::string, std::int64_t>& sizes, unsigned seed) {
    std::mt19937 rng(seed);
    Arguments out;
    out.sizes = sizes;
    for (const Array& a : kernel.data().arrays) {
        if (!a.is_argument() || !a.view_of.empty()) continue;
        std::vector<std::int64_t> shape;
        for (const Expr& e : a.shape) shape.push_back(evaluate(affine_of(e).value(), Env(sizes.begin(), sizes.end())));
        Buffer b = Buffer::zeros(a.type, std::move(shape));
        fill(rng, b, a.name == Name("g"));
        out.arrays.emplace(a.name.str(), std::move(b));
    }
    return out;
}

std::optional<std::string> difference(const Arguments& a, const Arguments& b, double tolerance) {
    for (const auto& [name, x] : a.arrays) {
        const Buffer& y = b.arrays.at(name);
        for (std::int64_t k = 0; k < x.count(); ++k)
            if (!same_element(x, y, k) && !near(x, y, k, tolerance))
                return fmt::format("{}[{}]: {} and {}", name, k, element_text(x, k), element_text(y, k));
    }
    return std::nullopt;
}

struct Compiled::Code {
    runtime::Module module;
    int (*entry)(void* const*, const void*);
};

Compiled::Compiled(const Kernel& kernel) : kernel_(kernel) {
    TargetOptions options;
    options.entry = true;
    const std::string text = emit_c_single(*lower(kernel, options));
    runtime::CompileOptions how;
    how.flags = {"-std=c11", "-O1",      "-ffp-contract=off",         "-fopenmp",
                 "-Wall",    "-Wextra",  "-Wno-tautological-compare", "-Wno-type-limits",
                 "-Werror",  "-pedantic"};
    runtime::Module module = runtime::compile_c(text, how);
    void* const symbol = module.symbol(c_identifier(kernel.name()) + "_entry");
    code_ = std::make_shared<Code>(Code{module, reinterpret_cast<int (*)(void* const*, const void*)>(symbol)});
}

Arguments Compiled::run(Arguments arguments) const {
    std::vector<void*> pointers;
    for (Name name : kernel_.data().argument_order) {
        const auto size = arguments.sizes.find(name.str());
        if (size != arguments.sizes.end())
            pointers.push_back(&size->second);
        else
            pointers.push_back(arguments.arrays.at(name.str()).bytes.data());
    }
    if (const int status = code_->entry(pointers.data(), nullptr))
        throw runtime::RuntimeError(runtime::Code::BadArgument, fmt::format("the entry function returned {}", status));
    return arguments;
}

}  // namespace heddle::test
