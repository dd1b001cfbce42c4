#include "target/known.h"

#include <algorithm>
#include <numeric>

#include "ir/error.h"

namespace heddle {
namespace {

constexpr int deepest_proof = 12;
constexpr int proof_budget = 160;

std::int64_t coefficient_of(const Affine& a, const Atom& atom) {
    for (const auto& [x, c] : a.terms)
        if (x == atom) return c;
    return 0;
}

}  // namespace

Known::Known(const Domain& assumptions) {
    if (assumptions.is_nothing()) return;
    for (const Constraint& c : assumptions.pieces[0]) {
        const bool everywhere = std::all_of(assumptions.pieces.begin(), assumptions.pieces.end(), [&](const Conjunct& piece) {
            return std::find(piece.begin(), piece.end(), c) != piece.end();
        });
        if (everywhere) add(c);
    }
}

void Known::add(Constraint c) {
    if (normalise(c) == Truth::Unknown) facts_.push_back(std::move(c));
}

void Known::add(const Conjunct& all) {
    for (const Constraint& c : all) add(c);
}

void Known::release(Mark m) {
    facts_.resize(m.facts);
    order_.resize(m.symbols);
}

int Known::rank(const Atom& atom) const {
    if (atom.is_floor()) return rank(*atom.numerator);
    const auto it = std::find(order_.rbegin(), order_.rend(), atom.symbol);
    return static_cast<int>(order_.rend() - it);
}

int Known::rank(const Affine& a) const {
    int highest = 0;
    for (const auto& [atom, c] : a.terms) highest = std::max(highest, rank(atom));
    return highest;
}

/// f >= 0 follows from keep*f - take*fact >= 0, where the atom is gone.
bool Known::step(const Affine& f, const Atom& atom, std::int64_t a, const Affine& fact, bool equality, int depth,
                 int& budget) const {
    const std::int64_t b = coefficient_of(fact, atom);
    if (b == 0 || (!equality && (a > 0) != (b > 0))) return false;
    const std::int64_t g = std::gcd(a, b), keep = std::abs(b) / g, take = (b > 0 ? a : -a) / g;
    return search(keep * f - take * fact, depth - 1, budget);
}

bool Known::search(const Affine& f, int depth, int& budget) const {
    if (f.is_constant()) return f.constant >= 0;
    for (const Constraint& k : facts_)
        if (k.form.terms == f.terms && k.form.constant <= f.constant) return true;
    if (depth == 0 || --budget <= 0) return false;
    const auto* best = &f.terms.front();
    int highest = rank(best->first);
    for (const auto& term : f.terms) {
        const int r = rank(term.first);
        if (r > highest || (r == highest && term.first.is_floor() && !best->first.is_floor())) best = &term, highest = r;
    }
    const auto [atom, a] = *best;
    for (const Constraint& k : facts_)
        if ((highest == 0 || rank(k.form) <= highest) && step(f, atom, a, k.form, k.equality, depth, budget)) return true;
    if (!atom.is_floor()) return false;
    // numerator - d*floor >= 0 and d*floor - numerator + d - 1 >= 0
    const Affine whole = atom.denominator * Affine::floor_div(*atom.numerator, atom.denominator);
    if (a < 0) return step(f, atom, a, *atom.numerator - whole, false, depth, budget);
    return step(f, atom, a, whole - *atom.numerator + Affine(atom.denominator - 1), false, depth, budget);
}

bool Known::proves_nonnegative(const Affine& a) const {
    int budget = proof_budget;
    try {
        return search(a, deepest_proof, budget);
    } catch (const Error&) {
        return false;  // an intermediate form overflowed
    }
}

bool Known::proves(const Constraint& c) const {
    if (std::find(facts_.begin(), facts_.end(), c) != facts_.end()) return true;
    return proves_nonnegative(c.form) && (!c.equality || proves_nonnegative(-c.form));
}

bool Known::refutes(const Constraint& c) const {
    if (proves_nonnegative(-c.form - Affine(1))) return true;
    return c.equality && proves_nonnegative(c.form - Affine(1));
}

}  // namespace heddle
