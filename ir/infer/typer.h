// Type inference in one walk. Internal to `ir`.
#pragma once

#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "ir/infer/natural.h"

namespace heddle {

/// Types expressions of one kernel. Children come first, with a stack of our own; literals stay untyped until they meet a type.
class Typer {
public:
    /// What literals are that have a type already: Kept as they are, or Retyped as if they had just been read.
    enum class Literals : std::uint8_t { Kept, Retyped };

    Typer(const KernelData& kernel, const std::map<Name, DType>& variables, Literals literals = Literals::Kept);

    /// Errors: "type", "name", at the node's place.
    Expr run(const Expr& e, Context context, DType wanted);

private:
    /// An expression with types below it, and its own.
    struct Typed {
        Expr e;
        Natural n;
    };
    struct Frame {
        const Expr* e;
        Context context;
        std::size_t next = 0;
    };
    struct Standing {
        const ExprNode* node;
        Context context;
        bool operator==(const Standing&) const = default;
    };
    struct StandingHash {
        std::size_t operator()(const Standing& s) const {
            return std::hash<const void*>()(s.node) * 2 + std::size_t(s.context);
        }
    };
    struct RuleUse {
        Name rule;
        Context context = Context::Value;
        std::vector<Natural> arguments;
        bool operator<(const RuleUse& o) const {
            return std::tie(rule, context, arguments) < std::tie(o.rule, o.context, o.arguments);
        }
    };
    using Variables = std::map<Name, Natural>;
    using Arguments = std::vector<Typed>::iterator;

    Typed pass(const Expr& e, Context context, const Variables& variables);
    const Typed* recall(const Frame& f) const;
    Typed finish(const Frame& f, Arguments args, const Variables& variables);
    Typed finish_literal(const Expr& e) const;
    Typed finish_name(const Expr& e, Context context, const Variables& variables) const;
    Typed finish_read(const Expr& e, Arguments args, const std::vector<Natural>& types) const;
    Typed finish_operation(const Expr& e, Context context, Arguments args, const std::vector<Natural>& types) const;
    DType wanted_operand(const Expr& e, const Natural& n, const std::vector<Natural>& types, std::size_t k) const;
    const Array& array_of(const Expr& e) const;
    Natural type_rule(const Expr& e, Context context, const std::vector<Natural>& args);
    void settle(const RuleUse& use);

    const KernelData& kernel_;
    Literals literals_;
    Variables variables_;
    std::size_t visited_ = 0;
    std::unordered_map<Standing, Typed, StandingHash> seen_;  ///< what large expressions share
    std::map<RuleUse, Natural> rules_;
    std::vector<RuleUse> missing_;  ///< uses of rules that are not known yet
};

}  // namespace heddle
