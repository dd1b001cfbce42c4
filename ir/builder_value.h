// Values of the C++ builder: what formulas are written with. Operators and functions mean what they mean in the kernel
// language; types are inferred where a value is used, and messages name the C++ line.
#pragma once

#include <complex>
#include <concepts>
#include <cstdint>
#include <source_location>
#include <type_traits>
#include <utility>
#include <vector>

#include "ir/expr.h"

namespace heddle::build {

/// The place of a C++ call.
Loc loc_of(const std::source_location& at);

/// The element type that stands for a C++ type: dtype_of<double>() is F64.
template <class T>
constexpr DType dtype_of() {
    if constexpr (std::is_same_v<T, bool>)
        return DType::Bool;
    else if constexpr (std::is_same_v<T, float>)
        return DType::F32;
    else if constexpr (std::is_same_v<T, double>)
        return DType::F64;
    else if constexpr (std::is_same_v<T, std::complex<float>>)
        return DType::C64;
    else if constexpr (std::is_same_v<T, std::complex<double>>)
        return DType::C128;
    else {
        static_assert(std::is_integral_v<T>, "elements are integers, floats, complex numbers or bool");
        constexpr DType with_sign[] = {DType::I8, DType::I16, DType::I32, DType::I64};
        constexpr DType without[] = {DType::U8, DType::U16, DType::U32, DType::U64};
        constexpr int size = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
        return std::is_signed_v<T> ? with_sign[size] : without[size];
    }
}

/// A literal: it takes the type of what it meets.
template <class T>
concept Number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

/// Anything that can stand on the right of an assignment: a literal, an element, a formula of these.
class Value {
public:
    template <Number T>
    Value(T literal) : expr_(literal_of(literal)) {}
    Value(std::complex<double> literal);
    explicit Value(Expr expr) : expr_(std::move(expr)) {}
    const Expr& expr() const { return expr_; }

private:
    template <class T>
    static Expr literal_of(T literal) {
        if constexpr (std::is_floating_point_v<T>)
            return float_literal(double(literal));
        else if constexpr (std::is_signed_v<T>)
            return int_literal(std::int64_t(literal));
        else
            return unsigned_literal(std::uint64_t(literal));
    }
    static Expr unsigned_literal(std::uint64_t literal);

    Expr expr_;
};

/// An integer made of loop variables, sizes and literals: for subscripts and bounds. It is a value, too.
class Index : public Value {
public:
    template <Number T>
    requires std::integral<T> Index(T literal) : Value(literal) {}
    explicit Index(Expr expr) : Value(std::move(expr)) {}
};

/// A truth value: compares values, joined by && || !. Of indices and sizes it narrows where a statement runs; of data it is
/// decided at run time.
class Condition : public Value {
public:
    Condition(std::same_as<bool> auto literal) : Value(bool_literal(literal)) {}
    explicit Condition(Expr expr) : Value(std::move(expr)) {}
};

Value operator+(const Value& a, const Value& b);
Value operator-(const Value& a, const Value& b);
Value operator*(const Value& a, const Value& b);
Value operator/(const Value& a, const Value& b);  ///< real division; of two integers it is refused: see floor_div
Value operator%(const Value& a, const Value& b);  ///< remainder of floor_div: its sign is the divisor's
Value operator&(const Value& a, const Value& b);
Value operator|(const Value& a, const Value& b);
Value operator^(const Value& a, const Value& b);
Value operator<<(const Value& a, const Value& b);
Value operator>>(const Value& a, const Value& b);
Value operator-(const Value& a);
Value operator~(const Value& a);
Index operator+(const Index& a, const Index& b);
Index operator-(const Index& a, const Index& b);
Index operator*(const Index& a, const Index& b);
Index operator%(const Index& a, const Index& b);
Index operator-(const Index& a);
Index operator/(const Index& a, const Index& b) = delete;  // floor_div and ceil_div say which way it is rounded

Condition operator<(const Value& a, const Value& b);
Condition operator<=(const Value& a, const Value& b);
Condition operator>(const Value& a, const Value& b);
Condition operator>=(const Value& a, const Value& b);
Condition operator==(const Value& a, const Value& b);
Condition operator!=(const Value& a, const Value& b);
Condition operator&&(const Condition& a, const Condition& b);  ///< both sides are evaluated by C++ before
Condition operator||(const Condition& a, const Condition& b);
Condition operator!(const Condition& a);
/// low <= x and x < high.
Condition within(const Value& x, const Value& low, const Value& high);

Index floor_div(const Index& a, const Index& b);
Value floor_div(const Value& a, const Value& b);
Index ceil_div(const Index& a, const Index& b);
Index min(const Index& a, const Index& b);
Value min(const Value& a, const Value& b);
Index max(const Index& a, const Index& b);
Value max(const Value& a, const Value& b);
Index select(const Condition& c, const Index& then, const Index& otherwise);
Value select(const Condition& c, const Value& then, const Value& otherwise);

/// The value as another type: floats saturate into integers, integers wrap.
Value cast(DType type, const Value& x);
template <class T>
Value cast(const Value& x) {
    return cast(dtype_of<T>(), x);
}
/// Data as an index: for subscripts and bounds it is unknown to the analysis.
Index as_index(const Value& x);
/// A complex number from its parts.
Value complex(const Value& real, const Value& imaginary, DType type = DType::C128);
/// A built-in function by its name.
Value call(Name function, std::vector<Value> arguments);

inline Value sqrt(const Value& x) { return call("sqrt", {x}); }
inline Value cbrt(const Value& x) { return call("cbrt", {x}); }
inline Value exp(const Value& x) { return call("exp", {x}); }
inline Value exp2(const Value& x) { return call("exp2", {x}); }
inline Value log(const Value& x) { return call("log", {x}); }
inline Value log2(const Value& x) { return call("log2", {x}); }
inline Value log10(const Value& x) { return call("log10", {x}); }
inline Value sin(const Value& x) { return call("sin", {x}); }
inline Value cos(const Value& x) { return call("cos", {x}); }
inline Value tan(const Value& x) { return call("tan", {x}); }
inline Value asin(const Value& x) { return call("asin", {x}); }
inline Value acos(const Value& x) { return call("acos", {x}); }
inline Value atan(const Value& x) { return call("atan", {x}); }
inline Value atan2(const Value& y, const Value& x) { return call("atan2", {y, x}); }
inline Value sinh(const Value& x) { return call("sinh", {x}); }
inline Value cosh(const Value& x) { return call("cosh", {x}); }
inline Value tanh(const Value& x) { return call("tanh", {x}); }
inline Value erf(const Value& x) { return call("erf", {x}); }
inline Value pow(const Value& x, const Value& y) { return call("pow", {x, y}); }
inline Value hypot(const Value& x, const Value& y) { return call("hypot", {x, y}); }
inline Value fma(const Value& x, const Value& y, const Value& z) { return call("fma", {x, y, z}); }
inline Value abs(const Value& x) { return call("abs", {x}); }
inline Value sign(const Value& x) { return call("sign", {x}); }
inline Value floor(const Value& x) { return call("floor", {x}); }
inline Value ceil(const Value& x) { return call("ceil", {x}); }
inline Value round(const Value& x) { return call("round", {x}); }
inline Value trunc(const Value& x) { return call("trunc", {x}); }
inline Value real(const Value& x) { return call("real", {x}); }
inline Value imag(const Value& x) { return call("imag", {x}); }
inline Value conj(const Value& x) { return call("conj", {x}); }
inline Value arg(const Value& x) { return call("arg", {x}); }
inline Condition isnan(const Value& x) { return Condition(call("isnan", {x}).expr()); }
inline Condition isinf(const Value& x) { return Condition(call("isinf", {x}).expr()); }

}  // namespace heddle::build
