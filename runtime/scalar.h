// Numbers that remember how they were computed while a frozen function is recorded, so that a replay computes them anew.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace heddle::runtime {

/// Types of elements and of numbers.
enum class Element : std::uint8_t { Bool, I8, I16, I32, I64, U8, U16, U32, U64, F32, F64, C64, C128 };
std::size_t bytes_of(Element element);
const char* name_of(Element element);

template <class T>
constexpr Element element_of() {
    if constexpr (std::is_same_v<T, bool>)
        return Element::Bool;
    else if constexpr (std::is_same_v<T, float>)
        return Element::F32;
    else if constexpr (std::is_same_v<T, double>)
        return Element::F64;
    else if constexpr (std::is_integral_v<T>) {
        constexpr int width = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
        return static_cast<Element>(static_cast<int>(std::is_signed_v<T> ? Element::I8 : Element::U8) + width);
    } else {
        static_assert(sizeof(T) == 0 || sizeof(T) == 8 || sizeof(T) == 16, "no type of elements");
        return sizeof(T) == 8 ? Element::C64 : Element::C128;
    }
}

/// A number of any type, as 8 bytes.
struct Value {
    std::uint64_t bits = 0;
    template <class T>
    static Value of(T v) {
        Value out;
        std::memcpy(&out.bits, &v, sizeof v);
        return out;
    }
    template <class T>
    T as() const {
        T out;
        std::memcpy(&out, &bits, sizeof out);
        return out;
    }
};

/// The place of a number or an array in a recording; recording 0: none, it is a constant.
struct Node {
    std::uint32_t index = 0, recording = 0;
};

enum class Op : std::uint8_t {
    Input,
    Constant,
    Fetched,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Least,
    Greatest,
    Less,
    LessEqual,
    Equal,
    Convert
};

[[noreturn]] void refuse_division();

/// What an operation gives, in a plain run and in a replay alike. Integers wrap; they divide as in C, and not by zero.
template <class T>
T apply(Op op, T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        using U = std::conditional_t<(sizeof(T) < 4), unsigned, std::make_unsigned_t<T>>;
        const U x = static_cast<U>(a), y = static_cast<U>(b);
        if (op == Op::Add) return static_cast<T>(x + y);
        if (op == Op::Subtract) return static_cast<T>(x - y);
        if (op == Op::Multiply) return static_cast<T>(x * y);
        if (op == Op::Divide || op == Op::Remainder) {
            if (b == 0) refuse_division();
            if constexpr (std::is_signed_v<T>)
                if (b == -1) return op == Op::Divide ? static_cast<T>(U{0} - x) : T{0};
            return static_cast<T>(op == Op::Divide ? a / b : a % b);
        }
    } else {
        if (op == Op::Add) return a + b;
        if (op == Op::Subtract) return a - b;
        if (op == Op::Multiply) return a * b;
        if (op == Op::Divide) return a / b;
    }
    return op == Op::Least ? (b < a ? b : a) : (a < b ? b : a);
}

template <class T>
bool compare(Op op, T a, T b) {
    return op == Op::Less ? a < b : op == Op::LessEqual ? a <= b : a == b;
}

class Recorder;

/// Recording, as arrays and numbers see it. Nothing of this is called in plain runs.
namespace recording {

inline constinit thread_local Recorder* current = nullptr;

/// An operand: its place, or its value where it has none.
struct Operand {
    Node node;
    Value value;
    Element type;
};
Node operation(Op op, Element type, const Operand& a, const Operand& b);
/// The host has used a number: the recording holds for this value only.
void decided(const Operand& number);
/// The host has used a comparison.
void decided(Op op, const Operand& a, const Operand& b, bool result);

}  // namespace recording

/// A number that is an input of a frozen function, or computed from such. It is used like a T; reading it (`value`,
/// comparisons) while recording makes the recording hold for what was seen only, and other values are recorded anew.
template <class T>
class Scalar {
    static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>, "a Scalar is an integer or a floating-point number");

public:
    Scalar(T v = {}) : value_(v) {}
    Scalar(T v, Node node) : value_(v), node_(node) {}

    T value() const {
        if (node_.recording != 0) recording::decided(operand());
        return value_;
    }
    explicit operator T() const { return value(); }
    /// The same as another type.
    template <class U>
    Scalar<U> as() const {
        const U converted = static_cast<U>(value_);
        if (node_.recording == 0) return converted;
        return {converted, recording::operation(Op::Convert, element_of<U>(), operand(), operand())};
    }

    friend Scalar operator+(const Scalar& a, const Scalar& b) { return combine(Op::Add, a, b); }
    friend Scalar operator-(const Scalar& a, const Scalar& b) { return combine(Op::Subtract, a, b); }
    friend Scalar operator*(const Scalar& a, const Scalar& b) { return combine(Op::Multiply, a, b); }
    friend Scalar operator/(const Scalar& a, const Scalar& b) { return combine(Op::Divide, a, b); }
    friend Scalar operator%(const Scalar& a, const Scalar& b) {
        static_assert(std::is_integral_v<T>, "remainders are for integers");
        return combine(Op::Remainder, a, b);
    }
    friend Scalar min(const Scalar& a, const Scalar& b) { return combine(Op::Least, a, b); }
    friend Scalar max(const Scalar& a, const Scalar& b) { return combine(Op::Greatest, a, b); }
    /// a / b rounded up, for a >= 0 and b > 0.
    friend Scalar ceil_div(const Scalar& a, const Scalar& b) { return (a + b - Scalar(T{1})) / b; }
    friend bool operator<(const Scalar& a, const Scalar& b) { return decide(Op::Less, a, b); }
    friend bool operator<=(const Scalar& a, const Scalar& b) { return decide(Op::LessEqual, a, b); }
    friend bool operator>(const Scalar& a, const Scalar& b) { return decide(Op::Less, b, a); }
    friend bool operator>=(const Scalar& a, const Scalar& b) { return decide(Op::LessEqual, b, a); }
    friend bool operator==(const Scalar& a, const Scalar& b) { return decide(Op::Equal, a, b); }

    /// For the recorder: the number without reading it.
    recording::Operand operand() const { return {node_, Value::of(value_), element_of<T>()}; }

private:
    static Scalar combine(Op op, const Scalar& a, const Scalar& b) {
        const T result = apply(op, a.value_, b.value_);
        if ((a.node_.recording | b.node_.recording) == 0) return result;
        return {result, recording::operation(op, element_of<T>(), a.operand(), b.operand())};
    }
    static bool decide(Op op, const Scalar& a, const Scalar& b) {
        const bool result = compare(op, a.value_, b.value_);
        if ((a.node_.recording | b.node_.recording) != 0) recording::decided(op, a.operand(), b.operand(), result);
        return result;
    }
    T value_;
    Node node_;
};

using Size = Scalar<std::int64_t>;

}  // namespace heddle::runtime
