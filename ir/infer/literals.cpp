// Literals and what is made of nothing else take the type of what they meet.
#include <fmt/core.h>

#include "ir/error.h"
#include "ir/infer/natural.h"

namespace heddle {
namespace {

bool fits(std::int64_t value, DType type) {
    if (type == DType::I64) return true;
    if (!is_signed(type)) return value >= 0 && (size_of(type) == 8 || value >> (8 * size_of(type)) == 0);
    std::int64_t limit = std::int64_t(1) << (8 * size_of(type) - 1);
    return value >= -limit && value < limit;
}

/// The type a literal takes where `wanted` is wanted.
DType literal_type(const Natural& n, DType wanted) {
    DType real = real_of(wanted);
    if (n.fraction) return is_float(real) ? real : DType::F64;
    return is_float(real) || is_integer(real) ? real : index_type;
}

Expr float_of(double value, DType type, const Loc& loc) {
    return float_literal(type == DType::F32 ? double(float(value)) : value, type, loc);
}

Expr typed_literal(const Expr& e, DType type) {
    if (e.op() == Op::Float) return float_of(e.real(), type, e.loc());
    if (is_float(type)) return float_of(double(e.integer()), type, e.loc());
    if (!fits(e.integer(), type))
        throw user_error("type", fmt::format("{} does not fit {}", e.integer(), name_of(type)), e.loc())
            .hint(fmt::format("a cast wraps it: {}(i64({}))", name_of(type), e.integer()));
    return int_literal(e.integer(), type, e.loc());
}

/// An untyped node on its way to a type.
struct Frame {
    const Expr* e;
    DType type;
    std::size_t next = 0;
};

/// The arguments of a rule take their types where it is expanded.
bool is_leaf(const Expr& e) { return e.args().empty() || e.op() == Op::Rule; }

Expr leaf(const Expr& e, DType type) {
    bool literal = e.op() == Op::Int || e.op() == Op::Float;
    return literal ? typed_literal(e, type) : with_type(e, type);
}

}  // namespace

Expr settle_literals(const Expr& root, const Natural& n, DType wanted) {
    if (!n.is_literal()) return root;
    std::vector<Frame> frames{{&root, literal_type(n, wanted)}};
    std::vector<Expr> values;
    while (!frames.empty()) {
        auto [e, type, next] = frames.back();
        if (is_leaf(*e)) {
            values.push_back(leaf(*e, type));
            frames.pop_back();
        } else if (next < e->args().size()) {
            ++frames.back().next;
            const Expr& arg = e->arg(next);
            bool distance = next == 1 && (e->op() == Op::Shl || e->op() == Op::Shr);
            if (arg.type() == DType::Untyped)
                frames.push_back({&arg, distance ? index_type : type});
            else
                values.push_back(arg);
        } else {
            auto first = values.end() - std::ptrdiff_t(e->args().size());
            Expr done = with_type(with_args(*e, {first, values.end()}), type);
            values.erase(first, values.end());
            values.push_back(std::move(done));
            frames.pop_back();
        }
    }
    return values.back();
}

}  // namespace heddle
