// Bounds that a loop line shows although its formula does not say them: those that the loops inside imply.
#include <algorithm>

#include "ir/print/factors.h"

namespace heddle {
namespace {

/// Fourier-Motzkin on more constraints than this is not worth a tidy line.
constexpr std::size_t most_constraints = 32;

/// Does the constraint bound the symbol from this side? Floors of it do not count.
bool bounds(const Constraint& c, Name symbol, bool below) {
    std::int64_t k = c.form.coefficient(symbol);
    return k != 0 && (c.equality || (k > 0) == below);
}

/// The simplest bound of this side among constraints; null when there is none.
const Constraint* simplest(const Conjunct& c, Name symbol, bool below) {
    const Constraint* best = nullptr;
    for (const Constraint& k : c)
        if (bounds(k, symbol, below) && (best == nullptr || k.form.terms.size() < best->form.terms.size())) best = &k;
    return best;
}

/// What a conjunct says of the names that may be mentioned.
Conjunct projected(Conjunct c, const std::function<bool(Name)>& may_mention) {
    std::vector<Name> symbols;
    for (const Constraint& k : c) k.form.symbols(symbols);
    for (Name s : symbols) {
        if (may_mention(s)) continue;
        if (c.size() > most_constraints) return {};
        c = eliminate(c, s);
    }
    return c;
}

/// What all of them say of these names.
Conjunct projected_all(const std::vector<Conjunct>& inside, const std::function<bool(Name)>& may_mention) {
    Conjunct common;
    for (std::size_t k = 0; k < inside.size(); ++k) {
        Conjunct own = projected(inside[k], may_mention);
        if (k == 0)
            common = std::move(own);
        else
            std::erase_if(common, [&](const Constraint& c) { return std::find(own.begin(), own.end(), c) == own.end(); });
        if (common.empty()) break;
    }
    return common;
}

}  // namespace

Conjunct missing_bounds(const Conjunct& line, const std::vector<Conjunct>& inside, const std::vector<Name>& loops,
                        const std::function<bool(Name)>& is_known) {
    Conjunct out;
    for (std::size_t k = 0; k < loops.size(); ++k) {
        const Constraint *low = simplest(line, loops[k], true), *high = simplest(line, loops[k], false);
        if (low != nullptr && high != nullptr) continue;
        auto inner = loops.begin() + std::ptrdiff_t(k) + 1;
        Conjunct implied =
            projected_all(inside, [&](Name s) { return is_known(s) && std::find(inner, loops.end(), s) == loops.end(); });
        for (bool below : {true, false}) {
            const Constraint* bound = simplest(implied, loops[k], below);
            if ((below ? low : high) == nullptr && bound != nullptr) out.push_back(*bound);
        }
    }
    return out;
}

void drop_implied(Conjunct& line, const Conjunct& context) {
    for (std::size_t k = 0; k < line.size();) {
        Conjunct others = context;
        others.insert(others.end(), line.begin(), line.begin() + std::ptrdiff_t(k));
        others.insert(others.end(), line.begin() + std::ptrdiff_t(k) + 1, line.end());
        if (others.size() <= most_constraints && implied(line[k], others) == Truth::True)
            line.erase(line.begin() + std::ptrdiff_t(k));
        else
            ++k;
    }
}

}  // namespace heddle
