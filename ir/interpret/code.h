// Expressions and statements -> the interpreter's code.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/access_rules.h"
#include "ir/interpret.h"
#include "ir/interpret_machine.h"

namespace heddle::interp {

/// A register and the type of what it holds.
struct Typed {
    std::uint32_t reg = 0;
    DType type = DType::I64;
};

/// Writes code for the statements of one kernel into a machine. Each expression becomes straight code once, without recursion:
/// its depth is limited by memory only. Nodes that stand several times in one expression are computed once where that is
/// certain to be needed.
class Coder {
public:
    Coder(const KernelData& kernel, Machine& machine, const ExternTable& externs);

    /// The register of a parameter or loop; made at the first question.
    std::uint32_t slot(Name name);
    bool is_slot(Name name) const { return slots_.count(name) != 0; }
    /// The view of an array of the kernel.
    std::uint32_t view(Name name) const;

    /// Predicates, values, updates and stores of a statement that is not a call.
    StatementCode statement(const Statement& s, std::vector<std::pair<Name, std::uint32_t>> loops);
    /// Only the predicates: `body` and `end` are the end of the code.
    StatementCode predicates(const Statement& s, std::vector<std::pair<Name, std::uint32_t>> loops);
    /// Code for an expression; the result converted to `wanted` unless that is Untyped.
    Typed expression(const Expr& e, DType wanted = DType::Untyped);
    std::uint32_t fresh();  ///< a register for one use
    std::uint32_t position() const { return static_cast<std::uint32_t>(machine_.code.size()); }

private:
    /// A node whose code is being written: how far it is, and for branches where the jump stands and what was known before it.
    struct Frame {
        const Expr* e;
        std::size_t state = 0, mark = 0;
        std::uint32_t jump = 0, dst = 0;
    };
    using Memo = std::unordered_map<const ExprNode*, Typed>;

    std::uint32_t emit(Action action, std::uint32_t a = 0, std::uint32_t b = 0, std::uint32_t c = 0);
    void emit_to(std::uint32_t dst, Action action, std::uint32_t a, std::uint32_t b = 0, std::uint32_t c = 0);
    Typed constant(DType type, const Value& value);
    Typed literal(const Expr& e);
    Typed converted(Typed value, DType to);
    Typed binary(Op op, DType operands, Typed a, Typed b);

    Expr without_rules(const Expr& e);
    void wish(const Expr& e);
    void step();
    void step_operands(Frame frame);
    void step_branches(Frame frame);
    void open_branch(Frame& frame, std::uint32_t condition);
    void close_branch(const Frame& frame, const Expr& value);
    void finish(const Expr& e, Typed result);
    Typed operand(const Expr& e) const;
    Typed leaf(const Expr& e);
    Typed node(const Expr& e);
    Typed load(const Expr& e);
    Typed call(const Expr& e);
    Typed builtin_call(const Expr& e);
    Typed extern_call(const Expr& e, const ExternDef& f);

    std::uint32_t subscripts(const std::vector<Expr>& subscripts);
    Typed fetch(const Place& place, std::uint32_t first);
    std::vector<Typed> combined(const Statement& s, const std::vector<Typed>& old, const std::vector<Typed>& fresh);
    std::vector<Typed> extreme(const Statement& s, const std::vector<Typed>& old, const std::vector<Typed>& fresh);
    std::vector<Typed> custom(const Statement& s, const std::vector<Typed>& old, const std::vector<Typed>& fresh);
    void forget() { memo_.clear(), order_.clear(); }

    const KernelData& kernel_;
    Machine& machine_;
    const ExternTable& externs_;
    RuleExpander rules_;
    std::unordered_map<Name, std::uint32_t> slots_, views_;
    std::map<Name, Typed> bound_;  ///< operands of the operator being coded
    std::map<std::pair<DType, std::array<std::byte, 16>>, std::uint32_t> constants_;
    std::unordered_set<std::uint32_t> is_constant_;
    Memo memo_;
    std::vector<const ExprNode*> order_;
    std::vector<Frame> stack_;
    std::vector<Expr> kept_;  ///< expressions made here, whose nodes the memo points to
};

}  // namespace heddle::interp
