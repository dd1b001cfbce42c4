// A cheap test of our own that most questions end in before isl is asked.
#pragma once

#include <optional>
#include <vector>

#include "ir/affine.h"

namespace heddle {

/// Has the conjunct an integer point, all symbols free? Gaussian elimination, then Fourier-Motzkin with integer tightening,
/// bounded in size. `False` and `True` are certain; `Unknown` means "ask isl".
Truth feasible(const Conjunct& c);

/// Linear equalities and inequalities over numbered atoms; floors are columns with their two defining inequalities. Equalities
/// are used up as they come, and remembered, so that others can be joined to a system later. Throws "overflow".
class LinearSystem {
public:
    void add(const Conjunct& c);
    /// False as soon as something added was plainly impossible.
    bool consistent() const { return !contradiction_; }
    /// Is the conjunct plainly impossible together with the equalities so far? Cheap: no elimination of inequalities.
    bool excludes(const Conjunct& c) const;
    /// False: no integer point. True: surely one. Unknown otherwise. Uses the inequalities up.
    Truth solve();

private:
    using Row = std::vector<std::int64_t>;  ///< the constant, then coefficients by column; columns beyond its end are 0

    struct Count {
        std::size_t lower = 0, upper = 0, wide_lower = 0, wide_upper = 0;
        bool used() const { return lower + upper > 0; }
        bool exact() const { return wide_lower == 0 || wide_upper == 0; }
        std::ptrdiff_t growth() const {
            return static_cast<std::ptrdiff_t>(lower * upper) - static_cast<std::ptrdiff_t>(lower + upper);
        }
    };
    void number(const Affine& a);
    std::size_t find(const Atom& atom) const;
    Row row_of(const Affine& a) const;
    void define_floor(std::size_t column);
    void reduce(Row& row) const;
    void add_row(Row row, bool equality);
    void add_tight(Row row);
    void use_equalities();
    void use_equality(Row pivot);
    Count count(std::size_t column) const;
    bool eliminate_easy();
    std::optional<std::size_t> best_column() const;
    bool eliminate(std::size_t column);

    std::vector<Atom> columns_;
    std::vector<Row> equalities_, rows_;
    std::vector<std::pair<std::size_t, Row>> used_;  ///< columns that an equality replaced, in order
    bool contradiction_ = false, exact_ = true;
};

/// A conjunct that several others are joined to in turn: its equalities are worked off once.
class Feasibility {
public:
    explicit Feasibility(const Conjunct& base);
    /// False when the base alone is plainly impossible.
    bool consistent() const { return !system_ || system_->consistent(); }
    /// Has base and extra a common integer point?
    Truth with(const Conjunct& extra) const;

private:
    std::optional<LinearSystem> system_;  ///< nothing where numbers overflow
};

}  // namespace heddle
