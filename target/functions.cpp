// Casts and function calls as C text.
#include "ir/error.h"
#include "target/dialect.h"
#include "target/expression.h"
#include "target/parentheses.h"

namespace heddle {

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
        const bool suffix = t == DType::F32 && dialect_of(helpers.device).float_suffix;
        out += std::string(suffix ? "atan2f(" : "atan2(") + float_text(0, t) + ", ";
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
    const bool suffix = t == DType::F32 && dialect_of(helpers.device).float_suffix;
    out += (name == "abs" ? "fabs" : name) + (suffix ? "f(" : "(");
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
