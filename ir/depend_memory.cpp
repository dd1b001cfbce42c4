// Which arrays may share memory, and what subscripts that are not quasi-affine still tell.
#include <algorithm>

#include "ir/depend_model.h"

namespace heddle::depend {

std::size_t Model::scope_depth(Name array) const {
    const auto it = scope_.find(array);
    return it == scope_.end() ? 0 : it->second;
}

Name Model::base(Name array) const {
    for (std::size_t steps = kernel_.arrays.size(); steps > 0; --steps) {
        const Array* a = kernel_.find_array(array);
        if (!a || a->view_of.empty()) break;
        array = a->view_of;
    }
    return array;
}

bool Model::may_overlap(Name a, Name b) const {
    const Name x = base(a), y = base(b);
    if (x == y) return true;
    const Array *p = kernel_.find_array(x), *q = kernel_.find_array(y);
    if (!p || !q || !p->is_argument() || !q->is_argument() || p->by_value() || q->by_value()) return false;
    if (!p->may_alias && !q->may_alias) return false;
    return std::none_of(kernel_.assertions.begin(), kernel_.assertions.end(), [&](const Assertion& s) {
        const auto has = [&](Name n) { return std::find(s.arrays.begin(), s.arrays.end(), n) != s.arrays.end(); };
        return s.kind == Assertion::Kind::NonAliasing && has(x) && has(y);
    });
}

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
    const Affine form = opaque_form(e, s, 0);
    return std::vector<Piece>{{{}, form}};
}

/// The expression as an affine form in which everything that is not quasi-affine is a symbol of its own.
Affine Model::opaque_form(const Expr& e, StatementModel& s, int depth) {
    if (auto a = affine_of(e)) return *a;
    if (depth < 200 && (e.op() == Op::Add || e.op() == Op::Sub)) {
        const Affine a = opaque_form(e.arg(0), s, depth + 1), b = opaque_form(e.arg(1), s, depth + 1);
        return e.op() == Op::Add ? a + b : a - b;
    }
    if (depth < 200 && e.op() == Op::Neg) return -opaque_form(e.arg(0), s, depth + 1);
    if (depth < 200 && e.op() == Op::Mul) {
        for (int k : {0, 1})
            if (auto factor = affine_of(e.arg(k)); factor && factor->is_constant())
                return factor->constant * opaque_form(e.arg(1 - k), s, depth + 1);
    }
    return Affine::symbol(opaque(e, s));
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
    if (!std::any_of(s.data.begin(), s.data.end(), [&](const DataSymbol& d) { return d.name == name; }))
        s.data.push_back({name, need});
    return name;
}

}  // namespace heddle::depend
