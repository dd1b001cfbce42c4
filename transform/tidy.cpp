#include "transform/tidy.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace heddle {

namespace {

/// floor(N/d) + R >= 0 holds exactly where N + d*R >= 0, and R - floor(N/d) >= 0 where d*R + d - 1 - N >= 0, R being an
/// integer.
bool without_floor(Constraint& c) {
    if (c.equality) return false;
    for (const auto& [atom, k] : c.form.terms) {
        if (!atom.is_floor() || (k != 1 && k != -1)) continue;
        Affine rest = c.form;
        std::erase_if(rest.terms, [a = atom](const auto& t) { return t.first == a; });
        const std::int64_t d = atom.denominator;
        const Affine n = *atom.numerator;
        c.form = k == 1 ? n + d * rest : d * rest + Affine(d - 1) - n;
        return true;
    }
    return false;
}

/// floor(N/d) = R is d*R <= N < d*R + d: bounds that loops can run between. Only where no other floor is in the way.
std::optional<std::pair<Constraint, Constraint>> as_bounds(const Constraint& c) {
    const Atom* floor = nullptr;
    std::int64_t sign = 0;
    for (const auto& [atom, k] : c.form.terms) {
        if (!atom.is_floor()) continue;
        if (floor != nullptr || (k != 1 && k != -1)) return std::nullopt;
        floor = &atom;
        sign = k;
    }
    if (!c.equality || floor == nullptr || floor->numerator->has_floor()) return std::nullopt;
    Affine rest = c.form;
    std::erase_if(rest.terms, [&](const auto& t) { return t.first == *floor; });
    const std::int64_t d = floor->denominator;
    const Affine low = -sign * d * rest;
    return std::pair(at_least(*floor->numerator, low), less(*floor->numerator, low + Affine(d)));
}

/// A form as factor * (N mod d) + rest, for one of its floors; nothing where N is not there in full.
struct Remainder {
    std::int64_t factor, divisor;
    Affine numerator, rest;
};
std::optional<Remainder> remainder_in(const Affine& form) {
    for (const auto& [atom, k] : form.terms) {
        if (!atom.is_floor() || k % atom.denominator != 0) continue;
        const std::int64_t factor = -(k / atom.denominator);
        Affine n = *atom.numerator, floor;
        const bool full = std::all_of(n.terms.begin(), n.terms.end(), [&](const auto& t) {
            const auto there =
                std::find_if(form.terms.begin(), form.terms.end(), [&](const auto& f) { return f.first == t.first; });
            return there != form.terms.end() && there->second == factor * t.second;
        });
        if (!full) continue;
        floor.terms.emplace_back(atom, k);
        return Remainder{factor, atom.denominator, n, form - floor - factor * n};
    }
    return std::nullopt;
}

/// Always true because a remainder is never negative and smaller than its divisor.
bool remainder_holds(const Constraint& c) {
    if (c.equality) return false;
    const auto r = remainder_in(c.form);
    return r && r->rest.is_constant() && r->rest.constant + std::min<std::int64_t>(0, r->factor * (r->divisor - 1)) >= 0;
}

void floors_to_bounds(Conjunct& piece) {
    Conjunct more;
    for (Constraint& c : piece)
        if (auto bounds = as_bounds(c)) {
            c = std::move(bounds->first);
            more.push_back(std::move(bounds->second));
        }
    std::move(more.begin(), more.end(), std::back_inserter(piece));
}

/// False when the piece is empty for sure.
bool tidy_piece(Conjunct& piece) {
    floors_to_bounds(piece);
    Conjunct out;
    for (Constraint& c : piece) {
        if (remainder_holds(c)) continue;
        while (without_floor(c)) {
        }
        const Truth truth = normalise(c);
        if (truth == Truth::False) return false;
        if (truth == Truth::Unknown && std::find(out.begin(), out.end(), c) == out.end()) out.push_back(std::move(c));
    }
    for (std::size_t k = 0; k < out.size();) {
        Conjunct others = out;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
        if (implied(out[k], others) == Truth::True)
            out = std::move(others);
        else
            ++k;
    }
    piece = std::move(out);
    return true;
}

}  // namespace

void tidy(Domain& domain) {
    std::erase_if(domain.pieces, [](Conjunct& piece) { return !tidy_piece(piece); });
}

Expr readable(const Affine& form) {
    const auto r = remainder_in(form);
    if (!r) return expr_of(form);
    Expr mod = make(Op::Mod, index_type, {expr_of(r->numerator), int_literal(r->divisor, index_type)});
    const std::int64_t size = r->factor < 0 ? -r->factor : r->factor;
    if (size != 1) mod = make(Op::Mul, index_type, {int_literal(size, index_type), mod});
    if (r->rest == Affine()) return r->factor > 0 ? mod : make(Op::Neg, index_type, {mod});
    return make(r->factor > 0 ? Op::Add : Op::Sub, index_type, {readable(r->rest), mod});
}

}  // namespace heddle
