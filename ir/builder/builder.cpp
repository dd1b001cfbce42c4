#include "ir/builder.h"

#include <fmt/core.h>

#include <algorithm>

#include "ir/builder/state.h"
#include "ir/infer.h"

namespace heddle::build {

void Element::write(Update update, const Value& value, const Loc& loc) const {
    Statement s;
    s.loc = loc;
    s.update = update;
    s.places.push_back({array_, subscripts_});
    s.values = {value.expr()};
    state_->emit(std::move(s));
}

Element Array::at(const std::vector<Here>& subscripts) const {
    std::vector<Expr> exprs;
    for (const auto& s : subscripts) exprs.push_back(s.value.expr());
    return Element(state_, name_, std::move(exprs), subscripts.empty() ? Loc() : subscripts[0].loc);
}

namespace {

heddle::Array& array_of(State& state, Name name) {
    auto at =
        std::find_if(state.kernel.arrays.begin(), state.kernel.arrays.end(), [&](const auto& a) { return a.name == name; });
    require(at != state.kernel.arrays.end(), "a handle names an array of its builder");
    return *at;
}

}  // namespace

Array Array::layout(std::vector<int> axes_from_slowest) const {
    array_of(*state_, name_).layout.order = std::move(axes_from_slowest);
    return *this;
}

Array Array::pad(std::vector<std::int64_t> entries) const {
    array_of(*state_, name_).layout.padding = std::move(entries);
    return *this;
}

Array Array::strides(const std::vector<Index>& elements) const {
    auto& out = array_of(*state_, name_).layout.strides;
    out.clear();
    for (const auto& e : elements) out.push_back(infer_size(state_->kernel, e.expr()));
    return *this;
}

Array Array::separate(int axis) const {
    array_of(*state_, name_).layout.separate_axis = axis;
    return *this;
}

Array Array::in(AddressSpace space) const {
    array_of(*state_, name_).space = space;
    return *this;
}

Array Array::may_alias() const {
    array_of(*state_, name_).may_alias = true;
    return *this;
}

KernelBuilder::KernelBuilder(Name name, At at) : state_(std::make_shared<State>()) {
    state_->kernel.name = name;
    state_->kernel.loc = loc_of(at);
    if (name.empty()) throw user_error("name", "a kernel needs a name", loc_of(at));
}

Index KernelBuilder::index(Name name, At at) {
    state_->claim(name, loc_of(at));
    state_->kernel.parameters.push_back({name, loc_of(at)});
    state_->kernel.argument_order.push_back(name);
    return Index(variable(name, loc_of(at)));
}

Array KernelBuilder::array(Name name, DType type, Role role, const std::vector<Index>& shape, At at) {
    heddle::Array a;
    a.name = role == Role::Temp ? state_->fresh(name) : name;
    a.type = type;
    a.role = role;
    a.loc = loc_of(at);
    placed(a.loc, [&] {
        for (const auto& extent : shape) a.shape.push_back(infer_size(state_->kernel, extent.expr()));
    });
    Array handle(state_, a.name);
    if (role == Role::Temp) return state_->declare(std::move(a)), handle;
    state_->claim(a.name, a.loc);
    state_->kernel.argument_order.push_back(a.name);
    state_->kernel.arrays.push_back(std::move(a));
    return handle;
}

Element KernelBuilder::scalar(Name name, DType type, Role role, At at) {
    return Element(state_, array(name, type, role, {}, at).name(), {}, loc_of(at));
}

Array KernelBuilder::table(Name name, DType type, const std::vector<std::int64_t>& shape, std::vector<std::byte> bytes, At at) {
    heddle::Array a;
    a.name = state_->fresh(name);
    a.type = type;
    a.role = Role::Table;
    a.loc = loc_of(at);
    std::int64_t entries = 1;
    for (std::int64_t extent : shape) {
        a.shape.push_back(int_literal(extent, index_type));
        entries *= extent;
    }
    std::int64_t given = std::int64_t(bytes.size()) / size_of(type);
    if (given != entries)
        throw user_error(
            "type", fmt::format("the shape of table '{}' has {} entries, but {} are given", name.str(), entries, given), a.loc);
    a.table = std::make_shared<const TableData>(TableData{std::move(bytes)});
    state_->names.insert(a.name);
    state_->kernel.arrays.push_back(a);
    return Array(state_, a.name);
}

Array KernelBuilder::view(Name name, const Array& of, const std::vector<Index>& shape, At at) {
    const heddle::Array& viewed = array_of(*state_, of.name());
    heddle::Array a;
    a.name = state_->fresh(name);
    a.type = viewed.type;
    a.role = viewed.role;
    a.view_of = viewed.name;
    a.loc = loc_of(at);
    placed(a.loc, [&] {
        for (const auto& extent : shape) a.shape.push_back(infer_size(state_->kernel, extent.expr()));
    });
    state_->names.insert(a.name);
    state_->kernel.arrays.push_back(a);
    return Array(state_, a.name);
}

void KernelBuilder::assume(const Condition& c, At at) {
    Expr obstacle;
    auto d = placed(loc_of(at), [&] { return state_->formula(c.expr(), &obstacle); });
    if (!d) throw user_error("formula", "an assumption must be quasi-affine in the sizes", loc_of(at));
    state_->kernel.assumptions = intersect(state_->kernel.assumptions, *d);
}

void KernelBuilder::assert_injective(const Array& index_array, At at) {
    state_->kernel.assertions.push_back({Assertion::Kind::Injective, {index_array.name()}, loc_of(at)});
}

void KernelBuilder::assert_nonaliasing(const std::vector<Array>& arrays, At at) {
    Assertion a{Assertion::Kind::NonAliasing, {}, loc_of(at)};
    for (const auto& array : arrays) a.arrays.push_back(array.name());
    state_->kernel.assertions.push_back(std::move(a));
}

Value KernelBuilder::let(Name name, const Value& value, At at) {
    State& s = *state_;
    Loc loc = loc_of(at);
    Expr typed = placed(loc, [&] { return infer(s.kernel, value.expr()); });
    heddle::Array a;
    a.name = s.fresh(name);
    a.type = typed.type();
    a.role = Role::Temp;
    a.is_let = true;
    a.loc = loc;
    Statement out;
    out.places.push_back({a.name, {}});
    out.values = {typed};
    out.loc = loc;
    if (s.pending.label.empty()) s.pending.label = s.fresh_label(a.name);
    s.declare(std::move(a));
    Name let = out.places[0].array;
    s.emit(std::move(out));
    return Value(read(let, {}, typed.type(), loc));
}

Index KernelBuilder::let_index(Name name, const Value& value, At at) {
    Expr made = let(name, value, at).expr();
    if (!is_integer(made.type()))
        throw user_error("type", fmt::format("'{}' is {}; an index is an integer", name.str(), name_of(made.type())),
                         loc_of(at))
            .hint("cast<std::int64_t>(x) makes one of it");
    return Index(variable(made.name(), made.loc()));
}

void KernelBuilder::label(Name name, At at) {
    if (!state_->labels.insert(name).second)
        throw user_error("name", fmt::format("two statements are labelled '{}'", name.str()), loc_of(at));
    state_->pending.label = name;
}

void KernelBuilder::reassociate() { state_->pending.reassociate = true; }
void KernelBuilder::atomic() { state_->pending.atomic = true; }

void KernelBuilder::assign(const std::vector<Element>& places, const std::vector<Value>& values, At at) {
    Statement s;
    s.loc = loc_of(at);
    for (const auto& p : places) {
        Expr element = Value(p).expr();
        s.places.push_back({element.name(), element.args()});
    }
    for (const auto& v : values) s.values.push_back(v.expr());
    state_->emit(std::move(s));
}

Rule KernelBuilder::define_rule(Name name, const std::vector<Name>& parameters, const Value& body, At at) {
    state_->claim(name, loc_of(at));
    state_->kernel.rules.push_back({name, parameters, body.expr(), loc_of(at)});
    return Rule(name);
}

External KernelBuilder::external(Name name, const std::vector<DType>& types, At at) {
    if (find_builtin(name) != nullptr)
        throw user_error("name", fmt::format("'{}' is a function of the language", name.str()), loc_of(at));
    state_->claim(name, loc_of(at));
    state_->kernel.externs.push_back({name, {types.begin() + 1, types.end()}, types[0], loc_of(at)});
    return External(name);
}

Operator KernelBuilder::operation(Name name, const Join& f, const std::vector<Value>& identity, bool commutative, At at) {
    state_->claim(name, loc_of(at));
    OperatorDef def;
    def.name = name;
    def.loc = loc_of(at);
    def.commutative = commutative;
    std::vector<Value> left, right;
    for (std::size_t k = 0; k < identity.size(); ++k) {
        std::string number = identity.size() == 1 ? "" : std::to_string(k + 1);
        def.left.emplace_back("a" + number);
        def.right.emplace_back("b" + number);
        left.push_back(Value(variable(def.left.back())));
        right.push_back(Value(variable(def.right.back())));
        def.identity.push_back(identity[k].expr());
    }
    for (const auto& v : f(left, right)) def.results.push_back(v.expr());
    if (def.results.size() != identity.size())
        throw user_error(
            "type",
            fmt::format("operator '{}' joins tuples of {}, but gives {}", name.str(), identity.size(), def.results.size()),
            def.loc);
    state_->kernel.operators.push_back(std::move(def));
    return {name, identity.size()};
}

void KernelBuilder::call(const Kernel& callee, const std::vector<Binding>& bindings, At at) {
    Statement s;
    s.loc = loc_of(at);
    s.call = KernelCall{callee.share(), {}};
    for (Name formal : callee.data().argument_order) {
        auto given = std::find_if(bindings.begin(), bindings.end(), [&](const Binding& b) { return b.name == formal; });
        if (given == bindings.end())
            throw user_error("type", fmt::format("argument '{}' of kernel '{}' is missing", formal.str(), callee.name()),
                             s.loc);
        s.call->bindings.emplace_back(formal, given->expr);
    }
    for (const auto& b : bindings) {
        const auto& formals = callee.data().argument_order;
        if (std::find(formals.begin(), formals.end(), b.name) == formals.end())
            throw user_error("name", fmt::format("kernel '{}' has no argument '{}'", callee.name(), b.name.str()), s.loc);
    }
    state_->emit(std::move(s));
}

Kernel KernelBuilder::build() const {
    return placed(state_->kernel.loc, [&] { return Kernel(std::make_shared<const KernelData>(state_->finish())); });
}

}  // namespace heddle::build
