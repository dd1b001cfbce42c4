#include "ir/interpret/ops.h"

#include <cmath>
#include <limits>

#include "ir/interpret_machine.h"

namespace heddle::interp {
namespace {

/// The unsigned type in which integers of type T wrap without undefined behaviour.
template <class T>
using Wrap = std::conditional_t<(sizeof(T) < 4), std::uint32_t, std::make_unsigned_t<T>>;

struct Add {
    template <class T>
    static T of(T a, T b) {
        if constexpr (is_int_v<T>)
            return static_cast<T>(Wrap<T>(a) + Wrap<T>(b));
        else
            return a + b;
    }
};
struct Sub {
    template <class T>
    static T of(T a, T b) {
        if constexpr (is_int_v<T>)
            return static_cast<T>(Wrap<T>(a) - Wrap<T>(b));
        else
            return a - b;
    }
};
/// Complex products and quotients follow the formulas of the language, not C's special cases for infinities: every target does
/// the same.
struct Mul {
    template <class T>
    static T of(T a, T b) {
        if constexpr (is_complex_v<T>)
            return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
        else if constexpr (is_int_v<T>)
            return static_cast<T>(Wrap<T>(a) * Wrap<T>(b));
        else
            return a * b;
    }
};
struct Div {
    template <class T>
    static T of(T a, T b) {
        if constexpr (is_complex_v<T>)
            return smith(a, b);
        else
            return a / b;
    }
    /// R. L. Smith, Algorithm 116: complex division, 1962.
    template <class T>
    static T smith(T a, T b) {
        using Part = typename T::value_type;
        if (std::abs(b.real()) >= std::abs(b.imag())) {
            const Part r = b.imag() / b.real(), d = b.real() + r * b.imag();
            return T((a.real() + a.imag() * r) / d, (a.imag() - a.real() * r) / d);
        }
        const Part r = b.real() / b.imag(), d = b.imag() + r * b.real();
        return T((a.real() * r + a.imag()) / d, (a.imag() * r - a.real()) / d);
    }
};
struct FloorDiv {
    template <class T>
    static T of(T a, T b) {
        if (b == 0) return 0;
        if constexpr (std::is_signed_v<T>) {
            if (b == -1) return static_cast<T>(Wrap<T>(0) - Wrap<T>(a));
            const T q = static_cast<T>(a / b);
            return static_cast<T>(a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q);
        }
        return static_cast<T>(a / b);
    }
};
struct Mod {
    template <class T>
    static T of(T a, T b) {
        if (b == 0) return 0;
        if constexpr (std::is_signed_v<T>) {
            if (b == -1) return 0;
            const T r = static_cast<T>(a % b);
            return static_cast<T>(r != 0 && (r < 0) != (b < 0) ? r + b : r);
        }
        return static_cast<T>(a % b);
    }
};
struct BitAnd {
    template <class T>
    static T of(T a, T b) {
        return static_cast<T>(a & b);
    }
};
struct BitOr {
    template <class T>
    static T of(T a, T b) {
        return static_cast<T>(a | b);
    }
};
struct BitXor {
    template <class T>
    static T of(T a, T b) {
        return static_cast<T>(a ^ b);
    }
};
struct LogicAnd {
    template <class T>
    static T of(T a, T b) {
        return static_cast<T>(a != T{} && b != T{});
    }
};
struct LogicOr {
    template <class T>
    static T of(T a, T b) {
        return static_cast<T>(a != T{} || b != T{});
    }
};
template <class T>
bool is_nan(T a) {
    if constexpr (std::is_floating_point_v<T>)
        return std::isnan(a);
    else
        return false;
}
struct Min {
    template <class T>
    static T of(T a, T b) {
        return is_nan(a) ? a : is_nan(b) || b < a ? b : a;
    }
};
struct Max {
    template <class T>
    static T of(T a, T b) {
        return is_nan(a) ? a : is_nan(b) || a < b ? b : a;
    }
};
struct Lt {
    template <class T>
    static bool of(T a, T b) {
        return a < b;
    }
};
struct Le {
    template <class T>
    static bool of(T a, T b) {
        return a <= b;
    }
};
struct Gt {
    template <class T>
    static bool of(T a, T b) {
        return a > b;
    }
};
struct Ge {
    template <class T>
    static bool of(T a, T b) {
        return a >= b;
    }
};
struct Eq {
    template <class T>
    static bool of(T a, T b) {
        return a == b;
    }
};
struct Ne {
    template <class T>
    static bool of(T a, T b) {
        return a != b;
    }
};

template <class T, class F>
void act(Machine& m, const Instr& in) {
    put(m.reg(in.dst), F::of(get<T>(m.reg(in.a)), get<T>(m.reg(in.b))));
}

/// Shifts by a count outside 0 … width - 1 move every bit out: 0, or -1 to the right of a negative number. The count is an i64.
template <class T, bool left>
void shift(Machine& m, const Instr& in) {
    const T a = get<T>(m.reg(in.a));
    const auto count = get<std::int64_t>(m.reg(in.b));
    const bool outside = count < 0 || count >= static_cast<std::int64_t>(8 * sizeof(T));
    if (outside) return put(m.reg(in.dst), static_cast<T>(!left && a < T(0) ? -1 : 0));
    put(m.reg(in.dst), static_cast<T>(left ? T(Wrap<T>(a) << count) : T(a >> count)));
}

template <class T>
Action comparison(Op op) {
    if (op == Op::Eq) return act<T, Eq>;
    if (op == Op::Ne) return act<T, Ne>;
    if constexpr (!is_complex_v<T>) {
        switch (op) {
            case Op::Lt:
                return act<T, Lt>;
            case Op::Le:
                return act<T, Le>;
            case Op::Gt:
                return act<T, Gt>;
            case Op::Ge:
                return act<T, Ge>;
            case Op::Min:
                return act<T, Min>;
            case Op::Max:
                return act<T, Max>;
            default:
                break;
        }
    }
    return nullptr;
}

template <class T>
Action integer_only(Op op) {
    if constexpr (is_int_v<T>) {
        switch (op) {
            case Op::FloorDiv:
                return act<T, FloorDiv>;
            case Op::Mod:
                return act<T, Mod>;
            case Op::Shl:
                return shift<T, true>;
            case Op::Shr:
                return shift<T, false>;
            default:
                break;
        }
    }
    if constexpr (std::is_integral_v<T>) {
        switch (op) {
            case Op::BitAnd:
                return act<T, BitAnd>;
            case Op::BitOr:
                return act<T, BitOr>;
            case Op::BitXor:
                return act<T, BitXor>;
            case Op::And:
                return act<T, LogicAnd>;
            case Op::Or:
                return act<T, LogicOr>;
            default:
                break;
        }
    }
    return nullptr;
}

template <class T>
Action arithmetic(Op op) {
    if constexpr (!std::is_same_v<T, bool>) {
        switch (op) {
            case Op::Add:
                return act<T, Add>;
            case Op::Sub:
                return act<T, Sub>;
            case Op::Mul:
                return act<T, Mul>;
            case Op::Div:
                if constexpr (!is_int_v<T>) return act<T, Div>;
                break;
            default:
                break;
        }
    }
    return nullptr;
}

template <class T>
void negate(Machine& m, const Instr& in) {
    const T a = get<T>(m.reg(in.a));
    if constexpr (is_int_v<T>)
        put(m.reg(in.dst), static_cast<T>(Wrap<T>(0) - Wrap<T>(a)));
    else
        put(m.reg(in.dst), static_cast<T>(-a));
}

template <class T>
void invert(Machine& m, const Instr& in) {
    put(m.reg(in.dst), static_cast<T>(~get<T>(m.reg(in.a))));
}

template <class T>
void logical_not(Machine& m, const Instr& in) {
    put(m.reg(in.dst), get<T>(m.reg(in.a)) == T{});
}

template <class From, class To>
To converted(From a) {
    if constexpr (is_complex_v<To>) {
        using Part = typename To::value_type;
        if constexpr (is_complex_v<From>)
            return To(converted<typename From::value_type, Part>(a.real()), static_cast<Part>(a.imag()));
        else
            return To(converted<From, Part>(a), Part(0));
    } else if constexpr (std::is_same_v<To, bool>) {
        return a != From{};
    } else if constexpr (is_complex_v<From>) {
        return converted<typename From::value_type, To>(a.real());
    } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
        using Limits = std::numeric_limits<To>;
        const double x = a;
        if (std::isnan(x)) return 0;
        if (x <= static_cast<double>(Limits::min())) return Limits::min();
        return x >= static_cast<double>(Limits::max()) ? Limits::max() : static_cast<To>(x);
    } else {
        return static_cast<To>(a);
    }
}

template <class From, class To>
void cast(Machine& m, const Instr& in) {
    put(m.reg(in.dst), converted<From, To>(get<From>(m.reg(in.a))));
}

template <class T>
void make_complex(Machine& m, const Instr& in) {
    using Part = typename T::value_type;
    put(m.reg(in.dst), T(get<Part>(m.reg(in.a)), get<Part>(m.reg(in.b))));
}

template <class T, bool largest>
void better(Machine& m, const Instr& in) {
    const T fresh = get<T>(m.reg(in.a)), old = get<T>(m.reg(in.b));
    const bool nan_wins = is_nan(fresh) && !is_nan(old);
    put(m.reg(in.dst), nan_wins || (largest ? old < fresh : fresh < old));
}

void move(Machine& m, const Instr& in) { m.reg(in.dst) = m.reg(in.a); }
void jump(Machine& m, const Instr& in) { m.next = in.a; }
void jump_unless(Machine& m, const Instr& in) {
    if (!get<bool>(m.reg(in.a))) m.next = in.b;
}
void pick(Machine& m, const Instr& in) { m.reg(in.dst) = m.reg(get<bool>(m.reg(in.a)) ? in.b : in.c); }

}  // namespace

Action binary_action(Op op, DType type) {
    return with_type(type, [&](auto tag) -> Action {
        using T = typename decltype(tag)::type;
        if (const Action a = arithmetic<T>(op)) return a;
        if (const Action a = comparison<T>(op)) return a;
        return integer_only<T>(op);
    });
}

Action unary_action(Op op, DType type) {
    return with_type(type, [&](auto tag) -> Action {
        using T = typename decltype(tag)::type;
        if (op == Op::Not) return logical_not<T>;
        if constexpr (is_int_v<T>)
            if (op == Op::BitNot) return invert<T>;
        if constexpr (!std::is_same_v<T, bool>)
            if (op == Op::Neg) return negate<T>;
        return nullptr;
    });
}

Action cast_action(DType from, DType to) {
    return with_type(from, [&](auto f) -> Action {
        return with_type(to, [&](auto t) -> Action { return cast<typename decltype(f)::type, typename decltype(t)::type>; });
    });
}

Action complex_action(DType type) {
    return type == DType::C64 ? make_complex<std::complex<float>> : make_complex<std::complex<double>>;
}

Action better_action(DType type, bool largest) {
    return with_type(type, [&](auto tag) -> Action {
        using T = typename decltype(tag)::type;
        if constexpr (is_complex_v<T>)
            return nullptr;
        else
            return largest ? better<T, true> : better<T, false>;
    });
}

Action move_action() { return move; }
Action jump_action() { return jump; }
Action jump_unless_action() { return jump_unless; }
Action pick_action() { return pick; }

}  // namespace heddle::interp
