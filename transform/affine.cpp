// affine: any invertible quasi-affine change of the loops of a nest.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "ir/checked_int.h"
#include "transform/blocks.h"
#include "transform/loops.h"

namespace heddle {

namespace {

using Row = std::vector<std::int64_t>;

/// row -= pivot row so that `column` becomes zero; the result is divided by its common factor.
void clear_column(Row& row, const Row& pivot, std::size_t column) {
    const std::int64_t a = pivot[column], b = row[column];
    if (b == 0) return;
    std::int64_t common = 0;
    for (std::size_t k = 0; k < row.size(); ++k) {
        row[k] = sub(mul(row[k], a), mul(pivot[k], b));
        common = std::gcd(common, row[k]);
    }
    if (common > 1)
        for (std::int64_t& x : row) x /= common;
}

/// Gauss-Jordan elimination on the first `columns` columns, left to right; the pivot row of column k, where it has one, is
/// result[k].
std::vector<std::optional<Row>> reduced(std::vector<Row> rows, std::size_t columns) {
    std::vector<std::optional<std::size_t>> pivots(columns);
    std::vector<bool> used(rows.size());
    for (std::size_t c = 0; c < columns; ++c) {
        std::size_t r = 0;
        while (r < rows.size() && (used[r] || rows[r][c] == 0)) ++r;
        if (r == rows.size()) continue;
        used[r] = true;
        pivots[c] = r;
        for (std::size_t other = 0; other < rows.size(); ++other)
            if (other != r) clear_column(rows[other], rows[r], c);
    }
    std::vector<std::optional<Row>> out(columns);
    for (std::size_t c = 0; c < columns; ++c)
        if (pivots[c]) out[c] = rows[*pivots[c]];
    return out;
}

bool mentions_any(const Atom& atom, const std::vector<Name>& loops) {
    Affine a;
    a.terms.emplace_back(atom, 1);
    return std::any_of(loops.begin(), loops.end(), [&](Name l) { return a.mentions(l); });
}

/// The forms as a linear system: columns are the loops, then floors of them; `rest` is what mentions no loop.
struct System {
    std::vector<Atom> columns;
    std::vector<Row> rows;
    std::vector<Affine> rest;
};
System system_of(const std::vector<Affine>& forms, const std::vector<Name>& loops) {
    System out;
    for (Name l : loops) out.columns.push_back(Affine::symbol(l).terms[0].first);
    for (const Affine& f : forms)
        for (const auto& [atom, c] : f.terms)
            if (mentions_any(atom, loops) && std::find(out.columns.begin(), out.columns.end(), atom) == out.columns.end())
                out.columns.push_back(atom);
    for (const Affine& f : forms) {
        Row row(out.columns.size() + forms.size());
        Affine rest = f;
        for (const auto& [atom, c] : f.terms) {
            const auto at = std::find(out.columns.begin(), out.columns.end(), atom);
            if (at == out.columns.end()) continue;
            row[static_cast<std::size_t>(at - out.columns.begin())] = c;
            std::erase_if(rest.terms, [&](const auto& t) { return t.first == atom; });
        }
        row[out.columns.size() + out.rows.size()] = 1;
        out.rows.push_back(std::move(row));
        out.rest.push_back(std::move(rest));
    }
    return out;
}

/// Each loop as a quasi-affine form in the new ones: forms and floors are taken as unknowns of a linear system, whose solution
/// for the loops is exact wherever new = forms(loops) has one.
Forms inverse(const std::vector<Affine>& forms, const std::vector<Name>& loops, const std::vector<Name>& names) {
    const System system = system_of(forms, loops);
    const std::size_t columns = system.columns.size();
    const auto rows = reduced(system.rows, columns);
    Forms out;
    for (std::size_t l = 0; l < loops.size(); ++l) {
        bool alone = rows[l].has_value();
        for (std::size_t c = 0; alone && c < columns; ++c) alone = c == l || (*rows[l])[c] == 0;
        if (!alone)
            throw user_error("not-invertible", fmt::format("the new loops do not tell the value of {}", loops[l].str()))
                .hint("the forms must be linearly independent in the loops, one for each loop at least");
        const Row& row = *rows[l];
        const std::int64_t sign = row[l] < 0 ? -1 : 1;
        Affine sum;
        for (std::size_t j = 0; j < forms.size(); ++j)
            sum = sum + sign * row[columns + j] * (Affine::symbol(names[j]) - system.rest[j]);
        out.emplace_back(loops[l], Affine::floor_div(sum, sign * row[l]));
    }
    return out;
}

/// new = forms(old) with the old loops written in the new ones: what remains are strides and the meaning of floors. As many
/// linear forms as loops: exactly that each division in `back` leaves no remainder.
Conjunct image(const std::vector<Affine>& forms, const std::vector<Name>& names, const Forms& back) {
    Conjunct out;
    const auto whole = [](const Affine& f) { return !f.has_floor(); };
    if (forms.size() == back.size() && std::all_of(forms.begin(), forms.end(), whole)) {
        for (const auto& [loop, form] : back) {
            if (form.terms.empty() || !form.terms.back().first.is_floor()) continue;
            const Atom& floor = form.terms.back().first;
            out.push_back(equal(*floor.numerator, floor.denominator * Affine::floor_div(*floor.numerator, floor.denominator)));
        }
        return out;
    }
    for (std::size_t j = 0; j < forms.size(); ++j) {
        Constraint c = equal(Affine::symbol(names[j]), substitute(forms[j], back));
        if (normalise(c) != Truth::True) out.push_back(std::move(c));
    }
    return out;
}

void require_upwards(const std::vector<Edit::Group>& nest) {
    for (const Edit::Group& g : nest) {
        const std::string name = g.loop->loop.str();
        if (g.loop->descending)
            throw user_error("argument", fmt::format("loop {} runs downwards", name))
                .hint(fmt::format("reverse {} first", name));
        if (g.loop->tag != LoopTag{})
            throw user_error("tag", fmt::format("loop {} has a tag", name)).hint(fmt::format("sequential {} first", name));
    }
}

void change_nest(Edit& edit, const std::vector<Edit::Group>& nest, const AffineLoops& step, const std::vector<Name>& names) {
    require_upwards(nest);
    std::vector<Name> loops, allowed = edit.loops_outside(nest[0]);
    for (const Edit::Group& g : nest) loops.push_back(g.loop->loop);
    allowed.insert(allowed.end(), loops.begin(), loops.end());
    std::vector<Affine> forms;
    for (const Expression& e : step.forms) forms.push_back(edit.affine(e, allowed));
    const Forms back = inverse(forms, loops, names);
    Forms come;
    std::vector<NodePtr> elements;
    for (std::size_t j = 0; j < names.size(); ++j) {
        come.emplace_back(names[j], forms[j]);
        elements.push_back(plain_loop(*nest[0].loop, names[j]));
    }
    edit.change(nest[0], back, come, image(forms, names, back));
    for (std::size_t k = nest.size(); k-- > 1;) edit.replace(nest[k], {});
    edit.replace(nest[0], elements);
}

}  // namespace

/// Keeps: every instance. The forms have an inverse g (else refused), so they are injective; the new domain is { new : g(new)
/// in the old domain and new = forms(g(new)) }, which is exactly the image. The order is that of the new loops and is proved.
Kernel run_step(const Kernel& kernel, const AffineLoops& step) {
    Edit edit(kernel);
    std::vector<Name> names = step.into;
    if (names.empty() && step.forms.size() == step.loops.size())
        for (const LoopRef& l : step.loops) names.push_back(l.loop);
    names = edit.loop_names(names, std::vector<std::string>(step.forms.size(), step.loops[0].loop.str()));
    for (const auto& nest : edit.nests(step.loops)) change_nest(edit, nest, step, names);
    edit.hint = "choose forms in which every dependence still points forwards, for example skew by an outer loop first";
    return edit.finish(Proof::Order);
}

}  // namespace heddle
