// Types of whole statements.
#include <fmt/core.h>

#include "ir/error.h"
#include "ir/infer.h"

namespace heddle {
namespace {

Place typed_place(const KernelData& kernel, const Place& place, const Loc& loc) {
    const Array* array = kernel.find_array(place.array);
    if (array == nullptr) throw user_error("name", fmt::format("there is no array or value {}", place.array.str()), loc);
    Expr typed = infer(kernel, read(place.array, place.subscripts, DType::Untyped, loc));
    return {place.array, typed.args()};
}

[[noreturn]] void refuse_value(const Statement& s, const Array& array, const Expr& value) {
    bool truth = array.type == DType::Bool || value.type() == DType::Bool;
    Error error = user_error("type",
                             fmt::format("{} is {}, but the value is {}{}", array.name.str(), name_of(array.type),
                                         name_of(value.type()), truth ? "" : ": part of it would be lost"),
                             value.loc() ? value.loc() : s.loc);
    error.hint(array.type == DType::Bool ? "compare with zero: x != 0"
                                         : fmt::format("a cast accepts the loss: {}(...)", name_of(array.type)));
    throw error;
}

void check_operation(const Statement& s, const Array& array) {
    bool truth = s.update == Update::And || s.update == Update::Or;
    bool order = s.update == Update::Min || s.update == Update::Max;
    bool number = s.update == Update::Add || s.update == Update::Mul || order;
    if ((truth && array.type != DType::Bool) || (number && array.type == DType::Bool) || (order && is_complex(array.type)))
        throw user_error(
            "type",
            fmt::format("'{}' has no meaning on {}, which is {}", symbol_of(s.update), array.name.str(), name_of(array.type)),
            s.loc);
}

void type_values(const KernelData& kernel, const Statement& s, Statement& out) {
    if (s.places.size() != s.values.size())
        throw user_error("type", fmt::format("{} places get {} values", s.places.size(), s.values.size()), s.loc);
    for (std::size_t k = 0; k < s.places.size(); ++k) {
        out.places[k] = typed_place(kernel, s.places[k], s.loc);
        const Array& array = *kernel.find_array(s.places[k].array);
        check_operation(s, array);
        out.values[k] = infer(kernel, s.values[k], array.type);
        if (!converts_silently(out.values[k].type(), array.type)) refuse_value(s, array, out.values[k]);
    }
}

/// The parts of an argmin: a value that can be ordered, then integers.
void check_selection(const KernelData& kernel, const Statement& s) {
    for (std::size_t k = 0; k < s.places.size(); ++k) {
        DType type = kernel.find_array(s.places[k].array)->type;
        if (k == 0 ? type == DType::Bool || is_complex(type) : !is_integer(type))
            throw user_error("type",
                             fmt::format("part {} of {} is {}, but {} is wanted", k + 1, symbol_of(s.update), name_of(type),
                                         k == 0 ? "a real number" : "an integer"),
                             s.loc);
    }
}

/// A user's operator: its results must fit the places again.
void check_operator(const KernelData& kernel, const Statement& s) {
    const OperatorDef* op = kernel.find_operator(s.op);
    if (op == nullptr) throw user_error("name", fmt::format("there is no operator {}", s.op.str()), s.loc);
    if (op->results.size() != s.places.size())
        throw user_error("type",
                         fmt::format("operator {} joins tuples of {}, but {} places are given", s.op.str(), op->results.size(),
                                     s.places.size()),
                         s.loc);
    std::map<Name, DType> parts;
    for (std::size_t k = 0; k < s.places.size(); ++k)
        parts[op->left[k]] = parts[op->right[k]] = kernel.find_array(s.places[k].array)->type;
    for (std::size_t k = 0; k < s.places.size(); ++k) {
        DType type = parts[op->left[k]], result = infer(kernel, op->results[k], type, parts).type();
        if (!converts_silently(result, type))
            throw user_error(
                "type",
                fmt::format("part {} of operator {} gives {} from {}", k + 1, s.op.str(), name_of(result), name_of(type)),
                s.loc);
    }
}

void type_binding(const KernelData& kernel, const Statement& s, Name formal, Expr& value) {
    const KernelData& callee = *s.call->callee;
    const Array* wanted = callee.find_array(formal);
    if (wanted == nullptr && !callee.is_parameter(formal))
        throw user_error("name", fmt::format("kernel {} has no argument {}", callee.name.str(), formal.str()), s.loc);
    if (wanted == nullptr) {
        value = infer_index(kernel, value);
        return;
    }
    if (!wanted->by_value()) {
        const Array* given = value.op() == Op::Read && value.args().empty() ? kernel.find_array(value.name()) : nullptr;
        if (given == nullptr || given->type != wanted->type || given->shape.size() != wanted->shape.size())
            throw user_error("type",
                             fmt::format("argument {} of {} is an array of {} with {} dimensions", formal.str(),
                                         callee.name.str(), name_of(wanted->type), wanted->shape.size()),
                             value.loc());
        value = with_type(value, given->type);
        return;
    }
    value = infer(kernel, value, wanted->type);
    if (!converts_silently(value.type(), wanted->type)) refuse_value(s, *wanted, value);
}

}  // namespace

Statement infer(const KernelData& kernel, const Statement& s) {
    Statement out = s;
    type_values(kernel, s, out);
    if (s.update == Update::ArgMin || s.update == Update::ArgMax) check_selection(kernel, s);
    if (s.update == Update::Custom) check_operator(kernel, s);
    for (auto& p : out.predicates) {
        p = infer(kernel, p, DType::Bool);
        if (p.type() != DType::Bool)
            throw user_error("type", fmt::format("a condition is bool, but this is {}", name_of(p.type())), p.loc())
                .hint("compare with zero: x != 0");
    }
    for (auto& [loop, value] : out.origin) value = infer_index(kernel, value);
    if (s.call)
        for (auto& [formal, value] : out.call->bindings) type_binding(kernel, s, formal, value);
    return out;
}

}  // namespace heddle
