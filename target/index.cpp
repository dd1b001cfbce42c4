// Subscripts, bounds and conditions as C text: the integer side of the expression writer.
#include <algorithm>
#include <utility>

#include "target/expression.h"

namespace heddle {
namespace {

std::optional<std::int64_t> number(const Expr& e) {
    if (e.op() == Op::Int) return e.integer();
    return std::nullopt;
}

Expr index_literal(std::int64_t value) { return int_literal(value, index_type); }

}  // namespace

Expr index_add(const Expr& a, const Expr& b) {
    const auto x = number(a), y = number(b);
    std::int64_t both = 0;
    if (x && y && !__builtin_add_overflow(*x, *y, &both)) return index_literal(both);
    if (x && *x == 0) return b;
    if (y && *y == 0) return a;
    if (b.op() == Op::Add || b.op() == Op::Sub)  // no brackets: index sums do not overflow
        return b.op() == Op::Add ? index_add(index_add(a, b.arg(0)), b.arg(1))
                                 : make(Op::Sub, index_type, {index_add(a, b.arg(0)), b.arg(1)});
    if (y && *y < 0) return make(Op::Sub, index_type, {a, index_literal(-*y)});
    return make(Op::Add, index_type, {a, b});
}

Expr index_mul(const Expr& a, const Expr& b) {
    const auto x = number(a), y = number(b);
    std::int64_t both = 0;
    if (x && y && !__builtin_mul_overflow(*x, *y, &both)) return index_literal(both);
    if ((x && *x == 0) || (y && *y == 0)) return index_literal(0);
    if (x && *x == 1) return b;
    if (y && *y == 1) return a;
    return make(Op::Mul, index_type, {a, b});
}

namespace {

/// One floor of the form turned into a remainder, where that leaves fewer terms.
bool take_remainder(Affine& rest, std::vector<Expr>& parts) {
    for (const auto& [atom, k] : rest.terms) {
        if (!atom.is_floor() || k % atom.denominator != 0) continue;
        const std::int64_t c = -k / atom.denominator;
        Affine without = rest;
        std::erase_if(without.terms, [&](const auto& t) { return t.first == atom; });
        without = without - c * *atom.numerator;
        if (without.terms.size() + 1 >= rest.terms.size() || c < 0) continue;
        const Expr remainder = make(Op::Mod, index_type, {natural_expr(*atom.numerator), index_literal(atom.denominator)});
        parts.push_back(index_mul(index_literal(c), remainder));
        rest = without;
        return true;
    }
    return false;
}

}  // namespace

Expr natural_expr(const Affine& a) {
    if (!a.has_floor()) return expr_of(a);
    Affine rest = a;
    std::vector<Expr> parts;
    while (take_remainder(rest, parts)) {
    }
    Expr sum = rest.is_constant() && rest.constant == 0 && !parts.empty() ? Expr() : expr_of(rest);
    for (const Expr& p : parts) sum = sum ? (number(sum) ? index_add(p, sum) : index_add(sum, p)) : p;
    return sum;
}

Expr ExpressionWriter::folded(const Expr& subscript) const {
    if (!constants || constants->empty()) return subscript;
    if (const auto form = affine_of(subscript)) {
        Affine changed = *form;
        for (const auto& [name, value] : *constants) changed = changed.substitute(name, Affine(value));
        return changed == *form ? subscript : natural_expr(changed);
    }
    Substitution map;
    for (const auto& [name, value] : *constants) map.emplace_back(name, index_literal(value));
    return substitute(subscript, map);
}

std::string ExpressionWriter::affine(const Affine& a, int precedence) { return value(natural_expr(a), index_type, precedence); }

/// Positive terms on one side, negative on the other, so that nothing needs a minus sign.
std::string ExpressionWriter::constraint(const Constraint& c, int precedence) {
    const int own = c.equality ? equality_precedence : relation_precedence;
    std::string text;
    const Expr whole = natural_expr(c.form);
    if (c.equality && whole.op() == Op::Mod) {  // C's remainder is 0 just where ours is
        text = value(whole.arg(0), index_type, product_precedence) + " % " + value(whole.arg(1), index_type, unary_precedence) +
               " == 0";
        return precedence > own ? "(" + text + ")" : text;
    }
    Affine left, right(0);
    if (c.form.has_floor() && c.form.terms.size() > 1) {
        left = c.form - Affine(c.form.constant);
        right = Affine(-c.form.constant);
        text = affine(left, own + 1) + (c.equality ? " == " : " >= ") + affine(right, own + 1);
        return precedence > own ? "(" + text + ")" : text;
    }
    for (const auto& [atom, k] : c.form.terms) {
        Affine term;
        term.terms.emplace_back(atom, k < 0 ? -k : k);
        (k > 0 ? left : right) = (k > 0 ? left : right) + term;
    }
    const bool in_order = right.is_constant() || (!left.is_constant() && known.innermost_is_in(left, right));
    text = in_order ? relation(left, right, c.form.constant, false, c.equality)
                    : relation(right, left, c.form.constant, true, c.equality);
    return precedence > own ? "(" + text + ")" : text;
}

/// left + constant >= right, or (`swapped`) left <= right + constant, or ==; the constant goes where it reads best.
std::string ExpressionWriter::relation(Affine left, Affine right, std::int64_t constant, bool swapped, bool equality) {
    const int own = equality ? equality_precedence : relation_precedence;
    const char* symbol = equality ? " == " : swapped ? " <= " : " >= ";
    if (!swapped) constant = -constant;  // left >= right + constant
    if (right.is_constant() || equality) {
        right = right + Affine(constant);
    } else if (constant == (swapped ? -1 : 1)) {
        symbol = swapped ? " < " : " > ";
    } else if (constant < 0 && (left.terms.size() > 1 || left.terms[0].second != 1)) {
        left = left - Affine(constant);
    } else {
        right = right + Affine(constant);
    }
    if (!equality && right.is_constant() && right.constant == 1 && !swapped) symbol = " > ", right = Affine(0);
    return affine(left, own + 1) + symbol + affine(right, own + 1);
}

std::string ExpressionWriter::broken(const Constraint& c) {
    if (!c.equality) return constraint({-c.form - Affine(1), false});
    std::string text = constraint(c);
    return text.replace(text.find(" == "), 4, " != ");
}

std::string ExpressionWriter::condition(const Domain& d, int precedence) {
    if (d.is_nothing()) return "false";
    std::string out;
    int own = d.convex() ? (d.pieces[0].size() > 1 ? and_precedence : relation_precedence) : or_precedence;
    for (const Conjunct& piece : d.pieces) {
        if (!out.empty()) out += " || ";
        if (piece.empty()) return "true";
        const bool brackets = !d.convex() && piece.size() > 1;  // compilers warn of && within ||
        if (brackets) out += "(";
        for (std::size_t k = 0; k < piece.size(); ++k) out += (k ? " && " : "") + constraint(piece[k], and_precedence + 1);
        if (brackets) out += ")";
    }
    return precedence > own ? "(" + out + ")" : out;
}

/// floor or ceiling of numerator / divisor. `empty_if_negative`: a negative quotient and 0 mean the same, so C's rounding is
/// good.
std::string ExpressionWriter::quotient(const Affine& numerator, std::int64_t divisor, bool up, bool empty_if_negative,
                                       int precedence) {
    if (divisor == 1) return affine(numerator, precedence);
    const Affine shifted = up ? numerator + Affine(divisor - 1) : numerator;
    if (empty_if_negative || known.proves_nonnegative(shifted)) {
        const std::string text = affine(shifted, product_precedence) + " / " + std::to_string(divisor);
        return precedence > product_precedence ? "(" + text + ")" : text;
    }
    return helpers.use(up ? "ceildiv" : "floordiv") + "(" + affine(numerator) + ", " + std::to_string(divisor) + ")";
}

/// Extent of an axis with its padding.
static Expr padded(const Array& a, std::size_t axis) {
    const Expr extent = a.shape[axis];
    if (a.layout.padding.empty() || a.layout.padding[axis] == 0) return extent;
    return index_add(extent, index_literal(a.layout.padding[axis]));
}

namespace {

/// An axis in the order of memory: its extent with padding (null for the slowest), and the subscript.
struct StoredAxis {
    Expr extent, index;
};

/// Axes that a subscript and its remainder walk together are one: [f / 7][f % 7] is [f].
void join_digits(std::vector<StoredAxis>& axes) {
    for (std::size_t k = 1; k < axes.size(); ++k) {
        const auto size = number(axes[k].extent);
        const auto high = affine_of(axes[k - 1].index), low = affine_of(axes[k].index);
        if (!size || !high || !low || !high->has_floor() || !low->has_floor()) continue;
        const Affine both = *size * *high + *low;
        if (both.has_floor()) continue;
        const Expr& outer = axes[k - 1].extent;
        axes[k] = {outer ? index_mul(outer, axes[k].extent) : Expr(), natural_expr(both)};
        axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(--k));
    }
}

}  // namespace

Expr ExpressionWriter::linear(const Array& a, const std::vector<Expr>& subscripts) const {
    std::vector<Expr> index;
    for (const Expr& s : subscripts) index.push_back(folded(s));
    if (!a.layout.strides.empty()) {
        Expr sum = index_literal(0);
        for (std::size_t k = 0; k < index.size(); ++k) sum = index_add(sum, index_mul(index[k], a.layout.strides[k]));
        return sum;
    }
    std::vector<StoredAxis> axes;
    if (a.layout.separate_axis >= 0 && !a.is_argument())
        axes.push_back({{}, index[static_cast<std::size_t>(a.layout.separate_axis)]});
    for (std::size_t k = 0; k < index.size(); ++k) {
        const std::size_t axis = a.layout.order.empty() ? k : static_cast<std::size_t>(a.layout.order[k]);
        if (a.layout.separate_axis != static_cast<int>(axis))
            axes.push_back({axes.empty() ? Expr() : padded(a, axis), index[axis]});
    }
    join_digits(axes);
    Expr at;
    for (const StoredAxis& axis : axes) at = at ? index_add(index_mul(at, axis.extent), axis.index) : axis.index;
    return at ? at : index_literal(0);
}

Name ExpressionWriter::memory_of(Name array) const {
    for (const Array* a = kernel.find_array(array); a && !a->view_of.empty(); a = kernel.find_array(array)) array = a->view_of;
    return array;
}

std::string ExpressionWriter::inside(Name array, const std::vector<Expr>& subscripts) {
    std::string out;
    if (!tests) return out;
    for (std::size_t k = 0; k < subscripts.size(); ++k) {
        if (!tests->count({array, static_cast<int>(k)})) continue;
        std::string where = "'" + tested + "' at " + array.str() + ", dimension " + std::to_string(k + 1);
        std::erase_if(where, [](char c) { return c == '"' || c == '\\'; });
        out += (out.empty() ? "" : " && ") + helpers.use("inside") + "(" + failure + ", \"" + where + "\", " +
               subscript(folded(subscripts[k])) + ", " + value(kernel.find_array(array)->shape[k], index_type) + ")";
    }
    return out;
}

/// The array for one entry of a separate axis: by its own name where the entry is a number, else through a table of pointers.
std::string ExpressionWriter::part_text(const Array& a, const AccessPath& path, const Expr& entry) {
    const auto form = affine_of(entry);
    if (form && form->is_constant() && form->constant >= 0 && form->constant < static_cast<std::int64_t>(names.parts(a.name))) {
        parts.emplace(a.name, static_cast<std::size_t>(form->constant));
        return names.part(a.name, static_cast<std::size_t>(form->constant));
    }
    part_tables.emplace(a.name, path.text);
    for (std::size_t k = 0; k < names.parts(a.name); ++k) parts.emplace(a.name, k);
    return path.text + "[" + subscript(entry) + "]";
}

std::string ExpressionWriter::subscript(const Expr& e) {
    const bool outer = std::exchange(in_subscript_, true);
    std::string text = value(e, e.type());
    in_subscript_ = outer;
    return text;
}

std::string ExpressionWriter::element(Name name, const std::vector<Expr>& subscripts, int precedence) {
    const Array* a = kernel.find_array(name);
    const Name memory = memory_of(name);
    const auto it = paths.find(memory);
    const std::string text = it == paths.end() ? names(memory) : it->second.text;
    const auto kind = it == paths.end() ? AccessPath::Kind::Value : it->second.kind;
    if (kind == AccessPath::Kind::Value) return text;
    if (kind == AccessPath::Kind::Matrix) {
        const std::vector<bool>& by_lane = it->second.by_lane;
        std::string out = text;
        for (std::size_t k = 0; k < subscripts.size(); ++k)
            if (k >= by_lane.size() || !by_lane[k]) out += "[" + subscript(folded(subscripts[k])) + "]";
        return out;
    }
    if (kind == AccessPath::Kind::Parts)
        return part_text(*a, it->second, folded(subscripts[static_cast<std::size_t>(a->layout.separate_axis)])) + "[" +
               subscript(linear(*a, subscripts)) + "]";
    if (subscripts.empty() && (!a || a->shape.empty())) return precedence > unary_precedence ? "(*" + text + ")" : "*" + text;
    return text + "[" + subscript(linear(*a, subscripts)) + "]";
}

}  // namespace heddle
