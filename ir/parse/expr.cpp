// Operators and their precedence.
#include "ir/parse/expr.h"

#include <fmt/core.h>

#include <array>
#include <optional>

namespace heddle {
namespace {

// Levels of precedence, loosest first.
constexpr int level_or = 2, level_and = 3, level_not = 4, level_compare = 8;

struct BinaryOperator {
    std::string_view text;
    Op op;
    int level;
};
constexpr std::array<BinaryOperator, 23> operators{
    {{"+", Op::Add, 10},   {"-", Op::Sub, 10},   {"*", Op::Mul, 11}, {"/", Op::Div, 11},  {"//", Op::FloorDiv, 11},
     {"%", Op::Mod, 11},   {"mod", Op::Mod, 11}, {"<", Op::Lt, 8},   {"<=", Op::Le, 8},   {">", Op::Gt, 8},
     {">=", Op::Ge, 8},    {"==", Op::Eq, 8},    {"!=", Op::Ne, 8},  {"and", Op::And, 3}, {"&&", Op::And, 3},
     {"or", Op::Or, 2},    {"||", Op::Or, 2},    {"<<", Op::Shl, 9}, {">>", Op::Shr, 9},  {"&", Op::BitAnd, 7},
     {"^", Op::BitXor, 6}, {"|", Op::BitOr, 5},  {"=", Op::Eq, 8}}};

/// The operator a token is, or null. '=' compares in formulas only.
const BinaryOperator* operator_of(const Token& t, bool formula) {
    if (t.kind != TokenKind::Symbol && t.kind != TokenKind::Word) return nullptr;
    if (t.text.size() > 3 || (t.text == "=" && !formula)) return nullptr;
    for (const BinaryOperator& o : operators)
        if (o.text == t.text) return &o;
    return nullptr;
}

}  // namespace

Expr ExprReader::value() {
    const Restore<bool> formula(formula_, false), lists(lists_, false);
    return ternary();
}

Expr ExprReader::condition() {
    const Restore<bool> formula(formula_, true), lists(lists_, true);
    return ternary();
}

Expr ExprReader::rule_body(std::vector<Later>& later) {
    const Restore<Reduction> no_reduction(reduction_, Reduction());
    const Restore<std::vector<Later>*> deferred(later_, &later);
    return value();
}

/// c ? a : b, to the right; a chain of them is a loop.
Expr ExprReader::ternary() {
    std::vector<std::pair<Expr, Expr>> cases;
    std::vector<Loc> places;
    Expr last = binary(level_or);
    while (cursor_.at("?")) {
        const Cursor::Nested nested(cursor_);
        const Restore<bool> lists(lists_, false);
        places.push_back(cursor_.here());
        cursor_.next();
        Expr chosen = ternary();
        cursor_.expect(":", "between the two values of '? :'");
        cases.emplace_back(std::move(last), std::move(chosen));
        last = binary(level_or);
    }
    for (std::size_t k = cases.size(); k-- > 0;)
        last = make(Op::Select, DType::Untyped, {cases[k].first, cases[k].second, std::move(last)}, {}, places[k]);
    return last;
}

/// Operators of at least this level, by precedence climbing: chains of one level are a loop.
Expr ExprReader::binary(int lowest) {
    Expr left = cursor_.at_word("not") && lowest <= level_not ? prefixed_not() : unary();
    while (true) {
        const Token& t = cursor_.peek();
        if (lists_ && lowest <= level_compare && t.is(",")) {
            left = comparisons(std::move(left), lowest);
            continue;
        }
        const BinaryOperator* o = operator_of(t, formula_);
        if (!o || o->level < lowest) return left;
        if (o->level == level_compare) {
            left = comparisons(std::move(left), lowest);
            continue;
        }
        Loc loc = cursor_.loc(cursor_.next());
        Expr right = binary(o->level + 1);
        left = make(o->op, DType::Untyped, {std::move(left), std::move(right)}, {}, std::move(loc));
    }
}

/// One or more `not`: they bind looser than comparisons.
Expr ExprReader::prefixed_not() {
    std::vector<Loc> places;
    while (cursor_.at_word("not")) places.push_back(cursor_.loc(cursor_.next()));
    Expr e = binary(level_not + 1);
    for (; !places.empty(); places.pop_back()) e = make(Op::Not, DType::Untyped, {std::move(e)}, {}, places.back());
    return e;
}

/// "i, j" behind a first operand; lists of several stand in formulas only.
std::vector<Expr> ExprReader::operand_list(Expr first) {
    std::vector<Expr> out{std::move(first)};
    while (lists_ && cursor_.at(",")) {
        if (out.back().is_literal())
            throw cursor_.unexpected("a comparison or the end of the condition")
                .hint("conditions are joined by 'and', not by ','");
        cursor_.next();
        out.push_back(binary(level_compare + 1));
    }
    return out;
}

/// a < b <= c: all of the neighbours' comparisons. Lists compare each with each.
Expr ExprReader::comparisons(Expr first, int) {
    std::vector<Expr> left = operand_list(std::move(first));
    Expr all;
    do {
        const BinaryOperator* o = operator_of(cursor_.peek(), formula_);
        if (!o || o->level != level_compare) cursor_.fail("a comparison such as '<=' after the list");
        const Loc loc = cursor_.loc(cursor_.next());
        std::vector<Expr> right = operand_list(binary(level_compare + 1));
        for (const Expr& a : left)
            for (const Expr& b : right) {
                Expr one = make(o->op, DType::Untyped, {a, b}, {}, loc);
                all = all ? make(Op::And, DType::Untyped, {std::move(all), std::move(one)}, {}, loc) : std::move(one);
            }
        left = std::move(right);
    } while (operator_of(cursor_.peek(), formula_) && operator_of(cursor_.peek(), formula_)->level == level_compare);
    return all;
}

/// Signs and '!', '~'; a sign before a literal belongs to it.
Expr ExprReader::unary() {
    std::vector<std::pair<Op, Loc>> prefixes;
    while (true) {
        const Token& t = cursor_.peek();
        const bool minus = t.is("-");
        if (!minus && !t.is("+") && !t.is("!") && !t.is("~")) break;
        cursor_.next();
        const Token& literal = cursor_.peek();
        if (minus && (literal.kind == TokenKind::Integer || literal.kind == TokenKind::Float || literal.is_word("inf"))) {
            cursor_.next();
            Expr e = number(literal, true);
            for (; !prefixes.empty(); prefixes.pop_back())
                e = make(prefixes.back().first, DType::Untyped, {std::move(e)}, {}, prefixes.back().second);
            return e;
        }
        if (!t.is("+")) prefixes.emplace_back(minus ? Op::Neg : t.is("!") ? Op::Not : Op::BitNot, cursor_.loc(t));
    }
    Expr e = primary();
    for (; !prefixes.empty(); prefixes.pop_back())
        e = make(prefixes.back().first, DType::Untyped, {std::move(e)}, {}, prefixes.back().second);
    return e;
}

std::optional<Domain> ExprReader::domain(const Expr& condition) {
    const auto is_symbol = [this](Name name) {
        const Array* array = kernel_.find_array(name);
        return !array || ((array->is_let || array->by_value()) && is_integer(array->type));
    };
    FormulaReader reader(is_symbol, exists_);
    auto out = reader.domain(condition);
    obstacle_ = reader.obstacle();
    return out;
}

Domain ExprReader::domain_or_error(const Expr& condition, std::string_view what) {
    if (auto d = domain(condition)) return *std::move(d);
    const bool data = obstacle_.op() == Op::Read;
    const std::string why = data ? fmt::format("'{}' is data", obstacle_.name().str()) : std::string("this part is none");
    throw user_error("formula",
                     fmt::format("{} must be quasi-affine in loops, index parameters and integer lets, but {}", what, why),
                     obstacle_.loc())
        .hint(
            data ? "read it before: let lo = …, then use lo"
                 : "allowed are + - *, // and mod by constants, floor, ceil, abs, min, max, comparisons, and, or, not, exists");
}

void ExprReader::refuse_exists(const Expr& condition) const {
    visit(condition, [](const Expr& e) {
        if (exists_number(e))
            throw user_error("formula", "'exists' stands with a condition on data, which is decided at run time", e.loc())
                .hint("put the two into an 'if' each");
    });
}

}  // namespace heddle
