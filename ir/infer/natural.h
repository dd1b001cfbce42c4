// What type an expression has by itself, before its literals are told theirs, and how literals are told. Internal to `ir`.
#pragma once

#include <vector>

#include "ir/kernel_data.h"

namespace heddle {

/// A type, or "a literal": Untyped, with or without a fraction. `pending`: depends on a rule that is not known yet. `quotient`:
/// `/` of two integers, which only floor and ceil accept.
struct Natural {
    DType type = DType::Untyped;
    bool fraction = false;
    bool pending = false;
    bool quotient = false;

    bool is_literal() const { return type == DType::Untyped && !pending; }
    auto operator<=>(const Natural&) const = default;
};

/// Inside subscripts integer arithmetic is 64 bits wide.
enum class Context : std::uint8_t { Value, Index };
/// The context of the operands of `op`.
Context operand_context(Op op, Context around);

/// The type in which operands meet. `what` names the operation in messages.
Natural meet(const Natural& a, const Natural& b, const Expr& at);
/// The type of an operator, cast or call from those of its operands; not for names, reads and rules.
Natural natural_result(const KernelData& kernel, const Expr& e, Context context, const std::vector<Natural>& args);
/// floor(a / b) or ceil(a / b): of integers it is a floor division.
bool is_rounded_division(const Expr& e);
/// Refuses a quotient of integers where it is not rounded.
void refuse_quotient(const Natural& type, const Expr& division);
/// The expression with types on what is still untyped below it, literals that take their type where `wanted` is wanted. `type`
/// is that of the expression; anything but a literal stays as it is.
Expr settle_literals(const Expr& e, const Natural& type, DType wanted);
/// "f64", or "an integer literal".
std::string describe(const Natural& type);
/// "'+'", "'sqrt'", …: for messages.
std::string describe_operation(const Expr& e);

}  // namespace heddle
