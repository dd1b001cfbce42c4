#include "transform/match.h"

#include <algorithm>
#include <bit>

namespace heddle {

namespace {

/// What is known about the parameters while an expression is being compared.
class Matching {
public:
    explicit Matching(const std::vector<Name>& parameters) : parameters_(parameters), whole_(parameters.size()) {}

    bool compare(const Expr& p, const Expr& e, bool index) {
        if (const auto k = parameter(p)) return bind(*k, e);
        if (index)
            if (const auto a = affine_of(p); a && mentions_parameter(*a)) return equate(*a, e);
        if (p.op() != e.op() || p.name() != e.name() || p.args().size() != e.args().size()) return false;
        if (p.op() == Op::Cast && p.type() != e.type()) return false;
        if (p.is_literal())
            return p.integer() == e.integer() &&
                   std::bit_cast<std::uint64_t>(p.real()) == std::bit_cast<std::uint64_t>(e.real());
        const bool inner = p.op() == Op::Read || (index && p.op() != Op::Cast && p.op() != Op::Call);
        if (children(p, e, inner, false)) return true;
        return (p.op() == Op::Add || p.op() == Op::Mul) && children(p, e, inner, true);
    }

    /// The parameters' values; nothing when the equations have no one solution.
    std::optional<std::vector<Expr>> solve() {
        if (clashes()) return std::nullopt;
        std::vector<std::optional<Affine>> forms(parameters_.size());
        while (solve_one(forms)) {
        }
        std::vector<Expr> out;
        for (std::size_t k = 0; k < parameters_.size(); ++k) {
            if (!forms[k] && !whole_[k]) return std::nullopt;
            out.push_back(forms[k] ? expr_of(*forms[k]) : *whole_[k]);
        }
        const bool holds = std::all_of(equations_.begin(), equations_.end(), [](const Affine& e) { return e == Affine(0); });
        return holds ? std::optional(out) : std::nullopt;
    }

private:
    static Name hidden(std::size_t k) { return Name("#" + std::to_string(k)); }

    std::optional<std::size_t> parameter(const Expr& p) const {
        if (p.op() != Op::Var) return std::nullopt;
        const auto it = std::find(parameters_.begin(), parameters_.end(), p.name());
        return it == parameters_.end() ? std::nullopt : std::optional(static_cast<std::size_t>(it - parameters_.begin()));
    }
    bool mentions_parameter(const Affine& a) const {
        return std::any_of(parameters_.begin(), parameters_.end(), [&](Name n) { return a.mentions(n); });
    }

    bool bind(std::size_t k, const Expr& e) {
        if (affine_of(e)) return equate(Affine::symbol(parameters_[k]), e);
        if (whole_[k] && !whole_[k]->same(e)) return false;
        whole_[k] = e;
        return true;
    }
    bool equate(const Affine& p, const Expr& e) {
        const auto a = affine_of(e);
        if (!a) return false;
        Affine hidden_form = p;
        for (std::size_t k = 0; k < parameters_.size(); ++k)
            hidden_form = hidden_form.substitute(parameters_[k], Affine::symbol(hidden(k)));
        equations_.push_back(hidden_form - *a);
        return true;
    }

    bool children(const Expr& p, const Expr& e, bool index, bool swapped) {
        const auto equations = equations_;
        const auto whole = whole_;
        bool same = true;
        for (std::size_t k = 0; same && k < p.args().size(); ++k)
            same = compare(p.arg(k), e.arg(swapped ? p.args().size() - 1 - k : k), index);
        if (same && consistent()) return true;
        equations_ = equations;
        whole_ = whole;
        return false;
    }
    /// Is a parameter wanted to be an expression that is not affine, and to solve an equation, too? Unknown means different.
    bool clashes() const {
        for (std::size_t k = 0; k < parameters_.size(); ++k)
            if (whole_[k] &&
                std::any_of(equations_.begin(), equations_.end(), [&](const Affine& e) { return e.mentions(hidden(k)); }))
                return true;
        return false;
    }
    /// May the equations so far have a solution?
    bool consistent() const {
        if (clashes()) return false;
        Matching trial = *this;
        trial.solve();
        return std::all_of(trial.equations_.begin(), trial.equations_.end(),
                           [&](const Affine& e) { return mentions_hidden(e) || e == Affine(0); });
    }

    void give(std::vector<std::optional<Affine>>& forms, std::size_t k, const Affine& value) {
        forms[k] = value;
        for (Affine& e : equations_) e = e.substitute(hidden(k), value);
    }
    /// An equation with one parameter left, with coefficient 1 or -1.
    bool solve_one(std::vector<std::optional<Affine>>& forms) {
        for (const Affine& e : equations_)
            for (std::size_t k = 0; k < parameters_.size(); ++k) {
                const std::int64_t c = e.coefficient(hidden(k));
                const Affine rest = e - Affine::symbol(hidden(k), c);
                if (forms[k] || (c != 1 && c != -1) || mentions_hidden(rest)) continue;
                give(forms, k, c == 1 ? -rest : rest);
                return true;
            }
        return false;
    }
    bool mentions_hidden(const Affine& a) const {
        for (std::size_t k = 0; k < parameters_.size(); ++k)
            if (a.mentions(hidden(k))) return true;
        return false;
    }

    const std::vector<Name>& parameters_;
    std::vector<std::optional<Expr>> whole_;  ///< parameters that are bound to expressions that are not affine
    std::vector<Affine> equations_;
};

}  // namespace

std::optional<std::vector<Expr>> Pattern::match(const Expr& e) const {
    Matching m(parameters_);
    if (!m.compare(expression_, e, false)) return std::nullopt;
    return m.solve();
}

}  // namespace heddle
