#include "ir/interpret/bounds.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/checked_int.h"

namespace heddle::interp {
namespace {

__extension__ typedef __int128 Wide;

std::int64_t narrow(Wide w) {
    if (w > std::numeric_limits<std::int64_t>::max() || w < std::numeric_limits<std::int64_t>::min())
        throw Error(ErrorKind::Runtime, "overflow", "a bound does not fit 64 bits for these values");
    return static_cast<std::int64_t>(w);
}

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return b > 0 ? floor_quotient(a, b) : floor_quotient(-a, -b); }
std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return -floor_div(-a, b); }

void tighten(Range& range, const Bound& bound, std::int64_t rest) {
    const std::int64_t c = bound.coefficient;
    if (c > 0 || bound.equality) range.low = std::max(range.low, c > 0 ? ceil_div(-rest, c) : ceil_div(rest, -c));
    if (c < 0 || bound.equality) range.high = std::min(range.high, c < 0 ? floor_div(rest, -c) : floor_div(-rest, c));
}

Form compiled(const Affine& a, const SymbolTable& symbols) {
    Form out;
    out.constant = a.constant;
    for (const auto& [atom, c] : a.terms) {
        if (atom.is_floor())
            out.floors.push_back({c, atom.denominator, compiled(*atom.numerator, symbols)});
        else
            out.terms.emplace_back(symbols.slot(atom.symbol), c);
    }
    return out;
}

/// What a constraint mentions: the innermost loop (from 1; 0: none), and how deep its data symbols are declared.
struct Mentioned {
    std::size_t loop = 0, data_depth = 0;
    bool data = false;
    std::vector<Name> symbols;
};

Mentioned mentioned(const Affine& a, const std::vector<Name>& loops, const SymbolTable& symbols) {
    Mentioned out;
    a.symbols(out.symbols);
    for (const Name name : out.symbols) {
        const auto at = std::find(loops.begin(), loops.end(), name);
        if (at != loops.end())
            out.loop = std::max(out.loop, static_cast<std::size_t>(at - loops.begin()) + 1);
        else if (symbols.data_view(name)) {
            out.data = true;
            out.data_depth = std::max(out.data_depth, symbols.depth(name));
        }
    }
    return out;
}

void note_data(std::vector<DataSymbol>& data, const Mentioned& m, const std::vector<Name>& loops, const SymbolTable& symbols) {
    for (const Name name : m.symbols) {
        if (std::find(loops.begin(), loops.end(), name) != loops.end()) continue;
        const auto view = symbols.data_view(name);
        const auto same = [&](const DataSymbol& d) { return view && d.view == *view; };
        if (view && std::none_of(data.begin(), data.end(), same)) data.push_back({*view, symbols.slot(name)});
    }
}

/// Adds what a constraint says about the loop that is its innermost symbol.
void add_bounds(Level& level, const Constraint& c, Name loop, const SymbolTable& symbols) {
    const auto inside = [&](const Affine& numerator) { return numerator.mentions(loop); };
    for (const Constraint& k : without_floors(c, inside)) {
        const std::int64_t coefficient = k.form.coefficient(loop);
        if (coefficient == 0) continue;
        level.bounds.push_back({coefficient, compiled(k.form - Affine::symbol(loop, coefficient), symbols), k.equality});
    }
}

bool in_floor(const Affine& a, Name loop) {
    return std::any_of(a.terms.begin(), a.terms.end(),
                       [&](const auto& t) { return t.first.is_floor() && t.first.numerator->mentions(loop); });
}

/// Sorts one constraint into the place where it is tested.
void place(Unit& unit, const Constraint& c, const std::vector<Name>& loops, const SymbolTable& symbols) {
    const Mentioned m = mentioned(c.form, loops, symbols);
    if (m.data) note_data(unit.data, m, loops, symbols);
    if (m.data) unit.late.push_back({compiled(c.form, symbols), c.equality});
    if (m.loop == 0) {
        if (!m.data) unit.fixed.push_back({compiled(c.form, symbols), c.equality});
        return;
    }
    if (m.data && m.data_depth >= m.loop) return;
    Level& level = unit.levels[m.loop - 1];
    add_bounds(level, c, loops[m.loop - 1], symbols);
    if (m.data) note_data(level.data, m, loops, symbols);
    if (!m.data && in_floor(c.form, loops[m.loop - 1])) level.tests.push_back({compiled(c.form, symbols), c.equality});
}

/// Bounds of outer loops that follow from inner ones and data: `2*jo + ji < length` with `0 <= ji` bounds jo. Without data the
/// boxes serve.
void add_implied(Unit& unit, Conjunct rest, const std::vector<Name>& loops, const SymbolTable& symbols) {
    for (std::size_t k = loops.size(); k-- > 1;) {
        rest = eliminate(rest, loops[k]);
        for (const Constraint& c : rest) {
            const Mentioned m = mentioned(c.form, loops, symbols);
            if (!m.data || m.loop != k || m.data_depth >= m.loop) continue;
            add_bounds(unit.levels[k - 1], c, loops[k - 1], symbols);
            note_data(unit.levels[k - 1].data, m, loops, symbols);
        }
    }
}

}  // namespace

std::int64_t value_of(const Form& form, const Machine& machine) {
    Wide sum = form.constant;
    for (const auto& [reg, c] : form.terms) sum += static_cast<Wide>(c) * get<std::int64_t>(machine.regs[reg]);
    for (const Form::Floor& f : form.floors)
        sum += static_cast<Wide>(f.coefficient) * floor_quotient(value_of(f.numerator, machine), f.denominator);
    return narrow(sum);
}

bool holds(const Test& test, const Machine& machine) {
    const std::int64_t v = value_of(test.form, machine);
    return test.equality ? v == 0 : v >= 0;
}

std::vector<Unit> units_of(const Statement& s, std::size_t index, const std::vector<Name>& loops, const SymbolTable& symbols) {
    std::vector<Unit> out;
    for (const Conjunct& piece : s.domain.pieces) {
        Unit unit;
        unit.statement = index;
        unit.levels.resize(loops.size());
        for (const Constraint& c : piece) place(unit, c, loops, symbols);
        if (!unit.data.empty()) add_implied(unit, piece, loops, symbols);
        out.push_back(std::move(unit));
    }
    return out;
}

Range range_of(const Level& level, const Machine& machine) {
    Range range = level.box;
    for (const Bound& b : level.bounds) {
        tighten(range, b, value_of(b.rest, machine));
        if (range.empty()) break;
    }
    return range;
}

/// k * floor(e / d) + r >= 0 needs k * e + d * r >= 0 when k > 0, and k * (e - d + 1) + d * r >= 0 when k < 0.
Conjunct without_floors(const Constraint& c, const std::function<bool(const Affine&)>& unwanted) {
    const auto bad = [&](const auto& t) { return t.first.is_floor() && unwanted(*t.first.numerator); };
    Conjunct work{c}, out;
    while (!work.empty()) {
        const Constraint k = std::move(work.back());
        work.pop_back();
        const auto at = std::find_if(k.form.terms.begin(), k.form.terms.end(), bad);
        if (at == k.form.terms.end()) {
            out.push_back(k);
            continue;
        }
        if (k.equality) {
            work.push_back({k.form, false});
            work.push_back({-k.form, false});
            continue;
        }
        const auto [atom, factor] = *at;
        Affine rest = k.form;
        rest.terms.erase(rest.terms.begin() + (at - k.form.terms.begin()));
        const Affine edge = factor > 0 ? *atom.numerator : *atom.numerator - Affine(atom.denominator - 1);
        work.push_back({factor * edge + atom.denominator * rest, false});
    }
    return out;
}

}  // namespace heddle::interp
