#include "ir/parse/formula.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "ir/error.h"
#include "ir/parse/lattice.h"
#include "ir/poly/feasible.h"

namespace heddle {
namespace {

constexpr std::size_t most_pieces = 4096;

const Name exists_name("exists"), floor_name("floor"), ceil_name("ceil"), abs_name("abs");

void check_pieces(std::size_t pieces, const Expr& e) {
    if (pieces > most_pieces)
        throw user_error("limit", "this condition falls into more than " + std::to_string(most_pieces) + " pieces", e.loc())
            .hint("use fewer 'or', 'not' and '!=' in one condition");
}

bool is_comparison(Op op) { return op >= Op::Lt && op <= Op::Ne; }

/// Division by a constant of any sign other than zero: floor(a / -d) is floor(-a / d).
std::optional<Lattice> quotient(const Lattice& a, const Lattice& b) {
    if (!b.single() || !b.form().is_constant()) return std::nullopt;
    const std::int64_t d = b.form().constant;
    if (d == 0 || d == std::numeric_limits<std::int64_t>::min()) return std::nullopt;
    return d > 0 ? floor_div(a, d) : floor_div(-a, -d);
}

std::optional<Lattice> product(const Lattice& a, const Lattice& b) {
    if (a.single() && a.form().is_constant()) return scaled(a.form().constant, b);
    if (b.single() && b.form().is_constant()) return scaled(b.form().constant, a);
    return std::nullopt;
}

std::optional<Lattice> remainder(const Lattice& a, const Lattice& b) {
    const auto q = quotient(a, b);
    return q ? std::optional(a + scaled(-1, *product(*q, b))) : std::nullopt;
}

/// The lattice of a node whose operands' lattices are known; nothing when it is not quasi-affine.
class Terms {
public:
    explicit Terms(const std::function<bool(Name)>& is_symbol) : is_symbol_(is_symbol) {}

    std::optional<Lattice> of(const Expr& e) {
        visit(e, [&](const Expr& node) {
            auto value = blocked_ ? std::nullopt : combine(node);
            if (value) known_.emplace(node.node(), std::move(*value));
            // A quotient by '/' is allowed as the operand of floor and ceil, which read it themselves.
            else if (!blocked_ && node.op() != Op::Div)
                blocked_ = node;
        });
        const auto it = known_.find(e.node());
        if (it != known_.end()) return it->second;
        if (!blocked_) blocked_ = e;
        return std::nullopt;
    }
    const Expr& obstacle() const { return blocked_; }

private:
    const Lattice* get(const Expr& e) const {
        const auto it = known_.find(e.node());
        return it == known_.end() ? nullptr : &it->second;
    }

    std::optional<Lattice> leaf(const Expr& e) const {
        if (e.op() == Op::Int) return Lattice::of(Affine(e.integer()));
        const bool scalar = e.op() == Op::Var || (e.op() == Op::Read && e.args().empty());
        return scalar && is_symbol_(e.name()) ? std::optional(Lattice::of(Affine::symbol(e.name()))) : std::nullopt;
    }

    /// floor(a / d) and ceil(a / d), abs(a).
    std::optional<Lattice> call(const Expr& e) const {
        if (e.args().size() != 1) return std::nullopt;
        const Expr& inner = e.arg(0);
        const Lattice* whole = get(inner);
        if (e.name() == abs_name) return whole ? std::optional(larger(*whole, -*whole)) : std::nullopt;
        if (e.name() != floor_name && e.name() != ceil_name) return std::nullopt;
        if (whole) return *whole;
        if (inner.op() != Op::Div || !get(inner.arg(0)) || !get(inner.arg(1))) return std::nullopt;
        if (e.name() == floor_name) return quotient(*get(inner.arg(0)), *get(inner.arg(1)));
        const auto down = quotient(-*get(inner.arg(0)), *get(inner.arg(1)));
        return down ? std::optional(-*down) : std::nullopt;
    }

    std::optional<Lattice> binary(Op op, const Lattice& a, const Lattice& b) const {
        switch (op) {
            case Op::Add:
                return a + b;
            case Op::Sub:
                return a + -b;
            case Op::Mul:
                return product(a, b);
            case Op::FloorDiv:
                return quotient(a, b);
            case Op::Mod:
                return remainder(a, b);
            case Op::Min:
                return smaller(a, b);
            case Op::Max:
                return larger(a, b);
            default:
                return std::nullopt;
        }
    }

    std::optional<Lattice> combine(const Expr& e) const {
        if (e.args().empty()) return leaf(e);
        if (e.op() == Op::Call) return call(e);
        const Lattice* a = get(e.arg(0));
        if (!a) return std::nullopt;
        if (e.op() == Op::Neg) return -*a;
        if (e.op() == Op::Cast) return e.type() == index_type ? std::optional(*a) : std::nullopt;
        const Lattice* b = e.args().size() == 2 ? get(e.arg(1)) : nullptr;
        return b ? binary(e.op(), *a, *b) : std::nullopt;
    }

    const std::function<bool(Name)>& is_symbol_;
    std::unordered_map<const ExprNode*, Lattice> known_;
    Expr blocked_;
};

Domain compare(Op op, const Lattice& a, const Lattice& b) {
    const Lattice difference = b + -a, one = Lattice::of(Affine(1));
    const auto at_least_zero = [&](const Lattice& l) { return nonnegative(l); };
    const auto minus_one = [&](const Lattice& l) { return l + -one; };
    switch (op) {
        case Op::Le:
            return at_least_zero(difference);
        case Op::Lt:
            return at_least_zero(minus_one(difference));
        case Op::Ge:
            return at_least_zero(-difference);
        case Op::Gt:
            return at_least_zero(minus_one(-difference));
        case Op::Eq:
            if (difference.single()) return domain_of(Constraint{difference.form(), true});
            return intersect(at_least_zero(difference), at_least_zero(-difference));
        default:
            return unite(at_least_zero(minus_one(difference)), at_least_zero(minus_one(-difference)));
    }
}

std::size_t complement_size(const Domain& d) {
    std::size_t product = 1;
    for (const Conjunct& piece : d.pieces) {
        std::size_t ways = 0;
        for (const Constraint& c : piece) ways += c.equality ? 2 : 1;
        product *= std::max<std::size_t>(ways, 1);
        if (product > most_pieces) break;
    }
    return product;
}

}  // namespace

std::vector<Expr> flatten(const Expr& e, Op op) {
    std::vector<Expr> out;
    const Expr* at = &e;
    for (; at->op() == op; at = &at->arg(0)) out.push_back(at->arg(1));
    out.push_back(*at);
    std::reverse(out.begin(), out.end());
    return out;
}

Expr negation(const Expr& e) {
    if (e.op() == Op::Not) return e.arg(0);
    return make(Op::Not, DType::Untyped, {e}, {}, e.loc());
}

Expr exists_mark(std::size_t number, Loc loc) {
    return make(Op::Call, DType::Bool, {int_literal(static_cast<std::int64_t>(number), index_type)}, exists_name,
                std::move(loc));
}

std::optional<std::size_t> exists_number(const Expr& e) {
    if (e.op() != Op::Call || e.name() != exists_name) return std::nullopt;
    return static_cast<std::size_t>(e.arg(0).integer());
}

std::nullopt_t FormulaReader::blocked(const Expr& e) {
    if (!obstacle_) obstacle_ = e;
    return std::nullopt;
}

std::optional<Affine> FormulaReader::affine(const Expr& e) {
    Terms terms(is_symbol_);
    const auto value = terms.of(e);
    if (!value) return blocked(terms.obstacle());
    if (!value->single()) return blocked(e);
    return value->form();
}

/// The form of an expression without min and max: the usual case, and a short way.
std::optional<Affine> FormulaReader::plain(const Expr& e) const {
    auto form = affine_of(e);
    if (!form) return std::nullopt;
    std::vector<Name> names;
    form->symbols(names);
    if (!std::all_of(names.begin(), names.end(), is_symbol_)) return std::nullopt;
    return form;
}

std::optional<Domain> FormulaReader::comparison(const Expr& e) {
    try {
        if (const auto a = plain(e.arg(0)))
            if (const auto b = plain(e.arg(1))) return compare(e.op(), Lattice::of(*a), Lattice::of(*b));
        Terms terms(is_symbol_);
        const auto a = terms.of(e.arg(0));
        if (!a) return blocked(terms.obstacle());
        const auto b = terms.of(e.arg(1));
        if (!b) return blocked(terms.obstacle());
        return compare(e.op(), *a, *b);
    } catch (Error& error) {
        error.locate(e.loc());
        throw;
    }
}

std::optional<Domain> FormulaReader::conjunction(const Expr& e) {
    Domain out = Domain::everything();
    for (const Expr& part : flatten(e, Op::And)) {
        const auto d = domain(part);
        if (!d) return std::nullopt;
        check_pieces(out.pieces.size() * d->pieces.size(), e);
        if (out.convex() && d->convex())
            out.pieces[0].insert(out.pieces[0].end(), d->pieces[0].begin(), d->pieces[0].end());
        else
            out = intersect(out, *d);
    }
    return out;
}

std::optional<Domain> FormulaReader::disjunction(const Expr& e) {
    Domain out = Domain::nothing();
    for (const Expr& part : flatten(e, Op::Or)) {
        const auto d = domain(part);
        if (!d) return std::nullopt;
        check_pieces(out.pieces.size() + d->pieces.size(), e);
        out = unite(out, *d);
    }
    return out;
}

std::optional<Domain> FormulaReader::domain(const Expr& e) {
    if (e.op() == Op::Bool) return e.integer() != 0 ? Domain::everything() : Domain::nothing();
    if (e.op() == Op::And) return conjunction(e);
    if (e.op() == Op::Or) return disjunction(e);
    if (is_comparison(e.op())) return comparison(e);
    if (const auto number = exists_number(e)) return exists_[*number];
    if (e.op() != Op::Not) return blocked(e);
    const auto inside = domain(e.arg(0));
    if (!inside) return std::nullopt;
    check_pieces(complement_size(*inside), e);
    Domain out = complement(*inside);
    tidy_pieces(out);
    return out;
}

namespace {

/// Of inequalities with equal linear parts the tightest.
Conjunct tightest(const Conjunct& piece) {
    Conjunct out;
    for (const Constraint& c : piece) {
        const auto same = std::find_if(out.begin(), out.end(), [&](const Constraint& k) {
            return !k.equality && !c.equality && k.form.terms == c.form.terms;
        });
        if (same == out.end())
            out.push_back(c);
        else
            same->form.constant = std::min(same->form.constant, c.form.constant);
    }
    return out;
}

}  // namespace

void tidy_pieces(Domain& d) {
    if (d.convex()) return;
    for (Conjunct& piece : d.pieces) piece = tightest(piece);
    d.pieces.erase(
        std::remove_if(d.pieces.begin(), d.pieces.end(), [](const Conjunct& piece) { return feasible(piece) == Truth::False; }),
        d.pieces.end());
}

}  // namespace heddle
