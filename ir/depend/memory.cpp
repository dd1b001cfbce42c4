// Which arrays may share memory, and what subscripts that are not quasi-affine still tell.
#include <algorithm>

#include "ir/depend/model.h"

namespace heddle {

Name storage_of(const KernelData& kernel, Name array) {
    for (std::size_t steps = kernel.arrays.size(); steps > 0; --steps) {
        const Array* a = kernel.find_array(array);
        if (!a || a->view_of.empty()) break;
        array = a->view_of;
    }
    return array;
}

bool may_overlap(const KernelData& kernel, Name a, Name b) {
    const Name x = storage_of(kernel, a), y = storage_of(kernel, b);
    if (x == y) return true;
    const Array *p = kernel.find_array(x), *q = kernel.find_array(y);
    if (!p || !q || !p->is_argument() || !q->is_argument() || p->by_value() || q->by_value()) return false;
    if (!p->may_alias && !q->may_alias) return false;
    return std::none_of(kernel.assertions.begin(), kernel.assertions.end(), [&](const Assertion& s) {
        const auto has = [&](Name n) { return std::find(s.arrays.begin(), s.arrays.end(), n) != s.arrays.end(); };
        return s.kind == Assertion::Kind::NonAliasing && has(x) && has(y);
    });
}

}  // namespace heddle

namespace heddle::depend {

std::size_t Model::scope_depth(Name array) const {
    const auto it = scope_.find(array);
    return it == scope_.end() ? 0 : it->second;
}

Name Model::base(Name array) const { return storage_of(kernel_, array); }

bool Model::may_overlap(Name a, Name b) const { return heddle::may_overlap(kernel_, a, b); }

Name Model::bucket(Name array) const {
    const Name root = base(array);
    const auto it = buckets_.find(root);
    return it == buckets_.end() ? root : it->second;
}

/// Arguments that may overlap get the name of the first that may alias; that is coarse, pairs are asked again.
void Model::index_overlaps() {
    Name first;
    for (const Array& a : kernel_.arrays)
        if (a.may_alias && first.empty()) first = a.name;
    if (first.empty()) return;
    for (const Array& a : kernel_.arrays)
        if (a.is_argument() && !a.by_value()) buckets_[a.name] = first;
}

bool Model::unchanging(Name array) const {
    const Name root = base(array);
    const Array* a = kernel_.find_array(root);
    if (!a) return false;
    if (a->role == Role::Table || a->by_value()) return true;
    if (a->role != Role::In) return false;
    if (buckets_.empty()) return true;
    return std::none_of(kernel_.arrays.begin(), kernel_.arrays.end(), [&](const Array& other) {
        return (a->may_alias || other.may_alias) && other.role != Role::In && may_overlap(root, other.name);
    });
}

std::optional<std::vector<Piece>> Model::forms(const Expr& e, StatementModel& s, bool& exact) {
    if (auto pieces = pieces_of(e)) return pieces;
    exact = false;
    return pieces_of(opened(e, s, 0));
}

/// The expression with a symbol in place of every part that is not quasi-affine, as deep inside as possible.
Expr Model::opened(const Expr& e, StatementModel& s, int depth) {
    if (affine_of(e)) return e;
    const auto symbol = [&] { return variable(opaque(e, s)); };
    const auto number = [&](std::size_t k) {
        const auto a = affine_of(e.arg(k));
        return a && a->is_constant() ? a : std::nullopt;
    };
    if (depth > 200) return symbol();
    switch (e.op()) {
        case Op::Mul:
            if (!number(0) && !number(1)) return symbol();
            break;
        case Op::FloorDiv:
        case Op::Mod:
            if (!number(1) || number(1)->constant <= 0) return symbol();
            break;
        case Op::Select: {
            Expr condition = e.arg(0);
            if (!domain_of(condition))
                condition = make(Op::Ge, DType::Bool, {variable(opaque(condition, s)), int_literal(1, index_type)});
            return with_args(e, {condition, opened(e.arg(1), s, depth + 1), opened(e.arg(2), s, depth + 1)});
        }
        case Op::Add:
        case Op::Sub:
        case Op::Neg:
        case Op::Min:
        case Op::Max:
            break;
        default:
            return symbol();
    }
    std::vector<Expr> args;
    for (const Expr& a : e.args()) args.push_back(opened(a, s, depth + 1));
    return with_args(e, std::move(args));
}

const Expr* Model::expression_of(Name symbol) const {
    const auto it = expressions_.find(symbol);
    return it == expressions_.end() ? nullptr : &it->second;
}

std::optional<std::vector<Piece>> Model::value_forms(std::size_t index) {
    StatementModel s = statement(index);
    if (s.statement->values.empty() || !is_integer(s.statement->values[0].type())) return std::nullopt;
    bool exact = true;
    return forms(rules_.expand(s.statement->values[0]), s, exact);
}

/// A symbol for the value of an expression: the same for equal expressions whose values do not change, noted with what it
/// depends on.
Name Model::opaque(const Expr& e, StatementModel& s) {
    std::size_t need = 0;
    visit(e, [&](const Expr& x) {
        if (x.op() == Op::Call && !kernel_.externs.empty() && kernel_.find_extern(x.name())) need = DataSymbol::never;
        if (x.op() != Op::Var && x.op() != Op::Read) return;
        for (std::size_t k = 0; k < s.loops.size(); ++k)
            if (x.op() == Op::Var && s.loops[k]->loop == x.name()) {
                need = std::max(need, k + 1);
                return;
            }
        if (parameters_.count(x.name()) || unchanging(x.name())) return;
        need = std::max(need, need_of(x.name(), s));
    });
    Name name;
    if (need == DataSymbol::never)
        name = Name("?" + std::to_string(unique_++) + "?");
    else
        name = opaques_.emplace(e, Name("?" + std::to_string(opaques_.size()))).first->second;
    expressions_.emplace(name, e);
    if (!std::any_of(s.data.begin(), s.data.end(), [&](const DataSymbol& d) { return d.name == name; }))
        s.data.push_back({name, need});
    return name;
}

}  // namespace heddle::depend
