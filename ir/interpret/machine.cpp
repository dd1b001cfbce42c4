#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "ir/checked_int.h"
#include "ir/error.h"
#include "ir/interpret_machine.h"

namespace heddle::interp {

void Store::renew() {
    if (++epoch != 0) return;
    std::fill(stamps.begin(), stamps.end(), 0u);
    epoch = 1;
}

std::string Machine::instance() const {
    if (current == nullptr) return "the kernel";
    Env env;
    std::vector<std::string> values;
    for (const auto& [name, slot] : current->loops) env[name] = get<std::int64_t>(regs[slot]);
    const auto add = [&](Name name, std::int64_t value) { values.push_back(fmt::format("{}={}", name.str(), value)); };
    for (const auto& [name, value] : current->source->origin)
        if (const auto v = index_value(value, env)) add(name, *v);
    if (current->source->origin.empty())
        for (const auto& [name, slot] : current->loops) add(name, env[name]);
    const std::string& label = current->source->label.str();
    return values.empty() ? label : fmt::format("{}({})", label, fmt::join(values, ", "));
}

std::string Machine::element(const View& view, std::uint32_t first) const {
    std::vector<std::int64_t> indices;
    for (std::size_t k = 0; k < view.shape.size(); ++k) indices.push_back(get<std::int64_t>(regs[operands[first + k]]));
    return indices.empty() ? view.name.str() : fmt::format("{}[{}]", view.name.str(), fmt::join(indices, ", "));
}

void Machine::out_of_bounds(const View& view, std::uint32_t first, std::size_t dimension) const {
    throw Error(
        ErrorKind::Runtime, "bounds",
        fmt::format("{} accesses {}, but {} is {}[{}]: subscript {} lies outside 0 to {}", instance(), element(view, first),
                    view.name.str(), name_of(view.type), fmt::join(view.shape, ", "), dimension + 1, view.shape[dimension] - 1),
        current ? current->source->loc : Loc{});
}

void Machine::undefined(const View& view, std::uint32_t first) const {
    throw Error(ErrorKind::Runtime, "undefined",
                fmt::format("{} reads {}, which was never written", instance(), element(view, first)),
                current ? current->source->loc : Loc{});
}

namespace {

template <class T>
void load(Machine& m, const Instr& in) {
    const View& view = m.views[in.a];
    const std::int64_t at = m.locate(view, in.b);
    if (!view.store->defined(at)) m.undefined(view, in.b);
    const std::byte* from = view.store->data + static_cast<std::size_t>(at) * sizeof(T);
    if constexpr (std::is_same_v<T, bool>)
        put(m.reg(in.dst), *from != std::byte{0});
    else
        std::memcpy(m.reg(in.dst).raw, from, sizeof(T));
}

template <class T>
void store(Machine& m, const Instr& in) {
    const View& view = m.views[in.a];
    const std::int64_t at = m.locate(view, in.b);
    view.store->define(at);
    std::memcpy(view.store->data + static_cast<std::size_t>(at) * sizeof(T), m.reg(in.c).raw, sizeof(T));
}

void call_extern(Machine& m, const Instr& in) {
    const ExternCall& call = m.externs[in.a];
    std::vector<const void*> arguments;
    for (const std::uint32_t r : call.arguments) arguments.push_back(m.reg(r).raw);
    call.function(arguments.data(), m.reg(in.dst).raw);
}

/// One node of an index expression, given its operands' values.
std::optional<std::int64_t> index_node(const Expr& e, const std::vector<std::int64_t>& v, const Env& env) {
    std::int64_t r = 0;
    switch (e.op()) {
        case Op::Int:
            return e.integer();
        case Op::Var:
        case Op::Read: {
            const auto it = env.find(e.name());
            return it == env.end() || !v.empty() ? std::nullopt : std::optional(it->second);
        }
        case Op::Neg:
            return __builtin_sub_overflow(std::int64_t{0}, v[0], &r) ? std::nullopt : std::optional(r);
        case Op::Add:
            return __builtin_add_overflow(v[0], v[1], &r) ? std::nullopt : std::optional(r);
        case Op::Sub:
            return __builtin_sub_overflow(v[0], v[1], &r) ? std::nullopt : std::optional(r);
        case Op::Mul:
            return __builtin_mul_overflow(v[0], v[1], &r) ? std::nullopt : std::optional(r);
        case Op::Min:
            return std::min(v[0], v[1]);
        case Op::Max:
            return std::max(v[0], v[1]);
        case Op::Cast:
            return is_integer(e.type()) ? std::optional(v[0]) : std::nullopt;
        case Op::FloorDiv:
            return v[1] > 0 ? std::optional(floor_quotient(v[0], v[1])) : std::nullopt;
        case Op::Mod:
            return v[1] > 0 ? std::optional(floor_remainder(v[0], v[1])) : std::nullopt;
        default:
            return std::nullopt;
    }
}

}  // namespace

Action load_action(DType type) {
    return with_type(type, [](auto tag) -> Action { return load<typename decltype(tag)::type>; });
}

Action store_action(DType type) {
    return with_type(type, [](auto tag) -> Action { return store<typename decltype(tag)::type>; });
}

Action extern_action() { return call_extern; }

std::optional<std::int64_t> index_value(const Expr& e, const Env& env) {
    std::unordered_map<const ExprNode*, std::optional<std::int64_t>> values;
    visit(e, [&](const Expr& x) {
        std::vector<std::int64_t> operands;
        for (const Expr& arg : x.args())
            if (const auto v = values[arg.node()]) operands.push_back(*v);
        const bool complete = operands.size() == x.args().size();
        values[x.node()] = complete ? index_node(x, operands, env) : std::nullopt;
    });
    return values[e.node()];
}

}  // namespace heddle::interp
