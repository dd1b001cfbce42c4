#include "ir/depend/pairs.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/poly.h"

namespace heddle::depend {
namespace {

/// Appends a constraint; false when it is plainly false.
bool append(Conjunct& out, Constraint c) {
    const Truth truth = normalise(c);
    if (truth == Truth::Unknown) out.push_back(std::move(c));
    return truth != Truth::False;
}

void meet(std::vector<Conjunct>& list, const Constraint& c) {
    std::erase_if(list, [&](Conjunct& piece) { return !append(piece, c); });
}

/// One subscript of both: equal in some pair of pieces.
void meet_subscript(std::vector<Conjunct>& list, const std::vector<Piece>& a, const std::vector<Piece>& b) {
    if (a.size() == 1 && b.size() == 1 && a[0].when.empty() && b[0].when.empty())
        return meet(list, equal(a[0].value, b[0].value));
    Domain d = Domain::nothing();
    for (const Piece& x : a)
        for (const Piece& y : b) {
            Conjunct c = joined(x.when, y.when);
            if (append(c, equal(x.value, y.value)) && feasible(c) != Truth::False) d.pieces.push_back(std::move(c));
        }
    depend::meet(list, d);
}

/// g[…] in both, g injective: equal only where the subscripts of g are.
bool meet_injective(const Model& model, std::vector<Conjunct>& list, const Expr& a, const Expr& b, const StatementModel& q) {
    const Expr &x = a.op() == Op::Cast ? a.arg(0) : a, &y = b.op() == Op::Cast ? b.arg(0) : b;
    if (x.op() != Op::Read || y.op() != Op::Read || x.name() != y.name() || !model.injective(x.name())) return false;
    for (std::size_t k = 0; k < x.args().size() && k < y.args().size(); ++k) {
        const auto u = affine_of(x.arg(k)), v = affine_of(y.arg(k));
        if (u && v) meet(list, equal(*u, renamed(*v, q)));
    }
    return true;
}

/// Where the element lies from the array's start, row-major; nothing unless all extents but the first are numbers.
std::optional<Affine> position(const Array* array, const std::vector<std::optional<std::vector<Piece>>>& forms) {
    if (!array || !array->layout.is_default() || forms.size() != array->shape.size()) return std::nullopt;
    Affine sum;
    for (std::size_t k = 0; k < forms.size(); ++k) {
        const auto extent = affine_of(array->shape[k]);
        if (k > 0 && (!extent || !extent->is_constant())) return std::nullopt;
        if (!forms[k] || forms[k]->size() != 1 || !forms[k]->front().when.empty()) return std::nullopt;
        sum = (k > 0 ? extent->constant : 0) * sum + forms[k]->front().value;
    }
    return sum;
}

/// Two views of one memory: equal positions, where both are known.
void meet_views(const Model& model, std::vector<Conjunct>& list, const AccessModel& a, const AccessModel& b) {
    const auto x = position(model.kernel().find_array(a.access.array), a.forms);
    const auto y = position(model.kernel().find_array(b.access.array), b.sink_forms);
    if (x && y) meet(list, equal(*x, *y));
}

void meet_elements(const Model& model, std::vector<Conjunct>& list, const StatementModel& p, const AccessModel& a,
                   const StatementModel& q, const AccessModel& b) {
    const Name array = model.base(a.access.array);
    if (array != model.base(b.access.array)) return;
    for (std::size_t k = 0; k < model.scope_depth(array) && k < p.loops.size(); ++k)
        meet(list, equal(Affine::symbol(p.loops[k]->loop), Affine::symbol(sink_name(p.loops[k]->loop))));
    if (a.access.whole || b.access.whole) return;
    if (a.access.array != b.access.array) return meet_views(model, list, a, b);
    for (std::size_t k = 0; k < a.forms.size() && k < b.sink_forms.size(); ++k) {
        if (meet_injective(model, list, a.access.subscripts[k], b.access.subscripts[k], q)) continue;
        if (a.forms[k] && b.sink_forms[k]) meet_subscript(list, *a.forms[k], *b.sink_forms[k]);
    }
}

}  // namespace

Conjunct joined(const Conjunct& a, const Conjunct& b) {
    Conjunct out;
    out.reserve(a.size() + b.size());
    out.insert(out.end(), a.begin(), a.end());
    out.insert(out.end(), b.begin(), b.end());
    return out;
}

void meet(std::vector<Conjunct>& list, const Domain& d) {
    if (d.is_everything()) return;
    std::vector<Conjunct> out;
    for (const Conjunct& piece : list)
        for (const Conjunct& other : d.pieces) out.push_back(joined(piece, other));
    list = std::move(out);
}

std::vector<Conflict> conflicts(const Model& model, const StatementModel& p, const AccessModel& a, const StatementModel& q,
                                const AccessModel& b, const Domain& p_where, const Domain& q_where) {
    std::vector<Conjunct> list{{}};
    meet_elements(model, list, p, a, q, b);
    for (const Domain* d :
         {&p.domain, &q.sink_domain, &a.access.when, &b.sink_when, &p_where, &q_where, &model.kernel().assumptions})
        meet(list, *d);
    std::vector<Conflict> out;
    for (Conjunct& c : list) {
        Feasibility system(c);
        if (system.consistent()) out.push_back({std::move(c), std::move(system)});
    }
    return out;
}

OrderCase before_at(const StatementModel& p, const StatementModel& q, std::size_t equal) {
    OrderCase out;
    out.equal = equal;
    const auto here = [&](std::size_t k) { return Affine::symbol(p.loops[k]->loop); };
    const auto there = [&](std::size_t k) { return Affine::symbol(sink_name(q.loops[k]->loop)); };
    for (std::size_t k = 0; k < equal; ++k) out.constraints.push_back(heddle::equal(here(k), there(k)));
    out.constraints.push_back(p.loops[equal]->descending ? less(there(equal), here(equal)) : less(here(equal), there(equal)));
    return out;
}

std::vector<OrderCase> before(const StatementModel& p, const StatementModel& q) {
    const Meeting m = meeting(p, q);
    std::vector<OrderCase> out;
    for (std::size_t k = 0; k < m.common; ++k) out.push_back(before_at(p, q, k));
    if (m.order >= 0) return out;
    OrderCase same;
    same.equal = m.common;
    for (std::size_t k = 0; k < m.common; ++k)
        same.constraints.push_back(equal(Affine::symbol(p.loops[k]->loop), Affine::symbol(sink_name(q.loops[k]->loop))));
    out.push_back(std::move(same));
    return out;
}

void append_equal_data(const StatementModel& p, const StatementModel& q, std::size_t equal, Conjunct& out) {
    for (const DataSymbol& a : p.data)
        for (const DataSymbol& b : q.data)
            if (a.name == b.name && a.need <= equal && b.need <= equal)
                out.push_back(heddle::equal(Affine::symbol(a.name), Affine::symbol(sink_name(a.name))));
}

namespace {

bool asked_of_isl(const Conjunct& c, const StatementModel& p, const StatementModel& q) {
    poly::Budget budget(fmt::format("the order of '{}' and '{}'", p.statement->label.str(), q.statement->label.str()));
    return !poly::is_empty(Domain{{c}});
}

}  // namespace

bool possible(const Conjunct& c, const StatementModel& p, const StatementModel& q) {
    const Truth truth = feasible(c);
    return truth == Truth::Unknown ? asked_of_isl(c, p, q) : truth == Truth::True;
}

std::optional<Conjunct> possible(const Conflict& base, const Conjunct& order, const StatementModel& p,
                                 const StatementModel& q) {
    const Truth truth = base.system.with(order);
    if (truth == Truth::False) return std::nullopt;
    Conjunct all = joined(order, base.constraints);
    if (truth == Truth::Unknown && !asked_of_isl(all, p, q)) return std::nullopt;
    return all;
}

}  // namespace heddle::depend
