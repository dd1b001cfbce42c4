#include "ir/infer.h"

#include <fmt/core.h>

#include "ir/error.h"
#include "ir/infer/typer.h"

namespace heddle {

Expr infer(const KernelData& kernel, const Expr& e, DType wanted, const std::map<Name, DType>& variables) {
    return Typer(kernel, variables).run(e, Context::Value, wanted);
}

Expr infer_index(const KernelData& kernel, const Expr& e) {
    Expr typed = Typer(kernel, {}).run(e, Context::Index, index_type);
    if (is_integer(typed.type())) return typed;
    throw user_error("type", fmt::format("an index is an integer, but this is {}", name_of(typed.type())), e.loc())
        .hint("a cast makes an integer of it: i64(x)");
}

Expr infer_size(const KernelData& kernel, const Expr& e) {
    Expr typed = infer_index(kernel, e);
    visit(typed, [&](const Expr& node) {
        switch (node.op()) {
            case Op::Int:
            case Op::Var:
            case Op::Neg:
            case Op::Add:
            case Op::Sub:
            case Op::Mul:
            case Op::FloorDiv:
            case Op::Mod:
            case Op::Min:
            case Op::Max:
                return;
            default:
                throw user_error("type", "a size is made of + - * // % min max of integers and index parameters",
                                 node.loc().line ? node.loc() : e.loc());
        }
    });
    return typed;
}

}  // namespace heddle
