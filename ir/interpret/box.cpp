// Boxes around domains for fixed parameter values: interval propagation first, isl where that finds no bound.
#include <algorithm>
#include <map>

#include "ir/checked_int.h"
#include "ir/interpret/bounds.h"
#include "ir/poly.h"

namespace heddle::interp {
namespace {

__extension__ typedef __int128 Wide;
using Box = std::map<Name, Range>;

Wide floor_wide(Wide a, Wide b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

std::int64_t clamp(Wide w) { return w >= infinite ? infinite : w <= -infinite ? -infinite : static_cast<std::int64_t>(w); }

/// The largest value of c * symbol; nothing when unbounded.
std::optional<Wide> largest(std::int64_t c, const Range& r) {
    const std::int64_t end = c > 0 ? r.high : r.low;
    if (end >= infinite || end <= -infinite) return std::nullopt;
    return static_cast<Wide>(c) * end;
}

/// From c * x + others >= 0 with the largest value of the others: the bound on x. True when it got tighter.
bool apply(Range& x, std::int64_t c, Wide others) {
    const Range before = x;
    if (c > 0)
        x.low = std::max(x.low, clamp(-floor_wide(others, c)));
    else
        x.high = std::min(x.high, clamp(floor_wide(others, -c)));
    return x.low != before.low || x.high != before.high;
}

/// One linear inequality on all its symbols.
bool propagate(const Affine& form, Box& box) {
    bool changed = false;
    for (const auto& [target, c] : form.terms) {
        std::optional<Wide> others = form.constant;
        for (const auto& [atom, k] : form.terms) {
            if (atom.symbol == target.symbol) continue;
            const auto part = largest(k, box[atom.symbol]);
            if (!part) others.reset();
            if (!others) break;
            *others += *part;
        }
        if (others && apply(box[target.symbol], c, *others)) changed = true;
    }
    return changed;
}

/// The linear inequalities that follow from a piece once the parameters have values; what overflows is left out.
std::vector<Affine> linear_part(const Conjunct& piece, const Env& parameters) {
    std::vector<Affine> out;
    for (Constraint c : piece) try {
            std::vector<Name> symbols;
            c.form.symbols(symbols);
            for (const Name s : symbols)
                if (const auto it = parameters.find(s); it != parameters.end())
                    c.form = c.form.substitute(s, Affine(it->second));
            for (const Constraint& k : without_floors(c, [](const Affine&) { return true; })) {
                out.push_back(k.form);
                if (k.equality) out.push_back(-k.form);
            }
        } catch (const Error&) {
        }
    return out;
}

bool lacks(const Level& level, bool low) {
    if (low ? level.box.low > -infinite : level.box.high < infinite) return false;
    return std::none_of(level.bounds.begin(), level.bounds.end(),
                        [&](const Bound& b) { return b.equality || (low ? b.coefficient > 0 : b.coefficient < 0); });
}

void ask_isl(Unit& unit, Conjunct piece, const std::vector<Name>& loops, const Env& parameters) {
    Domain d{{std::move(piece)}};
    for (const auto& [name, value] : parameters) d = d.substitute(name, Affine(value));
    if (poly::is_empty(d)) {
        for (Level& level : unit.levels) level.box = Range{1, 0};
        return;
    }
    for (std::size_t k = 0; k < loops.size(); ++k) {
        Level& level = unit.levels[k];
        if (lacks(level, true)) level.box.low = poly::constant_min(Affine::symbol(loops[k]), d).value_or(-infinite);
        if (lacks(level, false)) level.box.high = poly::constant_max(Affine::symbol(loops[k]), d).value_or(infinite);
    }
}

bool any_lacks(const Unit& unit) {
    return std::any_of(unit.levels.begin(), unit.levels.end(),
                       [](const Level& l) { return lacks(l, true) || lacks(l, false); });
}

}  // namespace

void find_boxes(Unit& unit, const Conjunct& piece, const std::vector<Name>& loops, const Env& parameters) {
    if (!any_lacks(unit)) return;
    const std::vector<Affine> linear = linear_part(piece, parameters);
    Box box;
    const std::size_t rounds = 2 * loops.size() + 2;
    for (std::size_t round = 0; round < rounds; ++round) {
        bool changed = false;
        for (const Affine& form : linear) changed |= propagate(form, box);
        if (!changed) break;
    }
    for (std::size_t k = 0; k < loops.size(); ++k)
        if (const auto it = box.find(loops[k]); it != box.end()) unit.levels[k].box = it->second;
    if (any_lacks(unit)) ask_isl(unit, piece, loops, parameters);
}

}  // namespace heddle::interp
