#include "transform/fold.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/lifetimes.h"
#include "ir/poly.h"
#include "ir/print.h"
#include "ir/subscripts.h"
#include "transform/axes.h"
#include "transform/refuse.h"

namespace heddle {

namespace {

/// The largest modulus that is looked for.
constexpr std::int64_t most_places = 4096;

std::optional<std::int64_t> constant_of(const Expr& e) {
    const auto form = affine_of(e);
    return form && form->is_constant() ? std::optional(form->constant) : std::nullopt;
}

Error clash_error(const KernelData& kernel, const Clash& clash, const std::string& message) {
    return user_error("illegal-order", message, kernel.statements[clash.other.statement]->loc).note(clash.text(kernel));
}

/// The smallest modulus; refuses where there is none.
std::int64_t smallest_modulus(const KernelData& kernel, const Declared& d, const Lifetimes& lives, std::size_t axis) {
    const auto extent = constant_of(d.array->shape[axis]);
    const std::int64_t limit = extent ? std::min(most_places, std::max<std::int64_t>(*extent, 1)) : most_places;
    if (const auto least = lives.least_modulus(axis, limit)) return *least;
    const auto clash = lives.folded(axis, limit);
    require(clash.has_value(), "what divides a distance is a clash");
    refuse(clash_error(kernel, *clash,
                       fmt::format("elements of '{}' along axis {} hold values at the same time, and no number of "
                                   "places up to {} is enough for them",
                                   d.array->name.str(), axis, limit))
               .hint("fuse the loops that write and read it first, or shift one of them"));
    return 1;
}

void require_apart(const KernelData& kernel, const Declared& d, const Lifetimes& lives, std::size_t axis,
                   std::int64_t modulus) {
    const auto clash = lives.folded(axis, modulus);
    if (!clash) return;
    Error e = clash_error(kernel, *clash,
                          fmt::format("elements of '{}' whose subscripts along axis {} differ by a multiple of {} hold "
                                      "values at the same time",
                                      d.array->name.str(), axis, modulus));
    if (const auto least = lives.least_modulus(axis, most_places))
        e.hint(fmt::format("fold {} axis {} modulo {}", d.array->name.str(), axis, *least));
    refuse(std::move(e));
}

}  // namespace

Kernel store_modulo(const Kernel& kernel, const Declared& d, std::size_t axis, std::int64_t modulus) {
    Draft draft(kernel);
    rewrite_accesses(draft, d, [&](const std::vector<Expr>& subscripts, const Statement& s) {
        return folded(subscripts, axis, modulus, s.domain);
    });
    replace_array(draft, folded(*d.array, axis, modulus));
    return draft.finish();
}

Kernel run_step(const Kernel& kernel, const FoldTemporary& step) {
    const KernelData& data = kernel.data();
    const Declared d = plain_temporary(data, step.temporary, "fold");
    const std::size_t axis = checked_axis(*d.array, step.axis);
    if (step.modulo < 0) throw user_error("argument", "a modulus is at least 1");
    const Lifetimes lives(data, {step.temporary}, d.users);
    if (lives.unknown()) throw *lives.unknown();
    std::int64_t modulus = step.modulo;
    if (modulus == 0)
        modulus = smallest_modulus(data, d, lives, axis);
    else
        require_apart(data, d, lives, axis, modulus);
    if (const auto extent = constant_of(d.array->shape[axis]); extent && *extent <= modulus)
        throw user_error("argument",
                         fmt::format("axis {} of '{}' has {} entries, which {} places do not make fewer", axis,
                                     d.array->name.str(), *extent, modulus),
                         d.array->loc);
    return store_modulo(kernel, d, axis, modulus);
}

namespace {

void require_same_kind(const Array& s, const Array& t) {
    const auto text = [](const Array& a) {
        return fmt::format("'{}' is of type {}, has {} axes", a.name.str(), name_of(a.type), a.shape.size());
    };
    if (s.name == t.name) throw user_error("argument", fmt::format("'{}' has its own storage already", s.name.str()));
    if (s.type != t.type || s.shape.size() != t.shape.size())
        throw user_error("argument", text(s) + "; " + text(t), s.loc)
            .hint("temporaries of one type and equally many axes can share storage");
    if (!s.layout.is_default() || (s.space != AddressSpace::Auto && s.space != t.space))
        throw user_error("layout", fmt::format("'{}' has a layout or a space of its own, which would be lost", s.name.str()),
                         s.loc);
    for (const Array* a : {&s, &t})
        if (a->is_let && is_integer(a->type))
            throw user_error("scope", fmt::format("'{}' is a 'let', whose value must not change", a->name.str()), a->loc);
}

/// Every axis of `t` is at least as long as that of `s`.
void require_room(const KernelData& kernel, const Array& s, const Array& t) {
    for (std::size_t k = 0; k < s.shape.size(); ++k) {
        if (s.shape[k].same(t.shape[k])) continue;
        const auto need = affine_of(s.shape[k]), have = affine_of(t.shape[k]);
        if (need && have && poly::is_empty(intersect(kernel.assumptions, domain_of(less(*have, *need))))) continue;
        throw user_error("argument",
                         fmt::format("'{}' may be smaller than '{}' along axis {}: {} entries for {}", t.name.str(),
                                     s.name.str(), k, print(t.shape[k]), print(s.shape[k])),
                         t.loc)
            .hint(fmt::format("assume {} >= {}, or alias {} {}", print(t.shape[k]), print(s.shape[k]), t.name.str(),
                              s.name.str()));
    }
}

void require_declared_around(const Declared& s, const Declared& t) {
    const Node* home = t.path.nodes.back();
    if (std::find(s.path.nodes.begin(), s.path.nodes.end(), home) != s.path.nodes.end()) return;
    throw user_error(
        "scope", fmt::format("'{}' is declared further in than '{}', or elsewhere", t.array->name.str(), s.array->name.str()),
        t.array->loc)
        .hint(fmt::format("alias {} {}, or expand {} first", t.array->name.str(), s.array->name.str(), t.array->name.str()));
}

}  // namespace

Kernel run_step(const Kernel& kernel, const AliasTemporary& step) {
    const KernelData& data = kernel.data();
    const Declared s = declared(data, step.temporary, "alias"), t = declared(data, step.with, "alias");
    require_same_kind(*s.array, *t.array);
    require_room(data, *s.array, *t.array);
    require_declared_around(s, t);
    refuse_in_bounds(data, s);
    refuse_in_bounds(data, t);
    std::set<std::size_t> users(s.users.begin(), s.users.end());
    users.insert(t.users.begin(), t.users.end());
    const Lifetimes lives(data, {step.temporary, step.with}, {users.begin(), users.end()});
    if (lives.unknown()) throw *lives.unknown();
    if (const auto clash = lives.merged())
        refuse(clash_error(data, *clash,
                           fmt::format("'{}' and '{}' hold values at the same time", step.temporary.str(), step.with.str())));
    Draft draft(kernel);
    rename_uses(draft, step.temporary, step.with);
    draft.remove_array(step.temporary);
    Array array = *t.array;
    array.is_let = false;
    replace_array(draft, array);
    return draft.finish();
}

}  // namespace heddle
