#include <unordered_map>

#include "ir/builder_value.h"

namespace heddle::build {

Loc loc_of(const std::source_location& at) {
    thread_local std::unordered_map<std::string, std::shared_ptr<const Source>> files;
    auto& source = files[at.file_name()];
    if (source == nullptr) source = std::make_shared<const Source>(Source{at.file_name(), ""});
    return {source, std::uint32_t(at.line()), std::uint32_t(at.column())};
}

namespace {

/// The place of an operation is that of its first operand that has one.
Expr node(Op op, std::vector<Expr> args, DType type = DType::Untyped, Name name = {}) {
    Loc loc;
    for (const auto& a : args)
        if (!loc) loc = a.loc();
    return make(op, type, std::move(args), name, loc);
}

Value value(Op op, const Value& a, const Value& b) { return Value(node(op, {a.expr(), b.expr()})); }
Index index(Op op, const Value& a, const Value& b) { return Index(node(op, {a.expr(), b.expr()})); }
Condition condition(Op op, const Value& a, const Value& b) { return Condition(node(op, {a.expr(), b.expr()})); }

}  // namespace

Value::Value(std::complex<double> literal)
    : expr_(make(Op::Complex, DType::C128, {float_literal(literal.real()), float_literal(literal.imag())})) {}

Expr Value::unsigned_literal(std::uint64_t literal) {
    return int_literal(std::int64_t(literal), literal > INT64_MAX ? DType::U64 : DType::Untyped);
}

Value operator+(const Value& a, const Value& b) { return value(Op::Add, a, b); }
Value operator-(const Value& a, const Value& b) { return value(Op::Sub, a, b); }
Value operator*(const Value& a, const Value& b) { return value(Op::Mul, a, b); }
Value operator/(const Value& a, const Value& b) { return value(Op::Div, a, b); }
Value operator%(const Value& a, const Value& b) { return value(Op::Mod, a, b); }
Value operator&(const Value& a, const Value& b) { return value(Op::BitAnd, a, b); }
Value operator|(const Value& a, const Value& b) { return value(Op::BitOr, a, b); }
Value operator^(const Value& a, const Value& b) { return value(Op::BitXor, a, b); }
Value operator<<(const Value& a, const Value& b) { return value(Op::Shl, a, b); }
Value operator>>(const Value& a, const Value& b) { return value(Op::Shr, a, b); }
Value operator-(const Value& a) { return Value(node(Op::Neg, {a.expr()})); }
Value operator~(const Value& a) { return Value(node(Op::BitNot, {a.expr()})); }
Index operator+(const Index& a, const Index& b) { return index(Op::Add, a, b); }
Index operator-(const Index& a, const Index& b) { return index(Op::Sub, a, b); }
Index operator*(const Index& a, const Index& b) { return index(Op::Mul, a, b); }
Index operator%(const Index& a, const Index& b) { return index(Op::Mod, a, b); }
Index operator-(const Index& a) { return Index(node(Op::Neg, {a.expr()})); }

Condition operator<(const Value& a, const Value& b) { return condition(Op::Lt, a, b); }
Condition operator<=(const Value& a, const Value& b) { return condition(Op::Le, a, b); }
Condition operator>(const Value& a, const Value& b) { return condition(Op::Gt, a, b); }
Condition operator>=(const Value& a, const Value& b) { return condition(Op::Ge, a, b); }
Condition operator==(const Value& a, const Value& b) { return condition(Op::Eq, a, b); }
Condition operator!=(const Value& a, const Value& b) { return condition(Op::Ne, a, b); }
Condition operator&&(const Condition& a, const Condition& b) { return condition(Op::And, a, b); }
Condition operator||(const Condition& a, const Condition& b) { return condition(Op::Or, a, b); }
Condition operator!(const Condition& a) { return Condition(node(Op::Not, {a.expr()})); }
Condition within(const Value& x, const Value& low, const Value& high) { return low <= x && x < high; }

Index floor_div(const Index& a, const Index& b) { return index(Op::FloorDiv, a, b); }
Value floor_div(const Value& a, const Value& b) { return value(Op::FloorDiv, a, b); }
Index ceil_div(const Index& a, const Index& b) { return -floor_div(-a, b); }
Index min(const Index& a, const Index& b) { return index(Op::Min, a, b); }
Value min(const Value& a, const Value& b) { return value(Op::Min, a, b); }
Index max(const Index& a, const Index& b) { return index(Op::Max, a, b); }
Value max(const Value& a, const Value& b) { return value(Op::Max, a, b); }

Index select(const Condition& c, const Index& then, const Index& otherwise) {
    return Index(node(Op::Select, {c.expr(), then.expr(), otherwise.expr()}));
}
Value select(const Condition& c, const Value& then, const Value& otherwise) {
    return Value(node(Op::Select, {c.expr(), then.expr(), otherwise.expr()}));
}

Value cast(DType type, const Value& x) { return Value(node(Op::Cast, {x.expr()}, type)); }
Index as_index(const Value& x) { return Index(cast(index_type, x).expr()); }
Value complex(const Value& real, const Value& imaginary, DType type) {
    return Value(node(Op::Complex, {real.expr(), imaginary.expr()}, type));
}

Value call(Name function, std::vector<Value> arguments) {
    std::vector<Expr> args;
    for (const auto& a : arguments) args.push_back(a.expr());
    return Value(node(Op::Call, std::move(args), DType::Untyped, function));
}

}  // namespace heddle::build
