// Every operation on every type at the edges of its range: compiled code gives, bit for bit, what the interpreter gives.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "ir/error.h"
#include "ir/kernel_data.h"
#include "tools/heddle/launch.h"

using namespace heddle;
using namespace heddle::tools;

namespace {

template <class T>
std::vector<T> edges() {
    using L = std::numeric_limits<T>;
    if constexpr (std::is_integral_v<T>) {
        std::vector<T> out{
            0, 1, 2, 3, 7, 63, 64, L::max(), static_cast<T>(L::max() - 1), L::min(), static_cast<T>(L::min() + 1)};
        if (std::is_signed_v<T>) out.insert(out.end(), {static_cast<T>(-1), static_cast<T>(-2), static_cast<T>(-7)});
        return out;
    } else {
        return {T(0),     T(-0.0),         T(1),          T(-1),          T(0.1),        T(-2.5),  T(2.5),
                T(1e9),   T(-3e9),         T(1e19),       T(300.7),       T(-129),       L::max(), L::lowest(),
                L::min(), L::denorm_min(), L::infinity(), -L::infinity(), L::quiet_NaN()};
    }
}

/// A kernel that computes every expression in `a` and `b` for all pairs; out arrays r0, r1, … of the given types.
struct Operations {
    std::vector<std::pair<std::string, std::string>> rows;  ///< type, expression
    void add(const std::string& type, const std::string& expression) { rows.emplace_back(type, expression); }

    std::string kernel(const std::string& type) const {
        std::string head, body;
        for (std::size_t k = 0; k < rows.size(); ++k) {
            head += fmt::format(", r{} : out {}[n, n]", k, rows[k].first);
            body += fmt::format("    r{}[i, j] = {}\n", k, rows[k].second);
        }
        for (const char* name : {"a", "b"})
            for (std::size_t at = body.find(fmt::format("@{}", name)); at != std::string::npos;
                 at = body.find(fmt::format("@{}", name)))
                body.replace(at, 2, fmt::format("x[{}]", name == std::string("a") ? "i" : "j"));
        return fmt::format("kernel k(n : index; x : in {}[n]{}) {{\n  for [i, j] : 0 <= i < n and 0 <= j < n {{\n{}  }}\n}}\n",
                           type, head, body);
    }
};

bool is_nan(const std::byte* p, DType type) {
    double d = 0;
    float f = 0;
    if (type == DType::F64) std::memcpy(&d, p, 8);
    if (type == DType::F32) std::memcpy(&f, p, 4);
    return std::isnan(d) || std::isnan(f);
}

/// Runs both ways and compares bits; two NaNs are equal.
void compare(const Operations& operations, const std::string& type, const Buffer& x) {
    const Kernel kernel = parse(operations.kernel(type), type).kernel();
    Arguments arguments;
    arguments.arrays["x"] = x;
    Arguments interpreted = complete(kernel, arguments), run = interpreted;
    interpret(kernel, interpreted);
    runtime::CompileOptions compiler;
    compiler.flags = {"-std=c11", "-O1", "-ffp-contract=off", "-w"};
    Compiled(kernel, {}, compiler).run(run);
    const auto n = static_cast<std::size_t>(x.count());
    for (std::size_t k = 0; k < operations.rows.size(); ++k) {
        const Buffer &a = interpreted.arrays.at(fmt::format("r{}", k)), &b = run.arrays.at(fmt::format("r{}", k));
        const DType part = real_of(a.type);
        const auto size = static_cast<std::size_t>(size_of(part)), parts = a.bytes.size() / size / (n * n);
        for (std::size_t e = 0; e < a.bytes.size() / size; ++e) {
            const std::byte *p = a.bytes.data() + e * size, *q = b.bytes.data() + e * size;
            if (is_nan(p, part) && is_nan(q, part)) continue;
            INFO(type << ": " << operations.rows[k].second << " for elements " << e / parts / n << ", " << e / parts % n);
            REQUIRE(std::memcmp(p, q, size) == 0);
        }
    }
}

const char* const all_types[] = {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64", "bool"};

void add_common(Operations& o, const std::string& type) {
    for (const char* op : {"+", "-", "*"}) o.add(type, fmt::format("@a {} @b", op));
    for (const char* op : {"<", "<=", ">", ">=", "==", "!="}) o.add("bool", fmt::format("@a {} @b", op));
    for (const char* f : {"min", "max"}) o.add(type, fmt::format("{}(@a, @b)", f));
    for (const char* f : {"abs", "sign"}) o.add(type, fmt::format("{}(@a)", f));
    o.add(type, "-@a");
    o.add(type, "@a < @b ? @a : @b");
    for (const char* to : all_types) o.add(to, fmt::format("{}(@a)", to));
}

template <class T>
void integers(const std::string& type) {
    Operations o;
    add_common(o, type);
    for (const char* op : {"//", "%", "&", "|", "^", "<<", ">>"}) o.add(type, fmt::format("@a {} @b", op));
    o.add(type, "~@a");
    const std::vector<T> v = edges<T>();
    Buffer x = Buffer::zeros(*dtype_from(type), {std::int64_t(v.size())});
    std::copy(v.begin(), v.end(), x.as<T>());
    compare(o, type, x);
}

template <class T>
void reals(const std::string& type) {
    Operations o;
    add_common(o, type);
    o.add(type, "@a / @b");
    o.add(type, "fma(@a, @b, @a)");
    for (const char* f :
         {"floor", "ceil", "round", "trunc", "sqrt", "exp", "log", "sin", "cos", "tanh", "cbrt", "exp2", "log2", "erf"})
        o.add(type, fmt::format("{}(@a)", f));
    for (const char* f : {"pow", "atan2", "hypot"}) o.add(type, fmt::format("{}(@a, @b)", f));
    for (const char* f : {"isnan", "isinf"}) o.add("bool", fmt::format("{}(@a)", f));
    const std::vector<T> v = edges<T>();
    Buffer x = Buffer::zeros(*dtype_from(type), {std::int64_t(v.size())});
    std::copy(v.begin(), v.end(), x.as<T>());
    compare(o, type, x);
}

template <class T>
void complexes(const std::string& type, const std::string& part) {
    Operations o;
    for (const char* op : {"+", "-", "*", "/"}) o.add(type, fmt::format("@a {} @b", op));
    for (const char* op : {"==", "!="}) o.add("bool", fmt::format("@a {} @b", op));
    for (const char* f : {"conj", "exp", "sqrt"}) o.add(type, fmt::format("{}(@a)", f));
    for (const char* f : {"real", "imag", "abs", "arg"}) o.add(part, fmt::format("{}(@a)", f));
    o.add(type, "-@a");
    o.add(type, "@a * real(@b)");
    o.add(type, fmt::format("{}(real(@a), imag(@b))", type));
    const std::vector<T> v{T(0), T(1), T(-1), T(0.5), T(-2.5), T(1e9), std::numeric_limits<T>::infinity()};
    Buffer x = Buffer::zeros(*dtype_from(type), {std::int64_t(v.size() * v.size())});
    std::size_t at = 0;
    for (const T re : v)
        for (const T im : v) x.as<T>()[at++] = re, x.as<T>()[at++] = im;
    compare(o, type, x);
}

}  // namespace

TEST_CASE("signed integers: compiled code and the interpreter agree") {
    integers<std::int8_t>("i8");
    integers<std::int16_t>("i16");
    integers<std::int32_t>("i32");
    integers<std::int64_t>("i64");
}

TEST_CASE("unsigned integers: compiled code and the interpreter agree") {
    integers<std::uint8_t>("u8");
    integers<std::uint16_t>("u16");
    integers<std::uint32_t>("u32");
    integers<std::uint64_t>("u64");
}

TEST_CASE("real numbers: compiled code and the interpreter agree") {
    reals<float>("f32");
    reals<double>("f64");
}

TEST_CASE("complex numbers: compiled code and the interpreter agree") {
    complexes<float>("c64", "f32");
    complexes<double>("c128", "f64");
}
