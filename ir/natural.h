// The first half of type inference: what type each expression has by itself, before literals are told theirs. Internal to `ir`.
#pragma once

#include <map>
#include <tuple>
#include <unordered_map>
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

/// An expression where it stands.
struct Standing {
    const ExprNode* node;
    Context context;
    bool operator==(const Standing&) const = default;
};
struct StandingHash {
    std::size_t operator()(const Standing& s) const { return std::hash<const void*>()(s.node) * 2 + std::size_t(s.context); }
};

/// The natural types of every node of an expression.
class NaturalTypes {
public:
    NaturalTypes(const KernelData& kernel, const std::map<Name, DType>& variables);

    /// Types `e` and everything below it. Errors: "type", "name", at the node's place.
    void run(const Expr& e, Context context);
    Natural of(const Expr& e, Context context) const { return types_.at({e.node(), context}); }

private:
    struct RuleUse {
        Name rule;
        Context context = Context::Value;
        std::vector<Natural> arguments;
        bool operator<(const RuleUse& o) const {
            return std::tie(rule, context, arguments) < std::tie(o.rule, o.context, o.arguments);
        }
    };
    using Variables = std::map<Name, Natural>;

    void settle(const RuleUse& use);
    void pass(const Expr& e, Context context, const Variables& variables);
    Natural type_node(const Expr& e, Context context, const Variables& variables);
    Natural type_name(const Expr& e, Context context, const Variables& variables) const;
    Natural type_read(const Expr& e) const;
    Natural type_rule(const Expr& e, Context context, const std::vector<Natural>& args);

    const KernelData& kernel_;
    Variables variables_;
    std::unordered_map<Standing, Natural, StandingHash> types_;
    std::map<RuleUse, Natural> rules_;
    std::vector<RuleUse> missing_;
};

/// The type in which operands meet. `what` names the operation in messages.
Natural meet(const Natural& a, const Natural& b, const Expr& at);
/// The type of an operator, cast or call from those of its operands; not for names, reads and rules.
Natural natural_result(const KernelData& kernel, const Expr& e, Context context, const std::vector<Natural>& args);
/// floor(a / b) or ceil(a / b): of integers it is a floor division.
bool is_rounded_division(const Expr& e);
/// Refuses a quotient of integers where it is not rounded.
void refuse_quotient(const Natural& type, const Expr& division);
/// "f64", or "an integer literal".
std::string describe(const Natural& type);
/// "'+'", "'sqrt'", …: for messages.
std::string describe_operation(const Expr& e);

}  // namespace heddle
