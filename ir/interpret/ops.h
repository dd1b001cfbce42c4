// The interpreter's arithmetic: the action for an operation on an element type. Each follows the language's rules exactly: f32
// is rounded after each operation, integers wrap in their own width, casts saturate, NaN wins in min and max.
#pragma once

#include <string>

#include "ir/expr.h"
#include "ir/interpret/value.h"

namespace heddle::interp {

/// dst = a op b on operands of `type`; null where the type has no such operation.
Action binary_action(Op op, DType type);
/// dst = op a for Neg, Not, BitNot.
Action unary_action(Op op, DType type);
/// dst = a converted.
Action cast_action(DType from, DType to);
/// dst = a + b i, of the complex type.
Action complex_action(DType type);
/// dst = name(a, b, c) on operands of `type`, giving `builtin_result`; null where the type has no such function.
Action builtin_action(const std::string& name, DType type);
DType builtin_result(const std::string& name, DType type);
/// dst = is a new value a better extreme than the old one: a NaN over a number, or a strictly larger (smaller) one.
Action better_action(DType type, bool largest);

Action move_action();         ///< dst = a
Action jump_action();         ///< go to a
Action jump_unless_action();  ///< unless register a: go to b
Action pick_action();         ///< dst = register a ? b : c

}  // namespace heddle::interp
