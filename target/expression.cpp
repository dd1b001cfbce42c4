#include "target/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ir/error.h"
#include "target/parentheses.h"

namespace heddle {
namespace {

bool is_narrow(DType t) { return is_integer(t) && size_of(t) < 4; }

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

}  // namespace heddle
