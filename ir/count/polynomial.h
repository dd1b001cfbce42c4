// Multivariate polynomials with exact rational coefficients. Their variables are symbols and floors of quasi-affine forms,
// which makes them quasi-polynomials: "n*floor((n + 1)/2)".
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ir/affine.h"
#include "ir/count/rational.h"

namespace heddle {

/// A product of powers: atoms sorted and distinct, exponents > 0. Empty: 1.
using Monomial = std::vector<std::pair<Atom, int>>;
/// Higher degree first, then by atoms: the order in which terms are printed.
struct MonomialOrder {
    bool operator()(const Monomial& a, const Monomial& b) const;
};

class Polynomial {
public:
    using Terms = std::map<Monomial, Rational, MonomialOrder>;

    Polynomial() = default;
    Polynomial(std::int64_t value) : Polynomial(Rational(value)) {}
    Polynomial(const Rational& value);
    explicit Polynomial(const Affine& form);
    static Polynomial symbol(Name name) { return Polynomial(Affine::symbol(name)); }

    const Terms& terms() const { return terms_; }
    bool is_zero() const { return terms_.empty(); }
    bool is_constant() const { return terms_.empty() || (terms_.size() == 1 && terms_.begin()->first.empty()); }
    Rational constant() const;         ///< the term without a symbol
    int degree() const;                ///< of 0 it is 0
    bool mentions(Name symbol) const;  ///< inside floors too
    /// Appends every symbol, also those inside floors, each once.
    void symbols(std::vector<Name>& out) const;
    /// Appends every floor, each once, outermost ones only.
    void floors(std::vector<Atom>& out) const;

    Polynomial power(int exponent) const;  ///< exponent >= 0
    /// Coefficients of 1, x, x^2, … of a symbol; needs: no floor mentions it.
    std::vector<Polynomial> coefficients(Name symbol) const;
    /// With a form in place of a symbol, inside floors too.
    Polynomial substitute(Name symbol, const Affine& value) const;
    /// With a polynomial in place of an atom; floors are not looked into.
    Polynomial substitute(const Atom& atom, const Polynomial& value) const;
    /// Throws (Internal) where a symbol has no value.
    Rational evaluate(const Env& env) const;
    /// As a product where one is found: "n*(n + 1)/2", "2*n*m - 3", "32*floor(n/32)".
    std::string str() const;

    Polynomial& operator+=(const Polynomial& other);
    /// Adds coefficient * monomial; the monomial must be in order.
    void add(const Monomial& monomial, const Rational& coefficient);

    friend bool operator==(const Polynomial& a, const Polynomial& b) { return a.terms_ == b.terms_; }
    friend Polynomial operator+(Polynomial a, const Polynomial& b) { return a += b; }
    friend Polynomial operator-(const Polynomial& a, const Polynomial& b);
    friend Polynomial operator*(const Polynomial& a, const Polynomial& b);

private:
    Terms terms_;
};

Monomial multiply(const Monomial& a, const Monomial& b);

/// The sum of p over symbol = lower .. upper as a polynomial: right for upper >= lower - 1 (then it may be empty, and the sum
/// is 0). Needs: no floor of p mentions the symbol, nor do the bounds. Faulhaber's formula with Bernoulli numbers.
Polynomial sum_over(const Polynomial& p, Name symbol, const Polynomial& lower, const Polynomial& upper);

/// "(n + 1)/2", "n*m": how a floor or symbol is written inside a product.
std::string text_of(const Atom& atom);

/// Replaces full sets floor(e/d) + floor((e + 1)/d) + … + floor((e + d - 1)/d) of one coefficient by e (Hermite's identity).
Polynomial collect_floors(const Polynomial& p);

}  // namespace heddle
