// The built-in functions on the interpreter's registers.
#include <cmath>
#include <map>

#include "ir/interpret/ops.h"
#include "ir/interpret_machine.h"

namespace heddle::interp {
namespace {

template <class T, T (*f)(T)>
void one(Machine& m, const Instr& in) {
    put(m.reg(in.dst), f(get<T>(m.reg(in.a))));
}
template <class T, T (*f)(T, T)>
void two(Machine& m, const Instr& in) {
    put(m.reg(in.dst), f(get<T>(m.reg(in.a)), get<T>(m.reg(in.b))));
}
template <class T>
void fused(Machine& m, const Instr& in) {
    put(m.reg(in.dst), std::fma(get<T>(m.reg(in.a)), get<T>(m.reg(in.b)), get<T>(m.reg(in.c))));
}
template <class T, bool (*f)(T)>
void test(Machine& m, const Instr& in) {
    put(m.reg(in.dst), f(get<T>(m.reg(in.a))));
}
template <class T>
void copy(Machine& m, const Instr& in) {
    put(m.reg(in.dst), get<T>(m.reg(in.a)));
}
template <class T>
void never(Machine& m, const Instr& in) {
    put(m.reg(in.dst), false);
}
template <class T>
void zero(Machine& m, const Instr& in) {
    put(m.reg(in.dst), T{});
}
template <class T>
void angle(Machine& m, const Instr& in) {
    put(m.reg(in.dst), std::atan2(T(0), get<T>(m.reg(in.a))));
}

/// -1, 0 or 1 by the sign; NaN and -0.0 stay what they are.
template <class T>
T sign_of(T x) {
    if (x > T(0)) return T(1);
    return x < T(0) ? static_cast<T>(-1) : x;
}
template <class T>
T magnitude(T x) {
    if constexpr (std::is_unsigned_v<T>)
        return x;
    else if constexpr (std::is_integral_v<T>)
        return x < 0 ? static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(x)) : x;
    else
        return std::fabs(x);
}

template <class T>
const std::map<std::string, Action>& real_functions() {
    static const std::map<std::string, Action> table{
        {"acos", one<T, std::acos>},
        {"asin", one<T, std::asin>},
        {"atan", one<T, std::atan>},
        {"cbrt", one<T, std::cbrt>},
        {"ceil", one<T, std::ceil>},
        {"cos", one<T, std::cos>},
        {"cosh", one<T, std::cosh>},
        {"erf", one<T, std::erf>},
        {"exp", one<T, std::exp>},
        {"exp2", one<T, std::exp2>},
        {"floor", one<T, std::floor>},
        {"log", one<T, std::log>},
        {"log10", one<T, std::log10>},
        {"log2", one<T, std::log2>},
        {"round", one<T, std::round>},
        {"sin", one<T, std::sin>},
        {"sinh", one<T, std::sinh>},
        {"sqrt", one<T, std::sqrt>},
        {"tan", one<T, std::tan>},
        {"tanh", one<T, std::tanh>},
        {"trunc", one<T, std::trunc>},
        {"atan2", two<T, std::atan2>},
        {"hypot", two<T, std::hypot>},
        {"pow", two<T, std::pow>},
        {"isnan", test<T, std::isnan>},
        {"isinf", test<T, std::isinf>},
        {"abs", one<T, magnitude<T>>},
        {"sign", one<T, sign_of<T>>},
        {"fma", fused<T>},
        {"real", copy<T>},
        {"conj", copy<T>},
        {"imag", zero<T>},
        {"arg", angle<T>},
    };
    return table;
}

template <class T>
const std::map<std::string, Action>& integer_functions() {
    static const std::map<std::string, Action> table{
        {"abs", one<T, magnitude<T>>},
        {"sign", one<T, sign_of<T>>},
        {"ceil", copy<T>},
        {"floor", copy<T>},
        {"round", copy<T>},
        {"trunc", copy<T>},
        {"real", copy<T>},
        {"conj", copy<T>},
        {"imag", zero<T>},
        {"isnan", never<T>},
        {"isinf", never<T>},
    };
    return table;
}

/// A function of std's on complex numbers, as an action.
#define HEDDLE_COMPLEX(function) [](Machine& m, const Instr& in) { put(m.reg(in.dst), function(get<T>(m.reg(in.a)))); }

template <class T>
bool any_nan(T z) {
    return std::isnan(z.real()) || std::isnan(z.imag());
}
template <class T>
bool any_inf(T z) {
    return std::isinf(z.real()) || std::isinf(z.imag());
}

/// e^z, square root, logarithm, cosine and sine by their formulas in real functions, as the language defines them.
template <class T>
T exponential(T z) {
    const auto e = std::exp(z.real());
    return T(e * std::cos(z.imag()), e * std::sin(z.imag()));
}
template <class T>
T square_root(T z) {
    const auto m = std::hypot(z.real(), z.imag());
    if (m == 0) return T(0, z.imag());
    const auto t = std::sqrt((m + std::fabs(z.real())) / 2);
    if (z.real() >= 0) return T(t, z.imag() / (2 * t));
    return T(std::fabs(z.imag()) / (2 * t), std::copysign(t, z.imag()));
}
template <class T>
T logarithm(T z) {
    return T(std::log(std::hypot(z.real(), z.imag())), std::atan2(z.imag(), z.real()));
}
template <class T>
T cosine(T z) {
    return T(std::cos(z.real()) * std::cosh(z.imag()), -std::sin(z.real()) * std::sinh(z.imag()));
}
template <class T>
T sine(T z) {
    return T(std::sin(z.real()) * std::cosh(z.imag()), std::cos(z.real()) * std::sinh(z.imag()));
}
template <class T>
auto modulus(T z) {
    return std::hypot(z.real(), z.imag());
}

template <class T>
const std::map<std::string, Action>& complex_functions() {
    static const std::map<std::string, Action> table{
        {"abs", HEDDLE_COMPLEX(modulus)},      {"arg", HEDDLE_COMPLEX(std::arg)},    {"conj", HEDDLE_COMPLEX(std::conj)},
        {"cos", HEDDLE_COMPLEX(cosine)},       {"exp", HEDDLE_COMPLEX(exponential)}, {"imag", HEDDLE_COMPLEX(std::imag)},
        {"log", HEDDLE_COMPLEX(logarithm)},    {"real", HEDDLE_COMPLEX(std::real)},  {"sin", HEDDLE_COMPLEX(sine)},
        {"sqrt", HEDDLE_COMPLEX(square_root)}, {"isnan", HEDDLE_COMPLEX(any_nan)},   {"isinf", HEDDLE_COMPLEX(any_inf)},
    };
    return table;
}

#undef HEDDLE_COMPLEX

template <class T>
const std::map<std::string, Action>& functions() {
    if constexpr (is_complex_v<T>)
        return complex_functions<T>();
    else if constexpr (is_int_v<T>)
        return integer_functions<T>();
    else if constexpr (std::is_floating_point_v<T>)
        return real_functions<T>();
    else
        return integer_functions<std::uint8_t>();
}

}  // namespace

Action builtin_action(const std::string& name, DType type) {
    return with_type(type, [&](auto tag) -> Action {
        const auto& table = functions<typename decltype(tag)::type>();
        const auto it = table.find(name);
        return it == table.end() ? nullptr : it->second;
    });
}

DType builtin_result(const std::string& name, DType type) {
    if (name == "isnan" || name == "isinf") return DType::Bool;
    const bool part = name == "abs" || name == "arg" || name == "real" || name == "imag";
    return part ? real_of(type) : type;
}

}  // namespace heddle::interp
