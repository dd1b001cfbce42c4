#include "ir/feasible.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "ir/checked_int.h"
#include "ir/error.h"

namespace heddle {
namespace {

/// Coefficients by column, the constant last.
using Row = std::vector<std::int64_t>;

constexpr std::size_t row_limit = 160;

/// Equalities and inequalities over numbered columns; floors are columns with their two defining inequalities.
class System {
public:
    explicit System(const Conjunct& c) {
        for (const Constraint& k : c) number(k.form);
        for (const Constraint& k : c) add(row_of(k.form), k.equality);
        for (std::size_t k = 0; k < columns_.size(); ++k)
            if (columns_[k]->is_floor()) define_floor(k);
    }

    /// False: no integer point. True: surely one. Unknown otherwise.
    Truth solve() {
        while (!contradiction_) {
            if (!equalities_.empty()) {
                use_equality();
            } else if (auto column = next_column()) {
                if (!eliminate(*column)) return Truth::Unknown;
            } else {
                return exact_ ? Truth::True : Truth::Unknown;
            }
        }
        return Truth::False;
    }

private:
    void number(const Affine& a) {
        for (const auto& [atom, k] : a.terms) {
            if (find(atom) < columns_.size()) continue;
            if (atom.is_floor()) number(*atom.numerator);
            columns_.push_back(&atom);
        }
    }
    std::size_t find(const Atom& atom) const {
        for (std::size_t k = 0; k < columns_.size(); ++k)
            if (columns_[k] == &atom || *columns_[k] == atom) return k;
        return columns_.size();
    }
    Row row_of(const Affine& a) const {
        Row row(columns_.size() + 1, 0);
        for (const auto& [atom, k] : a.terms) row[find(atom)] = k;
        row.back() = a.constant;
        return row;
    }
    void define_floor(std::size_t column) {
        Row low = row_of(*columns_[column]->numerator);
        low[column] = -columns_[column]->denominator;
        Row high = low;
        for (std::int64_t& k : high) k = mul(-1, k);
        high.back() = heddle::add(high.back(), columns_[column]->denominator - 1);
        add(std::move(low), false);
        add(std::move(high), false);
    }

    /// Divides by the common factor, then keeps what is not trivial; of two parallel inequalities the tighter.
    void add(Row row, bool equality) {
        std::int64_t g = 0;
        for (std::size_t k = 0; k + 1 < row.size(); ++k) g = std::gcd(g, mul(-1, row[k]));
        if (g == 0) {
            contradiction_ |= equality ? row.back() != 0 : row.back() < 0;
            return;
        }
        if (equality && row.back() % g != 0) {
            contradiction_ = true;
            return;
        }
        for (std::size_t k = 0; k + 1 < row.size(); ++k) row[k] /= g;
        row.back() = floor_quotient(row.back(), g);
        if (equality)
            equalities_.push_back(std::move(row));
        else
            add_tight(std::move(row));
    }
    void add_tight(Row row) {
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            if (parallel(rows_[r], row, 1)) {
                rows_[r].back() = std::min(rows_[r].back(), row.back());
                return;
            }
        }
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            if (!parallel(rows_[r], row, -1)) continue;
            const std::int64_t slack = heddle::add(rows_[r].back(), row.back());
            if (slack < 0) contradiction_ = true;
            if (slack != 0) continue;
            equalities_.push_back(std::move(row));
            rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(r));
            return;
        }
        rows_.push_back(std::move(row));
    }
    static bool parallel(const Row& a, const Row& b, std::int64_t sign) {
        for (std::size_t k = 0; k + 1 < a.size(); ++k)
            if (a[k] != sign * b[k]) return false;
        return true;
    }

    /// Substitutes by an equality with a unit coefficient where there is one, else by the smallest (exact over the rationals
    /// only).
    void use_equality() {
        std::size_t best = 0, column = 0;
        std::int64_t size = 0;
        for (std::size_t r = 0; r < equalities_.size(); ++r)
            for (std::size_t k = 0; k + 1 < equalities_[r].size(); ++k) {
                const std::int64_t a = std::abs(equalities_[r][k]);
                if (a != 0 && (size == 0 || a < size)) best = r, column = k, size = a;
            }
        const Row pivot = std::move(equalities_[best]);
        equalities_.erase(equalities_.begin() + static_cast<std::ptrdiff_t>(best));
        if (size != 1) exact_ = false;
        std::vector<Row> equalities = std::exchange(equalities_, {}), rows = std::exchange(rows_, {});
        for (const Row& r : equalities) add(cancelled(r, pivot, column), true);
        for (const Row& r : rows) add(cancelled(r, pivot, column), false);
    }
    static Row cancelled(const Row& row, const Row& pivot, std::size_t column) {
        if (row[column] == 0) return row;
        const std::int64_t g = std::gcd(row[column], pivot[column]);
        const std::int64_t keep = std::abs(pivot[column]) / g;
        const std::int64_t take = (pivot[column] < 0 ? row[column] : -row[column]) / g;
        return sum(row, keep, pivot, take);
    }
    static Row sum(const Row& a, std::int64_t ka, const Row& b, std::int64_t kb) {
        Row out(a.size());
        for (std::size_t k = 0; k < a.size(); ++k) out[k] = heddle::add(mul(ka, a[k]), mul(kb, b[k]));
        return out;
    }

    struct Count {
        std::size_t lower = 0, upper = 0, wide_lower = 0, wide_upper = 0;
        bool used() const { return lower + upper > 0; }
        bool exact() const { return wide_lower == 0 || wide_upper == 0; }
        std::ptrdiff_t growth() const {
            return static_cast<std::ptrdiff_t>(lower * upper) - static_cast<std::ptrdiff_t>(lower + upper);
        }
    };
    Count count(std::size_t column) const {
        Count c;
        for (const Row& r : rows_) {
            c.lower += r[column] > 0;
            c.upper += r[column] < 0;
            c.wide_lower += r[column] > 1;
            c.wide_upper += r[column] < -1;
        }
        return c;
    }
    /// The column whose elimination is exact and adds fewest rows.
    std::optional<std::size_t> next_column() const {
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
    /// Fourier-Motzkin on one column; false when there would be too many rows.
    bool eliminate(std::size_t column) {
        exact_ = exact_ && count(column).exact();
        std::vector<Row> lower, upper;
        for (Row& r : std::exchange(rows_, {})) {
            if (r[column] == 0)
                rows_.push_back(std::move(r));
            else
                (r[column] > 0 ? lower : upper).push_back(std::move(r));
        }
        for (const Row& l : lower)
            for (const Row& u : upper) {
                const std::int64_t g = std::gcd(l[column], u[column]);
                add(sum(l, -u[column] / g, u, l[column] / g), false);
                if (contradiction_) return true;
                if (rows_.size() > row_limit) return false;
            }
        return true;
    }

    std::vector<const Atom*> columns_;
    std::vector<Row> equalities_, rows_;
    bool contradiction_ = false, exact_ = true;
};

}  // namespace

Truth feasible(const Conjunct& c) {
    try {
        return System(c).solve();
    } catch (const Error& e) {
        if (e.code() != "overflow") throw;
        return Truth::Unknown;
    }
}

}  // namespace heddle
