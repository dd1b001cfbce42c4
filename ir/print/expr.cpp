// Expressions as text, with the fewest parentheses that keep the tree. No recursion: chains may be as long as memory allows.
#include <fmt/core.h>

#include <cmath>
#include <cstdlib>

#include "ir/parse/lexer.h"
#include "ir/print.h"
#include "ir/print/parts.h"

namespace heddle {
namespace {

/// How strongly an operator binds, as in C; comparisons are all alike because they chain.
enum Level {
    Lowest = 0,
    Ternary = 10,
    OrLevel,
    AndLevel,
    NotLevel,
    BitOrLevel,
    BitXorLevel,
    BitAndLevel,
    Relation,
    Shift,
    Sum,
    Product,
    Unary,
    Primary
};

struct Shape {
    Level level;
    const char* text;
};

Shape shape_of(Op op) {
    switch (op) {
        case Op::Or:
            return {OrLevel, " or "};
        case Op::And:
            return {AndLevel, " and "};
        case Op::Not:
            return {NotLevel, "not "};
        case Op::BitOr:
            return {BitOrLevel, " | "};
        case Op::BitXor:
            return {BitXorLevel, " ^ "};
        case Op::BitAnd:
            return {BitAndLevel, " & "};
        case Op::Lt:
            return {Relation, " < "};
        case Op::Le:
            return {Relation, " <= "};
        case Op::Gt:
            return {Relation, " > "};
        case Op::Ge:
            return {Relation, " >= "};
        case Op::Eq:
            return {Relation, " == "};
        case Op::Ne:
            return {Relation, " != "};
        case Op::Shl:
            return {Shift, " << "};
        case Op::Shr:
            return {Shift, " >> "};
        case Op::Add:
            return {Sum, " + "};
        case Op::Sub:
            return {Sum, " - "};
        case Op::Mul:
            return {Product, "*"};
        case Op::Div:
            return {Product, " / "};
        case Op::FloorDiv:
            return {Product, " // "};
        case Op::Mod:
            return {Product, " % "};
        case Op::Neg:
            return {Unary, "-"};
        case Op::BitNot:
            return {Unary, "~"};
        case Op::Select:
            return {Ternary, " ? "};
        default:
            return {Primary, ""};
    }
}

class Writer {
public:
    Writer(std::string& out, LiteralStyle style) : out_(out), style_(style) {}

    void run(const Expr& e) {
        push(e, Lowest);
        while (!stack_.empty()) {
            Item item = stack_.back();
            stack_.pop_back();
            if (item.e == nullptr)
                out_ += item.text;
            else
                write(*item.e, item.least);
        }
    }

private:
    struct Item {
        const Expr* e;
        Level least;  ///< what binds less gets parentheses
        const char* text;
    };
    void push(const Expr& e, Level least) { stack_.push_back({&e, least, nullptr}); }
    void push(const char* text) { stack_.push_back({nullptr, Lowest, text}); }

    void write(const Expr& e, Level least) {
        if (e.is_literal()) return write_literal(e);
        Shape shape = shape_of(e.op());
        if (shape.level < least) {
            out_ += '(';
            push(")");
        }
        if (shape.level == Primary) return write_primary(e);
        if (e.op() == Op::Select) return write_select(e);
        if (e.args().size() == 1) return write_unary(e, shape);
        Level right = Level(shape.level + 1), left = shape.level == Relation ? right : shape.level;
        push(e.arg(1), right);
        push(shape.text);
        push(e.arg(0), left);
    }

    void write_literal(const Expr& e) {
        bool cast = style_ == LiteralStyle::Cast && e.op() != Op::Bool && e.type() != DType::Untyped;
        std::string text = e.op() == Op::Bool    ? (e.integer() != 0 ? "true" : "false")
                           : e.op() == Op::Float ? literal_text(e.real(), e.type())
                                                 : literal_text(e.integer(), e.type());
        out_ += cast ? fmt::format("{}({})", name_of(e.type()), text) : text;
    }

    void write_select(const Expr& e) {
        push(e.arg(2), Ternary);
        push(" : ");
        push(e.arg(1), Ternary);
        push(" ? ");
        push(e.arg(0), OrLevel);
    }

    /// -(5) is no literal, -(-x) no decrement, and `not` binds tightly to some readers and loosely to others.
    void write_unary(const Expr& e, const Shape& shape) {
        out_ += shape.text;
        const Expr& x = e.arg(0);
        bool enclosed = e.op() == Op::Not ? shape_of(x.op()).level != Primary : x.op() == Op::Neg || is_number(x);
        if (enclosed) {
            out_ += '(';
            push(")");
        }
        push(x, enclosed ? Lowest : Unary);
    }
    static bool is_number(const Expr& x) { return x.op() == Op::Int || x.op() == Op::Float; }

    void write_primary(const Expr& e) {
        out_ += head(e);
        if (e.args().empty() && (e.op() == Op::Var || e.op() == Op::Read)) return;
        bool read = e.op() == Op::Read;
        out_ += read ? '[' : '(';
        push(read ? "]" : ")");
        for (std::size_t k = e.args().size(); k-- > 0;) {
            push(e.arg(k), Lowest);
            if (k > 0) push(", ");
        }
    }

    static std::string head(const Expr& e) {
        switch (e.op()) {
            case Op::Min:
                return "min";
            case Op::Max:
                return "max";
            case Op::Cast:
                return std::string(name_of(e.type()));
            case Op::Complex:
                return std::string(name_of(e.type() == DType::Untyped ? DType::C128 : e.type()));
            default:
                return quoted(e.name().str());
        }
    }

    std::string& out_;
    LiteralStyle style_;
    std::vector<Item> stack_;
};

}  // namespace

std::string literal_text(double value, DType type) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    std::string text = fmt::format("{}", value);
    if (type == DType::F32 && double(float(value)) == value) {
        std::string brief = fmt::format("{}", float(value));
        if (float(std::strtod(brief.c_str(), nullptr)) == float(value)) text = brief;
    }
    bool plain = text.find_first_of(".e") == std::string::npos;
    return plain ? text + ".0" : text;
}

std::string literal_text(std::int64_t value, DType type) {
    return type == DType::U64 ? std::to_string(std::uint64_t(value)) : std::to_string(value);
}

void append_expr(std::string& out, const Expr& e, LiteralStyle style) { Writer(out, style).run(e); }

std::string print(const Expr& e) {
    std::string out;
    append_expr(out, e);
    return out;
}

}  // namespace heddle
