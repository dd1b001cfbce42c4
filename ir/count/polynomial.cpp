#include "ir/count/polynomial.h"

#include <algorithm>

#include "ir/checked_int.h"

namespace heddle {

namespace {

int degree_of(const Monomial& m) {
    int sum = 0;
    for (const auto& [atom, exponent] : m) sum += exponent;
    return sum;
}

/// Floors whose numerator starts with a negative coefficient are turned round, so that equal values have equal forms:
/// floor(-e/d) = -floor((e + d - 1)/d).
Polynomial of_atom(const Atom& atom) {
    Polynomial result;
    if (!atom.is_floor() || atom.numerator->terms.front().second > 0) {
        result.add({{atom, 1}}, 1);
        return result;
    }
    const Affine turned = Affine::floor_div(Affine(sub(atom.denominator, 1)) - *atom.numerator, atom.denominator);
    for (const auto& [part, c] : turned.terms) result.add({{part, 1}}, -Rational(c));
    result.add({}, -Rational(turned.constant));
    return result;
}

}  // namespace

bool MonomialOrder::operator()(const Monomial& a, const Monomial& b) const {
    const int da = degree_of(a), db = degree_of(b);
    if (da != db) return da > db;
    for (std::size_t k = 0; k < a.size() && k < b.size(); ++k) {
        if (!(a[k].first == b[k].first)) return a[k].first < b[k].first;
        if (a[k].second != b[k].second) return a[k].second > b[k].second;
    }
    return false;
}

Monomial multiply(const Monomial& a, const Monomial& b) {
    Monomial result;
    auto x = a.begin();
    auto y = b.begin();
    while (x != a.end() || y != b.end()) {
        if (y == b.end() || (x != a.end() && x->first < y->first)) {
            result.push_back(*x++);
        } else if (x == a.end() || y->first < x->first) {
            result.push_back(*y++);
        } else {
            result.emplace_back(x->first, x->second + y->second);
            ++x, ++y;
        }
    }
    return result;
}

Polynomial::Polynomial(const Rational& value) {
    if (!value.is_zero()) terms_.emplace(Monomial{}, value);
}

Polynomial::Polynomial(const Affine& form) {
    for (const auto& [atom, c] : form.terms) *this += of_atom(atom) * Polynomial(c);
    add({}, form.constant);
}

void Polynomial::add(const Monomial& monomial, const Rational& coefficient) {
    if (coefficient.is_zero()) return;
    const auto [it, fresh] = terms_.emplace(monomial, coefficient);
    if (fresh) return;
    it->second = it->second + coefficient;
    if (it->second.is_zero()) terms_.erase(it);
}

Rational Polynomial::constant() const {
    const auto it = terms_.find({});
    return it == terms_.end() ? Rational() : it->second;
}

int Polynomial::degree() const { return terms_.empty() ? 0 : degree_of(terms_.begin()->first); }

bool Polynomial::mentions(Name symbol) const {
    for (const auto& [monomial, c] : terms_)
        for (const auto& [atom, exponent] : monomial)
            if (atom.is_floor() ? atom.numerator->mentions(symbol) : atom.symbol == symbol) return true;
    return false;
}

void Polynomial::symbols(std::vector<Name>& out) const {
    for (const auto& [monomial, c] : terms_)
        for (const auto& [atom, exponent] : monomial) {
            if (atom.is_floor())
                atom.numerator->symbols(out);
            else if (std::find(out.begin(), out.end(), atom.symbol) == out.end())
                out.push_back(atom.symbol);
        }
}

void Polynomial::floors(std::vector<Atom>& out) const {
    for (const auto& [monomial, c] : terms_)
        for (const auto& [atom, exponent] : monomial)
            if (atom.is_floor() && std::find(out.begin(), out.end(), atom) == out.end()) out.push_back(atom);
}

Polynomial& Polynomial::operator+=(const Polynomial& other) {
    for (const auto& [monomial, c] : other.terms_) add(monomial, c);
    return *this;
}

Polynomial operator-(const Polynomial& a, const Polynomial& b) { return a + b * Polynomial(-1); }

Polynomial operator*(const Polynomial& a, const Polynomial& b) {
    Polynomial result;
    for (const auto& [m, c] : a.terms_)
        for (const auto& [k, d] : b.terms_) result.add(multiply(m, k), c * d);
    return result;
}

Polynomial Polynomial::power(int exponent) const {
    Polynomial result(1);
    for (int k = 0; k < exponent; ++k) result = result * *this;
    return result;
}

std::vector<Polynomial> Polynomial::coefficients(Name symbol) const {
    std::vector<Polynomial> result(1);
    for (const auto& [monomial, c] : terms_) {
        std::size_t exponent = 0;
        Monomial rest;
        for (const auto& factor : monomial) {
            if (!factor.first.is_floor() && factor.first.symbol == symbol)
                exponent = static_cast<std::size_t>(factor.second);
            else
                rest.push_back(factor);
        }
        if (result.size() <= exponent) result.resize(exponent + 1);
        result[exponent].add(rest, c);
    }
    return result;
}

namespace {

/// Rebuilds a polynomial with `replaced(atom)` in place of the atoms for which it is given.
template <class F>
Polynomial map_atoms(const Polynomial& p, F replaced) {
    Polynomial result;
    for (const auto& [monomial, c] : p.terms()) {
        Polynomial product(c);
        Monomial kept;
        for (const auto& [atom, exponent] : monomial) {
            if (const auto value = replaced(atom))
                product = product * value->power(exponent);
            else
                kept.emplace_back(atom, exponent);
        }
        for (const auto& [m, d] : product.terms()) result.add(multiply(m, kept), d);
    }
    return result;
}

}  // namespace

Polynomial Polynomial::substitute(Name symbol, const Affine& value) const {
    return map_atoms(*this, [&](const Atom& atom) -> std::optional<Polynomial> {
        if (!atom.is_floor()) return atom.symbol == symbol ? std::optional(Polynomial(value)) : std::nullopt;
        if (!atom.numerator->mentions(symbol)) return std::nullopt;
        return Polynomial(Affine::floor_div(atom.numerator->substitute(symbol, value), atom.denominator));
    });
}

Polynomial Polynomial::substitute(const Atom& atom, const Polynomial& value) const {
    return map_atoms(*this, [&](const Atom& other) { return other == atom ? std::optional(value) : std::nullopt; });
}

namespace {

std::int64_t value_of(const Atom& atom, const Env& env) {
    if (atom.is_floor()) return floor_quotient(evaluate(*atom.numerator, env), atom.denominator);
    return evaluate(Affine::symbol(atom.symbol), env);
}

}  // namespace

Rational Polynomial::evaluate(const Env& env) const {
    Rational sum;
    for (const auto& [monomial, c] : terms_) {
        Rational product = c;
        for (const auto& [atom, exponent] : monomial) {
            const Rational value(value_of(atom, env));
            for (int k = 0; k < exponent; ++k) product = product * value;
        }
        sum = sum + product;
    }
    return sum;
}

namespace {

Rational binomial(int n, int k) {
    Rational result(1);
    for (int j = 1; j <= k; ++j) result = result * Rational::of(n - k + j, j);
    return result;
}

/// Bernoulli numbers B_0 .. B_n with B_1 = +1/2.
std::vector<Rational> bernoulli(int n) {
    std::vector<Rational> b;
    for (int m = 0; m <= n; ++m) {
        Rational sum;
        for (int k = 0; k < m; ++k) sum = sum + binomial(m + 1, k) * b[static_cast<std::size_t>(k)];
        b.push_back(m == 0 ? Rational(1) : -sum / Rational(m + 1));
    }
    if (n >= 1) b[1] = Rational::of(1, 2);
    return b;
}

/// Coefficients of F_k with F_k(x) = 1^k + … + x^k, by Faulhaber's formula: F_k(x) = sum_j C(k + 1, j) B_j x^(k + 1 - j) / (k +
/// 1).
std::vector<Rational> power_sum(int k) {
    const std::vector<Rational> b = bernoulli(k);
    std::vector<Rational> result(static_cast<std::size_t>(k) + 2);
    for (int j = 0; j <= k; ++j)
        result[static_cast<std::size_t>(k + 1 - j)] = binomial(k + 1, j) * b[static_cast<std::size_t>(j)] / Rational(k + 1);
    return result;
}

std::vector<Polynomial> powers(const Polynomial& p, std::size_t count) {
    std::vector<Polynomial> result{Polynomial(1)};
    while (result.size() < count) result.push_back(result.back() * p);
    return result;
}

}  // namespace

Polynomial sum_over(const Polynomial& p, Name symbol, const Polynomial& lower, const Polynomial& upper) {
    const std::vector<Polynomial> parts = p.coefficients(symbol);
    const std::vector<Polynomial> up = powers(upper, parts.size() + 1);
    const std::vector<Polynomial> down = powers(lower - Polynomial(1), parts.size() + 1);
    Polynomial result;
    for (std::size_t k = 0; k < parts.size(); ++k) {
        if (parts[k].is_zero()) continue;
        const std::vector<Rational> sum = power_sum(static_cast<int>(k));
        Polynomial difference;
        for (std::size_t j = 1; j < sum.size(); ++j) difference += (up[j] - down[j]) * Polynomial(sum[j]);
        result += parts[k] * difference;
    }
    return result;
}

}  // namespace heddle
