// Which literals of a kernel's expressions need a cast so that they are read back with their types?
#include "ir/error.h"
#include "ir/infer.h"
#include "ir/print_parts.h"

namespace heddle {
namespace {

bool is_typed_literal(const Expr& e) { return e.is_literal() && e.op() != Op::Bool && e.type() != DType::Untyped; }

bool has_typed_literal(const Expr& e) {
    bool found = false;
    visit(e, [&](const Expr& x) { found = found || is_typed_literal(x); });
    return found;
}

Expr without_literal_types(const Expr& e) {
    return rewrite(e, [](const Expr& x) {
        bool large = x.op() == Op::Int && x.type() == DType::U64 && x.integer() < 0;  // has no other type where it is read
        return is_typed_literal(x) && !large ? with_type(x, DType::Untyped) : x;
    });
}

/// `typed` types an expression the way the reader will.
template <class Infer>
Printable choose(const Expr& e, Infer typed) {
    try {
        Expr own = typed(e);
        if (!has_typed_literal(own)) return {own};
        Expr bare = typed(without_literal_types(own));
        return {own, bare.same(own) ? LiteralStyle::Bare : LiteralStyle::Cast};
    } catch (const Error&) {
        return {e};  // not a sound kernel: shown as it is
    }
}

/// 64-bit arithmetic on names and literals: the reader types it the same way.
bool is_plain_index(const Expr& e) {
    bool plain = true;
    visit(e, [&](const Expr& x) {
        bool name = x.op() == Op::Var || x.op() == Op::Int;
        bool sum = x.op() == Op::Add || x.op() == Op::Sub || x.op() == Op::Mul || x.op() == Op::FloorDiv || x.op() == Op::Mod;
        plain = plain && (name || sum) && x.type() == index_type;
    });
    return plain;
}

}  // namespace

Printable printable(const KernelData& kernel, const Expr& e, DType wanted) {
    return choose(e, [&](const Expr& x) { return infer(kernel, x, wanted); });
}

Printable printable_index(const KernelData& kernel, const Expr& e) {
    if (is_plain_index(e)) return {e};
    return choose(e, [&](const Expr& x) { return infer_index(kernel, x); });
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
