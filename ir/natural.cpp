#include "ir/natural.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "ir/error.h"
#include "ir/infer.h"

namespace heddle {

Context operand_context(Op op, Context around) {
    if (op == Op::Read) return Context::Index;
    return op == Op::Cast || op == Op::Call || op == Op::Complex ? Context::Value : around;
}

NaturalTypes::NaturalTypes(const KernelData& kernel, const std::map<Name, DType>& variables) : kernel_(kernel) {
    for (const auto& [name, type] : variables) variables_[name] = Natural{type};
}

void NaturalTypes::run(const Expr& e, Context context) {
    for (;;) {
        missing_.clear();
        pass(e, context, variables_);
        if (missing_.empty()) return refuse_quotient(of(e, context), e);
        auto missing = std::move(missing_);
        for (const auto& use : missing) settle(use);
    }
}

/// Types a use of a rule, and first all uses in its body, with a stack of our own: rules may be nested a thousand deep.
void NaturalTypes::settle(const RuleUse& first) {
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
        NaturalTypes body(kernel_, {});
        body.rules_.swap(rules_);
        body.pass(rule->body, use.context, variables);
        rules_.swap(body.rules_);
        if (body.missing_.empty()) {
            Natural type = body.of(rule->body, use.context);
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

/// One walk over the nodes, children first; rule uses that are not settled yet are collected in `missing_`.
void NaturalTypes::pass(const Expr& root, Context context, const Variables& variables) {
    types_.clear();
    std::vector<std::pair<const Expr*, Context>> stack{{&root, context}};
    while (!stack.empty()) {
        auto [e, around] = stack.back();
        if (types_.count({e->node(), around})) {
            stack.pop_back();
            continue;
        }
        Context inside = operand_context(e->op(), around);
        std::size_t before = stack.size();
        for (const auto& arg : e->args())
            if (!types_.count({arg.node(), inside})) stack.push_back({&arg, inside});
        if (stack.size() > before) continue;
        types_[{e->node(), around}] = type_node(*e, around, variables);
        stack.pop_back();
    }
}

namespace {

void check_subscripts(const Expr& e, const std::vector<Natural>& args) {
    for (std::size_t k = 0; k < args.size(); ++k) {
        refuse_quotient(args[k], e.arg(k));
        if (is_integer(args[k].type) || (args[k].is_literal() && !args[k].fraction)) continue;
        throw user_error(
            "type", fmt::format("subscript {} of {} is {}; subscripts are integers", k + 1, e.name().str(), describe(args[k])),
            e.arg(k).loc())
            .hint("a cast makes an integer of it: i64(x)");
    }
}

}  // namespace

Natural NaturalTypes::type_node(const Expr& e, Context context, const Variables& variables) {
    if (e.is_literal()) {
        if (e.op() == Op::Bool) return {DType::Bool};
        return {e.type(), e.op() == Op::Float};
    }
    if (e.args().empty() && (e.op() == Op::Var || e.op() == Op::Read)) return type_name(e, context, variables);
    std::vector<Natural> args;
    args.reserve(e.args().size());
    for (const auto& arg : e.args()) args.push_back(of(arg, operand_context(e.op(), context)));
    bool pending = std::any_of(args.begin(), args.end(), [](const Natural& n) { return n.pending; });
    if (pending) return {DType::Untyped, false, true};
    if (e.op() == Op::Rule) return type_rule(e, context, args);
    if (e.op() == Op::Read) {
        check_subscripts(e, args);
        return type_read(e);
    }
    return natural_result(kernel_, e, context, args);
}

/// A variable or a scalar. Names that are no array are loops and index parameters.
Natural NaturalTypes::type_name(const Expr& e, Context context, const Variables& variables) const {
    if (auto at = variables.find(e.name()); at != variables.end()) return at->second;
    const Array* array = kernel_.find_array(e.name());
    if (array == nullptr && e.op() == Op::Var) return {index_type};
    if (array != nullptr && e.op() == Op::Var && !is_integer(array->type))
        throw user_error("type", fmt::format("{} is {}; only integers may stand here", e.name().str(), name_of(array->type)),
                         e.loc());
    if (e.op() == Op::Var || (context == Context::Index && array != nullptr && array->is_let && is_integer(array->type)))
        return {index_type};
    return type_read(e);
}

Natural NaturalTypes::type_read(const Expr& e) const {
    const Array* array = kernel_.find_array(e.name());
    if (array == nullptr) throw user_error("name", fmt::format("there is no array or value {}", e.name().str()), e.loc());
    if (array->shape.size() != e.args().size())
        throw user_error(
            "type",
            fmt::format("{} has {} dimension{}, but {} subscript{} given", array->name.str(), array->shape.size(),
                        array->shape.size() == 1 ? "" : "s", e.args().size(), e.args().size() == 1 ? " is" : "s are"),
            e.loc());
    return {array->type};
}

Natural NaturalTypes::type_rule(const Expr& e, Context context, const std::vector<Natural>& args) {
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
