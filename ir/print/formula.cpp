// Quasi-affine forms, constraints and integer sets as text.
#include <fmt/core.h>

#include <algorithm>

#include "ir/parse/lexer.h"
#include "ir/print.h"
#include "ir/print/parts.h"

namespace heddle {
namespace {

/// coefficient * text; `compound` text needs parentheses behind a coefficient or a sign.
struct Term {
    std::int64_t coefficient;
    std::string text;
    bool compound;
};
/// A sum of terms as it is written: x - d*floor(x/d) has become x % d.
struct Sum {
    std::vector<Term> terms;
    std::int64_t constant = 0;
};

Sum sum_of(const Affine& a);
std::string text_of(const Sum& s);

/// "(i + 1) // 4" or "(i + 1) % 4".
std::string division_text(const Atom& atom, const char* sign) {
    Sum numerator = sum_of(*atom.numerator);
    bool single = numerator.terms.size() == 1 && numerator.constant == 0 && numerator.terms[0].coefficient == 1 &&
                  !numerator.terms[0].compound;
    std::string text = text_of(numerator);
    return fmt::format("{} {} {}", single ? text : "(" + text + ")", sign, atom.denominator);
}

std::uint64_t magnitude(std::int64_t k) { return k < 0 ? 0 - std::uint64_t(k) : std::uint64_t(k); }

/// Takes one remainder out of a form that gets shorter by it: its coefficient and text.
std::optional<Term> take_remainder(Affine& a) {
    for (const auto& [atom, k] : a.terms) {
        if (!atom.is_floor() || k % atom.denominator != 0) continue;
        std::int64_t times = -(k / atom.denominator);
        Affine floor;
        floor.terms = {{atom, k}};
        Affine rest = a - floor - times * *atom.numerator;
        if (rest.terms.size() + 1 >= a.terms.size()) continue;
        Term term{times, division_text(atom, "%"), true};
        a = rest;
        return term;
    }
    return std::nullopt;
}

Sum sum_of(const Affine& form) {
    Affine a = form;
    Sum out;
    if (a.has_floor())
        while (auto remainder = take_remainder(a)) out.terms.push_back(*remainder);
    for (const auto& [atom, k] : a.terms)
        if (atom.is_floor())
            out.terms.push_back({k, division_text(atom, "//"), true});
        else
            out.terms.push_back({k, quoted(atom.symbol.str()), false});
    std::stable_sort(out.terms.begin(), out.terms.end(),
                     [](const Term& x, const Term& y) { return magnitude(x.coefficient) > magnitude(y.coefficient); });
    out.constant = a.constant;
    return out;
}

void add_part(std::string& out, bool negative, const std::string& text) {
    if (out.empty())
        out += negative ? "-" : "";
    else
        out += negative ? " - " : " + ";
    out += text;
}

void add_term(std::string& out, const Term& t) {
    std::uint64_t size = magnitude(t.coefficient);
    bool bare = size == 1 && (!t.compound || t.coefficient > 0);
    std::string factor = t.compound && !bare ? "(" + t.text + ")" : t.text;
    add_part(out, t.coefficient < 0, size == 1 ? factor : fmt::format("{}*{}", size, factor));
}

/// Positive terms, then negative ones; the constant last, or first where it is the only thing without a sign.
std::string text_of(const Sum& s) {
    std::string out;
    bool positive = std::any_of(s.terms.begin(), s.terms.end(), [](const Term& t) { return t.coefficient > 0; });
    bool constant_first = s.constant > 0 && !positive;
    if (constant_first) add_part(out, false, std::to_string(s.constant));
    for (bool sign : {true, false})
        for (const auto& t : s.terms)
            if ((t.coefficient > 0) == sign) add_term(out, t);
    if ((s.constant != 0 && !constant_first) || out.empty())
        add_part(out, s.constant < 0, std::to_string(magnitude(s.constant)));
    return out;
}

/// The terms of one sign, made positive.
Sum side(const Sum& s, bool positive) {
    Sum out;
    for (const auto& t : s.terms)
        if ((t.coefficient > 0) == positive)
            out.terms.push_back({positive ? t.coefficient : -t.coefficient, t.text, t.compound});
    return out;
}

/// What stands to the right of a relation that moved every term with a minus there.
Sum with_constant(Sum s, std::int64_t constant) {
    s.constant = constant;
    return s;
}

const char* equals(FormulaStyle style) { return style == FormulaStyle::Formula ? " = " : " == "; }

std::string relation(const Constraint& c, FormulaStyle style) {
    Sum s = sum_of(c.form), plus = side(s, true), minus = side(s, false);
    if (c.equality) {
        bool turn = plus.terms.empty();
        const Sum &left = turn ? minus : plus, &right = turn ? plus : minus;
        return text_of(left) + equals(style) + text_of(with_constant(right, turn ? s.constant : -s.constant));
    }
    if (minus.terms.empty()) return text_of(plus) + " >= " + text_of(with_constant({}, -s.constant));
    if (s.constant == -1 && !plus.terms.empty()) return text_of(minus) + " < " + text_of(plus);
    if (s.constant < 0) return text_of(with_constant(minus, -s.constant)) + " <= " + text_of(plus);
    return text_of(minus) + " <= " + text_of(with_constant(plus, s.constant));
}

/// The bound that a constraint sets on `symbol`, or on the multiple of it that the constraint mentions.
Affine bound_of(const Constraint& c, Name symbol) {
    std::int64_t k = c.form.coefficient(symbol);
    Affine rest = c.form - Affine::symbol(symbol, k);
    return k > 0 ? -rest : rest;
}

/// "0 <= ", "j < ": what stands before the symbol.
std::string lower_text(const Affine& bound) {
    bool strict = !bound.is_constant() && bound.constant == 1;
    return strict ? text_of(sum_of(bound - Affine(1))) + " < " : text_of(sum_of(bound)) + " <= ";
}

/// " < n", " <= i": what stands behind it. Ranges from 0 end before their size.
std::string upper_text(const Affine& bound, const Affine& lower) {
    bool size = bound.is_constant() && bound.constant < INT64_MAX && lower == Affine(0);
    bool strict = size || (!bound.is_constant() && bound.constant == -1);
    return strict ? " < " + text_of(sum_of(bound + Affine(1))) : " <= " + text_of(sum_of(bound));
}

/// Writes a conjunct: bounds of each symbol as a chain, in the order of the symbols, then what is left.
class ConjunctWriter {
public:
    ConjunctWriter(const Conjunct& c, const std::vector<Name>& loops, FormulaStyle style)
        : c_(c), used_(c.size(), false), style_(style), nested_(!loops.empty()), symbols_(loops) {
        if (!nested_)
            for (const auto& k : c) k.form.symbols(symbols_);
    }

    std::string run() {
        std::vector<std::vector<std::string>> parts(symbols_.size() + 1);
        for (std::size_t n = 0; n < symbols_.size(); ++n) {
            std::size_t k = nested_ ? symbols_.size() - 1 - n : n;
            chain(k, parts[k]);
        }
        for (std::size_t k = 0; k < c_.size(); ++k)
            if (!used_[k]) parts[innermost(c_[k].form)].push_back(relation(c_[k], style_));
        std::string out;
        for (const auto& group : parts)
            for (const auto& part : group) out += (out.empty() ? "" : " and ") + part;
        return out;
    }

private:
    /// Of the loops a form mentions the innermost; of other symbols none: such relations come last.
    std::size_t innermost(const Affine& form) const {
        for (std::size_t k = symbols_.size(); nested_ && k-- > 0;)
            if (form.mentions(symbols_[k])) return k;
        return symbols_.size();
    }

    /// Does the constraint bound `symbol` from this side, with that size of its coefficient?
    bool bounds(std::size_t constraint, std::size_t symbol, std::int64_t coefficient) const {
        const Constraint& c = c_[constraint];
        if (used_[constraint] || c.equality || c.form.coefficient(symbols_[symbol]) != coefficient) return false;
        if (nested_ && innermost(c.form) != symbol) return false;
        return !(c.form - Affine::symbol(symbols_[symbol], coefficient)).mentions(symbols_[symbol]);
    }

    /// The simplest bound with this coefficient; the size of the conjunct when there is none.
    std::size_t best(std::size_t symbol, std::int64_t coefficient) const {
        std::size_t found = c_.size();
        for (std::size_t k = 0; k < c_.size(); ++k)
            if (bounds(k, symbol, coefficient) && (found == c_.size() || c_[k].form.terms.size() < c_[found].form.terms.size()))
                found = k;
        return found;
    }

    /// A bound from above with a larger coefficient: 4*i < n goes with i >= 0.
    std::size_t multiple(std::size_t symbol) const {
        for (const auto& c : c_)
            if (std::int64_t k = c.form.coefficient(symbols_[symbol]); k < -1)
                if (std::size_t found = best(symbol, k); found != c_.size()) return found;
        return c_.size();
    }

    void chain(std::size_t symbol, std::vector<std::string>& parts) {
        std::size_t lower = best(symbol, 1), upper = best(symbol, -1);
        if (lower == c_.size()) return;
        Affine least = bound_of(c_[lower], symbols_[symbol]);
        if (upper == c_.size() && least == Affine(0)) upper = multiple(symbol);
        if (upper == c_.size()) return;
        used_[lower] = used_[upper] = true;
        Affine most = bound_of(c_[upper], symbols_[symbol]);
        std::uint64_t times = magnitude(c_[upper].form.coefficient(symbols_[symbol]));
        std::string name = (times == 1 ? "" : std::to_string(times) + "*") + quoted(symbols_[symbol].str());
        parts.push_back(lower_text(least) + name + upper_text(most, least));
    }

    const Conjunct& c_;
    std::vector<bool> used_;
    FormulaStyle style_;
    bool nested_;
    std::vector<Name> symbols_;
};

std::string conjunct_text(const Conjunct& c, const std::vector<Name>& loops, FormulaStyle style) {
    if (c.empty()) return style == FormulaStyle::Formula ? "0 = 0" : "0 == 0";
    return ConjunctWriter(c, loops, style).run();
}

/// Moves what all pieces share out of them.
Conjunct take_common(std::vector<Conjunct>& pieces) {
    Conjunct common;
    for (const auto& c : Conjunct(pieces[0])) {
        auto has = [&](const Conjunct& p) { return std::find(p.begin(), p.end(), c) != p.end(); };
        if (!std::all_of(pieces.begin(), pieces.end(), has)) continue;
        for (auto& p : pieces) p.erase(std::find(p.begin(), p.end(), c));
        common.push_back(c);
    }
    return common;
}

}  // namespace

std::string formula(const Domain& d, const std::vector<Name>& loops, FormulaStyle style) {
    if (d.is_nothing()) return style == FormulaStyle::Formula ? "1 = 0" : "1 == 0";
    if (d.convex()) return conjunct_text(d.pieces[0], loops, style);
    auto pieces = d.pieces;
    Conjunct common = take_common(pieces);
    std::string out = common.empty() ? "" : conjunct_text(common, loops, style) + " and (", separator;
    for (const auto& p : pieces) {
        std::string text = conjunct_text(p, loops, style);
        out += separator + (text.find(" and ") == std::string::npos ? text : "(" + text + ")");
        separator = " or ";
    }
    return common.empty() ? out : out + ")";
}

std::string print(const Affine& a) { return text_of(sum_of(a)); }
std::string print(const Constraint& c) { return relation(c, FormulaStyle::Formula); }
std::string print(const Domain& d) { return formula(d, {}); }

}  // namespace heddle
