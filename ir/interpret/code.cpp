#include "ir/interpret/code.h"

#include <fmt/format.h>

#include "ir/error.h"
#include "ir/infer.h"
#include "ir/interpret/ops.h"

namespace heddle::interp {
namespace {

bool is_comparison(Op op) {
    return op == Op::Lt || op == Op::Le || op == Op::Gt || op == Op::Ge || op == Op::Eq || op == Op::Ne;
}
bool is_branching(Op op) { return op == Op::Select || op == Op::And || op == Op::Or; }

DType known(DType type, DType otherwise) { return type == DType::Untyped ? otherwise : type; }

[[noreturn]] void no_operation(const char* what, DType type) {
    throw Error(ErrorKind::Internal, "internal", fmt::format("{} has no operation {}", name_of(type), what));
}

}  // namespace

Coder::Coder(const KernelData& kernel, Machine& machine, const ExternTable& externs)
    : kernel_(kernel), machine_(machine), externs_(externs), rules_(kernel) {
    for (std::uint32_t k = 0; k < machine.views.size(); ++k) views_.emplace(machine.views[k].name, k);
}

std::uint32_t Coder::fresh() {
    machine_.regs.emplace_back();
    return static_cast<std::uint32_t>(machine_.regs.size() - 1);
}

std::uint32_t Coder::slot(Name name) {
    const auto [it, is_new] = slots_.emplace(name, 0);
    if (is_new) it->second = fresh();
    return it->second;
}

std::uint32_t Coder::view(Name name) const {
    const auto it = views_.find(name);
    if (it == views_.end()) throw Error(ErrorKind::Internal, "internal", "there is no array '" + name.str() + "'");
    return it->second;
}

std::uint32_t Coder::emit(Action action, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const std::uint32_t dst = fresh();
    machine_.code.push_back({action, dst, a, b, c});
    return dst;
}

void Coder::emit_to(std::uint32_t dst, Action action, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    machine_.code.push_back({action, dst, a, b, c});
}

Typed Coder::constant(DType type, const Value& value) {
    const auto [it, is_new] = constants_.emplace(std::pair(type, std::to_array(value.raw)), 0);
    if (is_new) {
        it->second = fresh();
        machine_.reg(it->second) = value;
        is_constant_.insert(it->second);
    }
    return {it->second, type};
}

Typed Coder::literal(const Expr& e) {
    Value value;
    if (e.op() == Op::Bool) {
        put(value, e.integer() != 0);
        return constant(DType::Bool, value);
    }
    if (e.op() == Op::Int)
        put(value, e.integer());
    else
        put(value, e.real());
    const DType own = e.op() == Op::Int ? DType::I64 : DType::F64;
    return converted(constant(own, value), known(e.type(), own));
}

/// A constant is converted now, anything else by an instruction.
Typed Coder::converted(Typed value, DType to) {
    if (to == DType::Untyped || value.type == to) return value;
    const Action action = cast_action(value.type, to);
    if (!is_constant_.count(value.reg)) return {emit(action, value.reg), to};
    Instr in{action, fresh(), value.reg};
    action(machine_, in);
    const Value result = machine_.reg(in.dst);
    return constant(to, result);
}

Typed Coder::binary(Op op, DType operands, Typed a, Typed b) {
    const Action action = binary_action(op, operands);
    if (action == nullptr) no_operation("of this kind", operands);
    const bool shift = op == Op::Shl || op == Op::Shr;
    const Typed x = converted(a, operands), y = converted(b, shift ? DType::I64 : operands);
    return {emit(action, x.reg, y.reg), is_comparison(op) ? DType::Bool : operands};
}

void Coder::wish(const Expr& e) { stack_.push_back({&e}); }

Typed Coder::operand(const Expr& e) const { return memo_.at(e.node()); }

void Coder::finish(const Expr& e, Typed result) {
    memo_[e.node()] = result;
    order_.push_back(e.node());
}

Typed Coder::expression(const Expr& e, DType wanted) {
    kept_.push_back(without_rules(e));
    const Expr root = kept_.back();
    wish(root);
    while (!stack_.empty()) step();
    return converted(operand(root), wanted);
}

/// Rules expanded, and what came out of their bodies typed where it stands now.
Expr Coder::without_rules(const Expr& e) {
    if (kernel_.rules.empty()) return e;
    const Expr expanded = rules_.expand(e);
    if (expanded.node() == e.node()) return e;
    std::map<Name, DType> types;
    for (const auto& [name, value] : bound_) types[name] = value.type;
    return infer(kernel_, expanded, e.type(), types);
}

/// Takes the newest unfinished node one operand further.
void Coder::step() {
    const Frame frame = stack_.back();
    if (memo_.count(frame.e->node()))
        stack_.pop_back();
    else if (is_branching(frame.e->op()))
        step_branches(frame);
    else
        step_operands(frame);
}

void Coder::step_operands(Frame frame) {
    const Expr& e = *frame.e;
    for (; frame.state < e.args().size(); ++frame.state) {
        if (memo_.count(e.arg(frame.state).node())) continue;
        stack_.back().state = frame.state + 1;
        return wish(e.arg(frame.state));
    }
    finish(e, node(e));
    stack_.pop_back();
}

/// The start of code that runs only when the condition holds. What it computes is forgotten at its end.
void Coder::open_branch(Frame& frame, std::uint32_t condition) {
    frame.jump = position();
    emit_to(0, jump_unless_action(), condition, 0);
    frame.mark = order_.size();
}

void Coder::close_branch(const Frame& frame, const Expr& value) {
    const DType type = known(frame.e->type(), operand(value).type);
    emit_to(frame.dst, move_action(), converted(operand(value), type).reg);
    for (; order_.size() > frame.mark; order_.pop_back()) memo_.erase(order_.back());
}

/// c ? a : b evaluates a or b; `and` and `or` evaluate their right side only when the left one does not decide.
void Coder::step_branches(Frame frame) {
    const Expr& e = *frame.e;
    const bool select = e.op() == Op::Select;
    const std::size_t state = frame.state++;
    if (state == 0) {
        stack_.back() = frame;
        return wish(e.arg(0));
    }
    if (state == 1) {
        const std::uint32_t condition = converted(operand(e.arg(0)), DType::Bool).reg;
        frame.dst = fresh();
        if (!select) emit_to(frame.dst, move_action(), condition);
        open_branch(frame, e.op() == Op::Or ? emit(unary_action(Op::Not, DType::Bool), condition) : condition);
        stack_.back() = frame;
        return wish(e.arg(1));
    }
    if (state == 2) {
        close_branch(frame, e.arg(1));
        if (select) emit_to(0, jump_action(), 0);
        machine_.code[frame.jump].b = position();
        frame.jump = position() - 1;
        stack_.back() = frame;
        if (select) return wish(e.arg(2));
    } else {
        close_branch(frame, e.arg(2));
        machine_.code[frame.jump].a = position();
    }
    stack_.pop_back();
    finish(e, {frame.dst, select ? known(e.type(), DType::F64) : DType::Bool});
}

Typed Coder::leaf(const Expr& e) {
    if (const auto it = bound_.find(e.name()); it != bound_.end()) return converted(it->second, e.type());
    if (const auto it = slots_.find(e.name()); it != slots_.end()) return converted({it->second, DType::I64}, e.type());
    return load(e);
}

Typed Coder::load(const Expr& e) {
    const std::uint32_t array = view(e.name());
    const View& view = machine_.views[array];
    if (view.shape.size() != e.args().size())
        throw Error(ErrorKind::Internal, "internal", "wrong number of subscripts for '" + e.name().str() + "'", e.loc());
    std::vector<std::uint32_t> indices;
    for (const Expr& arg : e.args()) indices.push_back(converted(operand(arg), DType::I64).reg);
    const auto first = static_cast<std::uint32_t>(machine_.operands.size());
    machine_.operands.insert(machine_.operands.end(), indices.begin(), indices.end());
    return converted({emit(load_action(view.type), array, first), view.type}, e.type());
}

Typed Coder::node(const Expr& e) {
    switch (e.op()) {
        case Op::Int:
        case Op::Float:
        case Op::Bool:
            return literal(e);
        case Op::Var:
            return leaf(e);
        case Op::Read:
            return e.args().empty() ? leaf(e) : load(e);
        case Op::Cast:
            return converted(operand(e.arg(0)), e.type());
        case Op::Call:
            return call(e);
        case Op::Neg:
        case Op::Not:
        case Op::BitNot: {
            const DType type = e.op() == Op::Not ? DType::Bool : known(e.type(), operand(e.arg(0)).type);
            const Action action = unary_action(e.op(), type);
            if (action == nullptr) no_operation("of one operand of this kind", type);
            return {emit(action, converted(operand(e.arg(0)), type).reg), type};
        }
        case Op::Complex: {
            const DType part = real_of(e.type());
            const std::uint32_t re = converted(operand(e.arg(0)), part).reg, im = converted(operand(e.arg(1)), part).reg;
            return {emit(complex_action(e.type()), re, im), e.type()};
        }
        case Op::Rule:
            throw Error(ErrorKind::Internal, "internal", "rule '" + e.name().str() + "' was not expanded", e.loc());
        default:
            break;
    }
    const Typed a = operand(e.arg(0)), b = operand(e.arg(1));
    const DType common = common_type(a.type, b.type);
    return binary(e.op(), is_comparison(e.op()) ? common : known(e.type(), common), a, b);
}

Typed Coder::call(const Expr& e) {
    if (const ExternDef* f = kernel_.find_extern(e.name())) return extern_call(e, *f);
    return builtin_call(e);
}

Typed Coder::builtin_call(const Expr& e) {
    const BuiltIn* f = find_builtin(e.name());
    if (f == nullptr) throw Error(ErrorKind::Internal, "internal", "there is no function '" + e.name().str() + "'", e.loc());
    const bool of_result = f->rule == BuiltIn::Rule::Float || f->rule == BuiltIn::Rule::SameAsFirst;
    const DType type = of_result ? known(e.type(), operand(e.arg(0)).type) : operand(e.arg(0)).type;
    const Action action = builtin_action(f->name, type);
    if (action == nullptr) no_operation(f->name, type);
    std::uint32_t regs[3] = {};
    for (std::size_t k = 0; k < e.args().size() && k < 3; ++k) regs[k] = converted(operand(e.arg(k)), type).reg;
    return converted({emit(action, regs[0], regs[1], regs[2]), builtin_result(f->name, type)}, e.type());
}

Typed Coder::extern_call(const Expr& e, const ExternDef& f) {
    const auto it = externs_.find(e.name().str());
    if (it == externs_.end())
        throw Error(ErrorKind::Runtime, "extern", fmt::format("the interpreter has no function '{}'", e.name().str()), e.loc())
            .hint("compiled code links to it; interpret() takes a table of such functions");
    ExternCall call{it->second, {}};
    for (std::size_t k = 0; k < e.args().size(); ++k)
        call.arguments.push_back(converted(operand(e.arg(k)), f.arguments[k]).reg);
    machine_.externs.push_back(std::move(call));
    const auto index = static_cast<std::uint32_t>(machine_.externs.size() - 1);
    return converted({emit(extern_action(), index), f.result}, e.type());
}

}  // namespace heddle::interp
