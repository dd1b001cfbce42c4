#include "transform/inline.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/infer.h"
#include "transform/forward.h"
#include "transform/inline_call.h"

namespace heddle {

namespace {

bool uses(const Statement& s, Name rule) {
    bool found = false;
    Statement& each = const_cast<Statement&>(s);
    map_expressions(each, false, [&](const Expr& e) {
        visit(e, [&](const Expr& node) { found |= node.op() == Op::Rule && node.name() == rule; });
        return e;
    });
    return found;
}

std::vector<std::size_t> chosen(const KernelData& kernel, const std::vector<Name>& labels) {
    std::vector<std::size_t> out;
    for (Name l : labels) out.push_back(statement_named(kernel, l));
    if (labels.empty())
        for (std::size_t k = 0; k < kernel.statements.size(); ++k) out.push_back(k);
    return out;
}

Kernel inline_rule(const Kernel& kernel, const Inline& step) {
    const KernelData& data = kernel.data();
    RuleOpener opener(data, {step.what});
    Draft draft(kernel);
    for (std::size_t k : chosen(data, step.statements)) {
        const bool used = uses(*data.statements[k], step.what);
        if (used) draft.set(k, opener.open(*data.statements[k]));
        if (!used && !step.statements.empty())
            throw user_error("name", fmt::format("statement '{}' does not use the rule '{}' itself",
                                                 data.statements[k]->label.str(), step.what.str()),
                             data.statements[k]->loc);
    }
    if (step.statements.empty()) {
        for (RuleDef& rule : draft.data.rules) rule.body = opener.open(rule.body);
        std::erase_if(draft.data.rules, [&](const RuleDef& r) { return r.name == step.what; });
    }
    return draft.finish();
}

Kernel inline_temporary(const Kernel& kernel, Name name) {
    const KernelData& data = kernel.data();
    temporary_named(data, name, "and only a rule, a temporary or a call can be inlined");
    const Definition definition = definition_of(data, name);
    return forward(kernel, Draft(kernel), definition,
                   [&](const Expr&, const Forms& instance) { return value_read(data, definition, instance); });
}

}  // namespace

Kernel run_step(const Kernel& kernel, const Inline& step) {
    const KernelData& data = kernel.data();
    if (data.find_rule(step.what)) return inline_rule(kernel, step);
    const bool array = data.find_array(step.what) != nullptr;
    const auto call = std::find_if(data.statements.begin(), data.statements.end(),
                                   [&](const auto& s) { return s->label == step.what && s->call; });
    if (!array && call == data.statements.end())
        throw user_error("name", fmt::format("there is no rule, temporary or call '{}'", step.what.str()))
            .hint("name a 'def', a 'temp' or 'let', or the label of a 'call'");
    if (!step.statements.empty())
        throw user_error("name", fmt::format("'{}' is no rule: it can only be inlined everywhere", step.what.str()));
    if (array) return inline_temporary(kernel, step.what);
    return inline_call(kernel, static_cast<std::size_t>(call - data.statements.begin()));
}

namespace {

bool literals_only(const Expr& e) {
    bool out = true;
    visit(e, [&](const Expr& node) { out = out && node.op() != Op::Read && node.op() != Op::Var && node.op() != Op::Rule && node.op() != Op::Cast; });
    return out;
}

/// The body of the rule that replaces a temporary: of the temporary's type, whatever meets it.
Expr body_of_type(const KernelData& kernel, const Expr& value, DType type, const std::map<Name, DType>& parameters) {
    const Expr body = without_types(value);
    const bool same = !literals_only(body) && infer(kernel, body, DType::Untyped, parameters).type() == type;
    return same ? body : make(Op::Cast, type, {body}, {}, value.loc());
}

/// A name for a parameter that stands for a subscript: the loop's, where the subscript is one.
Name parameter_for(Draft& draft, const Affine& subscript, const std::vector<Name>& taken, std::size_t axis) {
    std::vector<Name> symbols;
    subscript.symbols(symbols);
    const bool loop = symbols.size() == 1 && subscript == Affine::symbol(symbols[0]) && !draft.old().is_parameter(symbols[0]);
    if (loop && std::find(taken.begin(), taken.end(), symbols[0]) == taken.end()) return symbols[0];
    return draft.fresh("a" + std::to_string(axis));
}

/// Adds the loops that the value still mentions to a rule's parameters; gives these.
std::vector<Name> loops_left(const KernelData& kernel, const Definition& d, const Expr& value, const std::vector<Name>& parameters) {
    std::vector<Name> out;
    const std::set<Name> mentioned = names_mentioned(kernel, value);
    for (Name l : d.path.loop_names())
        if (mentioned.count(l) && std::find(parameters.begin(), parameters.end(), l) == parameters.end()) out.push_back(l);
    return out;
}

}  // namespace

Kernel run_step(const Kernel& kernel, const MakeRule& step) {
    const KernelData& data = kernel.data();
    const Array& t = temporary_named(data, step.temporary, "and only a temporary can become a rule");
    const Definition d = definition_of(data, step.temporary);
    Draft draft(kernel);
    RuleDef rule{step.temporary, {}, {}, data.statements[d.writer]->loc};
    std::vector<Expr> subscripts;
    for (std::size_t k = 0; k < d.subscripts.size(); ++k) {
        rule.parameters.push_back(parameter_for(draft, d.subscripts[k], rule.parameters, k));
        subscripts.push_back(variable(rule.parameters.back()));
    }
    const Expr value = value_read(data, d, instance_writing(data, d, subscripts));
    const std::vector<Name> loops = loops_left(data, d, value, rule.parameters);
    rule.parameters.insert(rule.parameters.end(), loops.begin(), loops.end());
    std::map<Name, DType> types;
    for (Name p : rule.parameters) types[p] = index_type;
    rule.body = body_of_type(data, value, t.type, types);
    draft.data.rules.push_back(rule);
    return forward(kernel, std::move(draft), d, [&](const Expr& read, const Forms& instance) {
        std::vector<Expr> arguments = read.args();
        for (Name l : loops) arguments.push_back(expr_of(*find_form(instance, l)));
        return make(Op::Rule, t.type, std::move(arguments), rule.name, read.loc());
    });
}

}  // namespace heddle
