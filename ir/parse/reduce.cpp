// Reductions in expressions: a temporary, a statement that starts it, and an update under loops.
#include <fmt/core.h>

#include <algorithm>

#include "ir/infer.h"
#include "ir/parse/kernel.h"
#include "ir/selection.h"

namespace heddle {
namespace {

Update update_of(std::string_view word) {
    static const std::vector<std::pair<std::string_view, Update>> words{
        {"sum", Update::Add}, {"product", Update::Mul}, {"min", Update::Min},       {"max", Update::Max},
        {"any", Update::Or},  {"all", Update::And},     {"argmin", Update::ArgMin}, {"argmax", Update::ArgMax}};
    for (const auto& [text, update] : words)
        if (text == word) return update;
    return Update::Custom;
}

bool selects(Update u) { return u == Update::ArgMin || u == Update::ArgMax; }

}  // namespace

/// A reduction on single values where a value stands.
Expr KernelReader::reduction() {
    const Loc loc = cursor_.here();
    const Token& word = cursor_.peek();
    std::vector<Expr> parts = reduce({});
    if (parts.size() == 1) return parts[0];
    throw user_error("type", fmt::format("'{}' gives {} values here, where one is wanted", word.text, parts.size()), loc)
        .hint(fmt::format("take it apart: let (v, i) = {}[…](…)", word.text));
}

/// "sum[i, j : 0 <= i, j < n if mask[i]](": up to the values; declares the loops and enters them.
void KernelReader::reduction_head(Reduction& r, bool named) {
    r.loc = cursor_.here();
    r.word = Name(cursor_.next().text);
    r.update = update_of(r.word.str());
    if (r.update == Update::Custom) r.op = names_.find(r.word)->name;
    r.brackets = &cursor_.next();
    r.base = now_.label.empty() ? std::string("condition") : now_.label.str();
    if (!named) r.reserved = names_.fresh(r.base + "_" + r.word.str());
    r.loops = loop_names(false);
    if (!cursor_.at(":"))
        throw cursor_.unexpected("':' and the formula of the reduction")
            .hint(fmt::format("{}[i : 0 <= i < n](…)", r.word.str()));
    cursor_.next();
    declare_loops(r.loops);
    const Expr formula = exprs_.condition();
    enter_loops(r.loops, exprs_.domain_or_error(formula, "the formula of the reduction"));
}

/// "if c": narrows the domain by what is a formula; the rest becomes a predicate.
void KernelReader::reduction_condition() {
    if (!cursor_.accept_word("if")) return;
    const Expr condition = exprs_.condition();
    Expr data;
    for (const Expr& part : flatten(condition, Op::And)) {
        if (const auto d = exprs_.domain(part)) {
            narrow(*d);
            continue;
        }
        exprs_.refuse_exists(part);
        data = data ? make(Op::And, DType::Untyped, {data, part}, {}, part.loc()) : part;
    }
    if (data) predicates_.push_back(checked_condition(data));
}

/// "](a, b)": the values, typed; the loop variables are appended for argmin and argmax.
void KernelReader::reduction_values(Reduction& r) {
    cursor_.expect_close("]", *r.brackets);
    if (!cursor_.at("(")) cursor_.fail("'(' before the values of the reduction");
    r.values = exprs_.arguments("a value");
    const std::size_t wanted = r.update == Update::Custom ? kernel_.find_operator(r.op)->left.size() : 1;
    if (r.values.size() != wanted)
        throw user_error(
            "type", fmt::format("'{}' takes {} value{}, not {}", r.word.str(), wanted, wanted == 1 ? "" : "s", r.values.size()),
            r.loc);
    if (selects(r.update)) selected_indices(r);
    r.types = r.update == Update::Custom ? tuple_types(r) : single_types(r);
}

void KernelReader::selected_indices(Reduction& r) const {
    std::vector<Name> loops;
    for (const LoopName& l : r.loops) {
        r.values.push_back(variable(l.name, l.loc));
        loops.push_back(l.name);
    }
    r.even = visits_minus_one(intersect(domain_, kernel_.assumptions), loops);
    if (r.even) r.values[1] = even_index(r.values[1]);
}

std::vector<DType> KernelReader::single_types(Reduction& r) {
    const bool truth = r.update == Update::And || r.update == Update::Or;
    const DType type = infer(kernel_, r.values[0], truth ? DType::Bool : wanted_).type();
    if (truth != (type == DType::Bool))
        throw user_error(
            "type",
            fmt::format("'{}' {}, but this is {}", r.word.str(), truth ? "takes conditions" : "takes numbers", name_of(type)),
            r.values[0].loc())
            .hint(truth ? "compare with zero: x != 0" : "count by numbers: c ? 1 : 0");
    std::vector<DType> out(r.values.size(), index_type);
    out[0] = type;
    return out;
}

/// The types of a tuple's parts: those of the values, widened until the operator's results fit.
std::vector<DType> KernelReader::tuple_types(Reduction& r) {
    const OperatorDef& op = *kernel_.find_operator(r.op);
    std::vector<DType> types;
    DType widest = DType::Untyped;
    for (const Expr& v : r.values)
        if (!v.is_literal()) widest = common_type(widest, infer(kernel_, v).type());
    for (const Expr& v : r.values) types.push_back(infer(kernel_, v, is_float(widest) ? widest : DType::Untyped).type());
    constexpr int rounds = 4;
    for (int round = 0; round < rounds; ++round) {
        std::map<Name, DType> parts;
        for (std::size_t k = 0; k < types.size(); ++k) parts[op.left[k]] = parts[op.right[k]] = types[k];
        std::vector<DType> next = types;
        for (std::size_t k = 0; k < types.size(); ++k)
            next[k] = common_type(types[k], infer(kernel_, op.results[k], types[k], parts).type());
        if (next == types) break;
        types = std::move(next);
    }
    return types;
}

/// What the variables are before the first point.
std::vector<Expr> KernelReader::initial_values(const Reduction& r) const {
    if (r.update == Update::Custom) return kernel_.find_operator(r.op)->identity;
    const Update first = r.update == Update::ArgMin ? Update::Min : r.update == Update::ArgMax ? Update::Max : r.update;
    std::vector<Expr> out{identity_of(first, r.types[0])};
    for (std::size_t k = 1; k < r.values.size(); ++k) out.push_back(int_literal(-1, index_type, r.loc));
    return out;
}

/// Adds the variables. A target that is no integer is the variable itself; an integer target becomes a `let` of a variable,
/// because it may stand in bounds.
void KernelReader::reduction_variables(Reduction& r, const std::vector<Target>& targets) {
    for (std::size_t k = 0; k < r.values.size(); ++k) {
        const bool target = k < targets.size() && !is_integer(r.types[k]);
        const std::string stem = k < targets.size() ? targets[k].name.str() : r.base;
        Array a;
        a.name = target                          ? targets[k].name
                 : k == 0 && !r.reserved.empty() ? r.reserved
                                                 : names_.fresh(stem + "_" + r.word.str());
        a.type = r.types[k];
        a.role = Role::Temp;
        a.loc = r.loc;
        r.variables.push_back(a.name);
        kernel_.arrays.push_back(std::move(a));
    }
}

Statement KernelReader::reduction_statement(const Reduction& r, Name label, std::vector<Expr> values) const {
    Statement s;
    s.label = label;
    s.loc = r.loc;
    s.reassociate = now_.reassociate;
    s.values = std::move(values);
    for (const Name v : r.variables) s.places.push_back({v, {}});
    return s;
}

/// Reads a reduction and adds its statements. Gives the values it stands for: the variables' or, for a target that is a
/// variable itself, nothing in its place. `targets`: names of a `let`, which become visible.
std::vector<Expr> KernelReader::reduce(const std::vector<Target>& targets) {
    Reduction r;
    Body inner;
    const std::size_t first = statements_.size();
    {
        const NameBlock block(names_);
        const Restore<Domain> domain(domain_);
        const Restore<std::vector<Expr>> predicates(predicates_);
        const Restore<Body*> body(body_, &inner);
        reduction_head(r, !targets.empty());
        reduction_condition();
        reduction_values(r);
        check_targets(r, targets);
        reduction_variables(r, targets);
        const bool named = !targets.empty() && !is_integer(r.types[0]);
        r.label = named ? now_.label : r.variables[0];
        if (!named) names_.note_label(r.label);
        Statement update = reduction_statement(r, r.label, r.values);
        update.update = r.update;
        update.op = r.op;
        emit(std::move(update));
        leave_loops(r.loops.size(), first);
    }
    Statement start = reduction_statement(r, names_.fresh(r.label.str() + "_init"), initial_values(r));
    names_.note_label(start.label);
    emit(std::move(start));
    body_->temporaries.insert(body_->temporaries.end(), r.variables.begin(), r.variables.end());
    add_loops(r.loops, std::move(inner), {}, false);
    return reduction_results(r, targets);
}

void KernelReader::check_targets(const Reduction& r, const std::vector<Target>& targets) const {
    if (targets.empty() || targets.size() == r.values.size()) return;
    throw user_error("type",
                     fmt::format("'{}' over {} loop{} gives {} values, but {} name{} stand{} here", r.word.str(),
                                 r.loops.size(), r.loops.size() == 1 ? "" : "s", r.values.size(), targets.size(),
                                 targets.size() == 1 ? "" : "s", targets.size() == 1 ? "s" : ""),
                     r.loc);
}

std::vector<Expr> KernelReader::reduction_results(const Reduction& r, const std::vector<Target>& targets) {
    std::vector<Expr> out;
    for (std::size_t k = 0; k < r.variables.size(); ++k) {
        out.push_back(read(r.variables[k], {}, r.types[k], r.loc));
        if (r.even && k == 1) out.back() = index_of_even(out.back());
        if (k >= targets.size() || is_integer(r.types[k])) continue;
        const Token& token = targets[k].token;
        const std::size_t index = static_cast<std::size_t>(kernel_.find_array(r.variables[k]) - kernel_.arrays.data());
        names_.declare(Name(token.text), {Symbol::Kind::Array, r.variables[k], cursor_.loc(token), index, true});
        out.back() = Expr();
    }
    return out;
}

}  // namespace heddle
