// The interpreter's values and its arithmetic: one register holds one element of any type.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "ir/name.h"
#include "ir/types.h"

namespace heddle::interp {

/// A register. The element's own representation stands in the first bytes.
struct alignas(16) Value {
    std::byte raw[16] = {};
};

template <class T>
T get(const Value& v) {
    T t;
    std::memcpy(&t, v.raw, sizeof t);
    return t;
}
template <class T>
void put(Value& v, T t) {
    std::memcpy(v.raw, &t, sizeof t);
}

/// Calls `f` with a std::type_identity of the C++ type of an element type (Untyped counts as i64).
template <class F>
auto with_type(DType type, F f) {
    switch (type) {
        case DType::Bool:
            return f(std::type_identity<bool>{});
        case DType::I8:
            return f(std::type_identity<std::int8_t>{});
        case DType::I16:
            return f(std::type_identity<std::int16_t>{});
        case DType::I32:
            return f(std::type_identity<std::int32_t>{});
        case DType::U8:
            return f(std::type_identity<std::uint8_t>{});
        case DType::U16:
            return f(std::type_identity<std::uint16_t>{});
        case DType::U32:
            return f(std::type_identity<std::uint32_t>{});
        case DType::U64:
            return f(std::type_identity<std::uint64_t>{});
        case DType::F32:
            return f(std::type_identity<float>{});
        case DType::F64:
            return f(std::type_identity<double>{});
        case DType::C64:
            return f(std::type_identity<std::complex<float>>{});
        case DType::C128:
            return f(std::type_identity<std::complex<double>>{});
        case DType::Untyped:
        case DType::I64:
            break;
    }
    return f(std::type_identity<std::int64_t>{});
}

template <class T>
inline constexpr bool is_complex_v = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;
template <class T>
inline constexpr bool is_int_v = std::is_integral_v<T> && !std::is_same_v<T, bool>;

class Machine;
struct Instr;
using Action = void (*)(Machine&, const Instr&);

/// One instruction: what to do, the register that gets the result, and three operands (registers, or what the action says).
struct Instr {
    Action run;
    std::uint32_t dst = 0, a = 0, b = 0, c = 0;
};

}  // namespace heddle::interp
