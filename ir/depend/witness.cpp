#include "ir/depend/witness.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/poly.h"

namespace heddle {
namespace depend {
namespace {

std::int64_t value_or_zero(const Env& env, Name n) {
    const auto it = env.find(n);
    return it == env.end() ? 0 : it->second;
}

/// The subscripts of the source at its point, when all are known there.
std::vector<std::int64_t> element_at(const AccessModel& a, const Env& env) {
    std::vector<std::int64_t> out;
    for (const auto& form : a.forms) {
        if (!form) return {};
        for (const Piece& p : *form) {
            Env all = env;
            std::vector<Name> symbols;
            p.value.symbols(symbols);
            for (const Constraint& c : p.when) c.form.symbols(symbols);
            for (Name n : symbols) all.emplace(n, 0);
            if (!contains(Domain{{p.when}}, all)) continue;
            out.push_back(evaluate(p.value, all));
            break;
        }
    }
    return out.size() == a.forms.size() ? out : std::vector<std::int64_t>{};
}

}  // namespace

DependenceKind kind_of(const Access& source, const Access& sink) {
    if (source.reduction && sink.reduction) return DependenceKind::Reduction;
    if (!source.write) return DependenceKind::Anti;
    return sink.reads() ? DependenceKind::Flow : DependenceKind::Output;
}

namespace {

/// Tuples under a user's operator change places only as a whole: the same arrays at one and the same element.
bool same_tuple(const Statement& p, const Statement& q) {
    if (p.places.size() != q.places.size()) return false;
    const auto same_subscripts = [](const Place& x, const Place& y) {
        return std::equal(x.subscripts.begin(), x.subscripts.end(), y.subscripts.begin(), y.subscripts.end(),
                          [](const Expr& a, const Expr& b) { return a.same(b); });
    };
    for (std::size_t k = 0; k < p.places.size(); ++k)
        if (p.places[k].array != q.places[k].array || !same_subscripts(p.places[0], p.places[k]) ||
            !same_subscripts(q.places[0], q.places[k]))
            return false;
    return true;
}

}  // namespace

bool commute(const StatementModel& p, const AccessModel& a, const StatementModel& q, const AccessModel& b, bool atomics) {
    if (!a.access.reduction || !b.access.reduction) return false;
    if (p.statement->update != q.statement->update || p.statement->op != q.statement->op) return false;
    if (p.statement->update == Update::Custom && !same_tuple(*p.statement, *q.statement)) return false;
    return atomics ? p.atomic_free && q.atomic_free : p.order_free && q.order_free;
}

std::optional<Witness> witness_at(const Model& model, const Conjunct& c, const StatementModel& p, const AccessModel& a,
                                  const StatementModel& q, const AccessModel& b) {
    std::vector<Name> first;
    for (const Parameter& x : model.kernel().parameters) first.push_back(x.name);
    std::erase_if(first, [&](Name n) {
        return std::none_of(c.begin(), c.end(), [&](const Constraint& k) { return k.form.mentions(n); });
    });
    const auto env = poly::sample(Domain{{c}}, first);
    if (!env) return std::nullopt;
    Witness w{kind_of(a.access, b.access), p.index, q.index, a.access.array, {}, {}, {}, {}, true, {}};
    for (Name n : first) w.parameters[n] = env->at(n);
    for (const Node* l : p.loops) w.source_point[l->loop] = value_or_zero(*env, l->loop);
    for (const Node* l : q.loops) w.sink_point[l->loop] = value_or_zero(*env, sink_name(l->loop));
    const bool certain =
        !a.access.conditional && !b.access.conditional && p.statement->predicates.empty() && q.statement->predicates.empty();
    w.exact = a.exact && b.exact && a.access.array == b.access.array && certain && !mentions_data(c, p, q);
    if (a.exact && b.exact && a.access.array == b.access.array) w.element = element_at(a, *env);
    return w;
}

bool mentions_data(const Conjunct& c, const StatementModel& p, const StatementModel& q) {
    const auto in = [&](Name n) {
        return std::any_of(c.begin(), c.end(), [&](const Constraint& k) { return k.form.mentions(n); });
    };
    return std::any_of(p.data.begin(), p.data.end(), [&](const DataSymbol& d) { return in(d.name); }) ||
           std::any_of(q.data.begin(), q.data.end(), [&](const DataSymbol& d) { return in(sink_name(d.name)); });
}

std::string instance_text(const Statement& s, const std::vector<Name>& loops, const Env& point, const Env& parameters) {
    Env env = parameters;
    for (const auto& [n, value] : point) env[n] = value;
    std::string out;
    const auto append = [&](Name n, std::int64_t value) {
        out += fmt::format("{}{}={}", out.empty() ? "" : ", ", n.str(), value);
    };
    for (const auto& [user, now] : s.origin) {
        const auto form = affine_of(now);
        std::vector<Name> symbols;
        if (form) form->symbols(symbols);
        if (form && std::all_of(symbols.begin(), symbols.end(), [&](Name n) { return env.count(n) != 0; }))
            append(user, evaluate(*form, env));
    }
    if (s.origin.empty())
        for (Name n : loops) append(n, value_or_zero(point, n));
    return s.label.str() + (out.empty() ? "" : "(" + out + ")");
}

}  // namespace depend

namespace {

std::string values_text(const Env& env) {
    std::string out;
    for (const auto& [n, value] : env) out += fmt::format("{}{}={}", out.empty() ? "" : ", ", n.str(), value);
    return out;
}

/// What the two do, by kind.
std::pair<const char*, const char*> verbs(DependenceKind kind) {
    switch (kind) {
        case DependenceKind::Flow:
            return {"writes", "reads"};
        case DependenceKind::Anti:
            return {"reads", "writes"};
        case DependenceKind::Output:
            return {"writes", "writes"};
        default:
            return {"updates", "updates"};
    }
}

}  // namespace

std::string_view name_of(DependenceKind kind) {
    constexpr std::string_view names[] = {"flow", "anti", "output", "reduction"};
    return names[static_cast<std::size_t>(kind)];
}

std::string Witness::text(const KernelData& old_kernel) const {
    const auto instance = [&](std::size_t s, const Env& point) {
        return depend::instance_text(*old_kernel.statements[s], loops_around(old_kernel, s), point, parameters);
    };
    const auto [first, second] = verbs(kind);
    const std::string where = element.empty() ? array.str() : fmt::format("{}[{}]", array.str(), fmt::join(element, ", "));
    const char* may = exact ? "" : "may be that ";
    std::string out = fmt::format("{} dependence on {}: {}{} {} {}, then {} {} {}", name_of(kind), array.str(), may,
                                  instance(source, source_point), first, where, instance(sink, sink_point), second,
                                  element.empty() && !exact ? "the same element" : "it");
    if (!parameters.empty()) out += fmt::format(" ({})", values_text(parameters));
    return why.empty() ? out : out + "; " + why;
}

}  // namespace heddle
