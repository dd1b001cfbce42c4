#include "ir/poly/feasible.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "ir/checked_int.h"
#include "ir/error.h"

namespace heddle {
namespace {

using Row = std::vector<std::int64_t>;

constexpr std::size_t row_limit = 160;  ///< inequalities that elimination may add before it gives up

std::int64_t at(const Row& row, std::size_t column) { return column + 1 < row.size() ? row[column + 1] : 0; }

/// ka * a + kb * b.
Row sum(const Row& a, std::int64_t ka, const Row& b, std::int64_t kb) {
    Row out(std::max(a.size(), b.size()), 0);
    for (std::size_t k = 0; k < a.size(); ++k) out[k] = a[k] == 0 ? 0 : mul(ka, a[k]);
    for (std::size_t k = 0; k < b.size(); ++k)
        if (b[k] != 0) out[k] = add(out[k], mul(kb, b[k]));
    return out;
}

/// The row without the column, by a multiple of an equality that has it.
Row cancelled(const Row& row, const Row& pivot, std::size_t column) {
    const std::int64_t a = at(pivot, column), b = at(row, column), g = std::gcd(a, b);
    return sum(row, std::abs(a) / g, pivot, (a < 0 ? b : -b) / g);
}

/// The greatest common factor of the coefficients; 0 when there are none.
std::int64_t content(const Row& row) {
    std::int64_t g = 0;
    for (std::size_t k = 1; k < row.size(); ++k)
        if (row[k] != 0) g = std::gcd(g, mul(-1, row[k]));
    return g;
}

/// False for a row that cannot hold whatever its symbols are.
bool can_hold(const Row& row, bool equality) {
    const std::int64_t g = content(row);
    if (g == 0) return equality ? row[0] == 0 : row[0] >= 0;
    return !equality || row[0] % g == 0;
}

bool parallel(const Row& a, const Row& b, std::int64_t sign) {
    for (std::size_t k = 0, n = std::max(a.size(), b.size()); k + 1 < n; ++k)
        if (at(a, k) != sign * at(b, k)) return false;
    return true;
}

}  // namespace

void LinearSystem::number(const Affine& a) {
    for (const auto& [atom, k] : a.terms) {
        if (find(atom) < columns_.size()) continue;
        if (atom.is_floor()) number(*atom.numerator);
        columns_.push_back(atom);
        if (atom.is_floor()) define_floor(columns_.size() - 1);
    }
}

std::size_t LinearSystem::find(const Atom& atom) const {
    for (std::size_t k = 0; k < columns_.size(); ++k) {
        if (columns_[k].is_floor() != atom.is_floor()) continue;
        if (atom.is_floor() ? columns_[k] == atom : columns_[k].symbol == atom.symbol) return k;
    }
    return columns_.size();
}

LinearSystem::Row LinearSystem::row_of(const Affine& a) const {
    Row row(columns_.size() + 1, 0);
    for (const auto& [atom, k] : a.terms) row[find(atom) + 1] = k;
    row[0] = a.constant;
    return row;
}

void LinearSystem::define_floor(std::size_t column) {
    const std::int64_t d = columns_[column].denominator;
    Row low = row_of(*columns_[column].numerator);
    low[column + 1] = -d;
    Row high = sum({d - 1}, 1, low, -1);
    for (Row* r : {&low, &high}) {
        reduce(*r);
        add_row(std::move(*r), false);
    }
}

void LinearSystem::add(const Conjunct& c) {
    for (const Constraint& k : c) number(k.form);
    for (const Constraint& k : c) {
        Row row = row_of(k.form);
        reduce(row);
        add_row(std::move(row), k.equality);
        if (contradiction_) return;
    }
    use_equalities();
}

bool LinearSystem::excludes(const Conjunct& c) const {
    if (contradiction_) return true;
    return std::any_of(c.begin(), c.end(), [&](const Constraint& k) {
        if (k.form.has_floor()) return false;
        for (const auto& [atom, coefficient] : k.form.terms)
            if (find(atom) == columns_.size()) return false;
        Row row = row_of(k.form);
        reduce(row);
        return !can_hold(row, k.equality);
    });
}

/// Puts in what earlier equalities said.
void LinearSystem::reduce(Row& row) const {
    for (const auto& [column, pivot] : used_)
        if (at(row, column) != 0) row = cancelled(row, pivot, column);
}

/// Divides by the common factor, then keeps what is not trivial.
void LinearSystem::add_row(Row row, bool equality) {
    if (!can_hold(row, equality)) contradiction_ = true;
    const std::int64_t g = content(row);
    if (g == 0 || contradiction_) return;
    if (g > 1) {
        for (std::size_t k = 1; k < row.size(); ++k) row[k] /= g;
        row[0] = floor_quotient(row[0], g);
    }
    if (equality)
        equalities_.push_back(std::move(row));
    else
        add_tight(std::move(row));
}

/// Of two parallel inequalities the tighter stays; two opposite ones without slack are an equality.
void LinearSystem::add_tight(Row row) {
    for (Row& r : rows_)
        if (parallel(r, row, 1)) {
            r[0] = std::min(r[0], row[0]);
            row = r;
            break;
        }
    for (std::size_t k = 0; k < rows_.size(); ++k) {
        if (!parallel(rows_[k], row, -1)) continue;
        const std::int64_t slack = heddle::add(rows_[k][0], row[0]);
        if (slack < 0) contradiction_ = true;
        if (slack != 0) break;
        std::erase_if(rows_, [&](const Row& r) { return parallel(r, row, 1) || parallel(r, row, -1); });
        equalities_.push_back(std::move(row));
        return;
    }
    if (std::none_of(rows_.begin(), rows_.end(), [&](const Row& r) { return parallel(r, row, 1); }))
        rows_.push_back(std::move(row));
}

void LinearSystem::use_equalities() {
    while (!equalities_.empty() && !contradiction_) {
        std::size_t best = 0;
        std::int64_t size = 0;
        for (std::size_t r = 0; r < equalities_.size() && size != 1; ++r)
            for (std::size_t k = 1; k < equalities_[r].size() && size != 1; ++k) {
                const std::int64_t a = std::abs(equalities_[r][k]);
                if (a != 0 && (size == 0 || a < size)) best = r, size = a;
            }
        Row pivot = std::move(equalities_[best]);
        equalities_.erase(equalities_.begin() + static_cast<std::ptrdiff_t>(best));
        use_equality(std::move(pivot));
    }
}

/// Replaces the column with the smallest coefficient everywhere; exact over the integers when that is a unit.
void LinearSystem::use_equality(Row pivot) {
    std::size_t column = 0;
    std::int64_t size = 0;
    for (std::size_t k = 0; k + 1 < pivot.size() && size != 1; ++k)
        if (const std::int64_t a = std::abs(at(pivot, k)); a != 0 && (size == 0 || a < size)) column = k, size = a;
    if (size != 1) exact_ = false;
    std::vector<Row> changed;
    for (Row& r : equalities_)
        if (at(r, column) != 0) changed.push_back(std::move(r));
    std::erase_if(equalities_, [](const Row& r) { return r.empty(); });
    const std::size_t equalities = changed.size();
    for (Row& r : rows_)
        if (at(r, column) != 0) changed.push_back(std::move(r));
    std::erase_if(rows_, [](const Row& r) { return r.empty(); });
    for (std::size_t k = 0; k < changed.size(); ++k) add_row(cancelled(changed[k], pivot, column), k < equalities);
    used_.emplace_back(column, std::move(pivot));
}

Truth LinearSystem::solve() {
    const std::size_t limit = rows_.size() + row_limit;
    while (!contradiction_) {
        use_equalities();
        if (contradiction_) break;
        if (eliminate_easy()) continue;
        const auto column = best_column();
        if (!column) return exact_ ? Truth::True : Truth::Unknown;
        if (!eliminate(*column) || rows_.size() > limit) return Truth::Unknown;
    }
    return Truth::False;
}

LinearSystem::Count LinearSystem::count(std::size_t column) const {
    Count c;
    for (const Row& r : rows_) {
        const std::int64_t a = at(r, column);
        c.lower += a > 0;
        c.upper += a < 0;
        c.wide_lower += a > 1;
        c.wide_upper += a < -1;
    }
    return c;
}

/// Every column whose elimination is exact and adds no rows; false when there is none.
bool LinearSystem::eliminate_easy() {
    bool any = false;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
        const Count c = count(k);
        if (!c.used() || !c.exact() || c.growth() > 0) continue;
        any = true;
        if (!eliminate(k) || contradiction_ || !equalities_.empty()) return true;
    }
    return any;
}

/// The column whose elimination is exact and adds fewest rows.
std::optional<std::size_t> LinearSystem::best_column() const {
    std::optional<std::size_t> best;
    Count least;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
        const Count c = count(k);
        if (!c.used()) continue;
        if (best && (least.exact() > c.exact() || (least.exact() == c.exact() && least.growth() <= c.growth()))) continue;
        best = k;
        least = c;
    }
    return best;
}

/// Fourier-Motzkin on one column; false when there are too many rows.
bool LinearSystem::eliminate(std::size_t column) {
    const Count c = count(column);
    if (c.growth() > static_cast<std::ptrdiff_t>(row_limit)) return false;
    exact_ = exact_ && c.exact();
    std::vector<Row> lower, upper;
    for (Row& r : rows_)
        if (const std::int64_t a = at(r, column); a != 0) (a > 0 ? lower : upper).push_back(std::move(r));
    std::erase_if(rows_, [](const Row& r) { return r.empty(); });
    for (const Row& l : lower)
        for (const Row& u : upper) {
            const std::int64_t a = at(l, column), b = -at(u, column), g = std::gcd(a, b);
            add_row(sum(l, b / g, u, a / g), false);
            if (contradiction_) return true;
        }
    return true;
}

namespace {

/// Runs `f`; numbers that do not fit give doubt.
template <class F>
Truth unless_overflow(F f) {
    try {
        return f();
    } catch (const Error& e) {
        if (e.code() != "overflow") throw;
        return Truth::Unknown;
    }
}

}  // namespace

Truth feasible(const Conjunct& c) {
    return unless_overflow([&] {
        LinearSystem s;
        s.add(c);
        return s.solve();
    });
}

Feasibility::Feasibility(const Conjunct& base) {
    unless_overflow([&] {
        LinearSystem s;
        s.add(base);
        system_ = std::move(s);
        return Truth::True;
    });
}

Truth Feasibility::with(const Conjunct& extra) const {
    if (!system_) return Truth::Unknown;
    return unless_overflow([&] {
        if (system_->excludes(extra)) return Truth::False;
        LinearSystem s = *system_;
        s.add(extra);
        return s.solve();
    });
}

}  // namespace heddle
