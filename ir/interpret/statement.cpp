// Statements -> the interpreter's code: predicates, values, updates, stores.
#include "ir/error.h"
#include "ir/infer.h"
#include "ir/interpret/code.h"
#include "ir/interpret/ops.h"

namespace heddle::interp {

StatementCode Coder::predicates(const Statement& s, std::vector<std::pair<Name, std::uint32_t>> loops) {
    forget();
    StatementCode out{&s, std::move(loops)};
    out.begin = position();
    std::vector<std::uint32_t> exits;
    for (const Expr& p : s.predicates) {
        const std::uint32_t holds = expression(p, DType::Bool).reg;
        exits.push_back(position());
        emit_to(0, jump_unless_action(), holds);
    }
    out.body = position();
    emit_to(fresh(), move_action(), 0);
    out.end = position();
    for (const std::uint32_t k : exits) machine_.code[k].b = out.end;
    return out;
}

StatementCode Coder::statement(const Statement& s, std::vector<std::pair<Name, std::uint32_t>> loops) {
    StatementCode out = predicates(s, std::move(loops));
    std::vector<std::uint32_t> firsts;
    std::vector<Typed> fresh, old;
    for (std::size_t k = 0; k < s.values.size(); ++k)
        fresh.push_back(expression(s.values[k], machine_.views[view(s.places[k].array)].type));
    for (const Place& place : s.places) firsts.push_back(subscripts(place.subscripts));
    if (s.update != Update::Assign) {
        for (std::size_t k = 0; k < s.places.size(); ++k) old.push_back(fetch(s.places[k], firsts[k]));
        fresh = combined(s, old, fresh);
    }
    for (std::size_t k = 0; k < s.places.size(); ++k) {
        const std::uint32_t array = view(s.places[k].array);
        emit_to(0, store_action(machine_.views[array].type), array, firsts[k], fresh[k].reg);
    }
    out.end = position();
    for (std::uint32_t k = out.begin; k < out.body; ++k)
        if (machine_.code[k].b == out.body + 1 && machine_.code[k].run == jump_unless_action()) machine_.code[k].b = out.end;
    return out;
}

std::uint32_t Coder::subscripts(const std::vector<Expr>& subscripts) {
    std::vector<std::uint32_t> regs;
    for (const Expr& e : subscripts) regs.push_back(expression(e, DType::I64).reg);
    const auto first = static_cast<std::uint32_t>(machine_.operands.size());
    machine_.operands.insert(machine_.operands.end(), regs.begin(), regs.end());
    return first;
}

Typed Coder::fetch(const Place& place, std::uint32_t first) {
    const std::uint32_t array = view(place.array);
    const DType type = machine_.views[array].type;
    return {emit(load_action(type), array, first), type};
}

std::vector<Typed> Coder::combined(const Statement& s, const std::vector<Typed>& old, const std::vector<Typed>& fresh) {
    switch (s.update) {
        case Update::ArgMin:
        case Update::ArgMax:
            return extreme(s, old, fresh);
        case Update::Custom:
            return custom(s, old, fresh);
        default:
            break;
    }
    const Op op = operation_of(s.update);
    std::vector<Typed> out;
    for (std::size_t k = 0; k < old.size(); ++k) out.push_back(binary(op, old[k].type, old[k], fresh[k]));
    return out;
}

/// The first extreme wins; a NaN wins over numbers. An equal value is taken when nothing was taken before: all indices are
/// still -1.
std::vector<Typed> Coder::extreme(const Statement& s, const std::vector<Typed>& old, const std::vector<Typed>& fresh) {
    const DType type = old[0].type;
    const Action better = better_action(type, s.update == Update::ArgMax);
    if (better == nullptr) throw user_error("type", "complex numbers have no order", s.loc);
    const Typed taken{emit(better, fresh[0].reg, old[0].reg), DType::Bool};
    Value minus_one;
    put(minus_one, std::int64_t{-1});
    Typed first = binary(Op::Eq, type, fresh[0], old[0]);
    for (std::size_t k = 1; k < old.size(); ++k)
        first = binary(Op::And, DType::Bool, first, binary(Op::Eq, DType::I64, old[k], constant(DType::I64, minus_one)));
    const std::uint32_t take = binary(Op::Or, DType::Bool, taken, first).reg;
    std::vector<Typed> out;
    for (std::size_t k = 0; k < old.size(); ++k)
        out.push_back({emit(pick_action(), take, fresh[k].reg, old[k].reg), old[k].type});
    return out;
}

/// The user's operator: the left operand is what is there, the right one the statement's values.
std::vector<Typed> Coder::custom(const Statement& s, const std::vector<Typed>& old, const std::vector<Typed>& fresh) {
    const OperatorDef* op = kernel_.find_operator(s.op);
    if (op == nullptr) throw Error(ErrorKind::Internal, "internal", "there is no operator '" + s.op.str() + "'", s.loc);
    std::map<Name, DType> types;
    for (std::size_t k = 0; k < old.size(); ++k) {
        bound_[op->left[k]] = old[k];
        bound_[op->right[k]] = fresh[k];
        types[op->left[k]] = types[op->right[k]] = old[k].type;
    }
    std::vector<Typed> out;
    for (std::size_t k = 0; k < old.size(); ++k)
        out.push_back(expression(infer(kernel_, op->results[k], old[k].type, types), old[k].type));
    bound_.clear();
    return out;
}

}  // namespace heddle::interp
