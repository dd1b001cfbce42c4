// Arithmetic as C text: sums, products and divisions that wrap and round as the language says.
#include "target/expression.h"
#include "target/parentheses.h"

namespace heddle {

/// The two arguments of a helper.
void ExpressionWriter::pair(const Expr& e, DType first, DType second, std::string& out) {
    out += '(';
    write_as(e.arg(0), first, any_precedence, out);
    out += ", ";
    write_as(e.arg(1), second, any_precedence, out);
    out += ')';
}

/// Infix, left-associative.
void ExpressionWriter::binary(const Expr& e, const char* symbol, int own, int precedence, std::string& out) {
    const bool brackets = precedence > own;
    open(brackets, out);
    write_as(e.arg(0), e.type(), own, out);
    out += ' ';
    out += symbol;
    out += ' ';
    write_as(e.arg(1), e.type(), own + 1, out);
    close(brackets, out);
}

/// Would helpers be nested deeper than is good to read, or than compilers allow?
static bool is_long_chain(const Expr& e) {
    constexpr int deepest = 4;
    int depth = 0;
    for (const Expr* at = &e; at->op() == Op::Add || at->op() == Op::Sub || at->op() == Op::Mul; at = &at->arg(0))
        if (++depth > deepest) return true;
    return false;
}

void ExpressionWriter::arithmetic(const Expr& e, int precedence, std::string& out) {
    const char* family = e.op() == Op::Add ? "add" : e.op() == Op::Sub ? "sub" : "mul";
    const char* symbol = e.op() == Op::Add ? "+" : e.op() == Op::Sub ? "-" : "*";
    const int own = e.op() == Op::Mul ? product_precedence : sum_precedence;
    const DType t = e.type();
    if (in_subscript_ && t == index_type) return index_arithmetic(e, symbol, own, precedence, out);
    const bool plain = is_float(t) || t == DType::U32 || t == DType::U64 || is_index(e);
    if (plain) return binary(e, symbol, own, precedence, out);
    if (is_integer(t) && is_long_chain(e)) {
        const bool brackets = precedence > unary_precedence;
        open(brackets, out);
        out += "(" + c_type(t) + ")(";
        wrapping(e, any_precedence, out);
        out += ")";
        return close(brackets, out);
    }
    out += is_complex(t) ? helpers.use(std::string("c") + family, t) : helpers.use(family, t);
    pair(e, t, t, out);
}

/// Integer arithmetic in the unsigned type, where wrapping is defined; the caller casts the whole.
void ExpressionWriter::wrapping(const Expr& e, int precedence, std::string& out) {
    const DType t = e.type();
    const bool sum = e.op() == Op::Add || e.op() == Op::Sub;
    if (!sum && e.op() != Op::Mul) {
        out += "(" + c_unsigned(size_of(t) < 4 ? DType::I32 : t) + ")";
        return write(e, unary_precedence, out);
    }
    const int own = sum ? sum_precedence : product_precedence;
    const bool brackets = precedence > own;
    open(brackets, out);
    for (const std::size_t k : {0, 1}) {
        if (k == 1) out += e.op() == Op::Add ? " + " : e.op() == Op::Sub ? " - " : " * ";
        if (e.arg(k).type() == t) {
            wrapping(e.arg(k), own + static_cast<int>(k), out);
        } else {
            out += "(" + c_unsigned(size_of(t) < 4 ? DType::I32 : t) + ")";
            write_as(e.arg(k), t, unary_precedence, out);
        }
    }
    close(brackets, out);
}

/// Is this operand of C type int or narrower?
static bool narrow_operand(const Expr& e) { return e.op() == Op::Int || (is_integer(e.type()) && size_of(e.type()) < 8); }

/// Sums and products of a subscript: 64 bits wide, as one operand is or is made to be.
void ExpressionWriter::index_arithmetic(const Expr& e, const char* symbol, int own, int precedence, std::string& out) {
    if (!narrow_operand(e.arg(0)) || !narrow_operand(e.arg(1))) return binary(e, symbol, own, precedence, out);
    const std::size_t data = e.arg(0).op() == Op::Int ? 1 : 0;
    if (e.arg(data).op() == Op::Int) return binary(e, symbol, own, precedence, out);
    std::vector<Expr> args = e.args();
    args[data] = make(Op::Cast, index_type, {args[data]});
    binary(with_args(e, std::move(args)), symbol, own, precedence, out);
}

/// The division as C's own operator does it: where the divisor is positive and the numerator not negative for sure. A remainder
/// may add the divisor first. Nothing where that is not proved.
Expr ExpressionWriter::plain_division(const Expr& e, const Expr& divisor) const {
    if (e.type() != index_type && e.type() != DType::Untyped) return {};
    const Expr numerator = folded(e.arg(0));
    const auto n = affine_of(numerator), d = affine_of(divisor);
    if (!n || !d || !known.proves_nonnegative(*d - Affine(1))) return {};
    if (known.proves_nonnegative(*n)) return make(e.op(), e.type(), {numerator, divisor});
    if (e.op() != Op::Mod || !known.proves_nonnegative(*n + *d)) return {};
    return make(e.op(), e.type(), {natural_expr(*n + *d), divisor});
}

void ExpressionWriter::division(const Expr& e, int precedence, std::string& out) {
    const DType t = e.type();
    if (e.op() == Op::Div && !is_complex(t)) return binary(e, "/", product_precedence, precedence, out);
    if (e.op() == Op::Div) {
        out += helpers.use("cdiv", t);
        return pair(e, t, t, out);
    }
    const bool quotient_wanted = e.op() == Op::FloorDiv;
    const Expr divisor = folded(e.arg(1));
    const bool literal_divisor = divisor.op() == Op::Int && divisor.integer() > 0;
    if (is_unsigned(t)) {
        if (literal_divisor) return binary(e, quotient_wanted ? "/" : "%", product_precedence, precedence, out);
        out += helpers.use(quotient_wanted ? "udiv" : "umod", t);
        return pair(e, t, t, out);
    }
    if (const Expr simple = plain_division(e, divisor))
        return binary(simple, quotient_wanted ? "/" : "%", product_precedence, precedence, out);
    const bool narrowed = t != index_type && t != DType::Untyped;
    const bool brackets = narrowed && precedence > unary_precedence;
    open(brackets, out);
    if (narrowed) out += "(" + c_type(t) + ")";
    out += helpers.use(quotient_wanted ? "floordiv" : "mod");
    pair(e, t, t, out);
    close(brackets, out);
}

}  // namespace heddle
