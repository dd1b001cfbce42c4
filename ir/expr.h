// Expressions: immutable, shared values.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <vector>

#include "ir/name.h"
#include "ir/source.h"
#include "ir/types.h"

namespace heddle {

/// Node kinds. Arity is that of `args`, but for Read, Call, Rule (any number).
enum class Op : std::uint8_t {
    Int,    ///< literal of an integer type, `integer()`; Untyped until it meets a type
    Float,  ///< literal of a float type, `real()`; Untyped until it meets a type
    Bool,   ///< true or false, `integer()` is 1 or 0
    Var,    ///< a loop variable, an index parameter, or an integer `let` used as a symbol; type i64
    Read,   ///< element of an array, or a scalar when there are no subscripts
    Neg,
    Not,
    BitNot,
    Add,
    Sub,
    Mul,
    Div,  ///< real division
    FloorDiv,
    Mod,  ///< integers: quotient rounded down, and its remainder (sign of the divisor). By zero both are 0
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    And,
    Or,
    Select,  ///< args: condition, then, else; only the chosen one is evaluated
    Min,
    Max,      ///< two arguments; NaN wins; the first of two equals wins
    Cast,     ///< to `type()`: floats saturate into integers (NaN gives 0), integers wrap
    Complex,  ///< args: real, imaginary
    Call,     ///< a built-in or extern function, by name
    Rule,     ///< use of a substitution rule, by name
};

class Expr;

/// The node behind an Expr. Fields that a kind does not use are at their defaults.
struct ExprNode {
    Op op;
    DType type = DType::Untyped;
    Name name;
    std::vector<Expr> args;
    std::int64_t integer = 0;
    double real = 0;
    Loc loc;
    std::size_t hash = 0;
};

/// An expression: a handle to a const node, cheap to copy. Equality is by structure (places are ignored).
class Expr {
public:
    Expr() = default;
    explicit Expr(std::shared_ptr<const ExprNode> node) : node_(std::move(node)) {}

    explicit operator bool() const { return node_ != nullptr; }
    Op op() const { return node_->op; }
    DType type() const { return node_->type; }
    Name name() const { return node_->name; }
    const std::vector<Expr>& args() const { return node_->args; }
    const Expr& arg(std::size_t k) const { return node_->args[k]; }
    std::int64_t integer() const { return node_->integer; }
    double real() const { return node_->real; }
    const Loc& loc() const { return node_->loc; }
    const ExprNode* node() const { return node_.get(); }
    std::size_t hash() const { return node_ ? node_->hash : 0; }
    bool is_literal() const { return op() == Op::Int || op() == Op::Float || op() == Op::Bool; }

    bool same(const Expr& other) const;

private:
    std::shared_ptr<const ExprNode> node_;
};

/// Makes any node; `make` fills in the hash. No type is inferred here: `ir/infer.h` does that.
Expr make(Op op, DType type, std::vector<Expr> args, Name name = {}, Loc loc = {});
Expr int_literal(std::int64_t value, DType type = DType::Untyped, Loc loc = {});
Expr float_literal(double value, DType type = DType::Untyped, Loc loc = {});
Expr bool_literal(bool value, Loc loc = {});
Expr variable(Name name, Loc loc = {});  ///< Op::Var of type i64
Expr read(Name array, std::vector<Expr> subscripts, DType type = DType::Untyped, Loc loc = {});
/// The same node with other children (the node itself when they are identical).
Expr with_args(const Expr& e, std::vector<Expr> args);
Expr with_type(const Expr& e, DType type);

/// Visits every distinct node once, children first. No recursion: depth is not limited by the stack.
void visit(const Expr& e, const std::function<void(const Expr&)>& f);
/// Rebuilds bottom-up, each distinct node once: `f` gets the node with its children already rewritten and returns its
/// replacement.
Expr rewrite(const Expr& e, const std::function<Expr(const Expr&)>& f);
/// Replaces variables (Op::Var, and Op::Read without subscripts) by name.
using Substitution = std::vector<std::pair<Name, Expr>>;
Expr substitute(const Expr& e, const Substitution& map);
/// Does the expression read this array or scalar, or use this variable?
bool mentions(const Expr& e, Name name);

struct ExprHash {
    std::size_t operator()(const Expr& e) const { return e.hash(); }
};
struct ExprSame {
    bool operator()(const Expr& a, const Expr& b) const { return a.same(b); }
};

}  // namespace heddle
