// Types of expressions.
#pragma once

#include "ir/kernel_data.h"

namespace heddle {

/// The same expression with a type on every node, by the language's rules; literals take the type of what they meet, or
/// `wanted` when nothing else decides (then f64 for float literals, i64 for integers). Throws "type" errors with the node's
/// place: unknown names, wrong numbers of subscripts or arguments, real division of two integers, comparison of complex
/// numbers, non-integer subscripts … `variables`: names that are not arrays of the kernel and their types (operands of
/// operators and rules).
///
/// Operands keep their own types: an operation converts them to its type (comparisons: to the common type of both sides).
/// Arithmetic inside subscripts is done in i64 whatever the operands. An integer `let` is Op::Var inside subscripts, Op::Read
/// elsewhere. `floor(a / b)` and `ceil(a / b)` of integers become floor divisions. A cast of a literal, `f32(0.5)`, is a
/// literal of that type. Bodies of rules and operators are kept as written, without types: a use of a rule is typed as if it
/// were expanded, and its literal arguments stay untyped until it is. So whoever expands a rule infers the result again.
Expr infer(const KernelData& kernel, const Expr& e, DType wanted = DType::Untyped, const std::map<Name, DType>& variables = {});
/// The same for an index: a subscript, a loop of origin. Arithmetic in i64; errors where it is no integer.
Expr infer_index(const KernelData& kernel, const Expr& e);
/// The same for a size: an entry of a shape, a stride. Errors where it is made of more than + - * // % min max.
Expr infer_size(const KernelData& kernel, const Expr& e);
/// Types all expressions of a statement and checks that each value may be stored in its place without a silent loss.
Statement infer(const KernelData& kernel, const Statement& s);

/// A built-in function: name, number of arguments, and the rule for its type.
struct BuiltIn {
    /// Float: the common float type of all arguments (integers count as f64); SameAsFirst; Bool; RealOfComplex: the type of the
    /// parts.
    enum class Rule : std::uint8_t { Float, SameAsFirst, Bool, RealOfComplex };
    const char* name;
    int arity;
    Rule rule;
    bool complex_too;  ///< has a meaning on complex numbers
};
const BuiltIn* find_builtin(Name name);
/// All of them, for help and documentation: sqrt exp log sin cos tan asin acos atan atan2 sinh cosh tanh pow fma abs floor ceil
/// round trunc hypot exp2 log2 log10 cbrt erf isnan isinf real imag conj arg sign … (min, max are Op::Min, Op::Max)
const std::vector<BuiltIn>& builtins();

/// The value at which a reduction starts: 0, 1, the type's largest or smallest (infinities for floats), true, false. A u64
/// literal above 2^63 keeps its bits in `integer()`.
Expr identity_of(Update update, DType type);
/// What an update does with the old value and the new one, for those that an expression can say: Add, Mul, Min, Max, And, Or.
Op operation_of(Update update);

}  // namespace heddle
