// The leaves of expressions: literals, names, elements, calls.
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "ir/infer.h"
#include "ir/parse/expr.h"

namespace heddle {

bool is_reduction_word(std::string_view word) {
    return word == "sum" || word == "product" || word == "min" || word == "max" || word == "any" || word == "all" ||
           word == "argmin" || word == "argmax";
}

const Symbol* ExprReader::find(Name text) {
    const Symbol* s = names_.find(text);
    return s || !free_ ? s : free_symbol(text);
}

/// What the kernel knows by that name; anything else is a variable.
const Symbol* ExprReader::free_symbol(Name text) {
    if (const auto it = free_symbols_.find(text); it != free_symbols_.end()) return &it->second;
    Symbol s{Symbol::Kind::Operand, text, {}};
    if (const Array* a = kernel_.find_array(text))
        s = {Symbol::Kind::Array, text, a->loc, static_cast<std::size_t>(a - kernel_.arrays.data())};
    else if (kernel_.find_rule(text))
        s.kind = Symbol::Kind::Rule;
    else if (kernel_.find_extern(text))
        s.kind = Symbol::Kind::Extern;
    else if (find_builtin(text) && cursor_.at("("))
        return nullptr;
    return &free_symbols_.emplace(text, std::move(s)).first->second;
}

/// "sum[": a reduction, also by an operator of the user's.
bool ExprReader::at_reduction() {
    const Token &t = cursor_.peek(), &bracket = cursor_.peek(1);
    if (!t.is_name() || !bracket.is("[") || bracket.new_line) return false;
    if (t.kind == TokenKind::Word && is_reduction_word(t.text)) return true;
    const Symbol* s = find(Name(t.text));
    return s && s->kind == Symbol::Kind::Operator;
}

Expr ExprReader::primary() {
    const Token& t = cursor_.peek();
    if (t.kind == TokenKind::Integer || t.kind == TokenKind::Float) return number(cursor_.next(), false);
    if (t.is("(")) return parenthesised();
    if (!t.is_name()) cursor_.fail("a value");
    if (at_reduction()) {
        const Cursor::Nested nested(cursor_);
        if (!reduction_)
            throw user_error("syntax", fmt::format("a reduction by '{}' cannot stand here", t.text), cursor_.here())
                .hint("compute it in a statement or with 'let' first");
        return reduction_();
    }
    return t.kind == TokenKind::Word && is_reserved(t.text) ? word(t) : named(t);
}

Expr ExprReader::parenthesised() {
    const Cursor::Nested nested(cursor_);
    const Token& open = cursor_.next();
    const Restore<bool> lists(lists_, formula_);
    Expr e = ternary();
    cursor_.expect_close(")", open);
    return e;
}

Expr ExprReader::number(const Token& t, bool negative) {
    Loc loc = cursor_.loc(t);
    if (t.kind == TokenKind::Word) {
        const double inf = std::numeric_limits<double>::infinity();
        return float_literal(negative ? -inf : inf, DType::Untyped, loc);
    }
    if (t.kind == TokenKind::Float) {
        const double value = float_value(cursor_, t);
        return float_literal(negative ? -value : value, DType::Untyped, loc);
    }
    constexpr std::uint64_t largest = std::numeric_limits<std::int64_t>::max();
    const std::uint64_t value = integer_value(cursor_, t);
    if (value > largest + (negative ? 1 : 0) && negative)
        throw user_error("limit", fmt::format("'-{}' does not fit 64 bits", t.text), loc).hint("write a float: -1e20");
    const auto bits = std::bit_cast<std::int64_t>(negative ? 0 - value : value);
    return int_literal(bits, value > largest && !negative ? DType::U64 : DType::Untyped, loc);
}

/// A word of the language that begins a value.
Expr ExprReader::word(const Token& t) {
    if (t.is_word("true") || t.is_word("false")) return bool_literal(cursor_.next().text == "true", cursor_.loc(t));
    if (t.is_word("inf")) return number(cursor_.next(), false);
    if (t.is_word("nan"))
        return float_literal(std::numeric_limits<double>::quiet_NaN(), DType::Untyped, cursor_.loc(cursor_.next()));
    if (t.is_word("exists") && formula_) return exists();
    const bool called = cursor_.peek(1).is("(");
    if (called && (t.is_word("min") || t.is_word("max"))) return extremum(cursor_.next());
    if (const auto type = dtype_from(t.text); type && called) return cast(cursor_.next(), *type);
    if (t.is_word("not")) throw cursor_.unexpected("a value").hint("put parentheses around it: (not a), or write !a");
    cursor_.fail("a value");
}

Expr ExprReader::named(const Token& t) {
    cursor_.expect_name("a value");
    const Token& after = cursor_.peek();
    if (after.new_line) return scalar(t);
    if (after.is("(")) return call(t);
    return after.is("[") ? element(t) : scalar(t);
}

Expr ExprReader::scalar(const Token& t) {
    const Name text(t.text);
    Loc loc = cursor_.loc(t);
    const Symbol* s = find(text);
    if (!s && later_) {
        later_->push_back({text, loc});
        return read(text, {}, DType::Untyped, loc);
    }
    if (!s) {
        if (find_builtin(text)) throw unknown_function(t).hint(fmt::format("'{}' is a function: {}(…)", t.text, t.text));
        throw names_.unknown("name", text, loc);
    }
    if (later_ && s->kind == Symbol::Kind::Loop)
        throw user_error("name", fmt::format("a rule cannot use the loop '{}' around it", t.text), loc)
            .hint("make it a parameter of the rule");
    switch (s->kind) {
        case Symbol::Kind::Loop:
        case Symbol::Kind::Parameter:
        case Symbol::Kind::Operand:
            return variable(s->name, loc);
        case Symbol::Kind::Array:
            return read(s->name, {}, kernel_.arrays[s->index].type, loc);
        default:
            throw user_error("name", fmt::format("'{}' is {}, no value", t.text, kind_text(s->kind)), loc)
                .hint(s->kind == Symbol::Kind::Operator ? fmt::format("reduce with it: {}[i : …](…)", t.text)
                                                        : fmt::format("use it as {}(…)", t.text))
                .note("declared here", s->loc);
    }
}

Expr ExprReader::element(const Token& t) {
    const Name text(t.text);
    Loc loc = cursor_.loc(t);
    const Symbol* s = find(text);
    if (!s && !later_) throw names_.unknown("array", text, loc);
    if (s && s->kind != Symbol::Kind::Array)
        throw user_error("name", fmt::format("'{}' is {}, no array", t.text, kind_text(s->kind)), loc)
            .note("declared here", s->loc);
    std::vector<Expr> indices = subscripts();
    if (s) return read(s->name, std::move(indices), kernel_.arrays[s->index].type, loc);
    later_->push_back({text, loc});
    return read(text, std::move(indices), DType::Untyped, loc);
}

std::vector<Expr> ExprReader::list_until(std::string_view close, std::string_view what) {
    const Cursor::Nested nested(cursor_);
    const Restore<bool> formula(formula_, false), lists(lists_, false);
    const Token& open = cursor_.next();
    std::vector<Expr> out;
    if (cursor_.at(close)) cursor_.fail(what);
    do out.push_back(ternary());
    while (cursor_.accept(","));
    cursor_.expect_close(close, open);
    return out;
}

std::vector<Expr> ExprReader::arguments(std::string_view what) { return list_until(")", what); }

std::vector<Expr> ExprReader::subscripts() {
    std::vector<Expr> out = list_until("]", "a subscript");
    if (cursor_.at("[") && !cursor_.peek().new_line)
        throw cursor_.unexpected("an operator or the end of the value")
            .hint("subscripts stand in one pair of brackets: A[i, j]");
    return out;
}

/// min(a, b, …) and max, folded from the left.
Expr ExprReader::extremum(const Token& t) {
    std::vector<Expr> all = list_until(")", "a value");
    if (all.size() < 2)
        throw user_error("type", fmt::format("'{}' takes two values or more", t.text), cursor_.loc(t))
            .hint(fmt::format("over a loop: {}[i : 0 <= i < n](…)", t.text));
    const Op op = t.text == "min" ? Op::Min : Op::Max;
    Expr out = all[0];
    for (std::size_t k = 1; k < all.size(); ++k) out = make(op, DType::Untyped, {std::move(out), all[k]}, {}, cursor_.loc(t));
    return out;
}

/// f32(x), or c128(re, im).
Expr ExprReader::cast(const Token& t, DType type) {
    std::vector<Expr> args = list_until(")", "a value");
    const bool pair = args.size() == 2 && is_complex(type);
    if (args.size() != 1 && !pair)
        throw user_error(
            "type", fmt::format("'{}' takes {}, not {} values", t.text, is_complex(type) ? "one or two" : "one", args.size()),
            cursor_.loc(t));
    return make(pair ? Op::Complex : Op::Cast, type, std::move(args), {}, cursor_.loc(t));
}

Error ExprReader::unknown_function(const Token& t) const {
    std::vector<std::string> known{"min", "max", "f32", "f64", "i32", "i64"};
    for (const BuiltIn& b : builtins()) known.emplace_back(b.name);
    return names_.unknown("function", Name(t.text), cursor_.loc(t), std::move(known));
}

/// A rule, an extern function or a built-in one.
Expr ExprReader::call(const Token& t) {
    const Name text(t.text);
    const Symbol* s = find(text);
    const bool rule = s && s->kind == Symbol::Kind::Rule, external = s && s->kind == Symbol::Kind::Extern;
    if (s && !rule && !external)
        throw user_error("name", fmt::format("'{}' is {}, no function", t.text, kind_text(s->kind)), cursor_.loc(t))
            .note("declared here", s->loc)
            .hint(s->kind == Symbol::Kind::Array ? "subscripts stand in brackets: A[i, j]" : "an operator '*' may be missing");
    if (!s && !find_builtin(text)) throw unknown_function(t);
    if (external) externs_called_.insert(s->name);
    if (rule && !later_ && rule_use_) rule_use_(s->name);
    std::vector<Expr> args;
    if (cursor_.peek(1).is(")"))
        cursor_.next(), cursor_.next();
    else
        args = list_until(")", "an argument or ')'");
    if (rule && kernel_.find_rule(s->name)->parameters.size() != args.size())
        throw user_error("type",
                         fmt::format("rule '{}' takes {} arguments, not {}", t.text,
                                     kernel_.find_rule(s->name)->parameters.size(), args.size()),
                         cursor_.loc(t))
            .note("declared here", s->loc);
    return make(rule ? Op::Rule : Op::Call, DType::Untyped, std::move(args), s ? s->name : text, cursor_.loc(t));
}

}  // namespace heddle
