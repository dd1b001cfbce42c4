// Fewer and plainer pieces of the same function.
#include <algorithm>
#include <cstdlib>
#include <optional>

#include "ir/count/piecewise.h"
#include "ir/poly.h"

namespace heddle {

namespace {

constexpr std::size_t most_pieces = 24;  ///< beyond it pieces are left overlapping
constexpr std::size_t most_refined = 200;
constexpr std::int64_t widest_margin = 3;

/// Adds a piece to pieces that do not overlap, and keeps it so.
std::vector<PolynomialPiece> refined(const std::vector<PolynomialPiece>& pieces, const PolynomialPiece& added) {
    std::vector<PolynomialPiece> out;
    Domain rest = added.where;
    for (const PolynomialPiece& p : pieces) {
        const Domain both = intersect(p.where, rest);
        if (rest.is_nothing() || poly::is_empty(both)) {
            out.push_back(p);
            continue;
        }
        const Domain outside = poly::subtract(p.where, rest);
        out.push_back({poly::simplify(both), p.value + added.value});
        if (!outside.is_nothing()) out.push_back({outside, p.value});
        rest = poly::subtract(rest, p.where);
    }
    if (!rest.is_nothing()) out.push_back({rest, added.value});
    return out;
}

/// Pieces that do not overlap; nothing when they would be too many.
std::optional<std::vector<PolynomialPiece>> disjoint(const std::vector<PolynomialPiece>& pieces) {
    if (pieces.size() > most_refined) return std::nullopt;
    std::vector<PolynomialPiece> out;
    for (const PolynomialPiece& p : pieces) {
        out = refined(out, p);
        if (out.size() > most_pieces) return std::nullopt;
    }
    std::erase_if(out, [](const PolynomialPiece& p) { return p.value.is_zero(); });
    return out;
}

/// A form's only value on the domain, if it has only one.
std::optional<std::int64_t> constant_on(const Affine& a, const Domain& where) {
    const auto low = poly::constant_min(a, where);
    if (!low) return std::nullopt;
    const auto high = poly::constant_max(a, where);
    return high == low ? low : std::nullopt;
}

/// The polynomial with floors that are constant on the domain replaced.
Polynomial with_constant_floors(Polynomial p, const Domain& where) {
    std::vector<Atom> floors;
    p.floors(floors);
    for (const Atom& floor : floors)
        if (const auto value = constant_on(Affine::floor_div(*floor.numerator, floor.denominator), where))
            p = p.substitute(floor, Polynomial(*value));
    return p;
}

struct Solved {
    Name symbol;
    Affine value;
};

/// A symbol with coefficient 1 or -1 that form == 0 determines, and its value.
std::optional<Solved> solved(const Affine& form) {
    for (const auto& [atom, c] : form.terms) {
        if (atom.is_floor() || std::abs(c) != 1) continue;
        const Affine rest = form - Affine::symbol(atom.symbol, c);
        if (!rest.mentions(atom.symbol)) return Solved{atom.symbol, c > 0 ? -rest : rest};
    }
    return std::nullopt;
}

/// The polynomial on a set given by equalities among other things.
Polynomial restricted(Polynomial p, const Conjunct& c) {
    Conjunct left = c;
    for (std::size_t k = 0; k < left.size(); ++k) {
        if (!left[k].equality) continue;
        const auto s = solved(left[k].form);
        if (!s) continue;
        p = p.substitute(s->symbol, s->value);
        for (std::size_t j = k + 1; j < left.size(); ++j) left[j].form = left[j].form.substitute(s->symbol, s->value);
    }
    return p;
}

/// The polynomial with symbols that have only one value on the domain replaced by it.
Polynomial with_constant_symbols(Polynomial p, const Domain& where) {
    if (!where.convex()) return p;
    for (const Constraint& c : where.pieces[0]) {
        if (!c.equality) continue;
        const auto s = solved(c.form);
        if (s && s->value.is_constant()) p = p.substitute(s->symbol, s->value);
    }
    return p;
}

bool agree_on(const Polynomial& a, const Polynomial& b, const Domain& where) {
    const Polynomial difference = a - b;
    return std::all_of(where.pieces.begin(), where.pieces.end(), [&](const Conjunct& c) {
        return restricted(with_constant_floors(difference, Domain{{c}}), c).is_zero();
    });
}

/// Joins pieces of one polynomial, and a piece to another one whose polynomial has the same values on it.
std::vector<PolynomialPiece> joined(std::vector<PolynomialPiece> pieces) {
    for (std::size_t a = 0; a < pieces.size(); ++a)
        for (std::size_t b = 0; b < pieces.size(); ++b) {
            if (a == b || !agree_on(pieces[a].value, pieces[b].value, pieces[a].where)) continue;
            pieces[b].where = poly::simplify(unite(pieces[b].where, pieces[a].where));
            pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(a));
            a = static_cast<std::size_t>(-1);
            break;
        }
    return pieces;
}

bool quickly_implied(const Constraint& c, const Domain& context) {
    return std::all_of(context.pieces.begin(), context.pieces.end(),
                       [&](const Conjunct& piece) { return implied(c, piece) == Truth::True; });
}

/// Is the polynomial 0 at c.form = -1, -2, -3, as far as `others` reaches? Cheap and incomplete.
bool zero_in_margin(const Polynomial& p, const Constraint& c, const Domain& others) {
    if (c.equality) return false;
    for (std::int64_t margin = 1; margin <= widest_margin; ++margin) {
        const Affine edge = c.form + Affine(margin);
        const auto s = solved(edge);
        if (!s || !p.substitute(s->symbol, s->value).is_zero()) return false;
        if (quickly_implied({edge, false}, others)) return true;
    }
    return false;
}

/// Is the polynomial 0 on all of `others` that this constraint keeps out?
bool zero_beyond(const Polynomial& p, const Constraint& c, const Domain& others) {
    if (zero_in_margin(p, c, others)) return true;
    const Domain kept_out = intersect(others, complement(domain_of(c)));
    return agree_on(p, Polynomial(), poly::simplify(kept_out));
}

/// Drops constraints that the context and the others imply, and those beyond which the polynomial is 0. `quick`: without isl.
Conjunct trimmed(const Conjunct& c, const Polynomial& p, const Domain& context, bool alone, bool quick) {
    Conjunct out = c;
    for (std::size_t k = out.size(); k-- > 0;) {
        Conjunct rest = out;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
        const Domain others = intersect(Domain{{rest}}, context);
        const bool needless = quickly_implied(out[k], others) || (!quick && poly::is_subset(others, domain_of(out[k])));
        if (needless || (alone && (quick ? zero_in_margin(p, out[k], others) : zero_beyond(p, out[k], others))))
            out = std::move(rest);
    }
    return out;
}

/// The same conditions in one order.
Conjunct sorted(Conjunct c) {
    std::sort(c.begin(), c.end(),
              [](const Constraint& a, const Constraint& b) { return a.equality != b.equality ? a.equality : a.form < b.form; });
    return c;
}

/// The common case, without isl: one piece under linear conditions, no floors.
std::optional<Piecewise> simple(const std::vector<PolynomialPiece>& pieces, const Domain& context) {
    if (pieces.empty()) return Piecewise{};
    if (pieces.size() > 1 || !pieces[0].where.convex() || !context.convex()) return std::nullopt;
    PolynomialPiece only{pieces[0].where, collect_floors(pieces[0].value)};
    std::vector<Atom> floors;
    only.value.floors(floors);
    if (!only.where.is_everything() && !floors.empty()) return std::nullopt;
    Conjunct& c = only.where.pieces[0];
    c = sorted(context.is_everything() ? c : trimmed(c, only.value, context, true, true));
    return Piecewise{{only}};
}

PolynomialPiece plainer(const PolynomialPiece& p, const Domain& context, bool alone) {
    const Domain where = poly::simplify(p.where);
    PolynomialPiece out{Domain::nothing(), with_constant_floors(p.value, intersect(where, context))};
    out.value = with_constant_symbols(std::move(out.value), where);
    for (const Conjunct& c : where.pieces) {
        out.where.pieces.push_back(sorted(trimmed(c, out.value, context, alone && where.convex(), false)));
        if (out.where.pieces.back().empty()) out.where = Domain::everything();
        if (out.where.is_everything()) break;
    }
    return out;
}

}  // namespace

Piecewise simplify(const Piecewise& p, const Domain& context) {
    const std::vector<PolynomialPiece> pieces = (p + Piecewise{}).pieces;
    if (auto quick = simple(pieces, context)) return *quick;
    std::vector<PolynomialPiece> inside;
    for (const PolynomialPiece& piece : pieces) {
        const Domain where = context.is_everything() ? piece.where : intersect(piece.where, context);
        if (!poly::is_empty(where)) inside.push_back({where, piece.value});
    }
    const auto apart = disjoint(inside);
    if (apart) inside = joined(*apart);
    Piecewise out;
    for (const PolynomialPiece& piece : inside) out.pieces.push_back(plainer(piece, context, inside.size() == 1));
    for (PolynomialPiece& piece : out.pieces) piece.value = collect_floors(piece.value);
    return out + Piecewise{};
}

}  // namespace heddle
