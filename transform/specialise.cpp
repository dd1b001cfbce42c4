// fix, assume, assert, allow, atomic: what is known and what is allowed.
#include "transform/specialise.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/parse.h"
#include "ir/poly.h"
#include "transform/edit.h"

namespace heddle {

namespace {

void require_possible(const Domain& assumptions, const std::string& what) {
    if (poly::is_empty(assumptions))
        throw user_error("contradiction", fmt::format("no parameters satisfy {} and what the kernel already assumes", what));
}

std::string known_parameters(const KernelData& kernel) {
    std::string out;
    for (const Parameter& p : kernel.parameters) out += (out.empty() ? "" : ", ") + p.name.str();
    return out.empty() ? "the kernel has no index parameters" : "index parameters: " + out;
}

void require_parameter(const KernelData& kernel, Name name) {
    if (!kernel.is_parameter(name))
        throw user_error("name", fmt::format("{} is no index parameter", name.str())).hint(known_parameters(kernel));
}

/// Puts an integer in the place of a parameter outside statements: shapes, strides, rules.
void substitute_data(KernelData& data, const Substitution& by) {
    for (Array& a : data.arrays) {
        for (Expr& e : a.shape) e = substitute(e, by);
        for (Expr& e : a.layout.strides) e = substitute(e, by);
    }
    for (RuleDef& r : data.rules)
        if (std::find(r.parameters.begin(), r.parameters.end(), by[0].first) == r.parameters.end())
            r.body = substitute(r.body, by);
}

}  // namespace

/// Keeps: every instance of the calls that remain allowed: the parameter stays in the interface with the condition that it has
/// this value.
Kernel run_step(const Kernel& kernel, const Fix& step) {
    require_parameter(kernel.data(), step.parameter);
    Edit edit(kernel);
    const Affine value(step.value);
    const Substitution by{{step.parameter, int_literal(step.value, index_type)}};
    edit.data.assumptions = intersect(edit.data.assumptions.substitute(step.parameter, value),
                                      domain_of(equal(Affine::symbol(step.parameter), value)));
    require_possible(edit.data.assumptions, fmt::format("{} = {}", step.parameter.str(), step.value));
    substitute_data(edit.data, by);
    for (std::size_t k = 0; k < edit.parts.size(); ++k) {
        Statement s = edit.statement(k);
        s.domain = s.domain.substitute(step.parameter, value);
        map_expressions(s, true, [&](const Expr& e) { return substitute(e, by); });
        edit.set(k, std::move(s));
    }
    return edit.finish(Proof::ByConstruction);
}

/// Keeps: every instance of the calls that remain allowed.
Kernel run_step(const Kernel& kernel, const Assume& step) {
    Edit edit(kernel);
    const std::string& text = step.formula.text;
    const Domain condition = read_against(text, [&] { return parse_condition(edit.data, text); });
    for (const Conjunct& piece : condition.pieces)
        for (const Constraint& c : piece) {
            std::vector<Name> symbols;
            c.form.symbols(symbols);
            for (Name n : symbols) require_parameter(edit.data, n);
        }
    edit.data.assumptions = intersect(edit.data.assumptions, condition);
    require_possible(edit.data.assumptions, text);
    return edit.finish(Proof::ByConstruction);
}

namespace {

const Array& require_array(const KernelData& kernel, Name name) {
    if (const Array* a = kernel.find_array(name)) return *a;
    std::string known;
    for (const Array& a : kernel.arrays) known += (known.empty() ? "" : ", ") + a.name.str();
    throw user_error("name", fmt::format("there is no array {}", name.str())).hint("arrays: " + known);
}

void add_assertion(KernelData& data, Assertion assertion) {
    if (std::find(data.assertions.begin(), data.assertions.end(), assertion) == data.assertions.end())
        data.assertions.push_back(std::move(assertion));
}

}  // namespace

/// Keeps: every instance and the order; analyses may use what is asserted from now on.
Kernel run_step(const Kernel& kernel, const AssertInjective& step) {
    Edit edit(kernel);
    for (Name name : step.arrays) {
        const Array& array = require_array(edit.data, name);
        if (!is_integer(array.type) || array.shape.empty())
            throw user_error("argument", fmt::format("{} is no array of integers, so it cannot be an index array", name.str()));
        add_assertion(edit.data, {Assertion::Kind::Injective, {name}, {}});
    }
    return edit.finish(Proof::ByConstruction);
}

/// Keeps: every instance and the order; emitted code may use what is asserted from now on.
Kernel run_step(const Kernel& kernel, const AssertNonaliasing& step) {
    Edit edit(kernel);
    if (step.arrays.size() < 2)
        throw user_error("argument", "one array alone overlaps nothing").hint("name two or more arguments");
    for (Name name : step.arrays) {
        const Array& array = require_array(edit.data, name);
        if (!array.is_argument() || array.by_value())
            throw user_error("argument", fmt::format("{} is no array argument, so nothing can overlap it", name.str()));
    }
    add_assertion(edit.data, {Assertion::Kind::NonAliasing, step.arrays, {}});
    return edit.finish(Proof::ByConstruction);
}

namespace {

/// Applies `f` to updates by label; plain assignments are refused.
Kernel with_updates(const Kernel& kernel, const std::vector<Name>& labels, const std::function<void(Statement&)>& f) {
    Edit edit(kernel);
    for (Name label : labels) {
        const std::size_t part = edit.strands[edit.strand_of(label)].part;
        Statement s = edit.statement(part);
        if (s.update == Update::Assign)
            throw user_error("argument",
                             fmt::format("statement {} assigns; only an update such as += can be meant", label.str()))
                .hint("write it as place += value if it adds to its place");
        f(s);
        edit.set(part, std::move(s));
    }
    return edit.finish(Proof::ByConstruction);
}

}  // namespace

/// Keeps: every instance; rounding may differ, which is what the user allows.
Kernel run_step(const Kernel& kernel, const AllowReassociate& step) {
    return with_updates(kernel, step.statements, [](Statement& s) { s.reassociate = true; });
}

/// Keeps: every instance and the order; threads may meet at the element from now on.
Kernel run_step(const Kernel& kernel, const Atomic& step) {
    return with_updates(kernel, step.statements, [](Statement& s) { s.atomic = true; });
}

}  // namespace heddle
