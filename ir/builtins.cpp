// The built-in functions and the start values of reductions.
#include <algorithm>
#include <limits>

#include "ir/error.h"
#include "ir/infer.h"

namespace heddle {

const std::vector<BuiltIn>& builtins() {
    using enum BuiltIn::Rule;
    static const std::vector<BuiltIn> all = {
        {"abs", 1, RealOfComplex, true},  {"acos", 1, Float, false},        {"arg", 1, RealOfComplex, true},
        {"asin", 1, Float, false},        {"atan", 1, Float, false},        {"atan2", 2, Float, false},
        {"cbrt", 1, Float, false},        {"ceil", 1, SameAsFirst, false},  {"conj", 1, SameAsFirst, true},
        {"cos", 1, Float, false},         {"cosh", 1, Float, false},        {"erf", 1, Float, false},
        {"exp", 1, Float, true},          {"exp2", 1, Float, false},        {"floor", 1, SameAsFirst, false},
        {"fma", 3, Float, false},         {"hypot", 2, Float, false},       {"imag", 1, RealOfComplex, true},
        {"isinf", 1, Bool, false},        {"isnan", 1, Bool, false},        {"log", 1, Float, false},
        {"log10", 1, Float, false},       {"log2", 1, Float, false},        {"pow", 2, Float, false},
        {"real", 1, RealOfComplex, true}, {"round", 1, SameAsFirst, false}, {"sign", 1, SameAsFirst, false},
        {"sin", 1, Float, false},         {"sinh", 1, Float, false},        {"sqrt", 1, Float, true},
        {"tan", 1, Float, false},         {"tanh", 1, Float, false},        {"trunc", 1, SameAsFirst, false},
    };
    return all;
}

const BuiltIn* find_builtin(Name name) {
    const auto& all = builtins();
    auto at = std::lower_bound(all.begin(), all.end(), name.str(),
                               [](const BuiltIn& b, const std::string& text) { return b.name < text; });
    return at != all.end() && at->name == name.str() ? &*at : nullptr;
}

namespace {

/// The largest or smallest value of a type as a literal.
Expr extreme(DType type, bool largest) {
    if (is_float(type)) {
        double inf = std::numeric_limits<double>::infinity();
        return float_literal(largest ? inf : -inf, type);
    }
    if (!is_integer(type)) throw user_error("type", "min and max have no start value for " + std::string(name_of(type)));
    int bits = 8 * size_of(type);
    if (!is_signed(type)) return int_literal(!largest ? 0 : bits == 64 ? -1 : (std::int64_t(1) << bits) - 1, type);
    std::int64_t top = std::numeric_limits<std::int64_t>::max() >> (64 - bits);
    return int_literal(largest ? top : -top - 1, type);
}

Expr number(DType type, int value) { return is_integer(type) ? int_literal(value, type) : float_literal(value, real_of(type)); }

}  // namespace

Expr identity_of(Update update, DType type) {
    switch (update) {
        case Update::Add:
            return number(type, 0);
        case Update::Mul:
            return number(type, 1);
        case Update::Min:
        case Update::ArgMin:
            return extreme(type, true);
        case Update::Max:
        case Update::ArgMax:
            return extreme(type, false);
        case Update::And:
            return bool_literal(true);
        case Update::Or:
            return bool_literal(false);
        case Update::Assign:
        case Update::Custom:
            break;
    }
    throw Error(ErrorKind::Internal, "internal", "an assignment or an operator has no built-in start value");
}

Op operation_of(Update update) {
    switch (update) {
        case Update::Mul:
            return Op::Mul;
        case Update::Min:
            return Op::Min;
        case Update::Max:
            return Op::Max;
        case Update::And:
            return Op::And;
        case Update::Or:
            return Op::Or;
        default:
            return Op::Add;
    }
}

}  // namespace heddle
