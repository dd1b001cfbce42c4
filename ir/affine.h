// Quasi-affine forms and integer sets over named symbols: the plain-data side of the polyhedral model. No isl here.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/expr.h"
#include "ir/name.h"

namespace heddle {

struct Affine;

/// What an affine form is linear in: a symbol (loop variable, parameter, integer `let`) or floor(numerator / denominator).
struct Atom {
    Name symbol;                              ///< empty for a floor
    std::shared_ptr<const Affine> numerator;  ///< null for a symbol
    std::int64_t denominator = 1;             ///< > 1 for a floor

    bool is_floor() const { return numerator != nullptr; }
};
bool operator==(const Atom& a, const Atom& b);
bool operator<(const Atom& a, const Atom& b);

/// constant + sum of coefficient * atom; atoms sorted and distinct, no zero coefficient. Arithmetic that overflows 64 bits
/// throws.
struct Affine {
    std::vector<std::pair<Atom, std::int64_t>> terms;
    std::int64_t constant = 0;

    Affine() = default;
    Affine(std::int64_t value) : constant(value) {}
    static Affine symbol(Name name, std::int64_t coefficient = 1);
    /// floor(numerator / denominator), denominator > 0; multiples of the denominator are taken out.
    static Affine floor_div(const Affine& numerator, std::int64_t denominator);

    bool is_constant() const { return terms.empty(); }
    /// The coefficient of a symbol outside floors.
    std::int64_t coefficient(Name symbol) const;
    bool mentions(Name symbol) const;  ///< inside floors too
    bool has_floor() const;
    /// Appends every symbol, also those inside floors, each once.
    void symbols(std::vector<Name>& out) const;
    Affine substitute(Name symbol, const Affine& value) const;
    Affine rename(Name from, Name to) const { return substitute(from, symbol_of(to)); }
    std::string str() const;

private:
    static Affine symbol_of(Name name) { return symbol(name); }
};
bool operator==(const Affine& a, const Affine& b);
bool operator<(const Affine& a, const Affine& b);
Affine operator+(const Affine& a, const Affine& b);
Affine operator-(const Affine& a, const Affine& b);
Affine operator-(const Affine& a);
Affine operator*(std::int64_t k, const Affine& a);

/// Values of symbols, for evaluation.
using Env = std::map<Name, std::int64_t>;
/// The value; throws (Internal) where a symbol has none.
std::int64_t evaluate(const Affine& a, const Env& env);

/// form >= 0, or form == 0.
struct Constraint {
    Affine form;
    bool equality = false;
};
bool operator==(const Constraint& a, const Constraint& b);
Constraint at_least(const Affine& a, const Affine& b);  ///< a >= b
Constraint less(const Affine& a, const Affine& b);      ///< a < b
Constraint equal(const Affine& a, const Affine& b);     ///< a == b
bool holds(const Constraint& c, const Env& env);

/// All of these constraints.
using Conjunct = std::vector<Constraint>;
enum class Truth { False, Unknown, True };
/// Divides by the common factor (tightening inequalities), tells trivial truth.
Truth normalise(Constraint& c);

/// An integer set over named symbols: any of its pieces. No piece: empty. A piece without constraints: everything.
/// Which symbols are dimensions is known to the owner: a statement's are the loops around it, all others are parameters.
struct Domain {
    std::vector<Conjunct> pieces{Conjunct{}};

    static Domain everything() { return {}; }
    static Domain nothing() { return Domain{{}}; }
    bool is_everything() const { return pieces.size() == 1 && pieces[0].empty(); }
    bool is_nothing() const { return pieces.empty(); }
    bool convex() const { return pieces.size() == 1; }
    Domain substitute(Name symbol, const Affine& value) const;
    bool mentions(Name symbol) const;
    void symbols(std::vector<Name>& out) const;  ///< of all constraints, as they come
};
bool operator==(const Domain& a, const Domain& b);  ///< as written; set equality is asked in `ir/poly.h`
Domain intersect(const Domain& a, const Domain& b);
Domain unite(const Domain& a, const Domain& b);
Domain complement(const Domain& a);  ///< may grow: one piece for each way to break each piece
Domain domain_of(Constraint c);
bool contains(const Domain& d, const Env& env);

/// Eliminates a symbol from a conjunct by Fourier-Motzkin. The result holds for every point of the exact projection (it may
/// hold for more where coefficients are not 1). Constraints with the symbol inside a floor are dropped. `bounded`: pairs are
/// formed at most once each.
Conjunct eliminate(const Conjunct& c, Name symbol);
/// Smallest and largest value that `symbol` can take, from the constraints alone (by elimination of all other symbols: the true range
/// may be narrower); nothing where a side has no bound.
std::optional<std::pair<std::int64_t, std::int64_t>> constant_range(const Conjunct& c, Name symbol);
/// Is `c` implied by `context` for sure? Cheap and incomplete: single constraints and sums of two. `Unknown` means "ask isl".
Truth implied(const Constraint& c, const Conjunct& context);

/// The quasi-affine form of an integer expression (+ - * by constants, // and % by positive constants; Var and subscript-free
/// Read are symbols), or nothing when it is not quasi-affine. min, max and select are not handled here: see pieces_of in
/// `ir/access.h`.
std::optional<Affine> affine_of(const Expr& e);
/// The expression of a form, in Var, Int, Add, Sub, Mul, FloorDiv of type i64; text of the usual shape ("n - i - 1").
Expr expr_of(const Affine& a);

}  // namespace heddle
