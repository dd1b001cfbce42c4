// Constraints and domains: the set side of ir/affine.h.
#include <algorithm>
#include <numeric>

#include "ir/affine.h"
#include "ir/checked_int.h"

namespace heddle {

bool operator==(const Constraint& a, const Constraint& b) { return a.equality == b.equality && a.form == b.form; }
Constraint at_least(const Affine& a, const Affine& b) { return {a - b, false}; }
Constraint less(const Affine& a, const Affine& b) { return {b - a - Affine(1), false}; }
Constraint equal(const Affine& a, const Affine& b) { return {a - b, true}; }

bool holds(const Constraint& c, const Env& env) {
    const std::int64_t value = evaluate(c.form, env);
    return c.equality ? value == 0 : value >= 0;
}

namespace {

/// a*floor(e/d) + r >= 0 with a = 1 or -1 and no other floor is e + d*r >= 0 or d*r + d - 1 - e >= 0: the same integer points.
void open_floor(Constraint& c) {
    for (;;) {
        const auto is_floor = [](const auto& t) { return t.first.is_floor(); };
        const auto it = std::find_if(c.form.terms.begin(), c.form.terms.end(), is_floor);
        if (c.equality || it == c.form.terms.end() || std::abs(it->second) != 1) return;
        if (std::any_of(it + 1, c.form.terms.end(), is_floor)) return;
        const auto [atom, a] = *it;
        Affine rest = c.form;
        rest.terms.erase(rest.terms.begin() + (it - c.form.terms.begin()));
        const Affine scaled = atom.denominator * rest;
        c.form = a > 0 ? *atom.numerator + scaled : scaled + Affine(atom.denominator - 1) - *atom.numerator;
    }
}

/// A constraint with one floor whose factor is 1 or -1 as the inequalities it stands for; any other constraint as it is.
/// `ranges`: an equality only where the floor equals a number.
Conjunct opened(const Constraint& c, bool ranges) {
    const auto floors = std::count_if(c.form.terms.begin(), c.form.terms.end(), [](const auto& t) { return t.first.is_floor(); });
    if (floors != 1 || std::abs(c.form.terms.back().second) != 1) return {c};
    if (c.equality && ranges && c.form.terms.size() != 1) return {c};
    if (!c.equality) {
        Constraint k = c;
        open_floor(k);
        return {std::move(k)};
    }
    Conjunct out{{c.form, false}, {-c.form, false}};
    for (Constraint& k : out) open_floor(k);
    return out;
}

}  // namespace

Truth normalise(Constraint& c) {
    std::int64_t g = 0;
    for (const auto& [atom, k] : c.form.terms) g = std::gcd(g, k);
    if (g == 0) {
        const bool truth = c.equality ? c.form.constant == 0 : c.form.constant >= 0;
        return truth ? Truth::True : Truth::False;
    }
    if (c.equality && c.form.constant % g != 0) return Truth::False;
    if (g > 1) {
        for (auto& [atom, k] : c.form.terms) k /= g;
        c.form.constant = floor_quotient(c.form.constant, g);
    }
    if (c.equality && c.form.terms[0].second < 0) c.form = -c.form;
    return Truth::Unknown;
}

Domain Domain::substitute(Name symbol, const Affine& value) const {
    Domain out = nothing();
    for (const Conjunct& piece : pieces) {
        Conjunct next;
        bool possible = true;
        for (const Constraint& c : piece) {
            if (!c.form.mentions(symbol)) {
                next.push_back(c);
                continue;
            }
            Constraint changed{c.form.substitute(symbol, value), c.equality};
            for (Constraint& k : opened(changed, true)) {
                const Truth truth = normalise(k);
                if (truth == Truth::False) possible = false;
                if (truth == Truth::Unknown) next.push_back(std::move(k));
            }
        }
        if (possible) out.pieces.push_back(std::move(next));
    }
    return out;
}

bool Domain::mentions(Name symbol) const {
    for (const Conjunct& piece : pieces)
        for (const Constraint& c : piece)
            if (c.form.mentions(symbol)) return true;
    return false;
}

void Domain::symbols(std::vector<Name>& out) const {
    for (const Conjunct& piece : pieces)
        for (const Constraint& c : piece) c.form.symbols(out);
}

bool operator==(const Domain& a, const Domain& b) { return a.pieces == b.pieces; }

namespace {

/// Appends what is not there yet; false when the conjunct cannot hold any more.
bool append(Conjunct& out, Constraint c) {
    const Truth truth = normalise(c);
    if (truth == Truth::Unknown && std::find(out.begin(), out.end(), c) == out.end()) out.push_back(std::move(c));
    return truth != Truth::False;
}

}  // namespace

Domain intersect(const Domain& a, const Domain& b) {
    if (a.is_everything()) return b;
    if (b.is_everything()) return a;
    Domain out = Domain::nothing();
    for (const Conjunct& x : a.pieces)
        for (const Conjunct& y : b.pieces) {
            Conjunct both = x;
            bool possible = true;
            for (const Constraint& c : y) possible = possible && append(both, c);
            if (possible) out.pieces.push_back(std::move(both));
        }
    return out;
}

Domain unite(const Domain& a, const Domain& b) {
    Domain out = a;
    for (const Conjunct& piece : b.pieces)
        if (std::find(out.pieces.begin(), out.pieces.end(), piece) == out.pieces.end()) out.pieces.push_back(piece);
    return out;
}

namespace {

Domain broken(const Constraint& c) {
    Domain out = Domain::nothing();
    const auto add = [&](Constraint k) {
        if (normalise(k) == Truth::Unknown) out.pieces.push_back({std::move(k)});
    };
    add({-c.form - Affine(1), false});
    if (c.equality) add({c.form - Affine(1), false});
    return out;
}

}  // namespace

Domain complement(const Domain& a) {
    Domain out = Domain::everything();
    for (const Conjunct& piece : a.pieces) {
        Domain outside = Domain::nothing();
        for (const Constraint& c : piece) {
            Constraint k = c;
            const Truth truth = normalise(k);
            if (truth == Truth::False) outside = Domain::everything();
            if (truth == Truth::Unknown && !outside.is_everything()) outside = unite(outside, broken(k));
        }
        out = intersect(out, outside);
    }
    return out;
}

Domain domain_of(Constraint c) {
    const Truth truth = normalise(c);
    if (truth == Truth::Unknown) return Domain{{{std::move(c)}}};
    return truth == Truth::True ? Domain::everything() : Domain::nothing();
}

bool contains(const Domain& d, const Env& env) {
    return std::any_of(d.pieces.begin(), d.pieces.end(), [&](const Conjunct& piece) {
        return std::all_of(piece.begin(), piece.end(), [&](const Constraint& c) { return holds(c, env); });
    });
}

namespace {

bool in_floor(const Affine& a, Name symbol) {
    return std::any_of(a.terms.begin(), a.terms.end(),
                       [&](const auto& t) { return t.first.is_floor() && t.first.numerator->mentions(symbol); });
}

/// Appends an inequality, keeping the tighter of two with equal linear parts.
void append_tight(Conjunct& out, Constraint c) {
    const Truth truth = normalise(c);
    if (truth == Truth::True) return;
    for (Constraint& k : out) {
        if (k.equality || c.equality || k.form.terms != c.form.terms) continue;
        k.form.constant = std::min(k.form.constant, c.form.constant);
        return;
    }
    if (std::find(out.begin(), out.end(), c) == out.end()) out.push_back(std::move(c));
}

/// |a| * form - sign(a) * b * pivot: without the symbol, where a and b are its coefficients in pivot and form.
Constraint cancel(const Constraint& c, const Affine& pivot, Name symbol) {
    const std::int64_t a = pivot.coefficient(symbol), b = c.form.coefficient(symbol);
    const std::int64_t g = std::gcd(a, b);
    const std::int64_t keep = (a < 0 ? -a : a) / g, take = (a < 0 ? -b : b) / g;
    return {keep * c.form - take * pivot, c.equality};
}

/// An equality with the symbol, best one with coefficient 1 or -1.
const Constraint* pivot_of(const Conjunct& c, Name symbol) {
    const Constraint* best = nullptr;
    for (const Constraint& k : c) {
        if (!k.equality || k.form.coefficient(symbol) == 0) continue;
        const bool unit = std::abs(k.form.coefficient(symbol)) == 1;
        if (!best || unit) best = &k;
        if (unit) break;
    }
    return best;
}

}  // namespace

Conjunct eliminate(const Conjunct& c, Name symbol) {
    Conjunct usable, out;
    for (const Constraint& c_k : c)
        for (const Constraint& k : in_floor(c_k.form, symbol) ? opened(c_k, false) : Conjunct{c_k})
            if (!in_floor(k.form, symbol)) usable.push_back(k);
    if (const Constraint* pivot = pivot_of(usable, symbol)) {
        for (const Constraint& k : usable)
            if (&k != pivot) append_tight(out, cancel(k, pivot->form, symbol));
        return out;
    }
    std::vector<const Constraint*> lower, upper;
    for (const Constraint& k : usable) {
        const std::int64_t a = k.form.coefficient(symbol);
        if (a == 0) append_tight(out, k);
        if (a > 0) lower.push_back(&k);
        if (a < 0) upper.push_back(&k);
    }
    for (const Constraint* l : lower)
        for (const Constraint* u : upper) {
            const std::int64_t a = l->form.coefficient(symbol), b = -u->form.coefficient(symbol);
            const std::int64_t g = std::gcd(a, b);
            append_tight(out, {(b / g) * l->form + (a / g) * u->form, false});
        }
    return out;
}

std::optional<std::pair<std::int64_t, std::int64_t>> constant_range(const Conjunct& c, Name symbol) {
    Conjunct rest = c;
    std::vector<Name> others;
    for (const Constraint& k : c) k.form.symbols(others);
    for (const Name other : others)
        if (other != symbol) rest = eliminate(rest, other);
    std::optional<std::int64_t> low, high;
    for (const Constraint& k : rest) {
        const std::int64_t a = k.form.coefficient(symbol), b = k.form.constant;
        if (k.form.terms.size() != 1 || a == 0) continue;
        const std::int64_t edge = a > 0 ? -floor_quotient(b, a) : floor_quotient(b, -a);
        if (a > 0 || k.equality) low = low ? std::max(*low, edge) : edge;
        if (a < 0 || k.equality) high = high ? std::min(*high, edge) : edge;
    }
    if (!low || !high) return std::nullopt;
    return std::pair(*low, *high);
}

namespace {

/// Looks for f = (sum of positive multiples of context forms) + (constant >= 0), a certificate in Farkas' sense: the first atom
/// of f must be cancelled by some constraint with the same sign there. Depth bounds the number of constraints used.
bool nonnegative(const Affine& f, const Conjunct& context, int depth) {
    if (f.is_constant()) return f.constant >= 0;
    if (depth == 0) return false;
    const auto& [atom, a] = f.terms.front();
    for (const Constraint& k : context) {
        const auto it = std::find_if(k.form.terms.begin(), k.form.terms.end(), [&](const auto& t) { return t.first == atom; });
        if (it == k.form.terms.end()) continue;
        const std::int64_t b = it->second;
        if (!k.equality && (a > 0) != (b > 0)) continue;
        const std::int64_t g = std::gcd(a, b), keep = std::abs(b) / g, take = (b > 0 ? a : -a) / g;
        if (nonnegative(keep * f - take * k.form, context, depth - 1)) return true;
    }
    return false;
}

constexpr int certificate_size = 5;

bool certain(const Constraint& c, const Conjunct& context) {
    if (!nonnegative(c.form, context, certificate_size)) return false;
    return !c.equality || nonnegative(-c.form, context, certificate_size);
}

bool impossible(const Constraint& c, const Conjunct& context) {
    if (nonnegative(-c.form - Affine(1), context, certificate_size)) return true;
    return c.equality && nonnegative(c.form - Affine(1), context, certificate_size);
}

}  // namespace

Truth implied(const Constraint& c, const Conjunct& context) {
    if (certain(c, context)) return Truth::True;
    return impossible(c, context) ? Truth::False : Truth::Unknown;
}

}  // namespace heddle
