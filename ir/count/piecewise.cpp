#include "ir/count/piecewise.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "ir/poly.h"

namespace heddle {

Piecewise Piecewise::everywhere(Polynomial value) {
    Piecewise out;
    if (!value.is_zero()) out.pieces.push_back({Domain::everything(), std::move(value)});
    return out;
}

const Polynomial* Piecewise::unconditional() const {
    return pieces.size() == 1 && pieces[0].where.is_everything() ? &pieces[0].value : nullptr;
}

Rational Piecewise::evaluate(const Env& env) const {
    Rational sum;
    for (const PolynomialPiece& p : pieces)
        if (contains(p.where, env)) sum = sum + p.value.evaluate(env);
    return sum;
}

namespace {

/// Pieces of equal conditions become one: their polynomials are added.
std::vector<PolynomialPiece> grouped(const std::vector<PolynomialPiece>& pieces) {
    const auto before = [](const Domain* a, const Domain* b) {
        const auto constraint = [](const Constraint& x, const Constraint& y) {
            return x.equality != y.equality ? x.equality : x.form < y.form;
        };
        return std::lexicographical_compare(
            a->pieces.begin(), a->pieces.end(), b->pieces.begin(), b->pieces.end(), [&](const Conjunct& x, const Conjunct& y) {
                return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end(), constraint);
            });
    };
    std::map<const Domain*, std::size_t, decltype(before)> known(before);
    std::vector<PolynomialPiece> out;
    out.reserve(pieces.size());
    for (const PolynomialPiece& p : pieces) {
        const auto [it, fresh] = known.emplace(&p.where, out.size());
        if (fresh)
            out.push_back(p);
        else
            out[it->second].value += p.value;
    }
    std::erase_if(out, [](const PolynomialPiece& p) { return p.value.is_zero(); });
    return out;
}

}  // namespace

Piecewise operator+(const Piecewise& a, const Piecewise& b) {
    std::vector<PolynomialPiece> all = a.pieces;
    all.insert(all.end(), b.pieces.begin(), b.pieces.end());
    return {grouped(all)};
}

Piecewise operator*(const Rational& factor, const Piecewise& p) {
    Piecewise out;
    if (factor.is_zero()) return out;
    for (const PolynomialPiece& piece : p.pieces) out.pieces.push_back({piece.where, Polynomial(factor) * piece.value});
    return out;
}

namespace {

constexpr std::size_t most_written = 24;

/// "n >= 1", "2*n <= m + 3": the negative terms on the other side.
std::string constraint_text(const Constraint& c) {
    Affine left, right;
    for (const auto& [atom, k] : c.form.terms) (k > 0 ? left : right).terms.emplace_back(atom, std::abs(k));
    (c.form.constant > 0 ? left : right).constant = std::abs(c.form.constant);
    const bool turned = left.terms.empty();
    if (turned) std::swap(left, right);
    return left.str() + (c.equality ? " = " : turned ? " <= " : " >= ") + right.str();
}

std::string condition_text(const Domain& d) {
    std::string out;
    for (const Conjunct& piece : d.pieces) {
        std::string text;
        for (const Constraint& c : piece) text += (text.empty() ? "" : " and ") + constraint_text(c);
        out += (out.empty() ? "" : " or ") + (text.empty() ? "true" : text);
    }
    return out;
}

}  // namespace

std::string Piecewise::str() const {
    if (pieces.empty()) return "0";
    if (pieces.size() > most_written) return "a formula of " + std::to_string(pieces.size()) + " pieces";
    std::string out;
    for (const PolynomialPiece& p : pieces) {
        if (!out.empty()) out += "; ";
        out += p.value.str();
        if (!p.where.is_everything()) out += " if " + condition_text(p.where);
    }
    return out;
}

}  // namespace heddle
