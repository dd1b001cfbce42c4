// The type rules of operators, casts and calls.
#include <fmt/core.h>

#include "ir/error.h"
#include "ir/infer.h"
#include "ir/infer/natural.h"

namespace heddle {

std::string describe(const Natural& type) {
    if (type.is_literal()) return type.fraction ? "a literal with a fraction" : "an integer literal";
    return std::string(name_of(type.type));
}

std::string describe_operation(const Expr& e) {
    switch (e.op()) {
        case Op::Neg:
        case Op::Sub:
            return "'-'";
        case Op::Not:
            return "'not'";
        case Op::BitNot:
            return "'~'";
        case Op::Add:
            return "'+'";
        case Op::Mul:
            return "'*'";
        case Op::Div:
            return "'/'";
        case Op::FloorDiv:
            return "'//'";
        case Op::Mod:
            return "'%'";
        case Op::BitAnd:
            return "'&'";
        case Op::BitOr:
            return "'|'";
        case Op::BitXor:
            return "'^'";
        case Op::Shl:
            return "'<<'";
        case Op::Shr:
            return "'>>'";
        case Op::Lt:
            return "'<'";
        case Op::Le:
            return "'<='";
        case Op::Gt:
            return "'>'";
        case Op::Ge:
            return "'>='";
        case Op::Eq:
            return "'=='";
        case Op::Ne:
            return "'!='";
        case Op::And:
            return "'and'";
        case Op::Or:
            return "'or'";
        case Op::Select:
            return "'? :'";
        case Op::Min:
            return "min";
        case Op::Max:
            return "max";
        default:
            return e.name().empty() ? std::string(name_of(e.type())) : e.name().str();
    }
}

namespace {

[[noreturn]] void refuse(const Expr& e, const std::string& needs, const Natural& got, const char* hint = nullptr) {
    Error error =
        user_error("type", fmt::format("{} needs {}, but got {}", describe_operation(e), needs, describe(got)), e.loc());
    if (hint != nullptr) error.hint(hint);
    throw error;
}

bool is_number(const Natural& n) { return n.type != DType::Bool; }
bool is_whole(const Natural& n) { return n.is_literal() ? !n.fraction : is_integer(n.type); }

void need_numbers(const Expr& e, const std::vector<Natural>& args) {
    for (const auto& n : args)
        if (!is_number(n)) refuse(e, "numbers", n, "a cast makes a number of a truth value: i32(x)");
}

void need_real(const Expr& e, const std::vector<Natural>& args) {
    need_numbers(e, args);
    for (const auto& n : args)
        if (is_complex(n.type)) refuse(e, "real numbers", n, "real(z), imag(z) or abs(z) gives a real number");
}

void need_truth(const Expr& e, const Natural& n) {
    if (n.type != DType::Bool) refuse(e, "a condition", n, "compare with zero: x != 0");
}

Natural whole(const Expr& e, const std::vector<Natural>& args) {
    for (const auto& n : args)
        if (!is_whole(n))
            refuse(e, "integers", n, "floor(x / y) and x - y*floor(x / y) work on floats; a cast makes an integer: i64(x)");
    return args.size() == 2 ? meet(args[0], args[1], e) : args[0];
}

Natural bits(const Expr& e, const std::vector<Natural>& args) {
    bool truth = args[0].type == DType::Bool && (args.size() == 1 || args[1].type == DType::Bool);
    if (truth) return args[0];
    for (const auto& n : args)
        if (!is_whole(n)) refuse(e, "integers", n);
    bool shift = e.op() == Op::Shl || e.op() == Op::Shr;
    return args.size() == 1 || shift ? args[0] : meet(args[0], args[1], e);
}

Natural real_division(const Expr& e, const std::vector<Natural>& args) {
    need_numbers(e, args);
    Natural n = meet(args[0], args[1], e);
    n.quotient = is_whole(args[0]) && is_whole(args[1]);
    return n;
}

Natural comparison(const Expr& e, const std::vector<Natural>& args) {
    bool equality = e.op() == Op::Eq || e.op() == Op::Ne;
    if (args[0].type == DType::Bool && args[1].type == DType::Bool && equality) return {DType::Bool};
    if (equality)
        need_numbers(e, args);
    else
        need_real(e, args);
    meet(args[0], args[1], e);
    return {DType::Bool};
}

Natural call_of_builtin(const BuiltIn& f, const Expr& e, const std::vector<Natural>& args) {
    if (f.complex_too)
        need_numbers(e, args);
    else
        need_real(e, args);
    Natural all = args[0];
    for (const auto& n : args) all = meet(all, n, e);
    switch (f.rule) {
        case BuiltIn::Rule::Bool:
            return {DType::Bool};
        case BuiltIn::Rule::SameAsFirst:
            return args[0];
        case BuiltIn::Rule::RealOfComplex:
            return {real_of(all.type), all.fraction};
        case BuiltIn::Rule::Float:
            break;
    }
    if (all.is_literal()) return {DType::Untyped, true};
    return Natural{is_integer(all.type) ? DType::F64 : all.type};
}

Natural call_of_extern(const ExternDef& f, const Expr& e, const std::vector<Natural>& args) {
    for (std::size_t k = 0; k < args.size(); ++k) {
        bool fits = args[k].is_literal() ? f.arguments[k] != DType::Bool && !(args[k].fraction && is_integer(f.arguments[k]))
                                         : converts_silently(args[k].type, f.arguments[k]);
        if (!fits)
            throw user_error("type",
                             fmt::format("argument {} of {} is {}, but {} is wanted", k + 1, f.name.str(), describe(args[k]),
                                         name_of(f.arguments[k])),
                             e.loc())
                .hint(fmt::format("a cast accepts the loss: {}(x)", name_of(f.arguments[k])));
    }
    return {f.result};
}

Natural call(const KernelData& kernel, const Expr& e, const std::vector<Natural>& args) {
    const BuiltIn* builtin = find_builtin(e.name());
    const ExternDef* external = kernel.find_extern(e.name());
    if (builtin == nullptr && external == nullptr)
        throw user_error("name", fmt::format("there is no function {}", e.name().str()), e.loc())
            .hint("a function of your own is declared before the kernel: extern fn f(f64) -> f64");
    std::size_t arity = external != nullptr ? external->arguments.size() : std::size_t(builtin->arity);
    if (args.size() != arity)
        throw user_error("type",
                         fmt::format("{} takes {} argument{}, but {} {} given", e.name().str(), arity, arity == 1 ? "" : "s",
                                     args.size(), args.size() == 1 ? "is" : "are"),
                         e.loc());
    return external != nullptr ? call_of_extern(*external, e, args) : call_of_builtin(*builtin, e, args);
}

Natural cast(const Expr& e, const Natural& arg) {
    if (is_complex(arg.type) && !is_complex(e.type())) refuse(e, "a real number", arg, "take its part: real(z) or imag(z)");
    return {e.type()};
}

Natural arithmetic(const Expr& e, const std::vector<Natural>& args) {
    need_numbers(e, args);
    return args.size() == 1 ? args[0] : meet(args[0], args[1], e);
}

Natural result(const KernelData& kernel, const Expr& e, const std::vector<Natural>& args) {
    switch (e.op()) {
        case Op::Neg:
        case Op::Add:
        case Op::Sub:
        case Op::Mul:
            return arithmetic(e, args);
        case Op::Div:
            return real_division(e, args);
        case Op::FloorDiv:
        case Op::Mod:
            return whole(e, args);
        case Op::BitNot:
        case Op::BitAnd:
        case Op::BitOr:
        case Op::BitXor:
        case Op::Shl:
        case Op::Shr:
            return bits(e, args);
        case Op::Min:
        case Op::Max:
            need_real(e, args);
            return meet(args[0], args[1], e);
        case Op::Not:
        case Op::And:
        case Op::Or:
            for (const auto& n : args) need_truth(e, n);
            return {DType::Bool};
        case Op::Select:
            need_truth(e, args[0]);
            return meet(args[1], args[2], e);
        case Op::Cast:
            return cast(e, args[0]);
        case Op::Complex:
            need_real(e, args);
            return {is_complex(e.type()) ? e.type() : complex_of(meet(args[0], args[1], e).type)};
        case Op::Call:
            return call(kernel, e, args);
        default:
            return comparison(e, args);
    }
}

}  // namespace

bool is_rounded_division(const Expr& e) {
    static const Name floor_name("floor"), ceil_name("ceil");
    return e.op() == Op::Call && (e.name() == floor_name || e.name() == ceil_name) && e.args().size() == 1 &&
           e.arg(0).op() == Op::Div;
}

void refuse_quotient(const Natural& type, const Expr& e) {
    if (!type.quotient) return;
    throw user_error("type", "'/' is real division, but both sides are integers", e.loc())
        .hint("'//' is floor division; for a quotient with a fraction cast one side: f64(x) / y");
}

Natural meet(const Natural& a, const Natural& b, const Expr& at) {
    if (a.is_literal() && b.is_literal()) return {DType::Untyped, a.fraction || b.fraction, false, false};
    if ((a.type == DType::Bool) != (b.type == DType::Bool))
        throw user_error("type", fmt::format("{} joins {} and {}", describe_operation(at), describe(a), describe(b)), at.loc())
            .hint("a cast makes a number of a truth value: i32(x); a comparison makes a truth value of a number: x != 0");
    if (a.is_literal()) return a.fraction && is_integer(b.type) ? Natural{DType::F64} : b;
    if (b.is_literal()) return b.fraction && is_integer(a.type) ? Natural{DType::F64} : a;
    return {common_type(a.type, b.type)};
}

Natural natural_result(const KernelData& kernel, const Expr& e, Context context, const std::vector<Natural>& args) {
    for (std::size_t k = 0; k < args.size(); ++k)
        if (!is_rounded_division(e)) refuse_quotient(args[k], e.arg(k));
    Natural n = result(kernel, e, args);
    n.quotient = n.quotient && e.op() == Op::Div;
    const bool wide = context == Context::Index && is_integer(n.type) && e.op() != Op::Cast && e.op() != Op::Call;
    return wide ? Natural{index_type, false, false, n.quotient} : n;
}

}  // namespace heddle
