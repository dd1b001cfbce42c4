// Polynomials as people write them: common factors and linear factors pulled out.
#include <algorithm>
#include <optional>
#include <utility>

#include "ir/count/polynomial.h"

namespace heddle {

namespace {

constexpr std::size_t largest_to_factor = 40;  ///< terms; beyond it the sum is printed as it is
constexpr std::int64_t largest_root = 8;

std::string power_text(const Atom& atom, int exponent) {
    return exponent == 1 ? text_of(atom) : text_of(atom) + "^" + std::to_string(exponent);
}

std::string monomial_text(const Monomial& m) {
    std::string out;
    for (const auto& [atom, exponent] : m) out += (out.empty() ? "" : "*") + power_text(atom, exponent);
    return out;
}

/// A sum with integer coefficients; the first positive term leads.
std::string sum_text(const Polynomial& p) {
    std::vector<std::pair<Monomial, Rational>> terms(p.terms().begin(), p.terms().end());
    const auto positive = std::find_if(terms.begin(), terms.end(), [](const auto& t) { return t.second.sign() > 0; });
    if (positive != terms.end()) std::rotate(terms.begin(), positive, positive + 1);
    std::string out;
    for (const auto& [monomial, c] : terms) {
        const bool negative = c.sign() < 0;
        out += out.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
        const std::string size = (negative ? -c : c).str();
        const std::string symbols = monomial_text(monomial);
        if (symbols.empty())
            out += size;
        else
            out += size == "1" ? symbols : size + "*" + symbols;
    }
    return out.empty() ? "0" : out;
}

/// What multiplies everything: p = scale * monomial * rest, the rest with coprime integer coefficients, its first one positive.
struct Content {
    Rational scale;
    Monomial monomial;
    Polynomial rest;
};

Monomial common_part(const Monomial& a, const Monomial& b) {
    Monomial result;
    for (const auto& [atom, exponent] : a)
        for (const auto& [other, limit] : b)
            if (atom == other) result.emplace_back(atom, std::min(exponent, limit));
    return result;
}

Monomial without(const Monomial& m, const Monomial& part) {
    Monomial result;
    for (auto [atom, exponent] : m) {
        for (const auto& [other, less] : part)
            if (atom == other) exponent -= less;
        if (exponent > 0) result.emplace_back(atom, exponent);
    }
    return result;
}

Content content_of(const Polynomial& p) {
    Wide numerator = 0, denominator = 1;
    Monomial common = p.terms().begin()->first;
    for (const auto& [monomial, c] : p.terms()) {
        numerator = greatest_common_divisor(numerator, c.numerator());
        denominator = least_common_multiple(denominator, c.denominator());
        common = common_part(common, monomial);
    }
    if (p.terms().begin()->second.sign() < 0) numerator = -numerator;
    Content out{Rational::of(numerator, denominator), common, {}};
    for (const auto& [monomial, c] : p.terms()) out.rest.add(without(monomial, common), c / out.scale);
    return out;
}

Polynomial atom_polynomial(const Atom& atom) {
    Polynomial result;
    result.add({{atom, 1}}, 1);
    return result;
}

std::vector<Atom> atoms_of(const Polynomial& p) {
    std::vector<Atom> result;
    for (const auto& [monomial, c] : p.terms())
        for (const auto& [atom, exponent] : monomial)
            if (std::find(result.begin(), result.end(), atom) == result.end()) result.push_back(atom);
    return result;
}

/// p / (x - root), exactly; nothing when it does not divide. Synthetic division.
std::optional<Polynomial> divide(const Polynomial& p, const Atom& x, const Polynomial& root) {
    std::vector<Polynomial> parts;
    for (const auto& [monomial, c] : p.terms()) {
        std::size_t exponent = 0;
        for (const auto& [atom, e] : monomial)
            if (atom == x) exponent = static_cast<std::size_t>(e);
        if (parts.size() <= exponent) parts.resize(exponent + 1);
        parts[exponent].add(exponent == 0 ? monomial : without(monomial, {{x, static_cast<int>(exponent)}}), c);
    }
    Polynomial carried, quotient;
    for (std::size_t k = parts.size(); k-- > 1;) {
        carried = parts[k] + root * carried;
        quotient += carried * atom_polynomial(x).power(static_cast<int>(k) - 1);
    }
    if (parts.empty() || !(parts[0] + root * carried).is_zero()) return std::nullopt;
    return quotient;
}

/// A value of an atom at which a polynomial may vanish: sign * other + twice / 2; without `other` a number.
struct Root {
    const Atom* other = nullptr;
    std::int64_t sign = 1, twice = 0;

    Polynomial polynomial() const {
        const Polynomial number(Rational::of(twice, 2));
        return other ? Polynomial(sign) * atom_polynomial(*other) + number : number;
    }
};

/// Small whole and half numbers, other atoms plus or minus a little.
std::vector<Root> root_candidates(const std::vector<Atom>& atoms, const Atom& x) {
    std::vector<Root> result;
    for (std::int64_t c = 1; c <= largest_root; ++c)
        for (const std::int64_t sign : {-1, 1}) result.push_back({nullptr, 1, sign * 2 * c});
    for (const std::int64_t twice : {-1, 1, -3, 3}) result.push_back({nullptr, 1, twice});
    for (const Atom& y : atoms) {
        if (y == x) continue;
        for (const std::int64_t c : {0, -1, 1, -2, 2})
            for (const std::int64_t sign : {1, -1}) result.push_back({&y, sign, 2 * c});
    }
    return result;
}

/// Evaluates a polynomial with whole coefficients at one fixed point modulo a prime: what is not 0 there is no factor.
class Probe {
public:
    Probe(const Polynomial& p, const std::vector<Atom>& atoms) : atoms_(atoms) {
        for (const auto& [monomial, c] : p.terms()) {
            terms_.push_back({reduced(c.numerator()), {}});
            for (const auto& [atom, exponent] : monomial) terms_.back().second.emplace_back(index_of(atom), exponent);
        }
        for (std::size_t k = 0; k < atoms.size(); ++k) values_.push_back(reduced(Wide(k + 1) * 1234567891 + 987654321));
    }
    /// Is p 0 where the atom has this value, as far as the probe can tell?
    bool vanishes(std::size_t atom, const Root& root) {
        const Wide base = root.other ? root.sign * Wide(values_[index_of(*root.other)]) : 0;
        const std::int64_t kept = std::exchange(values_[atom], reduced(base + root.twice * Wide((prime + 1) / 2)));
        std::int64_t sum = 0;
        for (const auto& [c, factors] : terms_) {
            Wide product = c;
            for (const auto& [index, exponent] : factors)
                for (int k = 0; k < exponent; ++k) product = product * values_[index] % prime;
            sum = reduced(sum + product);
        }
        values_[atom] = kept;
        return sum == 0;
    }

private:
    static constexpr std::int64_t prime = 2147483647;
    static std::int64_t reduced(Wide v) { return static_cast<std::int64_t>((v % prime + prime) % prime); }
    std::size_t index_of(const Atom& atom) const {
        return static_cast<std::size_t>(std::find(atoms_.begin(), atoms_.end(), atom) - atoms_.begin());
    }

    const std::vector<Atom>& atoms_;
    std::vector<std::pair<std::int64_t, std::vector<std::pair<std::size_t, int>>>> terms_;
    std::vector<std::int64_t> values_;
};

struct Split {
    Polynomial factor, quotient;
};

std::optional<Split> split_factor(const Polynomial& p) {
    if (p.degree() < 2 || p.terms().size() > largest_to_factor) return std::nullopt;
    const std::vector<Atom> atoms = atoms_of(p);
    Probe probe(p, atoms);
    for (std::size_t x = 0; x < atoms.size(); ++x)
        for (const Root& root : root_candidates(atoms, atoms[x])) {
            if (!probe.vanishes(x, root)) continue;
            if (auto quotient = divide(p, atoms[x], root.polynomial()))
                return Split{atom_polynomial(atoms[x]) - root.polynomial(), std::move(*quotient)};
        }
    return std::nullopt;
}

bool mostly_negative(const Polynomial& p) {
    std::size_t negative = 0;
    for (const auto& [monomial, c] : p.terms()) negative += c.sign() < 0 ? 1 : 0;
    return 2 * negative > p.terms().size();
}

/// The factors of p but for its scale, in the order found.
std::vector<std::string> factor_texts(Polynomial p, Rational& scale) {
    std::vector<std::string> out;
    const auto take = [&](const Polynomial& factor) {
        Content c = content_of(factor);
        scale = scale * c.scale;
        if (!c.monomial.empty()) out.push_back(monomial_text(c.monomial));
        if (!mostly_negative(c.rest)) return c.rest;
        scale = -scale;
        return c.rest * Polynomial(-1);
    };
    p = take(p);
    while (auto split = split_factor(p)) {
        out.push_back(sum_text(take(split->factor)));
        p = take(split->quotient);
    }
    if (!p.is_constant()) out.push_back(sum_text(p));
    return out;
}

bool is_sum(const std::string& text) {
    int depth = 0;
    for (const char c : text) {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (depth == 0 && c == ' ') return true;
    }
    return false;
}

}  // namespace

std::string text_of(const Atom& atom) {
    if (!atom.is_floor()) return atom.symbol.str();
    const std::string inner = atom.numerator->str();
    const bool bare = atom.numerator->terms.size() == 1 && atom.numerator->constant == 0;
    return "floor(" + (bare ? inner : "(" + inner + ")") + "/" + std::to_string(atom.denominator) + ")";
}

std::string Polynomial::str() const {
    if (is_constant()) return constant().str();
    Rational scale(1);
    const std::vector<std::string> factors = factor_texts(*this, scale);
    if (factors.size() == 1 && scale == Rational(1)) return factors[0];
    if (factors.size() == 1 && scale.is_integer() && is_sum(factors[0])) return sum_text(*this);
    const Rational whole = Rational::of(scale.numerator());
    std::string out = whole == Rational(1) ? "" : whole == Rational(-1) ? "-" : whole.str() + "*";
    for (std::size_t k = 0, next = 0; k < factors.size(); k = next) {
        while (next < factors.size() && factors[next] == factors[k]) ++next;
        out += (k == 0 ? "" : "*") + (is_sum(factors[k]) ? "(" + factors[k] + ")" : factors[k]);
        if (next - k > 1) out += "^" + std::to_string(next - k);
    }
    return scale.is_integer() ? out : out + "/" + to_text(scale.denominator());
}

namespace {

/// floor((e + c)/d) * cofactor for c = 0 .. d - 1: their coefficients, by c.
struct Family {
    Monomial cofactor;
    Affine base;  ///< e, without its constant
    std::int64_t denominator;
    std::map<std::int64_t, Rational> coefficients;
};

std::vector<Family> families_of(const Polynomial& p) {
    std::vector<Family> out;
    for (const auto& [monomial, c] : p.terms())
        for (const auto& [atom, exponent] : monomial) {
            if (!atom.is_floor() || exponent != 1) continue;
            const Monomial cofactor = without(monomial, {{atom, 1}});
            const Affine base = *atom.numerator - Affine(atom.numerator->constant);
            auto it = std::find_if(out.begin(), out.end(), [&](const Family& f) {
                return f.denominator == atom.denominator && f.base == base && f.cofactor == cofactor;
            });
            if (it == out.end()) it = out.insert(out.end(), Family{cofactor, base, atom.denominator, {}});
            it->coefficients.emplace(atom.numerator->constant, c);
        }
    return out;
}

/// The coefficient that all members have; nothing when there is none such.
std::optional<Rational> shared_coefficient(const Family& f) {
    if (f.coefficients.size() != static_cast<std::size_t>(f.denominator)) return std::nullopt;
    const Rational& first = f.coefficients.begin()->second;
    const bool same =
        std::all_of(f.coefficients.begin(), f.coefficients.end(), [&](const auto& m) { return m.second == first; });
    return same ? std::optional(first) : std::nullopt;
}

}  // namespace

Polynomial collect_floors(const Polynomial& p) {
    Polynomial result = p;
    for (const Family& f : families_of(p)) {
        const auto c = shared_coefficient(f);
        if (!c) continue;
        Polynomial change = Polynomial(f.base);
        for (const auto& [constant, coefficient] : f.coefficients)
            change = change - Polynomial(Affine::floor_div(f.base + Affine(constant), f.denominator));
        Polynomial cofactor;
        cofactor.add(f.cofactor, *c);
        result += cofactor * change;
    }
    return result;
}

}  // namespace heddle
