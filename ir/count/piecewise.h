// Piecewise quasi-polynomials: formulas with conditions.
#pragma once

#include <string>
#include <vector>

#include "ir/count/polynomial.h"

namespace heddle {

/// A polynomial that counts only where its condition holds.
struct PolynomialPiece {
    Domain where;
    Polynomial value;
};

/// The sum of the pieces whose conditions hold; 0 where there is none. After `simplify` no two pieces overlap, but for formulas
/// of very many pieces.
struct Piecewise {
    std::vector<PolynomialPiece> pieces;

    static Piecewise everywhere(Polynomial value);
    bool is_zero() const { return pieces.empty(); }
    /// The only polynomial, where it holds under every condition.
    const Polynomial* unconditional() const;
    Rational evaluate(const Env& env) const;
    /// "n*m", "n*(n + 1)/2 if n >= 1", "a if c; b if d": 0 where no condition holds. Very many pieces are not written out.
    std::string str() const;
};
Piecewise operator+(const Piecewise& a, const Piecewise& b);
Piecewise operator*(const Rational& factor, const Piecewise& p);

/// The same function for all parameter values in `context`, in as few pieces as we find, none overlapping: conditions that the
/// context implies are dropped, pieces of one polynomial joined, floors that are constant on a piece replaced, and a condition
/// is dropped where the polynomial is 0 on all it keeps out ("n >= 1" beside n in the context n >= 0).
Piecewise simplify(const Piecewise& p, const Domain& context);

}  // namespace heddle
