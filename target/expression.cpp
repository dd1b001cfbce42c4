#include "target/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ir/error.h"

namespace heddle {
namespace {

bool is_unsigned(DType t) { return is_integer(t) && !is_signed(t); }
bool is_narrow(DType t) { return is_integer(t) && size_of(t) < 4; }

void open(bool needed, std::string& out) {
    if (needed) out += '(';
}
void close(bool needed, std::string& out) {
    if (needed) out += ')';
}

}  // namespace

std::string float_text(double value, DType type) {
    const bool single = type == DType::F32;
    if (std::isnan(value)) return "NAN";
    if (std::isinf(value)) return value > 0 ? "INFINITY" : "-INFINITY";
    std::string text = single ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
    if (single && std::isinf(static_cast<float>(value))) return value > 0 ? "INFINITY" : "-INFINITY";
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return single ? text + "f" : text;
}

std::string integer_text(std::int64_t value, DType type) {
    if (type == DType::U64) return std::to_string(static_cast<std::uint64_t>(value)) + "u";
    if (type == DType::U32) return std::to_string(static_cast<std::uint32_t>(value)) + "u";
    if (value == std::numeric_limits<std::int64_t>::min()) return "INT64_MIN";
    if (value == std::numeric_limits<std::int32_t>::min()) return "INT32_MIN";
    return std::to_string(value);
}

std::string ExpressionWriter::value(const Expr& e, DType want, int precedence) {
    std::string out;
    write_as(e, want, precedence, out);
    return out;
}

void ExpressionWriter::literal(const Expr& e, DType type, int precedence, std::string& out) {
    std::string text;
    if (e.op() == Op::Bool) {
        text = e.integer() ? "true" : "false";
    } else if (is_complex(type)) {
        const double re = e.op() == Op::Float ? e.real() : static_cast<double>(e.integer());
        text = helpers.use("make", type) + "(" + float_text(re, real_of(type)) + ", " + float_text(0, real_of(type)) + ")";
    } else if (e.op() == Op::Float || is_float(type)) {
        const double value = e.op() == Op::Float ? e.real() : static_cast<double>(e.integer());
        text = float_text(value, is_float(type) ? type : DType::F64);
    } else {
        text = integer_text(e.integer(), type);
    }
    const bool brackets = text[0] == '-' && precedence >= unary_precedence;
    open(brackets, out);
    out += text;
    close(brackets, out);
}

void ExpressionWriter::write_as(const Expr& e, DType want, int precedence, std::string& out) {
    const DType from = e.type();
    if (e.is_literal()) return literal(e, want == DType::Untyped ? from : want, precedence, out);
    if (want == DType::Untyped || want == from || from == DType::Untyped) return write(e, precedence, out);
    if (is_complex(want) && is_complex(from))
        return helper_call(helpers.use(want == DType::C128 ? "cwiden" : "cnarrow", from), e, from, out);
    if (is_complex(want)) {
        out += helpers.use("make", want) + "(" + value(e, real_of(want)) + ", " + float_text(0, real_of(want)) + ")";
        return;
    }
    if (want == DType::Bool) {
        const bool brackets = precedence > equality_precedence;
        open(brackets, out);
        write(e, equality_precedence + 1, out);
        out += " != 0";
        return close(brackets, out);
    }
    const bool implicit = is_float(want) || from == DType::Bool ||
                          (size_of(from) < size_of(want) && (is_signed(want) == is_signed(from) || size_of(from) < 4));
    if (implicit) return write(e, precedence, out);
    const bool brackets = precedence > unary_precedence;
    open(brackets, out);
    out += "(" + c_type(want) + ")";
    write(e, unary_precedence, out);
    close(brackets, out);
}

void ExpressionWriter::variable(Name name, int precedence, std::string& out) {
    if (const auto it = operands.find(name); it != operands.end()) {
        out += it->second;
        return;
    }
    if (constants)
        if (const auto it = constants->find(name); it != constants->end())
            return literal(int_literal(it->second, index_type), index_type, precedence, out);
    used.insert(memory_of(name));
    const Array* a = kernel.find_array(name);
    out += a ? element(name, {}, precedence) : names(name);
}

/// Arithmetic on loop variables and parameters: it does not overflow for any array that fits into memory.
bool ExpressionWriter::is_index(const Expr& e) const {
    if (e.type() != index_type && e.type() != DType::Untyped) return false;
    constexpr int most = 10000;
    std::vector<const Expr*> open{&e};
    for (int seen = 0; !open.empty(); ++seen) {
        const Expr& node = *open.back();
        open.pop_back();
        const bool data =
            node.op() == Op::Call || node.op() == Op::Read || (node.op() == Op::Var && operands.count(node.name()));
        const bool leaf = node.op() == Op::Var || node.op() == Op::Int;
        if (data || (node.args().empty() && !leaf) || seen > most) return false;
        for (const Expr& a : node.args()) open.push_back(&a);
    }
    return true;
}

void ExpressionWriter::write(const Expr& e, int precedence, std::string& out) {
    switch (e.op()) {
        case Op::Int:
        case Op::Float:
        case Op::Bool:
            return literal(e, e.type(), precedence, out);
        case Op::Var:
            return variable(e.name(), precedence, out);
        case Op::Read:
            if (e.args().empty()) return variable(e.name(), precedence, out);
            used.insert(memory_of(e.name()));
            return element_read(e, precedence, out);
        case Op::Add:
        case Op::Sub:
        case Op::Mul:
            return arithmetic(e, precedence, out);
        case Op::Div:
        case Op::FloorDiv:
        case Op::Mod:
            return division(e, precedence, out);
        case Op::BitAnd:
        case Op::BitOr:
        case Op::BitXor:
        case Op::Shl:
        case Op::Shr:
            return bits(e, precedence, out);
        case Op::Neg:
        case Op::Not:
        case Op::BitNot:
            return unary(e, precedence, out);
        case Op::Lt:
        case Op::Le:
        case Op::Gt:
        case Op::Ge:
        case Op::Eq:
        case Op::Ne:
            return comparison(e, precedence, out);
        case Op::And:
        case Op::Or:
            return logical(e, precedence, out);
        case Op::Select:
            return select(e, precedence, out);
        case Op::Min:
        case Op::Max:
            return minmax(e, out);
        case Op::Cast:
            return cast(e, precedence, out);
        case Op::Complex:
            out += helpers.use("make", e.type()) + "(" + value(e.arg(0), real_of(e.type())) + ", " +
                   value(e.arg(1), real_of(e.type())) + ")";
            return;
        case Op::Call:
            return call(e, precedence, out);
        case Op::Rule:
            throw Error(ErrorKind::Internal, "internal", "a substitution rule reached the emitter: " + e.name().str(), e.loc());
    }
}

/// An element; where its subscripts are tested and one is outside, 0.
void ExpressionWriter::element_read(const Expr& e, int precedence, std::string& out) {
    const std::string condition = inside(e.name(), e.args());
    if (condition.empty()) {
        out += element(e.name(), e.args(), precedence);
        return;
    }
    const bool brackets = precedence > conditional_precedence;
    open(brackets, out);
    out += condition + " ? " + element(e.name(), e.args(), any_precedence) + " : ";
    literal(int_literal(0), e.type(), conditional_precedence, out);
    close(brackets, out);
}

/// The two arguments of a helper.
void ExpressionWriter::pair(const Expr& e, DType first, DType second, std::string& out) {
    out += '(';
    write_as(e.arg(0), first, any_precedence, out);
    out += ", ";
    write_as(e.arg(1), second, any_precedence, out);
    out += ')';
}

/// Infix, left-associative; chains of one precedence are written without recursion.
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

void ExpressionWriter::comparison(const Expr& e, int precedence, std::string& out) {
    const DType common = common_type(e.arg(0).type(), e.arg(1).type());
    const bool equality = e.op() == Op::Eq || e.op() == Op::Ne;
    if (is_complex(common)) {
        if (e.op() == Op::Ne) out += '!';
        out += helpers.use("ceq", common);
        return pair(e, common, common, out);
    }
    const char* symbol = e.op() == Op::Lt   ? " < "
                         : e.op() == Op::Le ? " <= "
                         : e.op() == Op::Gt ? " > "
                         : e.op() == Op::Ge ? " >= "
                         : e.op() == Op::Eq ? " == "
                                            : " != ";
    const int own = equality ? equality_precedence : relation_precedence;
    const bool brackets = precedence > own;
    open(brackets, out);
    write_as(e.arg(0), common, shift_precedence, out);
    out += symbol;
    write_as(e.arg(1), common, shift_precedence, out);
    close(brackets, out);
}

void ExpressionWriter::logical(const Expr& e, int precedence, std::string& out) {
    const bool conjunction = e.op() == Op::And;
    const int own = conjunction ? and_precedence : or_precedence;
    const bool brackets = precedence > own || (conjunction && precedence == or_precedence);
    open(brackets, out);
    write_as(e.arg(0), DType::Bool, own, out);
    out += conjunction ? " && " : " || ";
    write_as(e.arg(1), DType::Bool, own, out);
    close(brackets, out);
}

void ExpressionWriter::bits(const Expr& e, int precedence, std::string& out) {
    const DType t = e.type();
    if (e.op() == Op::Shl || e.op() == Op::Shr) {
        const char* family = e.op() == Op::Shl ? "shl" : is_signed(t) ? "shr" : "ushr";
        out += helpers.use(family, t);
        return pair(e, t, e.arg(1).type(), out);
    }
    const bool brackets = precedence > bit_precedence - 3;
    open(brackets, out);
    write_as(e.arg(0), t, unary_precedence, out);
    out += e.op() == Op::BitAnd ? " & " : e.op() == Op::BitOr ? " | " : " ^ ";
    write_as(e.arg(1), t, unary_precedence, out);
    close(brackets, out);
}

void ExpressionWriter::helper_call(const std::string& helper, const Expr& e, DType type, std::string& out) {
    out += helper + "(";
    write_as(e, type, any_precedence, out);
    out += ")";
}

void ExpressionWriter::unary(const Expr& e, int precedence, std::string& out) {
    const DType t = e.type();
    if (e.op() == Op::Neg && is_complex(t)) return helper_call(helpers.use("cneg", t), e.arg(0), t, out);
    if (e.op() == Op::Neg && is_integer(t) && !is_index(e)) return helper_call(helpers.use("neg", t), e.arg(0), t, out);
    const bool narrowed = e.op() == Op::BitNot && is_narrow(t);
    const bool brackets = precedence > unary_precedence;
    open(brackets, out);
    if (narrowed) out += "(" + c_type(t) + ")";
    out += e.op() == Op::Neg ? '-' : e.op() == Op::Not ? '!' : '~';
    const std::size_t at = out.size();
    write_as(e.arg(0), t, unary_precedence, out);
    const bool twice = e.op() == Op::Neg && out.size() > at && out[at] == '-';
    if (twice) out.insert(at, "("), out += ')';
    close(brackets, out);
}

void ExpressionWriter::select(const Expr& e, int precedence, std::string& out) {
    const bool brackets = precedence > conditional_precedence;
    open(brackets, out);
    write_as(e.arg(0), DType::Bool, or_precedence, out);
    out += " ? ";
    write_as(e.arg(1), e.type(), or_precedence, out);
    out += " : ";
    write_as(e.arg(2), e.type(), conditional_precedence, out);
    close(brackets, out);
}

void ExpressionWriter::minmax(const Expr& e, std::string& out) {
    const DType t = e.type() == DType::Untyped ? index_type : e.type();
    const std::string family = std::string(is_float(t) ? "f" : "") + (e.op() == Op::Min ? "min" : "max");
    out += helpers.use(family, t);
    pair(e, t, t, out);
}

void ExpressionWriter::cast(const Expr& e, int precedence, std::string& out) {
    const DType to = e.type(), from = e.arg(0).type();
    if (is_complex(from) && !is_complex(to)) {
        out += value(e.arg(0), from, primary_precedence) + ".re";
        return;
    }
    if (to == from || is_complex(to) || to == DType::Bool) return write_as(e.arg(0), to, precedence, out);
    if (e.arg(0).op() == Op::Int && (is_float(to) || to == index_type)) return literal(e.arg(0), to, precedence, out);
    if (e.arg(0).op() == Op::Float && is_float(to)) return literal(e.arg(0), to, precedence, out);
    if (is_float(from) && is_integer(to)) return helper_call(helpers.use("clamp", to), e.arg(0), from, out);
    const bool brackets = precedence > unary_precedence;
    open(brackets, out);
    out += "(" + c_type(to) + ")";
    write(e.arg(0), unary_precedence, out);
    close(brackets, out);
}

void ExpressionWriter::call(const Expr& e, int precedence, std::string& out) {
    const ExternDef* external = kernel.find_extern(e.name());
    if (!external) return builtin(e, precedence, out);
    out += names(e.name()) + "(";
    for (std::size_t k = 0; k < e.args().size(); ++k) {
        if (k) out += ", ";
        write_as(e.arg(k), k < external->arguments.size() ? external->arguments[k] : e.arg(k).type(), any_precedence, out);
    }
    out += ")";
}

void ExpressionWriter::builtin(const Expr& e, int precedence, std::string& out) {
    const std::string& name = e.name().str();
    const DType t = e.type(), from = e.arg(0).type();
    if (is_complex(from) || is_complex(t)) return complex_builtin(e, out);
    if (name == "real" || name == "conj") return write_as(e.arg(0), t, precedence, out);
    if (name == "imag" || (name == "arg" && !is_float(t))) return literal(int_literal(0), t, precedence, out);
    if (name == "arg") {
        out += t == DType::F32 ? "atan2f(0.0f, " : "atan2(0.0, ";
        out += value(e.arg(0), t) + ")";
        return;
    }
    if (name == "abs" && is_unsigned(t)) return write_as(e.arg(0), t, precedence, out);
    if (name == "abs" && is_integer(t)) return helper_call(helpers.use("abs", t), e.arg(0), t, out);
    if (name == "sign") return helper_call(helpers.use("sign", t), e.arg(0), t, out);
    if (name == "isnan" || name == "isinf") {
        if (!is_float(from)) return literal(bool_literal(false), DType::Bool, precedence, out);
        return helper_call(name, e.arg(0), from, out);
    }
    if (is_integer(t)) return write_as(e.arg(0), t, precedence, out);  // floor, ceil … of an integer
    out += (name == "abs" ? "fabs" : name) + (t == DType::F32 ? "f(" : "(");
    for (std::size_t k = 0; k < e.args().size(); ++k) {
        if (k) out += ", ";
        write_as(e.arg(k), t, any_precedence, out);
    }
    out += ")";
}

void ExpressionWriter::complex_builtin(const Expr& e, std::string& out) {
    const std::string& name = e.name().str();
    const DType from = e.arg(0).type();
    if (name == "real" || name == "imag") {
        out += value(e.arg(0), from, primary_precedence) + (name == "real" ? ".re" : ".im");
        return;
    }
    if (name == "conj") return helper_call(helpers.use("conj", from), e.arg(0), from, out);
    helper_call(helpers.use("c" + name, from), e.arg(0), from, out);
}

}  // namespace heddle
