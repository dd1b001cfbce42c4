#include "ir/bounds/product.h"

#include <algorithm>

#include "ir/checked_int.h"
#include "ir/poly/feasible.h"

namespace heddle::depend {
namespace {

using Monomial = std::vector<Name>;

void accumulate(Polynomial& p, const Monomial& m, std::int64_t k) {
    const std::int64_t sum = add(p.terms[m], k);
    if (sum == 0)
        p.terms.erase(m);
    else
        p.terms[m] = sum;
}

Polynomial combine(const Polynomial& a, std::int64_t k, const Polynomial& b) {
    Polynomial out = a;
    for (const auto& [m, c] : b.terms) accumulate(out, m, mul(k, c));
    return out;
}

Polynomial product(const Polynomial& a, const Polynomial& b) {
    Polynomial out;
    for (const auto& [m, c] : a.terms)
        for (const auto& [n, d] : b.terms) {
            Monomial both = m;
            both.insert(both.end(), n.begin(), n.end());
            std::sort(both.begin(), both.end());
            accumulate(out, both, mul(c, d));
        }
    return out;
}

Polynomial number(std::int64_t k) {
    Polynomial p;
    accumulate(p, {}, k);
    return p;
}

std::optional<Polynomial> polynomial_at(const Expr& e, int depth) {
    if (depth > 100) return std::nullopt;
    if (e.op() == Op::Int) return number(e.integer());
    if (e.op() == Op::Var || (e.op() == Op::Read && e.args().empty() && is_integer(e.type()))) {
        Polynomial p;
        accumulate(p, {e.name()}, 1);
        return p;
    }
    if (e.op() == Op::Cast && e.type() == index_type && is_integer(e.arg(0).type())) return polynomial_at(e.arg(0), depth + 1);
    if (e.op() != Op::Add && e.op() != Op::Sub && e.op() != Op::Mul && e.op() != Op::Neg) return std::nullopt;
    const auto a = polynomial_at(e.arg(0), depth + 1);
    if (!a || e.op() == Op::Neg) return a ? std::optional(combine({}, -1, *a)) : std::nullopt;
    const auto b = polynomial_at(e.arg(1), depth + 1);
    if (!b) return std::nullopt;
    return e.op() == Op::Mul ? product(*a, *b) : combine(*a, e.op() == Op::Add ? 1 : -1, *b);
}

/// p = factor * x + rest; false when x stands squared.
bool split(const Polynomial& p, Name x, Polynomial& factor, Polynomial& rest) {
    for (const auto& [m, c] : p.terms) {
        const auto count = std::count(m.begin(), m.end(), x);
        if (count > 1) return false;
        if (count == 0) {
            rest.terms.emplace(m, c);
            continue;
        }
        Monomial without = m;
        without.erase(std::find(without.begin(), without.end(), x));
        factor.terms.emplace(std::move(without), c);
    }
    return true;
}

/// Replaces every symbol by itself plus its smallest value, then looks at the signs.
class Signs {
public:
    explicit Signs(const Conjunct& context) : context_(context) {}

    bool nonnegative(const Polynomial& p) {
        Polynomial shifted;
        for (const auto& [m, c] : p.terms) {
            Polynomial term = number(c);
            for (Name n : m) {
                Polynomial symbol;
                accumulate(symbol, {n}, 1);
                accumulate(symbol, {}, least(n));
                term = product(term, symbol);
            }
            shifted = combine(shifted, 1, term);
        }
        return std::all_of(shifted.terms.begin(), shifted.terms.end(), [&](const auto& t) {
            return t.second >= 0 && std::all_of(t.first.begin(), t.first.end(), [&](Name n) { return bounded_.at(n); });
        });
    }

private:
    /// 1 or 0 where the symbol is surely at least that; noted as unbounded (and 0) otherwise.
    std::int64_t least(Name n) {
        for (const std::int64_t low : {2, 1, 0}) {
            Conjunct c = context_;
            c.push_back(less(Affine::symbol(n), Affine(low)));
            if (feasible(c) != Truth::False) continue;
            bounded_[n] = true;
            return low;
        }
        bounded_[n] = false;
        return 0;
    }

    const Conjunct& context_;
    std::map<Name, bool> bounded_;
};

bool search(const Polynomial& p, const Conjunct& context, std::vector<Name> loops, int& budget) {
    Signs signs(context);
    if (signs.nonnegative(p)) return true;
    if (loops.empty() || --budget < 0) return false;
    const Name x = loops.back();
    loops.pop_back();
    Polynomial factor, rest;
    if (!split(p, x, factor, rest)) return false;
    if (factor.terms.empty()) return search(p, context, loops, budget);
    const bool rising = signs.nonnegative(factor);
    if (!rising && !signs.nonnegative(combine({}, -1, factor))) return false;
    for (const Constraint& c : context) {
        const std::int64_t k = c.form.coefficient(x);
        if (c.form.has_floor() || (k != 1 && k != -1) || (!c.equality && (k > 0) != rising)) continue;
        const Affine bound = Affine::symbol(x) - k * c.form;
        if (search(combine(rest, 1, product(factor, polynomial_of(bound))), context, loops, budget)) return true;
    }
    return false;
}

}  // namespace

std::optional<Polynomial> polynomial_of(const Expr& e) { return polynomial_at(e, 0); }

Polynomial operator-(const Polynomial& a, const Polynomial& b) { return combine(a, -1, b); }

Polynomial polynomial_of(const Affine& a) {
    Polynomial p = number(a.constant);
    for (const auto& [atom, k] : a.terms) accumulate(p, {atom.symbol}, k);
    return p;
}

bool surely_nonnegative(const Polynomial& p, const Conjunct& context, const std::vector<Name>& loops) {
    int budget = 200;
    try {
        return search(p, context, loops, budget);
    } catch (const Error& e) {
        if (e.code() != "overflow") throw;
        return false;
    }
}

}  // namespace heddle::depend
