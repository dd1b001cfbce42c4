// Which literals of a kernel's expressions need a cast so that they are read back with their types?
#include "ir/error.h"
#include "ir/infer/typer.h"
#include "ir/print/parts.h"

namespace heddle {
namespace {

bool is_typed_literal(const Expr& e) { return e.is_literal() && e.op() != Op::Bool && e.type() != DType::Untyped; }

/// Are the types of literals those that the reader gives them?
Printable choose(const KernelData& kernel, const Expr& e, Context context, DType wanted) {
    try {
        Expr read = Typer(kernel, {}, Typer::Literals::Retyped).run(e, context, wanted);
        if (read.same(e)) return {e};
        Expr own = Typer(kernel, {}).run(e, context, wanted);
        return {own, read.same(own) ? LiteralStyle::Bare : LiteralStyle::Cast};
    } catch (const Error&) {
        return {e};  // not a sound kernel: shown as it is
    }
}

}  // namespace

Printable printable(const KernelData& kernel, const Expr& e, DType wanted) { return choose(kernel, e, Context::Value, wanted); }

Printable printable_index(const KernelData& kernel, const Expr& e) {
    bool plain = (e.op() == Op::Var || e.op() == Op::Int) && e.type() == index_type;
    return plain ? Printable{e} : choose(kernel, e, Context::Index, index_type);
}

Printable printable_body(const Expr& e) { return {untyped(e), LiteralStyle::Bare}; }

/// Types are what the parts of a body get where it is used; a literal with a type of its own becomes a cast.
Expr untyped(const Expr& e) {
    return rewrite(e, [](const Expr& x) -> Expr {
        if (is_typed_literal(x) && x.type() != index_type && x.type() != DType::F64)
            return make(Op::Cast, x.type(), {with_type(x, DType::Untyped)}, {}, x.loc());
        if (x.op() == Op::Read && x.args().empty()) return with_type(variable(x.name(), x.loc()), DType::Untyped);
        return x.op() == Op::Cast || x.op() == Op::Complex || x.op() == Op::Bool ? x : with_type(x, DType::Untyped);
    });
}

void append(std::string& out, const Printable& p) { append_expr(out, p.e, p.style); }

void append_index_list(std::string& out, const KernelData& kernel, const std::vector<Expr>& list) {
    for (std::size_t k = 0; k < list.size(); ++k) {
        if (k > 0) out += ", ";
        append(out, printable_index(kernel, list[k]));
    }
}

}  // namespace heddle
