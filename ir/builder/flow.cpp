// Loops, conditions and reductions of the builder.
#include <fmt/core.h>

#include <algorithm>

#include "ir/builder/state.h"
#include "ir/check/names.h"
#include "ir/infer.h"
#include "ir/parse/formula.h"
#include "ir/selection.h"
#include "ir/tree.h"

namespace heddle::build {

Range range(Name name, const Value& low, const Value& high, std::source_location at) {
    Range r;
    r.name = name;
    r.low = low.expr();
    r.high = high.expr();
    r.loc = loc_of(at);
    return r;
}

namespace {

template <class Change>
Range changed(Range r, Change change) {
    change(r);
    return r;
}

}  // namespace

Range Range::down() const {
    return changed(*this, [](Range& r) { r.descending = true; });
}

Range Range::step(std::int64_t distance) const {
    if (distance < 1)
        throw user_error("type", fmt::format("the step of loop '{}' is {}; it must be positive", name.str(), distance), loc);
    return changed(*this, [&](Range& r) { r.stride = distance; });
}

Range Range::parallel() const {
    return changed(*this, [](Range& r) { r.run = Run::Parallel; });
}

Range Range::dynamic_chunks(std::int64_t n) const {
    return changed(parallel(), [&](Range& r) { r.dynamic = true, r.chunk = n; });
}

Range Range::static_chunks(std::int64_t n) const {
    return changed(parallel(), [&](Range& r) { r.dynamic = false, r.chunk = n; });
}

Range Range::collapse(int loops) const {
    return changed(parallel(), [&](Range& r) { r.collapsed = loops; });
}

Range Range::serial_below(std::int64_t iterations) const {
    return changed(parallel(), [&](Range& r) { r.threshold = iterations; });
}

Range Range::vector() const {
    return changed(*this, [](Range& r) { r.run = Run::Vector; });
}

Range Range::unroll() const {
    return changed(*this, [](Range& r) { r.run = Run::Unroll; });
}

static int axis_of_device(int axis) {
    if (axis < 0 || axis > 2) throw user_error("argument", "a device has axes 0, 1 and 2, which are x, y and z");
    return axis;
}

Range Range::block(int axis) const {
    return changed(*this, [&](Range& r) { r.run = Run::Block, r.axis = axis_of_device(axis); });
}

Range Range::lane(int axis) const {
    return changed(*this, [&](Range& r) { r.run = Run::Lane, r.axis = axis_of_device(axis); });
}

Range Range::separate() const {
    return changed(*this, [](Range& r) { r.separated = true; });
}

namespace {

/// Opens the loops, runs `body` with their variables, and gives what it collected. The domain is that of the inside while it
/// runs.
template <class F>
Body inside(State& state, const Ranges& ranges, F body) {
    Body inner;
    Keep<Domain> domain(state.domain);
    Keep<Body*> here(state.body, &inner);
    Keep<std::vector<Name>> loops(state.loops);
    std::vector<Index> variables;
    for (const auto& r : ranges.list) {
        state.open(r);
        variables.push_back(Index(variable(r.name, r.loc)));
    }
    body(variables);
    return inner;
}

}  // namespace

void KernelBuilder::nest(const Ranges& ranges, const std::function<void(const std::vector<Index>&)>& body) {
    state_->close(ranges.list, inside(*state_, ranges, body));
}

void KernelBuilder::block(const std::function<void()>& body) {
    Body inner;
    {
        Keep<Body*> here(state_->body, &inner);
        body();
    }
    if (!inner.children.empty())
        state_->body->children.push_back(make_block(std::move(inner.children), std::move(inner.temporaries)));
}

namespace {

/// A condition taken apart: what is known about indices, and what data decides.
struct Split {
    std::optional<Domain> formula;
    Expr data;   ///< empty when there is none
    Expr whole;  ///< typed
};

Split split(const State& state, const Condition& c) {
    Split out;
    for (const auto& part : flatten(c.expr(), Op::And)) {
        if (auto d = state.formula(part))
            out.formula = out.formula ? intersect(*out.formula, *d) : *d;
        else
            out.data = out.data ? make(Op::And, DType::Untyped, {out.data, part}, {}, part.loc()) : part;
    }
    out.whole = infer(state.kernel, c.expr(), DType::Bool);
    if (out.data) out.data = infer(state.kernel, out.data, DType::Bool);
    if (out.whole.type() != DType::Bool)
        throw user_error("type", fmt::format("a condition is bool, but this is {}", name_of(out.whole.type())))
            .hint("compare with zero: x != 0");
    return out;
}

/// The arrays that statements from `first` on write.
std::unordered_set<Name> written(const State& state, std::size_t first) {
    std::unordered_set<Name> out;
    for (std::size_t k = first; k < state.statements.size(); ++k) {
        for (const auto& p : state.statements[k].places) out.insert(memory_of(state.kernel, p.array));
        if (state.statements[k].call)
            for (const auto& [formal, value] : state.statements[k].call->bindings)
                if (value.op() == Op::Read) out.insert(memory_of(state.kernel, value.name()));
    }
    return out;
}

/// Where the branches change what the condition reads, a bool `let` in front of them keeps its value. One statement alone needs
/// none: the condition is tested right before it.
void keep_condition(State& state, const Split& c, bool has_else, std::size_t first, std::size_t position, const Loc& loc) {
    const auto& after = state.body->children;
    if (!has_else && first + 1 == state.statements.size() && after.size() == position + 1 &&
        after.back()->kind == Node::Kind::Leaf)
        return;
    auto changed = written(state, first);
    auto reads = arrays_read(state.kernel, c.whole);
    if (std::none_of(reads.begin(), reads.end(), [&](Name r) { return changed.count(memory_of(state.kernel, r)) != 0; }))
        return;
    heddle::Array a;
    a.name = state.fresh("condition");
    a.type = DType::Bool;
    a.role = Role::Temp;
    a.is_let = true;
    a.loc = loc;
    Expr kept = read(a.name, {}, DType::Bool, loc);
    std::size_t depth = state.predicates.size();
    for (std::size_t k = first; k < state.statements.size(); ++k) {
        Expr& p = state.statements[k].predicates.at(depth);
        p = p.same(c.data) ? kept : make(Op::Not, DType::Bool, {kept}, {}, loc);
    }
    Statement s;
    s.label = state.fresh_label(a.name);
    s.loc = loc;
    s.places.push_back({a.name, {}});
    s.values = {has_else ? c.whole : c.data};
    state.declare(std::move(a));
    Keep<Domain> domain(state.domain);
    if (c.formula && !has_else) state.narrow(*c.formula);
    state.append(std::move(s));
    auto& children = state.body->children;
    std::rotate(children.begin() + std::ptrdiff_t(position), children.end() - 1, children.end());
}

}  // namespace

void KernelBuilder::when(const Condition& c, const std::function<void()>& then, const std::function<void()>& otherwise, At at) {
    State& s = *state_;
    Split parts = placed(loc_of(at), [&] { return split(s, c); });
    std::size_t first = s.statements.size(), position = s.body->children.size();
    {
        Keep<Domain> domain(s.domain);
        Keep<std::vector<Expr>> predicates(s.predicates);
        if (parts.formula) s.narrow(*parts.formula);
        if (parts.data) s.predicates.push_back(parts.data);
        then();
    }
    if (otherwise) {
        Keep<Domain> domain(s.domain);
        Keep<std::vector<Expr>> predicates(s.predicates);
        if (!parts.data)
            s.narrow(complement(*parts.formula));
        else
            s.predicates.push_back(make(Op::Not, DType::Bool, {parts.whole}, {}, loc_of(at)));
        otherwise();
    }
    if (parts.data) keep_condition(s, parts, bool(otherwise), first, position, loc_of(at));
}

namespace {

/// The parts of a reduction while it is written down.
struct Reduction {
    Update update = Update::Add;
    Name op;
    std::string stem;           ///< of the names it makes
    std::vector<Expr> values;   ///< what each point contributes
    std::vector<DType> types;   ///< of its variables
    std::vector<Expr> initial;  ///< their values before the first point
    std::vector<Name> variables;
    Loc loc;
};

void add_variables(State& state, Reduction& r) {
    for (DType type : r.types) {
        heddle::Array a;
        a.name = state.fresh(r.stem);
        a.type = type;
        a.role = Role::Temp;
        a.loc = r.loc;
        r.variables.push_back(a.name);
        state.names.insert(a.name);
        state.kernel.arrays.push_back(std::move(a));
    }
}

Statement statement_of(const Reduction& r, Name label, const std::vector<Expr>& values) {
    Statement s;
    s.label = label;
    s.loc = r.loc;
    s.values = values;
    for (Name v : r.variables) s.places.push_back({v, {}});
    return s;
}

/// Runs `contribute` inside the loops; it fills in all but the variables. Then come the statement that starts them, and the
/// loops.
template <class F>
void reduce_over(State& state, const Ranges& ranges, Reduction& r, F contribute) {
    Pending outer = state.pending;
    state.pending = {};
    Name label;
    Body inner = inside(state, ranges, [&](const std::vector<Index>& i) {
        placed(r.loc, [&] {
            contribute(i);
            add_variables(state, r);
            label = state.fresh_label(r.variables[0]);
            Statement update = statement_of(r, label, r.values);
            update.update = r.update;
            update.op = r.op;
            update.reassociate = outer.reassociate;
            state.append(std::move(update));
        });
    });
    state.append(statement_of(r, state.fresh_label(label.str() + "_init"), r.initial));
    state.body->temporaries.insert(state.body->temporaries.end(), r.variables.begin(), r.variables.end());
    state.close(ranges.list, std::move(inner));
    state.pending = outer;
}

std::string stem_of(const State& state, const std::string& word) {
    return (state.pending.label.empty() ? "value" : state.pending.label.str()) + "_" + word;
}

/// The types of a tuple's parts: those of its values, widened until the operator's results fit.
std::vector<DType> tuple_types(const KernelData& kernel, const OperatorDef& op, const std::vector<Expr>& values) {
    std::vector<DType> types;
    DType widest = DType::Untyped;
    for (const auto& v : values)
        if (!v.is_literal()) widest = common_type(widest, infer(kernel, v).type());
    for (const auto& v : values) types.push_back(infer(kernel, v, is_float(widest) ? widest : DType::Untyped).type());
    for (int round = 0; round < 4; ++round) {
        std::map<Name, DType> parts;
        for (std::size_t k = 0; k < types.size(); ++k) parts[op.left[k]] = parts[op.right[k]] = types[k];
        for (std::size_t k = 0; k < types.size(); ++k)
            types[k] = common_type(types[k], infer(kernel, op.results[k], types[k], parts).type());
    }
    return types;
}

}  // namespace

Selected KernelBuilder::selection(Update update, const char* word, const Ranges& ranges,
                                  const std::function<Value(const std::vector<Index>&)>& f, At at) {
    State& s = *state_;
    bool selects = update == Update::ArgMin || update == Update::ArgMax;
    bool truth = update == Update::And || update == Update::Or;
    Reduction r;
    r.update = update;
    r.stem = stem_of(s, word);
    r.loc = loc_of(at);
    bool even = false;
    reduce_over(s, ranges, r, [&](const std::vector<Index>& i) {
        r.values = {f(i).expr()};
        r.types = {infer(s.kernel, r.values[0], truth ? DType::Bool : DType::Untyped).type()};
        if (truth != (r.types[0] == DType::Bool))
            throw user_error("type", fmt::format("'{}' {}, but this is {}", word, truth ? "takes conditions" : "takes numbers",
                                                 name_of(r.types[0])));
        r.initial = {identity_of(update, r.types[0])};
        std::vector<Name> loops;
        for (std::size_t k = 0; selects && k < i.size(); ++k) {
            r.values.push_back(i[k].expr());
            loops.push_back(r.values.back().name());
            r.types.push_back(index_type);
            r.initial.push_back(int_literal(-1, index_type));
        }
        even = selects && visits_minus_one(intersect(s.domain, s.kernel.assumptions), loops);
        if (even) r.values[1] = even_index(r.values[1]);
    });
    Selected out{Value(read(r.variables[0], {}, r.types[0], r.loc)), {}};
    for (std::size_t k = 1; k < r.variables.size(); ++k) {
        Keep<Pending> pending(s.pending, Pending{});
        const Expr kept = read(r.variables[k], {}, index_type, r.loc), index = even && k == 1 ? index_of_even(kept) : kept;
        out.at.push_back(let_index(ranges.list[k - 1].name.str() + "_at", Value(index), at));
    }
    return out;
}

std::vector<Value> KernelBuilder::reduction(const Operator& op, const Ranges& ranges,
                                            const std::function<std::vector<Value>(const std::vector<Index>&)>& f, At at) {
    State& s = *state_;
    Reduction r;
    r.update = Update::Custom;
    r.op = op.name;
    r.stem = stem_of(s, op.name.str());
    r.loc = loc_of(at);
    reduce_over(s, ranges, r, [&](const std::vector<Index>& i) {
        const OperatorDef* def = s.kernel.find_operator(op.name);
        for (const auto& v : f(i)) r.values.push_back(v.expr());
        if (def == nullptr || r.values.size() != def->left.size())
            throw user_error("type",
                             fmt::format("operator '{}' takes {} values, not {}", op.name.str(), op.parts, r.values.size()));
        r.types = tuple_types(s.kernel, *def, r.values);
        r.initial = def->identity;
    });
    std::vector<Value> out;
    for (std::size_t k = 0; k < r.variables.size(); ++k) out.push_back(Value(read(r.variables[k], {}, r.types[k], r.loc)));
    return out;
}

}  // namespace heddle::build
