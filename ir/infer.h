// Types of expressions.
#pragma once

#include "ir/kernel_data.h"

namespace heddle {

/// The same expression with a type on every node, by the language's rules; literals take the type of what they meet, or
/// `wanted` when nothing else decides (then f64 for float literals, i64 for integers). Throws "type" errors with the node's
/// place: unknown names, wrong numbers of subscripts or arguments, real division of two integers, comparison of complex
/// numbers, non-integer subscripts … `variables`: names that are not arrays of the kernel and their types (operands of
/// operators and rules).
Expr infer(const KernelData& kernel, const Expr& e, DType wanted = DType::Untyped, const std::map<Name, DType>& variables = {});
/// Types all expressions of a statement and checks that each value may be stored in its place without a silent loss.
Statement infer(const KernelData& kernel, const Statement& s);

/// A built-in function: name, number of arguments, and the rule for its type.
struct BuiltIn {
    enum class Rule : std::uint8_t { Float, SameAsFirst, Bool, RealOfComplex, Integer };
    const char* name;
    int arity;
    Rule rule;
    bool complex_too;  ///< has a meaning on complex numbers
};
const BuiltIn* find_builtin(Name name);
/// All of them, for help and documentation: sqrt exp log sin cos tan asin acos atan atan2 sinh cosh tanh pow fma abs floor ceil
/// round trunc hypot exp2 log2 log10 cbrt erf isnan isinf real imag conj arg sign … (min, max are Op::Min, Op::Max)
const std::vector<BuiltIn>& builtins();

/// The value at which a reduction starts: 0, 1, the type's largest or smallest, true, false.
Expr identity_of(Update update, DType type);

}  // namespace heddle
