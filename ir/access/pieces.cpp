// Piecewise quasi-affine forms and affine conditions of expressions.
#include <algorithm>

#include "ir/access.h"
#include "ir/poly/feasible.h"

namespace heddle {
namespace {

using Pieces = std::vector<Piece>;
constexpr std::size_t piece_limit = 32;
constexpr int deepest = 1000;

std::optional<Pieces> pieces_at(const Expr& e, int depth);
std::optional<Domain> condition_at(const Expr& e, int depth);

/// Adds a piece unless its condition is impossible.
void append(Pieces& out, Conjunct when, Affine value) {
    if (feasible(when) != Truth::False) out.push_back({std::move(when), std::move(value)});
}

Conjunct both(const Conjunct& a, const Conjunct& b) {
    Conjunct out = a;
    out.insert(out.end(), b.begin(), b.end());
    return out;
}

/// min or max of two forms under a common condition.
void append_extreme(Pieces& out, const Conjunct& when, const Affine& a, const Affine& b, bool smallest) {
    const Affine& low = smallest ? a : b;
    const Affine& high = smallest ? b : a;
    append(out, both(when, {at_least(high, low)}), a);
    append(out, both(when, {less(high, low)}), b);
}

/// One pair of pieces under an arithmetic operator; false when the result is not quasi-affine.
bool append_binary(Pieces& out, Op op, const Conjunct& when, const Affine& a, const Affine& b) {
    switch (op) {
        case Op::Add:
            append(out, when, a + b);
            return true;
        case Op::Sub:
            append(out, when, a - b);
            return true;
        case Op::Mul:
            if (!a.is_constant() && !b.is_constant()) return false;
            append(out, when, a.is_constant() ? a.constant * b : b.constant * a);
            return true;
        case Op::FloorDiv:
        case Op::Mod: {
            if (!b.is_constant() || b.constant <= 0) return false;
            const Affine quotient = Affine::floor_div(a, b.constant);
            append(out, when, op == Op::FloorDiv ? quotient : a - b.constant * quotient);
            return true;
        }
        default:
            append_extreme(out, when, a, b, op == Op::Min);
            return true;
    }
}

std::optional<Pieces> binary_pieces(const Expr& e, int depth) {
    const auto a = pieces_at(e.arg(0), depth + 1);
    if (!a) return std::nullopt;
    const auto b = pieces_at(e.arg(1), depth + 1);
    if (!b || a->size() * b->size() > piece_limit) return std::nullopt;
    Pieces out;
    for (const Piece& x : *a)
        for (const Piece& y : *b)
            if (!append_binary(out, e.op(), both(x.when, y.when), x.value, y.value)) return std::nullopt;
    return out;
}

/// The parts of a domain made disjoint by taking out, from each piece, those before it.
std::vector<Conjunct> disjoint(const Domain& d) {
    std::vector<Conjunct> out;
    Domain before = Domain::nothing();
    for (const Conjunct& piece : d.pieces) {
        for (Conjunct& part : intersect(Domain{{piece}}, complement(before)).pieces) out.push_back(std::move(part));
        before.pieces.push_back(piece);
    }
    return out;
}

std::optional<Pieces> select_pieces(const Expr& e, int depth) {
    const auto condition = condition_at(e.arg(0), depth + 1);
    const auto yes = pieces_at(e.arg(1), depth + 1), no = pieces_at(e.arg(2), depth + 1);
    if (!condition || !yes || !no || condition->pieces.size() > 4) return std::nullopt;
    Pieces out;
    for (const Conjunct& c : disjoint(*condition))
        for (const Piece& p : *yes) append(out, both(c, p.when), p.value);
    for (const Conjunct& c : disjoint(complement(*condition)))
        for (const Piece& p : *no) append(out, both(c, p.when), p.value);
    return out;
}

std::optional<Pieces> pieces_at(const Expr& e, int depth) {
    if (auto single = affine_of(e)) return Pieces{{{}, *std::move(single)}};
    if (depth > deepest) return std::nullopt;
    std::optional<Pieces> out;
    switch (e.op()) {
        case Op::Add:
        case Op::Sub:
        case Op::Mul:
        case Op::FloorDiv:
        case Op::Mod:
        case Op::Min:
        case Op::Max:
            out = binary_pieces(e, depth);
            break;
        case Op::Select:
            out = select_pieces(e, depth);
            break;
        case Op::Neg:
            out = pieces_at(e.arg(0), depth + 1);
            if (out)
                for (Piece& p : *out) p.value = -p.value;
            break;
        case Op::Cast:
            if (e.type() == index_type && is_integer(e.arg(0).type())) out = pieces_at(e.arg(0), depth + 1);
            break;
        default:
            break;
    }
    return out && out->size() <= piece_limit ? out : std::nullopt;
}

bool integer_like(const Expr& e) { return is_integer(e.type()) || e.type() == DType::Untyped; }

Domain compared(Op op, const Affine& a, const Affine& b) {
    switch (op) {
        case Op::Lt:
            return domain_of(less(a, b));
        case Op::Le:
            return domain_of(at_least(b, a));
        case Op::Gt:
            return domain_of(less(b, a));
        case Op::Ge:
            return domain_of(at_least(a, b));
        case Op::Eq:
            return domain_of(equal(a, b));
        default:
            return complement(domain_of(equal(a, b)));
    }
}

std::optional<Domain> comparison(const Expr& e, int depth) {
    if (!integer_like(e.arg(0)) || !integer_like(e.arg(1))) return std::nullopt;
    const auto a = pieces_at(e.arg(0), depth + 1), b = pieces_at(e.arg(1), depth + 1);
    if (!a || !b || a->size() * b->size() > piece_limit) return std::nullopt;
    Domain out = Domain::nothing();
    for (const Piece& x : *a)
        for (const Piece& y : *b)
            out = unite(out, intersect(Domain{{both(x.when, y.when)}}, compared(e.op(), x.value, y.value)));
    return out;
}

std::optional<Domain> condition_at(const Expr& e, int depth) {
    if (depth > deepest) return std::nullopt;
    switch (e.op()) {
        case Op::Bool:
            return e.integer() ? Domain::everything() : Domain::nothing();
        case Op::Lt:
        case Op::Le:
        case Op::Gt:
        case Op::Ge:
        case Op::Eq:
        case Op::Ne:
            return comparison(e, depth);
        case Op::Not: {
            auto d = condition_at(e.arg(0), depth + 1);
            if (!d || d->pieces.size() > 4) return std::nullopt;
            return complement(*d);
        }
        case Op::And:
        case Op::Or: {
            const auto a = condition_at(e.arg(0), depth + 1);
            if (!a) return std::nullopt;
            const auto b = condition_at(e.arg(1), depth + 1);
            if (!b || a->pieces.size() * b->pieces.size() > piece_limit) return std::nullopt;
            return e.op() == Op::And ? intersect(*a, *b) : unite(*a, *b);
        }
        default:
            return std::nullopt;
    }
}

}  // namespace

std::optional<std::vector<Piece>> pieces_of(const Expr& e) { return pieces_at(e, 0); }
std::optional<Domain> domain_of(const Expr& condition) { return condition_at(condition, 0); }

}  // namespace heddle
