#include "ir/parse/bounded.h"

#include <string>

namespace heddle {
namespace {

/// Replaces each floor by a new symbol q with d*q <= numerator <= d*q + d - 1, inner ones too. Appends the symbols to `made`.
Conjunct without_floors(const Conjunct& c, std::vector<Name>& made) {
    Conjunct todo = c, out;
    std::vector<std::pair<Atom, Name>> known;
    while (!todo.empty()) {
        Constraint k = std::move(todo.back());
        todo.pop_back();
        Affine plain(k.form.constant);
        for (const auto& [atom, coefficient] : k.form.terms) {
            if (!atom.is_floor()) {
                plain = plain + Affine::symbol(atom.symbol, coefficient);
                continue;
            }
            Name q;
            for (const auto& [old, name] : known)
                if (old == atom) q = name;
            if (q.empty()) {
                q = Name("floor " + std::to_string(known.size()));
                known.emplace_back(atom, q);
                made.push_back(q);
                const Affine rest = *atom.numerator - Affine::symbol(q, atom.denominator);
                todo.push_back(at_least(rest, Affine(0)));
                todo.push_back(at_least(Affine(atom.denominator - 1), rest));
            }
            plain = plain + Affine::symbol(q, coefficient);
        }
        out.push_back({std::move(plain), k.equality});
    }
    return out;
}

bool has_floor(const Conjunct& c) {
    for (const Constraint& k : c)
        if (k.form.has_floor()) return true;
    return false;
}

/// The bounds that single constraints give a symbol: first below, second above.
std::pair<bool, bool> bounds(const Conjunct& c, Name symbol) {
    bool below = false, above = false;
    for (const Constraint& k : c) {
        const std::int64_t a = k.form.coefficient(symbol);
        below |= a > 0 || (a != 0 && k.equality);
        above |= a < 0 || (a != 0 && k.equality);
    }
    return {below, above};
}

/// Has elimination shown that nothing is in the piece?
bool impossible(const Conjunct& c) {
    for (Constraint k : c)
        if (normalise(k) == Truth::False) return true;
    return false;
}

std::optional<Unbounded> find_in_piece(Conjunct c, const std::vector<Name>& loops) {
    if (has_floor(c)) {
        std::vector<Name> made;
        c = without_floors(c, made);
        for (const Name q : made) c = eliminate(c, q);
    }
    std::optional<Unbounded> found;
    for (std::size_t k = loops.size(); k-- > 0;) {
        if (impossible(c)) return std::nullopt;
        const auto [below, above] = bounds(c, loops[k]);
        if (!below || !above) found = Unbounded{loops[k], !below};
        if (k > 0) c = eliminate(c, loops[k]);
    }
    return found;
}

}  // namespace

std::optional<Unbounded> find_unbounded(const Domain& d, const std::vector<Name>& loops) {
    for (const Conjunct& piece : d.pieces)
        if (const auto found = find_in_piece(piece, loops)) return found;
    return std::nullopt;
}

}  // namespace heddle
