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

}  // namespace heddle
