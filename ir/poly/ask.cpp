// Questions about plain domains, answered by isl.
#include <fmt/format.h>
#include <isl/ctx.h>
#include <isl/ilp.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/val.h>

#include <algorithm>
#include <cctype>

#include "ir/error.h"
#include "ir/poly.h"
#include "ir/poly/feasible.h"

namespace heddle::poly {
namespace {

/// Every symbol of the domains, sorted: for questions all are dimensions alike.
std::vector<Name> universe(std::initializer_list<const Domain*> domains, std::vector<Name> all = {}) {
    for (const Domain* d : domains) d->symbols(all);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

/// Runs a question under a budget, and with isl's errors turned into ours.
template <class F>
auto ask(const char* what, F f) {
    std::optional<Budget> budget;
    if (isl_ctx_get_max_operations(context().get()) == 0) budget.emplace(what);
    return guarded(budget ? what : "", f);
}

Constraint between(Name n, std::int64_t bound, bool upper) {
    return upper ? at_least(Affine(bound), Affine::symbol(n)) : at_least(Affine::symbol(n), Affine(bound));
}

/// The set with every symbol in low..high.
Domain boxed(const Domain& d, const std::vector<Name>& symbols, std::int64_t low, std::int64_t high) {
    Domain out = d;
    for (Conjunct& piece : out.pieces)
        for (Name n : symbols) {
            piece.push_back(between(n, low, false));
            piece.push_back(between(n, high, true));
        }
    return out;
}

std::int64_t value_of(const isl::val& v) { return isl_val_get_num_si(v.get()); }

/// The coordinates of some point, by name; the first in lexicographic order where `smallest`.
std::optional<Env> point_of(const isl::set& s, const std::vector<Name>& dims, bool smallest) {
    if (s.is_empty()) return std::nullopt;
    isl::point p = (smallest ? s.lexmin() : s).sample_point();
    Env env;
    for (std::size_t k = 0; k < dims.size(); ++k)
        env[dims[k]] = value_of(isl::manage(isl_point_get_coordinate_val(p.get(), isl_dim_set, static_cast<int>(k))));
    return env;
}

std::optional<std::int64_t> optimum(const Affine& a, const Domain& d, bool largest) {
    return ask("the range of an expression", [&]() -> std::optional<std::int64_t> {
        std::vector<Name> extra;
        a.symbols(extra);
        std::vector<Name> all = universe({&d}, extra);
        isl::set s = to_set(d, all);
        if (s.is_empty()) return std::nullopt;
        isl::val v = largest ? s.max_val(to_aff(a, all)) : s.min_val(to_aff(a, all));
        if (!v.is_int()) return std::nullopt;
        return value_of(v);
    });
}

/// The formula with every symbol replaced by a name that is surely no word of isl's.
std::string with_safe_names(const std::string& formula, const std::vector<Name>& symbols) {
    std::string out;
    for (std::size_t k = 0; k < formula.size();) {
        if (!std::isalpha(static_cast<unsigned char>(formula[k])) && formula[k] != '_') {
            out += formula[k++];
            continue;
        }
        std::size_t end = k;
        while (end < formula.size() && (std::isalnum(static_cast<unsigned char>(formula[end])) || formula[end] == '_')) ++end;
        std::string word = formula.substr(k, end - k);
        auto it = std::find(symbols.begin(), symbols.end(), Name(word));
        out += it == symbols.end() ? word : fmt::format("heddle_{}", it - symbols.begin());
        k = end;
    }
    return out;
}

/// Does every point of the conjunct satisfy the constraint?
Truth everywhere(const Feasibility& points, const Constraint& c) {
    Truth out = Truth::True;
    for (const Conjunct& broken : complement(domain_of(c)).pieces) {
        const Truth breaks = points.with(broken);
        if (breaks == Truth::True) return Truth::False;
        if (breaks == Truth::Unknown) out = Truth::Unknown;
    }
    return out;
}

/// The cheap test of a subset: each piece inside one piece of the other, constraint by constraint.
Truth plainly_inside(const Domain& a, const Domain& b) {
    Truth all = Truth::True;
    for (const Conjunct& piece : a.pieces) {
        const Feasibility points(piece);
        Truth best = Truth::False;
        if (const Truth any = points.with({}); any != Truth::True) {
            if (any == Truth::Unknown) all = Truth::Unknown;
            if (any == Truth::False || b.is_nothing()) continue;
        }
        for (const Conjunct& other : b.pieces) {
            Truth inside = Truth::True;
            for (const Constraint& c : other) {
                const Truth holds = everywhere(points, c);
                if (holds != Truth::True && inside != Truth::False) inside = holds;
            }
            if (inside != Truth::False) best = best == Truth::True ? best : inside;
        }
        if (best == Truth::False && b.pieces.size() > 1) best = Truth::Unknown;
        if (best == Truth::False) return Truth::False;
        if (best == Truth::Unknown) all = Truth::Unknown;
    }
    return all;
}

}  // namespace

bool is_empty(const Domain& d) {
    Domain doubtful = Domain::nothing();
    for (const Conjunct& piece : d.pieces) {
        const Truth truth = feasible(piece);
        if (truth == Truth::True) return false;
        if (truth == Truth::Unknown) doubtful.pieces.push_back(piece);
    }
    if (doubtful.is_nothing()) return true;
    return ask("the emptiness of a set", [&] { return to_set(doubtful, universe({&doubtful})).is_empty(); });
}

bool is_subset(const Domain& a, const Domain& b) {
    if (a.is_nothing() || b.is_everything()) return true;
    const Truth truth = plainly_inside(a, b);
    if (truth != Truth::Unknown) return truth == Truth::True;
    return ask("the comparison of two sets", [&] {
        std::vector<Name> all = universe({&a, &b});
        return to_set(a, all).is_subset(to_set(b, all));
    });
}

bool is_equal(const Domain& a, const Domain& b) { return a == b || (is_subset(a, b) && is_subset(b, a)); }

std::optional<Env> sample(const Domain& d, const std::vector<Name>& first) {
    if (d.is_nothing()) return std::nullopt;
    return ask("the search for a point", [&]() -> std::optional<Env> {
        std::vector<Name> dims = first;
        for (Name n : universe({&d}, first))
            if (std::find(first.begin(), first.end(), n) == first.end()) dims.push_back(n);
        isl::set whole = to_set(d, dims);
        if (whole.is_empty()) return std::nullopt;
        for (std::int64_t size : {2, 4, 8, 16, 64, 1024}) {
            for (std::int64_t low : {std::int64_t{0}, -size})
                if (auto env = point_of(to_set(boxed(d, dims, low, size), dims), dims, true)) return env;
        }
        return point_of(whole, dims, false);
    });
}

namespace {

/// The set over the symbols that stay, in `kept`: the others are existential.
isl::set projected(const Domain& d, const std::vector<Name>& gone, std::vector<Name>& kept) {
    kept = universe({&d});
    std::erase_if(kept, [&](Name n) { return std::find(gone.begin(), gone.end(), n) != gone.end(); });
    std::vector<Name> order = kept;
    order.insert(order.end(), gone.begin(), gone.end());
    isl_set* s = to_set(d, order).release();
    s = isl_set_project_out(s, isl_dim_set, static_cast<unsigned>(kept.size()), static_cast<unsigned>(gone.size()));
    return isl::manage(s);
}

}  // namespace

Domain project(const Domain& d, const std::vector<Name>& gone) {
    return ask("the projection of a set", [&] {
        std::vector<Name> kept;
        const isl::set s = projected(d, gone, kept);
        return from_set(s.coalesce(), kept);
    });
}

Domain real_shadow(const Domain& d, const std::vector<Name>& gone) {
    return ask("the shadow of a set", [&] {
        std::vector<Name> kept;
        const isl::set s = projected(d, gone, kept);
        return from_set(isl::manage(isl_set_remove_redundancies(isl_set_remove_divs(s.copy()))), kept);
    });
}

Domain gist(const Domain& d, const Domain& context) {
    return ask("the simplification of a set", [&] {
        std::vector<Name> all = universe({&d, &context});
        return from_set(to_set(d, all).gist(to_set(context, all)), all);
    });
}

Domain subtract(const Domain& a, const Domain& b) {
    return ask("the difference of two sets", [&] {
        std::vector<Name> all = universe({&a, &b});
        return from_set(to_set(a, all).subtract(to_set(b, all)).coalesce(), all);
    });
}

Domain simplify(const Domain& d) {
    return ask("the simplification of a set", [&] {
        std::vector<Name> all = universe({&d});
        isl::set s = to_set(d, all).coalesce().detect_equalities();
        return from_set(isl::manage(isl_set_remove_redundancies(s.release())), all);
    });
}

std::optional<std::int64_t> constant_min(const Affine& a, const Domain& d) { return optimum(a, d, false); }
std::optional<std::int64_t> constant_max(const Affine& a, const Domain& d) { return optimum(a, d, true); }

Domain read(const std::string& formula, const std::vector<Name>& symbols) {
    std::string names;
    for (std::size_t k = 0; k < symbols.size(); ++k) names += fmt::format("{}heddle_{}", k ? ", " : "", k);
    try {
        Budget budget("the reading of a formula");
        isl::set s(context(), fmt::format("{{ [{}] : {} }}", names, with_safe_names(formula, symbols)));
        return from_set(s, symbols);
    } catch (const isl::exception_quota&) {
        rethrow("");
    } catch (const isl::exception&) {
        isl_ctx_reset_error(context().get());
        throw user_error("syntax", fmt::format("'{}' is no formula over integers", formula))
            .hint("formulas are made of 'and or not exists', comparisons of affine expressions, 'mod' and 'floor'");
    }
}

}  // namespace heddle::poly
