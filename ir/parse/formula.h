// Conditions as sets: the expression of a formula -> Domain. Internal to the reader.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "ir/affine.h"
#include "ir/expr.h"

namespace heddle {

/// Operands of a chain of one operator, from left to right: a and b and c. No recursion.
std::vector<Expr> flatten(const Expr& e, Op op);

/// The comparison that holds exactly when this one does not, or `not e`.
Expr negation(const Expr& e);

/// Stands for an `exists` that has become a set already, by its number.
Expr exists_mark(std::size_t number, Loc loc);
std::optional<std::size_t> exists_number(const Expr& e);

/// Reads conditions as integer sets. Quasi-affine comparisons with + - * // mod floor ceil abs min max, joined by and, or, not.
class FormulaReader {
public:
    /// `is_symbol`: may this name stand in a set (loops, index parameters, integer lets)? `exists`: the sets that exists_mark
    /// numbers.
    FormulaReader(std::function<bool(Name)> is_symbol, const std::vector<Domain>& exists)
        : is_symbol_(std::move(is_symbol)), exists_(exists) {}

    /// The set, or nothing when a part of the condition is not quasi-affine: `obstacle` then is the first such part.
    /// Throws "limit" when the set falls into too many pieces, "overflow" when a coefficient leaves 64 bits.
    std::optional<Domain> domain(const Expr& condition);
    std::optional<Affine> affine(const Expr& e);
    const Expr& obstacle() const { return obstacle_; }

private:
    std::optional<Domain> conjunction(const Expr& e);
    std::optional<Domain> disjunction(const Expr& e);
    std::optional<Affine> plain(const Expr& e) const;
    std::optional<Domain> comparison(const Expr& e);
    std::nullopt_t blocked(const Expr& e);

    std::function<bool(Name)> is_symbol_;
    const std::vector<Domain>& exists_;
    Expr obstacle_;
};

/// Keeps a union small: drops pieces that a cheap test finds empty and inequalities that a parallel one implies. A single piece
/// stays.
void tidy_pieces(Domain& d);

}  // namespace heddle
