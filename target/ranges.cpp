#include "target/ranges.h"

#include <algorithm>

#include "ir/error.h"

namespace heddle {
namespace {

constexpr std::size_t most_projected = 64;

bool holds_literally(const Conjunct& all, const Constraint& c) { return std::find(all.begin(), all.end(), c) != all.end(); }

Conjunct normalised(const Conjunct& c) {
    Conjunct out;
    for (Constraint k : c) {
        const Truth truth = normalise(k);
        if (truth == Truth::True || holds_literally(out, k)) continue;
        out.push_back(std::move(k));
    }
    return out;
}

/// Keeps the shortest constraints when elimination made too many: more than there were, and more than is usual.
void cut(Conjunct& c, std::size_t before) {
    const std::size_t most = std::max(before, most_projected);
    if (c.size() <= most) return;
    std::stable_sort(c.begin(), c.end(),
                     [](const Constraint& a, const Constraint& b) { return a.form.terms.size() < b.form.terms.size(); });
    c.resize(most);
}

}  // namespace

Job::Job(std::size_t index, const Statement& s, std::vector<Name> around) : statement(index), loops(std::move(around)) {
    std::vector<Conjunct> pieces;
    for (const Conjunct& p : s.domain.pieces) pieces.push_back(normalised(p));
    for (const Constraint& c : pieces.at(0)) {
        const bool everywhere =
            std::all_of(pieces.begin(), pieces.end(), [&](const Conjunct& p) { return holds_literally(p, c); });
        if (everywhere) common.push_back(c);
    }
    pending = common;
    if (pieces.size() == 1) return;
    for (const Conjunct& p : pieces) {
        Conjunct extra;
        for (const Constraint& c : p)
            if (!holds_literally(common, c)) extra.push_back(c);
        rest.push_back(std::move(extra));
    }
    rest_pending = true;
}

Conjunct Job::whole(std::size_t piece) const {
    Conjunct all = common;
    if (!rest.empty()) all.insert(all.end(), rest[piece].begin(), rest[piece].end());
    return all;
}

const Conjunct& Job::projected(std::size_t piece, std::size_t depth) {
    if (chains_.empty()) chains_.resize(pieces());
    auto& chain = chains_[piece];
    if (chain.empty()) {
        chain.resize(loops.size());
        Conjunct all = whole(piece);
        for (std::size_t k = loops.size(); k-- > 0;) {
            chain[k] = all;
            if (k == 0) break;
            const std::size_t before = all.size();
            all = eliminate(all, loops[k]);
            cut(all, before);
        }
    }
    return chain[depth];
}

bool plain_in(const Affine& a, Name variable) {
    bool outside = false;
    for (const auto& [atom, c] : a.terms) {
        if (atom.is_floor() && atom.numerator->mentions(variable)) return false;
        outside |= !atom.is_floor() && atom.symbol == variable;
    }
    return outside;
}

namespace {

/// Inequalities that bound the variable; an equality gives two. Those that the user did not write come last.
Conjunct bounds_on(Name variable, const Conjunct& projected, const Conjunct& original, const Usable& usable) {
    Conjunct own, derived;
    for (const Constraint& c : projected) {
        if (!plain_in(c.form, variable) || !usable(c.form)) continue;
        Conjunct& to = holds_literally(original, c) ? own : derived;
        to.push_back({c.form, false});
        if (c.equality) to.push_back({-c.form, false});
    }
    own.insert(own.end(), derived.begin(), derived.end());
    return own;
}

/// Leaves out, last first, each bound that the others and what is known imply.
void prune(Conjunct& bounds, Known& known) {
    for (std::size_t k = bounds.size(); k-- > 0 && bounds.size() > 2;) {
        const auto mark = known.mark();
        for (std::size_t m = 0; m < bounds.size(); ++m)
            if (m != k) known.add(bounds[m]);
        const bool redundant = known.proves(bounds[k]);
        known.release(mark);
        if (redundant) bounds.erase(bounds.begin() + static_cast<std::ptrdiff_t>(k));
    }
}

}  // namespace

Range range_of(const Conjunct& projected, const Conjunct& original, Name variable, Known& known, const Usable& usable) {
    Conjunct bounds = bounds_on(variable, projected, original, usable);
    const auto mark = known.mark();
    known.enter(variable);
    prune(bounds, known);
    known.release(mark);
    Range out;
    for (const Constraint& c : bounds) {
        const std::int64_t a = c.form.coefficient(variable);
        const Affine others = c.form - Affine::symbol(variable, a);
        if (a > 0)
            out.lower.push_back({-others, a});
        else
            out.upper.push_back({others, -a});
    }
    std::sort(out.lower.begin(), out.lower.end());
    std::sort(out.upper.begin(), out.upper.end());
    return out;
}

namespace {

/// Is ceil(a) <= ceil(b), or floor(a) <= floor(b), for sure?
bool at_most(const Ratio& a, const Ratio& b, const Known& known) {
    if (a == b) return true;
    return known.proves_nonnegative(a.divisor * b.form - b.divisor * a.form);
}

/// Is the largest of a at most the largest of b?
bool largest_at_most(const std::vector<Ratio>& a, const std::vector<Ratio>& b, const Known& known) {
    return std::all_of(a.begin(), a.end(), [&](const Ratio& x) {
        return std::any_of(b.begin(), b.end(), [&](const Ratio& y) { return at_most(x, y, known); });
    });
}

/// Is the smallest of a at least the smallest of b?
bool smallest_at_least(const std::vector<Ratio>& a, const std::vector<Ratio>& b, const Known& known) {
    return std::all_of(a.begin(), a.end(), [&](const Ratio& x) {
        return std::any_of(b.begin(), b.end(), [&](const Ratio& y) { return at_most(y, x, known); });
    });
}

template <class Covers>
Limit hull(std::vector<std::vector<Ratio>> alternatives, Covers covers) {
    constexpr std::size_t most_compared = 64;
    std::vector<std::vector<Ratio>> distinct;
    std::vector<std::vector<Ratio>> sorted = alternatives;
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    if (sorted.size() <= most_compared)
        for (std::size_t k = 0; k < sorted.size();) {
            bool covered = false;
            for (std::size_t m = 0; m < sorted.size() && !covered; ++m) covered = m != k && covers(sorted[m], sorted[k]);
            if (covered)
                sorted.erase(sorted.begin() + static_cast<std::ptrdiff_t>(k));
            else
                ++k;
        }
    return Limit{std::move(sorted)};
}

}  // namespace

Limit lower_hull(std::vector<std::vector<Ratio>> alternatives, const Known& known) {
    return hull(std::move(alternatives), [&](const auto& a, const auto& b) { return largest_at_most(a, b, known); });
}

Limit upper_hull(std::vector<std::vector<Ratio>> alternatives, const Known& known) {
    return hull(std::move(alternatives), [&](const auto& a, const auto& b) { return smallest_at_least(a, b, known); });
}

std::optional<Congruence> congruence_of(const Constraint& c, Name variable) {
    const std::int64_t sign = c.form.coefficient(variable);
    if (!c.equality || (sign != 1 && sign != -1)) return std::nullopt;
    // sign * (variable - d * floor((variable + r) / d) + constant) == 0
    const Affine form = sign * c.form;
    if (form.terms.size() != 2) return std::nullopt;
    const auto& [atom, k] = form.terms[form.terms[0].first.is_floor() ? 0 : 1];
    if (!atom.is_floor() || k != -atom.denominator) return std::nullopt;
    const Affine inside = *atom.numerator - Affine::symbol(variable);
    if (!inside.is_constant()) return std::nullopt;
    const std::int64_t distance = inside.constant - form.constant;  // (variable + r) mod d
    if (distance < 0 || distance >= atom.denominator) return std::nullopt;
    const std::int64_t remainder = (-form.constant) % atom.denominator;
    return Congruence{atom.denominator, remainder < 0 ? remainder + atom.denominator : remainder};
}

}  // namespace heddle
