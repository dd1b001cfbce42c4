// What brings a sum into the form that is summed directly: no equalities, no floors of dimensions in constraints.
#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "ir/checked_int.h"
#include "ir/count/summation.h"

namespace heddle {

namespace {

bool is_dim(const Sum& s, Name name) { return std::find(s.dims.begin(), s.dims.end(), name) != s.dims.end(); }

bool mentions_dims(const Sum& s, const Affine& a) {
    return std::any_of(s.dims.begin(), s.dims.end(), [&](Name d) { return a.mentions(d); });
}

bool floor_with_dims(const Sum& s, const Atom& atom) { return atom.is_floor() && mentions_dims(s, *atom.numerator); }

void substitute(Sum& s, Name dim, const Affine& value) {
    for (Constraint& c : s.where) c.form = c.form.substitute(dim, value);
    s.value = s.value.substitute(dim, value);
}

using AffineTerms = std::vector<std::pair<Atom, std::int64_t>>;

bool opposite(const AffineTerms& a, const AffineTerms& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto& x, const auto& y) { return x.second == -y.second && x.first == y.first; });
}

/// Joins parallel and opposite constraints with `c`; false where they contradict each other.
bool absorb(Conjunct& out, const Constraint& c) {
    for (Constraint& k : out) {
        if (k.form.terms == c.form.terms && k.equality == c.equality) {
            if (c.equality) return k.form.constant == c.form.constant;
            k.form.constant = std::min(k.form.constant, c.form.constant);
            return true;
        }
        if (k.equality || c.equality || !opposite(k.form.terms, c.form.terms)) continue;
        const std::int64_t room = add(k.form.constant, c.form.constant);
        if (room < 0) return false;
        if (room > 0) continue;
        k.equality = true;
        return true;
    }
    out.push_back(c);
    return true;
}

}  // namespace

bool tidy(Conjunct& c) {
    Conjunct out;
    for (Constraint& k : c) {
        const Truth truth = normalise(k);
        if (truth == Truth::False || (truth == Truth::Unknown && !absorb(out, k))) return false;
    }
    for (Constraint& k : out)
        if (normalise(k) == Truth::False) return false;
    c = std::move(out);
    return true;
}

namespace {

/// Takes multiples of the dim with the smallest coefficient off the others, until one dim is left: dim + q * other stands for
/// dim. Gives that dim.
Name reduce_to_one(Sum& s, std::size_t index) {
    for (;;) {
        Name least;
        std::int64_t a = 0;
        for (const Name d : s.dims) {
            const std::int64_t c = s.where[index].form.coefficient(d);
            if (c != 0 && (a == 0 || std::abs(c) < std::abs(a))) least = d, a = c;
        }
        bool alone = true;
        for (const Name d : s.dims) {
            const std::int64_t c = s.where[index].form.coefficient(d);
            if (c == 0 || d == least) continue;
            alone = false;
            substitute(s, least, Affine::symbol(least) - (c / a) * Affine::symbol(d));
        }
        if (alone) return least;
    }
}

/// dim = floor(rest / a) and rest = 0 mod a.
void solve_for(Sum& s, std::size_t index, Name dim) {
    Affine form = s.where[index].form;
    if (form.coefficient(dim) > 0) form = -form;
    const std::int64_t a = -form.coefficient(dim);
    const Affine rest = form + Affine::symbol(dim, a);
    const Affine value = Affine::floor_div(rest, a);
    s.where.erase(s.where.begin() + static_cast<std::ptrdiff_t>(index));
    if (a != 1) s.where.push_back(equal(rest, a * value));
    std::erase(s.dims, dim);
    substitute(s, dim, value);
}

}  // namespace

bool remove_equality(Sum& s) {
    for (std::size_t index = 0; index < s.where.size(); ++index) {
        const Constraint& c = s.where[index];
        if (!c.equality) continue;
        const auto& terms = c.form.terms;
        const auto in_floor = [&](const auto& t) { return floor_with_dims(s, t.first); };
        const auto linear = [&](const auto& t) { return !t.first.is_floor() && is_dim(s, t.first.symbol); };
        if (std::any_of(terms.begin(), terms.end(), in_floor) || std::none_of(terms.begin(), terms.end(), linear)) continue;
        solve_for(s, index, reduce_to_one(s, index));
        return true;
    }
    return false;
}

namespace {

/// The only floor with dims of an inequality, where the rest allows to clear it: coefficient 1 or -1, or a rest without dims.
const std::pair<Atom, std::int64_t>* clearable(const Sum& s, const Constraint& c) {
    const std::pair<Atom, std::int64_t>* found = nullptr;
    bool others = false;
    for (const auto& term : c.form.terms) {
        if (!floor_with_dims(s, term.first)) {
            others = others || (!term.first.is_floor() && is_dim(s, term.first.symbol));
            continue;
        }
        if (found) return nullptr;
        found = &term;
    }
    if (!found || c.equality) return nullptr;
    return std::abs(found->second) == 1 || !others ? found : nullptr;
}

/// k*floor(e/d) + r >= 0, for k > 0: e >= -d*floor(r/k), for k < 0: e <= d*floor(r/-k) + d - 1.
Constraint cleared(const Constraint& c, const Atom& floor, std::int64_t k) {
    const Affine rest = c.form - k * Affine::floor_div(*floor.numerator, floor.denominator);
    const Affine limit = floor.denominator * Affine::floor_div(rest, std::abs(k));
    if (k > 0) return {*floor.numerator + limit, false};
    return {limit + Affine(sub(floor.denominator, 1)) - *floor.numerator, false};
}

Affine with_symbol(const Affine& a, const Atom& floor, Name symbol) {
    Affine out(a.constant);
    for (const auto& [atom, c] : a.terms)
        out = out + (atom == floor     ? Affine::symbol(symbol, c)
                     : atom.is_floor() ? c * Affine::floor_div(with_symbol(*atom.numerator, floor, symbol), atom.denominator)
                                       : Affine::symbol(atom.symbol, c));
    return out;
}

/// The floor becomes a dim q with d*q <= e < d*q + d.
void introduce(Sum& s, const Atom& floor) {
    int number = 0;
    Name q;
    do q = Name("floor " + std::to_string(number++));
    while (is_dim(s, q));
    for (Constraint& c : s.where) c.form = with_symbol(c.form, floor, q);
    s.value = s.value.substitute(floor, Polynomial::symbol(q));
    const Affine rest = *floor.numerator - floor.denominator * Affine::symbol(q);
    s.where.push_back(at_least(rest, 0));
    s.where.push_back(less(rest, floor.denominator));
    s.dims.push_back(q);
}

}  // namespace

bool clear_floor(Sum& s) {
    for (Constraint& c : s.where)
        if (const auto* term = clearable(s, c)) {
            const auto [floor, k] = *term;
            c = cleared(c, floor, k);
            return true;
        }
    return false;
}

bool name_floor(Sum& s, bool inequalities_too) {
    for (const Constraint& c : s.where) {
        if (!c.equality && !inequalities_too) continue;
        for (const auto& [atom, k] : c.form.terms)
            if (floor_with_dims(s, atom)) {
                introduce(s, Atom(atom));
                return true;
            }
    }
    return false;
}

namespace {

/// k in [low, low + size).
struct Digit {
    Name dim;
    std::int64_t low = 0, size = 0;
};

/// Is the constraint a constant bound of the dim alone? Then 1 for lower, -1 for upper.
int constant_bound(const Constraint& c, Name dim) {
    if (c.equality || c.form.terms.size() != 1) return 0;
    const auto& [atom, k] = c.form.terms[0];
    if (atom.is_floor() || atom.symbol != dim || std::abs(k) != 1) return 0;
    return static_cast<int>(k);
}

std::optional<Digit> digit_of(const Sum& s, Name dim) {
    std::optional<std::int64_t> low, high;
    for (const Constraint& c : s.where) {
        const int side = constant_bound(c, dim);
        if (side > 0) low = -c.form.constant;
        if (side < 0) high = c.form.constant;
    }
    if (!low || !high || *high <= *low) return std::nullopt;
    return Digit{dim, *low, add(sub(*high, *low), 1)};
}

/// Can the constraint be said of d*o + k, after the digit's own bounds are gone?
bool joinable(const Sum& s, const Constraint& c, const Digit& k, Name o) {
    if (constant_bound(c, k.dim) != 0) return true;
    const std::int64_t a = c.form.coefficient(k.dim), b = c.form.coefficient(o);
    if (a == 0 && b != 0) return std::abs(b) == 1 && !c.equality;
    for (const auto& [atom, coefficient] : c.form.terms)
        if (floor_with_dims(s, atom) && (atom.numerator->mentions(k.dim) || atom.numerator->mentions(o))) return false;
    std::int64_t product = 0;
    return !__builtin_mul_overflow(a, k.size, &product) && b == product;
}

/// o >= r is t >= d*r, o <= r is t <= d*r + d - 1, for o = floor(t/d).
Constraint joined(const Constraint& c, const Digit& k, Name o) {
    const std::int64_t b = c.form.coefficient(o);
    const Affine rest = c.form - Affine::symbol(o, b);
    if (c.form.coefficient(k.dim) != 0 || b == 0) return {rest, c.equality};
    if (b > 0) return {Affine::symbol(k.dim) + k.size * rest, false};
    return {k.size * rest + Affine(k.size - 1) - Affine::symbol(k.dim), false};
}

bool join(Sum& s, const Digit& k, Name o) {
    const bool fits = std::all_of(s.where.begin(), s.where.end(), [&](const Constraint& c) { return joinable(s, c, k, o); });
    const bool together = std::any_of(s.where.begin(), s.where.end(), [&](const Constraint& c) {
        return c.form.coefficient(o) != 0 && c.form.coefficient(k.dim) != 0;
    });
    if (!fits || !together) return false;
    std::erase_if(s.where, [&](const Constraint& c) { return constant_bound(c, k.dim) != 0; });
    substitute(s, k.dim, Affine::symbol(k.dim) + Affine(k.low));
    for (Constraint& c : s.where) c = joined(c, k, o);
    std::erase(s.dims, o);
    return true;
}

}  // namespace

bool join_digits(Sum& s) {
    for (const Name dim : s.dims) {
        if (s.value.mentions(dim)) continue;
        const auto digit = digit_of(s, dim);
        if (!digit) continue;
        for (const Name o : s.dims)
            if (o != dim && !s.value.mentions(o) && join(s, *digit, o)) return true;
    }
    return false;
}

namespace {

constexpr std::int64_t largest_period = 1 << 20;

/// Lets `period` grow so that the form changes by a whole number, told in units of one period, when the dim does; 0 once it is
/// too large.
std::int64_t change_of(const Affine& a, Name dim, std::int64_t& period);

/// For one floor: the period is multiplied until d divides the change of e.
std::int64_t change_of(const Atom& atom, Name dim, std::int64_t& period) {
    if (!atom.is_floor()) return atom.symbol == dim ? period : 0;
    if (!atom.numerator->mentions(dim)) return 0;
    const std::int64_t change = change_of(*atom.numerator, dim, period);
    const std::int64_t factor = atom.denominator / std::gcd(atom.denominator, change);
    if (period == 0 || factor > largest_period / period) return period = 0;
    period *= factor;
    return mul(change, factor) / atom.denominator;
}

std::int64_t change_of(const Affine& a, Name dim, std::int64_t& period) {
    for (const auto& [atom, c] : a.terms) change_of(atom, dim, period);
    std::int64_t sum = 0;
    for (const auto& [atom, c] : a.terms) sum = add(sum, mul(c, change_of(atom, dim, period)));
    return sum;
}

}  // namespace

std::int64_t period_of(const Sum& s, Name dim) {
    std::int64_t period = 1;
    for (const Constraint& c : s.where) change_of(c.form, dim, period);
    std::vector<Atom> floors;
    s.value.floors(floors);
    for (const Atom& floor : floors) change_of(floor, dim, period);
    return period;
}

}  // namespace heddle
