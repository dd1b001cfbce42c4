#include "ir/infer/typer.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "ir/error.h"
#include "ir/infer.h"

namespace heddle {
namespace {

/// Up to so many nodes an expression is walked as a tree; in larger ones shared parts are typed once.
constexpr std::size_t walked_as_tree = 50000;

}  // namespace

Context operand_context(Op op, Context around) {
    if (op == Op::Read) return Context::Index;
    return op == Op::Cast || op == Op::Call || op == Op::Complex ? Context::Value : around;
}

Typer::Typer(const KernelData& kernel, const std::map<Name, DType>& variables, Literals literals)
    : kernel_(kernel), literals_(literals) {
    for (const auto& [name, type] : variables) variables_[name] = Natural{type};
}

Expr Typer::run(const Expr& e, Context context, DType wanted) {
    for (;;) {
        missing_.clear();
        Typed typed = pass(e, context, variables_);
        if (missing_.empty()) {
            refuse_quotient(typed.n, e);
            return settle_literals(typed.e, typed.n, wanted);
        }
        auto missing = std::move(missing_);
        for (const auto& use : missing) settle(use);
    }
}

/// Types a use of a rule, and first all uses in its body, with a stack of our own: rules may be nested a thousand deep.
void Typer::settle(const RuleUse& first) {
    std::vector<RuleUse> stack{first};
    std::set<RuleUse> open;
    while (!stack.empty()) {
        RuleUse use = stack.back();
        if (rules_.count(use)) {
            stack.pop_back();
            continue;
        }
        const RuleDef* rule = kernel_.find_rule(use.rule);
        Variables variables;
        for (std::size_t k = 0; k < use.arguments.size(); ++k) variables[rule->parameters[k]] = use.arguments[k];
        Typer body(kernel_, {});
        body.rules_.swap(rules_);
        Natural type = body.pass(rule->body, use.context, variables).n;
        rules_.swap(body.rules_);
        if (body.missing_.empty()) {
            refuse_quotient(type, rule->body);
            rules_[use] = type;
            stack.pop_back();
            continue;
        }
        open.insert(use);
        for (const auto& inner : body.missing_) {
            if (open.count(inner)) throw user_error("name", fmt::format("rule {} uses itself", inner.rule.str()), rule->loc);
            stack.push_back(inner);
        }
    }
}

/// One walk over the nodes; rule uses that are not settled yet are collected in `missing_`.
Typer::Typed Typer::pass(const Expr& root, Context context, const Variables& variables) {
    std::vector<Frame> frames{{&root, context}};
    std::vector<Typed> values;
    visited_ = 0;
    seen_.clear();
    while (!frames.empty()) {
        Frame f = frames.back();
        if (f.next == 0)
            if (const Typed* known = recall(f)) {
                values.push_back(*known);
                frames.pop_back();
                continue;
            }
        if (f.next < f.e->args().size()) {
            ++frames.back().next;
            frames.push_back({&f.e->arg(f.next), operand_context(f.e->op(), f.context)});
            continue;
        }
        auto args = values.end() - std::ptrdiff_t(f.e->args().size());
        Typed done = finish(f, args, variables);
        values.erase(args, values.end());
        if (++visited_ > walked_as_tree && !f.e->args().empty()) seen_.emplace(Standing{f.e->node(), f.context}, done);
        values.push_back(std::move(done));
        frames.pop_back();
    }
    return std::move(values.back());
}

const Typer::Typed* Typer::recall(const Frame& f) const {
    if (seen_.empty() || f.e->args().empty()) return nullptr;
    auto at = seen_.find({f.e->node(), f.context});
    return at == seen_.end() ? nullptr : &at->second;
}

Typer::Typed Typer::finish(const Frame& f, Arguments args, const Variables& variables) {
    const Expr& e = *f.e;
    if (e.is_literal()) return finish_literal(e);
    if (e.args().empty() && (e.op() == Op::Var || e.op() == Op::Read)) return finish_name(e, f.context, variables);
    std::vector<Natural> types;
    types.reserve(e.args().size());
    for (std::size_t k = 0; k < e.args().size(); ++k) types.push_back(args[std::ptrdiff_t(k)].n);
    bool pending = std::any_of(types.begin(), types.end(), [](const Natural& n) { return n.pending; });
    if (pending) return {e, {DType::Untyped, false, true}};
    if (e.op() == Op::Read) return finish_read(e, args, types);
    if (e.op() != Op::Rule) return finish_operation(e, f.context, args, types);
    Natural n = type_rule(e, f.context, types);
    std::vector<Expr> kept;
    for (std::size_t k = 0; k < types.size(); ++k) kept.push_back(args[std::ptrdiff_t(k)].e);
    return {with_type(with_args(e, std::move(kept)), n.type), n};
}

/// Integers above 2^63 have but one type.
Typer::Typed Typer::finish_literal(const Expr& e) const {
    if (e.op() == Op::Bool) return {e, {DType::Bool}};
    bool large = e.op() == Op::Int && e.type() == DType::U64 && e.integer() < 0;
    Expr literal = literals_ == Literals::Retyped && !large ? with_type(e, DType::Untyped) : e;
    return {literal, {literal.type(), e.op() == Op::Float}};
}

/// A variable or a scalar. Names that are no array are loops and index parameters. Integer lets are symbols inside subscripts
/// and values elsewhere.
Typer::Typed Typer::finish_name(const Expr& e, Context context, const Variables& variables) const {
    if (auto at = variables.find(e.name()); at != variables.end()) return {with_type(e, at->second.type), at->second};
    if (e.op() == Op::Var && kernel_.find_array(e.name()) == nullptr) return {with_type(e, index_type), {index_type}};
    const Array& array = array_of(e);
    bool integer = is_integer(array.type);
    if (e.op() == Op::Var && !integer)
        throw user_error("type", fmt::format("{} is {}; only integers may stand here", e.name().str(), name_of(array.type)),
                         e.loc());
    if (context == Context::Index && array.is_let && integer)
        return {e.op() == Op::Var ? e : variable(e.name(), e.loc()), {index_type}};
    if (e.op() == Op::Read) return {with_type(e, array.type), {array.type}};
    Expr value = read(e.name(), {}, array.type, e.loc());
    if (array.type == index_type) return {value, {index_type}};
    return {make(Op::Cast, index_type, {value}, {}, e.loc()), {index_type}};
}

const Array& Typer::array_of(const Expr& e) const {
    const Array* array = kernel_.find_array(e.name());
    if (array == nullptr) throw user_error("name", fmt::format("there is no array or value {}", e.name().str()), e.loc());
    if (array->shape.size() == e.args().size()) return *array;
    throw user_error("type",
                     fmt::format("{} has {} dimension{}, but {} subscript{} given", array->name.str(), array->shape.size(),
                                 array->shape.size() == 1 ? "" : "s", e.args().size(), e.args().size() == 1 ? " is" : "s are"),
                     e.loc());
}

Typer::Typed Typer::finish_read(const Expr& e, Arguments args, const std::vector<Natural>& types) const {
    std::vector<Expr> subscripts;
    subscripts.reserve(types.size());
    for (std::size_t k = 0; k < types.size(); ++k) {
        refuse_quotient(types[k], e.arg(k));
        if (!is_integer(types[k].type) && (!types[k].is_literal() || types[k].fraction))
            throw user_error(
                "type",
                fmt::format("subscript {} of {} is {}; subscripts are integers", k + 1, e.name().str(), describe(types[k])),
                e.arg(k).loc())
                .hint("a cast makes an integer of it: i64(x)");
        subscripts.push_back(settle_literals(args[std::ptrdiff_t(k)].e, types[k], index_type));
    }
    const Array& array = array_of(e);
    return {with_type(with_args(e, std::move(subscripts)), array.type), {array.type}};
}

namespace {

Expr rounded_division(const Expr& e, const Expr& division) {
    static const Name ceil_name("ceil");
    bool up = e.name() == ceil_name;
    DType type = division.type();
    Expr a = division.arg(0);
    if (up) a = make(Op::Neg, type, {a}, {}, e.loc());
    Expr quotient = make(Op::FloorDiv, type, {a, division.arg(1)}, {}, e.loc());
    return up ? make(Op::Neg, type, {quotient}, {}, e.loc()) : quotient;
}

}  // namespace

/// Operators, casts, calls. Literals among the operands are told their types unless the whole is a literal still.
Typer::Typed Typer::finish_operation(const Expr& e, Context context, Arguments args, const std::vector<Natural>& types) const {
    Natural n = natural_result(kernel_, e, context, types);
    std::vector<Expr> operands;
    operands.reserve(types.size());
    for (std::size_t k = 0; k < types.size(); ++k) {
        const Expr& operand = args[std::ptrdiff_t(k)].e;
        operands.push_back(n.is_literal() ? operand : settle_literals(operand, types[k], wanted_operand(e, n, types, k)));
    }
    if (e.op() == Op::Cast && operands[0].is_literal() && operands[0].type() == e.type()) return {operands[0], n};
    if (is_rounded_division(e) && types[0].quotient) return {rounded_division(e, operands[0]), n};
    return {with_type(with_args(e, std::move(operands)), n.type), n};
}

/// The type that literals among the operands take.
DType Typer::wanted_operand(const Expr& e, const Natural& n, const std::vector<Natural>& types, std::size_t k) const {
    switch (e.op()) {
        case Op::Lt:
        case Op::Le:
        case Op::Gt:
        case Op::Ge:
        case Op::Eq:
        case Op::Ne:
            return meet(types[0], types[1], e).type;
        case Op::Shl:
        case Op::Shr:
            return k == 0 ? n.type : index_type;
        case Op::Complex:
            return real_of(n.type);
        case Op::Call:
            if (const ExternDef* f = kernel_.find_extern(e.name())) return f->arguments[k];
            return n.type == DType::Bool ? DType::Untyped : n.type;
        default:
            return n.type;
    }
}

Natural Typer::type_rule(const Expr& e, Context context, const std::vector<Natural>& args) {
    const RuleDef* rule = kernel_.find_rule(e.name());
    if (rule == nullptr) throw user_error("name", fmt::format("there is no rule {}", e.name().str()), e.loc());
    if (rule->parameters.size() != args.size())
        throw user_error(
            "type",
            fmt::format("rule {} takes {} arguments, but {} are given", e.name().str(), rule->parameters.size(), args.size()),
            e.loc());
    RuleUse use{e.name(), context, args};
    if (auto at = rules_.find(use); at != rules_.end()) return at->second;
    missing_.push_back(std::move(use));
    return {DType::Untyped, false, true};
}

}  // namespace heddle
