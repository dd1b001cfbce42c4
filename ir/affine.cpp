#include "ir/affine.h"

#include <algorithm>
#include <numeric>

#include "ir/checked_int.h"

namespace heddle {
namespace {

std::strong_ordering compare(const Affine& a, const Affine& b);

std::strong_ordering compare(const Atom& a, const Atom& b) {
    if (a.is_floor() != b.is_floor()) return a.is_floor() ? std::strong_ordering::greater : std::strong_ordering::less;
    if (!a.is_floor()) return a.symbol == b.symbol ? std::strong_ordering::equal : a.symbol.str() <=> b.symbol.str();
    if (const auto c = a.denominator <=> b.denominator; c != 0) return c;
    return a.numerator == b.numerator ? std::strong_ordering::equal : compare(*a.numerator, *b.numerator);
}

std::strong_ordering compare(const Affine& a, const Affine& b) {
    for (std::size_t k = 0; k < a.terms.size() && k < b.terms.size(); ++k) {
        if (const auto c = compare(a.terms[k].first, b.terms[k].first); c != 0) return c;
        if (const auto c = a.terms[k].second <=> b.terms[k].second; c != 0) return c;
    }
    if (const auto c = a.terms.size() <=> b.terms.size(); c != 0) return c;
    return a.constant <=> b.constant;
}

/// a + k * b: a merge of two sorted lists.
Affine combine(const Affine& a, std::int64_t k, const Affine& b) {
    Affine out(add(a.constant, mul(k, b.constant)));
    out.terms.reserve(a.terms.size() + b.terms.size());
    auto x = a.terms.begin();
    auto y = b.terms.begin();
    while (x != a.terms.end() || y != b.terms.end()) {
        const auto order = x == a.terms.end()   ? std::strong_ordering::greater
                           : y == b.terms.end() ? std::strong_ordering::less
                                                : compare(x->first, y->first);
        if (order < 0) {
            out.terms.push_back(*x++);
        } else if (order > 0) {
            out.terms.emplace_back(y->first, mul(k, y->second));
            ++y;
        } else {
            const std::int64_t c = add(x->second, mul(k, y->second));
            if (c != 0) out.terms.emplace_back(x->first, c);
            ++x, ++y;
        }
    }
    return out;
}

Affine of_atom(Atom atom, std::int64_t coefficient = 1) {
    Affine out;
    if (coefficient != 0) out.terms.emplace_back(std::move(atom), coefficient);
    return out;
}

std::int64_t content(const Affine& a) {
    std::int64_t g = 0;
    for (const auto& [atom, c] : a.terms) g = std::gcd(g, c);
    return g;
}

/// floor((floor(x / a) + c) / b) is floor((x + a*c) / (a*b)).
std::optional<Affine> merged_floor(const Affine& rest, std::int64_t denominator) {
    if (rest.terms.size() != 1 || rest.terms[0].second != 1 || !rest.terms[0].first.is_floor()) return std::nullopt;
    const Atom& inner = rest.terms[0].first;
    return Affine::floor_div(*inner.numerator + Affine(mul(inner.denominator, rest.constant)),
                             mul(inner.denominator, denominator));
}

}  // namespace

bool operator==(const Atom& a, const Atom& b) { return compare(a, b) == 0; }
bool operator<(const Atom& a, const Atom& b) { return compare(a, b) < 0; }
bool operator==(const Affine& a, const Affine& b) { return compare(a, b) == 0; }
bool operator<(const Affine& a, const Affine& b) { return compare(a, b) < 0; }
Affine operator+(const Affine& a, const Affine& b) { return combine(a, 1, b); }
Affine operator-(const Affine& a, const Affine& b) { return combine(a, -1, b); }
Affine operator-(const Affine& a) { return combine({}, -1, a); }
Affine operator*(std::int64_t k, const Affine& a) { return k == 0 ? Affine() : combine({}, k, a); }

Affine Affine::symbol(Name name, std::int64_t coefficient) { return of_atom(Atom{name, nullptr, 1}, coefficient); }

Affine Affine::floor_div(const Affine& numerator, std::int64_t denominator) {
    require(denominator > 0, "a floor's denominator is positive");
    if (denominator == 1) return numerator;
    Affine whole(floor_quotient(numerator.constant, denominator)), rest(floor_remainder(numerator.constant, denominator));
    for (const auto& [atom, c] : numerator.terms) {
        whole = whole + of_atom(atom, c / denominator);
        rest = rest + of_atom(atom, c % denominator);
    }
    const std::int64_t g = std::gcd(content(rest), denominator);
    if (rest.is_constant() || g == denominator) return whole + Affine(floor_quotient(rest.constant, denominator));
    for (auto& [atom, c] : rest.terms) c /= g;
    rest.constant = floor_quotient(rest.constant, g);
    if (const auto merged = merged_floor(rest, denominator / g)) return whole + *merged;
    return whole + of_atom(Atom{{}, std::make_shared<const Affine>(std::move(rest)), denominator / g});
}

std::int64_t Affine::coefficient(Name name) const {
    for (const auto& [atom, c] : terms)
        if (!atom.is_floor() && atom.symbol == name) return c;
    return 0;
}

bool Affine::mentions(Name name) const {
    return std::any_of(terms.begin(), terms.end(), [&](const auto& t) {
        return t.first.is_floor() ? t.first.numerator->mentions(name) : t.first.symbol == name;
    });
}

bool Affine::has_floor() const {
    return std::any_of(terms.begin(), terms.end(), [](const auto& t) { return t.first.is_floor(); });
}

void Affine::symbols(std::vector<Name>& out) const {
    for (const auto& [atom, c] : terms) {
        if (atom.is_floor())
            atom.numerator->symbols(out);
        else if (std::find(out.begin(), out.end(), atom.symbol) == out.end())
            out.push_back(atom.symbol);
    }
}

Affine Affine::substitute(Name name, const Affine& value) const {
    if (!mentions(name)) return *this;
    Affine out(constant);
    for (const auto& [atom, c] : terms) {
        if (atom.is_floor())
            out = combine(out, c, floor_div(atom.numerator->substitute(name, value), atom.denominator));
        else
            out = combine(out, c, atom.symbol == name ? value : of_atom(atom));
    }
    return out;
}

std::int64_t evaluate(const Affine& a, const Env& env) {
    std::int64_t sum = a.constant;
    for (const auto& [atom, c] : a.terms) {
        if (atom.is_floor()) {
            sum = add(sum, mul(c, floor_quotient(evaluate(*atom.numerator, env), atom.denominator)));
            continue;
        }
        const auto it = env.find(atom.symbol);
        if (it == env.end())
            throw Error(ErrorKind::Internal, "internal", "no value for the symbol '" + atom.symbol.str() + "'");
        sum = add(sum, mul(c, it->second));
    }
    return sum;
}

namespace {

void append_term(std::string& out, const std::string& text, std::int64_t c) {
    const bool negative = c < 0;
    if (out.empty())
        out += negative ? "-" : "";
    else
        out += negative ? " - " : " + ";
    const std::uint64_t size = negative ? 0 - static_cast<std::uint64_t>(c) : static_cast<std::uint64_t>(c);
    if (text.empty())
        out += std::to_string(size);
    else
        out += size == 1 ? text : std::to_string(size) + "*" + text;
}

}  // namespace

std::string Affine::str() const {
    std::string out;
    for (const bool positive : {true, false})
        for (const auto& [atom, c] : terms)
            if ((c > 0) == positive)
                append_term(out,
                            atom.is_floor() ? "floor((" + atom.numerator->str() + ")/" + std::to_string(atom.denominator) + ")"
                                            : atom.symbol.str(),
                            c);
    if (constant != 0 || out.empty()) append_term(out, "", constant);
    return out;
}

namespace {

constexpr int deepest_index_expression = 1000;

std::optional<Affine> affine_at(const Expr& e, int depth);

std::optional<Affine> affine_product(const Affine& a, const Affine& b) {
    if (a.is_constant()) return a.constant * b;
    if (b.is_constant()) return b.constant * a;
    return std::nullopt;
}

std::optional<Affine> affine_binary(const Expr& e, int depth) {
    const auto a = affine_at(e.arg(0), depth + 1);
    if (!a) return std::nullopt;
    const auto b = affine_at(e.arg(1), depth + 1);
    if (!b) return std::nullopt;
    switch (e.op()) {
        case Op::Add:
            return *a + *b;
        case Op::Sub:
            return *a - *b;
        case Op::Mul:
            return affine_product(*a, *b);
        default:
            break;
    }
    if (!b->is_constant() || b->constant <= 0) return std::nullopt;
    const Affine quotient = Affine::floor_div(*a, b->constant);
    return e.op() == Op::FloorDiv ? quotient : *a - b->constant * quotient;
}

std::optional<Affine> affine_at(const Expr& e, int depth) {
    if (depth > deepest_index_expression) return std::nullopt;
    switch (e.op()) {
        case Op::Int:
            return Affine(e.integer());
        case Op::Var:
            return Affine::symbol(e.name());
        case Op::Read:
            if (!e.args().empty() || !(is_integer(e.type()) || e.type() == DType::Untyped)) return std::nullopt;
            return Affine::symbol(e.name());
        case Op::Cast:
            if (e.type() != index_type || !is_integer(e.arg(0).type())) return std::nullopt;
            return affine_at(e.arg(0), depth + 1);
        case Op::Neg: {
            const auto a = affine_at(e.arg(0), depth + 1);
            return a ? std::optional<Affine>(-*a) : std::nullopt;
        }
        case Op::Add:
        case Op::Sub:
        case Op::Mul:
        case Op::FloorDiv:
        case Op::Mod:
            return affine_binary(e, depth);
        default:
            return std::nullopt;
    }
}

Expr atom_expr(const Atom& atom) {
    if (!atom.is_floor()) return variable(atom.symbol);
    return make(Op::FloorDiv, index_type, {expr_of(*atom.numerator), int_literal(atom.denominator, index_type)});
}

Expr scaled(std::int64_t size, const Expr& e) {
    return size == 1 ? e : make(Op::Mul, index_type, {int_literal(size, index_type), e});
}

Expr joined(const Expr& sum, const Expr& term, bool negative) {
    if (!sum) return negative ? make(Op::Neg, index_type, {term}) : term;
    return make(negative ? Op::Sub : Op::Add, index_type, {sum, term});
}

}  // namespace

std::optional<Affine> affine_of(const Expr& e) { return affine_at(e, 0); }

namespace {

/// A form as summands: k * (e mod d) where k*(e - d*floor(e/d)) stands in it, and what is left.
struct Summands {
    Affine rest;
    std::vector<std::pair<std::int64_t, Expr>> remainders;
};

bool has_terms_of(const Affine& a, std::int64_t k, const Affine& part) {
    return std::all_of(part.terms.begin(), part.terms.end(), [&](const auto& t) {
        const auto it = std::find_if(a.terms.begin(), a.terms.end(), [&](const auto& own) { return own.first == t.first; });
        return it != a.terms.end() && it->second == mul(k, t.second);
    });
}

Summands summands_of(const Affine& a) {
    Summands out{a, {}};
    for (const auto& [atom, c] : a.terms) {
        if (!atom.is_floor() || c % atom.denominator != 0) continue;
        const std::int64_t k = -(c / atom.denominator);
        if (!has_terms_of(out.rest, k, *atom.numerator)) continue;
        out.rest = combine(out.rest, -k, *atom.numerator - atom.denominator * of_atom(atom));
        out.remainders.emplace_back(
            k, make(Op::Mod, index_type, {expr_of(*atom.numerator), int_literal(atom.denominator, index_type)}));
    }
    return out;
}

}  // namespace

Expr expr_of(const Affine& a) {
    auto [rest, summands] = summands_of(a);
    for (const auto& [atom, c] : rest.terms) summands.emplace_back(c, atom_expr(atom));
    std::stable_sort(summands.begin(), summands.end(), [](const auto& x, const auto& y) {
        if ((x.first > 0) != (y.first > 0)) return x.first > 0;
        return std::abs(x.first) > std::abs(y.first);
    });
    Expr sum;
    for (const auto& [c, e] : summands) sum = joined(sum, scaled(c > 0 ? c : -c, e), c < 0);
    if (!sum) return int_literal(rest.constant, index_type);
    if (rest.constant == 0) return sum;
    const bool negative = rest.constant < 0;
    return joined(sum, int_literal(negative ? -rest.constant : rest.constant, index_type), negative);
}

}  // namespace heddle
