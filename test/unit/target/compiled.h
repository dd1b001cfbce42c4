// Running emitted C beside the interpreter.
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "ir/interpret.h"
#include "ir/kernel_data.h"
#include "runtime/compile.h"
#include "target/target.h"

namespace heddle::test {

inline const std::vector<std::string>& strict_flags() {
    static const std::vector<std::string> flags{
        "-std=c11", "-O1",     "-fopenmp",  "-ffp-contract=off",    "-Wall",
        "-Wextra",  "-Werror", "-pedantic", "-fsanitize=undefined", "-fno-sanitize-recover=all"};
    return flags;
}

/// A kernel as a loaded function.
class Compiled {
public:
    explicit Compiled(Kernel kernel, TargetOptions options = {}) : kernel_(std::move(kernel)) {
        options.entry = true;
        text_ = emit_c_single(*lower(kernel_, options));
        runtime::CompileOptions how;
        how.flags = strict_flags();
        module_.emplace(runtime::compile_c(text_, how));
    }
    /// The status; arguments must be complete and in default layouts.
    std::int32_t run(Arguments& arguments) const {
        std::vector<void*> pointers;
        for (Name name : kernel_.data().argument_order) {
            const auto size = arguments.sizes.find(name.str());
            pointers.push_back(size != arguments.sizes.end() ? static_cast<void*>(&size->second)
                                                             : arguments.arrays.at(name.str()).bytes.data());
        }
        return reinterpret_cast<std::int32_t (*)(void* const*, const void*)>(module_->symbol(kernel_.name() + "_entry"))(
            pointers.data(), nullptr);
    }
    const std::string& text() const { return text_; }
    std::string message() const { return reinterpret_cast<const char* (*)()>(module_->symbol(kernel_.name() + "_error"))(); }

private:
    Kernel kernel_;
    std::string text_;
    std::optional<runtime::Module> module_;
};

/// Arrays of the sizes with small values that differ from element to element.
inline Arguments filled_arguments(const Kernel& kernel, std::map<std::string, std::int64_t> sizes) {
    Arguments out;
    out.sizes = std::move(sizes);
    Env env;
    for (const auto& [name, value] : out.sizes) env[name] = value;
    std::int64_t seed = 3;
    for (const Array& a : kernel.data().arrays) {
        if (!a.is_argument() || !a.view_of.empty()) continue;
        std::vector<std::int64_t> shape;
        for (const Expr& e : a.shape) shape.push_back(evaluate(affine_of(e).value(), env));
        Buffer b = Buffer::zeros(a.type, shape);
        for (std::int64_t k = 0; k < b.count(); ++k, seed = (seed * 7 + 5) % 23) {
            if (a.type == DType::F64) b.as<double>()[k] = 0.5 * static_cast<double>(seed) - 4;
            if (a.type == DType::F32) b.as<float>()[k] = 0.5f * static_cast<float>(seed) - 4;
            if (a.type == DType::I32) b.as<std::int32_t>()[k] = static_cast<std::int32_t>(seed);
            if (a.type == DType::I64) b.as<std::int64_t>()[k] = seed;
            if (a.type == DType::U8) b.as<std::uint8_t>()[k] = static_cast<std::uint8_t>(seed * 11);
        }
        out.arrays.emplace(a.name.str(), std::move(b));
    }
    return out;
}

/// Compiled code and interpreter give the same bits.
inline void check_equal_runs(const std::string& text, const std::vector<std::map<std::string, std::int64_t>>& sizes,
                             const TargetOptions& options = {}) {
    const Kernel kernel = parse(text).kernels.back();
    const Compiled compiled(kernel, options);
    INFO(compiled.text());
    for (const auto& s : sizes) {
        Arguments expected = filled_arguments(kernel, s), found = expected;
        interpret(kernel, expected);
        REQUIRE(compiled.run(found) == 0);
        for (const auto& [name, buffer] : expected.arrays) {
            INFO(name);
            CHECK((buffer.bytes == found.arrays.at(name).bytes));
        }
    }
}

}  // namespace heddle::test
