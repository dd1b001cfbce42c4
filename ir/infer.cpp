// The second half of type inference: literals are told their types, and every node gets one.
#include "ir/infer.h"

#include <fmt/core.h>

#include <limits>
#include <unordered_map>

#include "ir/error.h"
#include "ir/natural.h"

namespace heddle {
namespace {

/// A node where it stands, and the type a literal takes there (Untyped where nothing wants one).
struct Task {
    const Expr* e;
    Context context;
    DType wanted;
};
struct TaskKey {
    const ExprNode* node;
    Context context;
    DType wanted;
    bool operator==(const TaskKey&) const = default;
};
struct TaskHash {
    std::size_t operator()(const TaskKey& k) const {
        return std::hash<const void*>()(k.node) * 64 + std::size_t(k.wanted) * 2 + std::size_t(k.context);
    }
};

bool fits(std::int64_t value, DType type) {
    if (type == DType::I64) return true;
    if (!is_signed(type)) return value >= 0 && (size_of(type) == 8 || value >> (8 * size_of(type)) == 0);
    std::int64_t limit = std::int64_t(1) << (8 * size_of(type) - 1);
    return value >= -limit && value < limit;
}

/// The type a literal takes where `wanted` is wanted.
DType literal_type(const Natural& n, DType wanted) {
    DType real = real_of(wanted);
    if (n.fraction) return is_float(real) ? real : DType::F64;
    return is_float(real) || is_integer(real) ? real : index_type;
}

Expr float_of(double value, DType type, const Loc& loc) {
    return float_literal(type == DType::F32 ? double(float(value)) : value, type, loc);
}

Expr typed_literal(const Expr& e, DType type) {
    if (e.type() != DType::Untyped) return e;
    if (e.op() == Op::Float) return float_of(e.real(), type, e.loc());
    if (is_float(type)) return float_of(double(e.integer()), type, e.loc());
    if (!fits(e.integer(), type))
        throw user_error("type", fmt::format("{} does not fit {}", e.integer(), name_of(type)), e.loc())
            .hint(fmt::format("a cast wraps it: {}(i64({}))", name_of(type), e.integer()));
    return int_literal(e.integer(), type, e.loc());
}

class Typing {
public:
    Typing(const KernelData& kernel, std::map<Name, DType> variables)
        : kernel_(kernel), variables_(std::move(variables)), natural_(kernel, variables_) {}

    Expr run(const Expr& e, Context context, DType wanted) {
        natural_.run(e, context);
        std::vector<Task> stack{task(e, context, wanted)};
        while (!stack.empty()) {
            Task top = stack.back();
            if (done_.count(key(top))) {
                stack.pop_back();
                continue;
            }
            std::vector<Task> operands = operand_tasks(top);
            std::size_t before = stack.size();
            for (const auto& t : operands)
                if (!done_.count(key(t))) stack.push_back(t);
            if (stack.size() > before) continue;
            done_.emplace(key(top), finish(top, operands));
            stack.pop_back();
        }
        return done_.at(key(task(e, context, wanted)));
    }

private:
    static TaskKey key(const Task& t) { return {t.e->node(), t.context, t.wanted}; }

    /// What is typed already needs nothing wanted: fewer distinct tasks.
    Task task(const Expr& e, Context context, DType wanted) const {
        bool literal = natural_.of(e, context).is_literal();
        return {&e, context, literal ? wanted : DType::Untyped};
    }

    DType type_of(const Task& t) const {
        Natural n = natural_.of(*t.e, t.context);
        return n.is_literal() ? literal_type(n, t.wanted) : n.type;
    }

    Natural natural_operand(const Task& t, std::size_t k) const {
        return natural_.of(t.e->arg(k), operand_context(t.e->op(), t.context));
    }

    /// The type that literals among the operands take.
    DType wanted_operand(const Task& t, std::size_t k) const {
        const Expr& e = *t.e;
        DType type = type_of(t);
        switch (e.op()) {
            case Op::Read:
                return index_type;
            case Op::Lt:
            case Op::Le:
            case Op::Gt:
            case Op::Ge:
            case Op::Eq:
            case Op::Ne:
                return meet(natural_operand(t, 0), natural_operand(t, 1), e).type;
            case Op::Shl:
            case Op::Shr:
                return k == 0 ? type : index_type;
            case Op::Cast:
                return e.type();
            case Op::Complex:
                return real_of(type);
            case Op::Select:
                return k == 0 ? DType::Bool : type;
            case Op::Call:
                if (const ExternDef* f = kernel_.find_extern(e.name())) return f->arguments[k];
                return type == DType::Bool ? DType::Untyped : type;
            default:
                return type;
        }
    }

    std::vector<Task> operand_tasks(const Task& t) const {
        std::vector<Task> out;
        const Expr& e = *t.e;
        out.reserve(e.args().size());
        for (std::size_t k = 0; k < e.args().size(); ++k)
            out.push_back(task(e.arg(k), operand_context(e.op(), t.context), wanted_operand(t, k)));
        return out;
    }

    Expr finish(const Task& t, const std::vector<Task>& operands) const {
        const Expr& e = *t.e;
        if (e.op() == Op::Bool) return e;
        if (e.is_literal()) return typed_literal(e, type_of(t));
        if (e.args().empty() && (e.op() == Op::Var || e.op() == Op::Read)) return finish_name(t);
        std::vector<Expr> args;
        args.reserve(operands.size());
        for (const auto& o : operands) {
            bool later = e.op() == Op::Rule && natural_.of(*o.e, o.context).is_literal();
            args.push_back(later ? *o.e : done_.at(key(o)));
        }
        if (e.op() == Op::Cast && args[0].is_literal() && args[0].type() == e.type()) return args[0];
        if (is_rounded_division(e) && natural_.of(e.arg(0), Context::Value).quotient) return rounded_division(e, args[0]);
        return with_type(with_args(e, std::move(args)), type_of(t));
    }

    /// Integer lets are symbols inside subscripts and values elsewhere.
    Expr finish_name(const Task& t) const {
        const Expr& e = *t.e;
        const Array* array = variables_.count(e.name()) ? nullptr : kernel_.find_array(e.name());
        if (array == nullptr) return with_type(e, type_of(t));
        if (t.context == Context::Index)
            return type_of(t) == index_type && array->is_let ? variable(e.name(), e.loc()) : with_type(e, array->type);
        Expr value = read(e.name(), {}, array->type, e.loc());
        bool narrow = e.op() == Op::Var && array->type != index_type;
        return narrow ? make(Op::Cast, index_type, {value}, {}, e.loc()) : value;
    }

    Expr rounded_division(const Expr& e, const Expr& division) const {
        static const Name ceil_name("ceil");
        bool up = e.name() == ceil_name;
        DType type = division.type();
        Expr a = division.arg(0);
        if (up) a = make(Op::Neg, type, {a}, {}, e.loc());
        Expr quotient = make(Op::FloorDiv, type, {a, division.arg(1)}, {}, e.loc());
        return up ? make(Op::Neg, type, {quotient}, {}, e.loc()) : quotient;
    }

    const KernelData& kernel_;
    std::map<Name, DType> variables_;
    NaturalTypes natural_;
    std::unordered_map<TaskKey, Expr, TaskHash> done_;
};

}  // namespace

Expr infer(const KernelData& kernel, const Expr& e, DType wanted, const std::map<Name, DType>& variables) {
    return Typing(kernel, variables).run(e, Context::Value, wanted);
}

Expr infer_index(const KernelData& kernel, const Expr& e) {
    Expr typed = Typing(kernel, {}).run(e, Context::Index, index_type);
    if (is_integer(typed.type())) return typed;
    throw user_error("type", fmt::format("an index is an integer, but this is {}", name_of(typed.type())), e.loc())
        .hint("a cast makes an integer of it: i64(x)");
}

}  // namespace heddle
