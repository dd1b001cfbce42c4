#include "target/unroll.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/checked_int.h"
#include "ir/error.h"
#include "target/code.h"

namespace heddle {
namespace {

class Unroller {
public:
    Unroller(const KernelData& kernel, std::int64_t limit) : kernel_(kernel), limit_(limit) {}
    CodePtr run(const CodePtr& code);

private:
    std::vector<CodePtr> all(const std::vector<CodePtr>& codes);
    CodePtr copies(const Code& loop);
    CodePtr copy(const Code& loop, std::int64_t value, const Conjunct& extra);
    std::optional<std::pair<std::int64_t, std::int64_t>> hull(const Code& loop) const;
    std::vector<Name> kept(const std::vector<Name>& temporaries, const Code& body) const;
    CodePtr fixed(const Code& c);
    CodePtr branch(const Code& c);
    Affine here(Affine a) const;
    Limit here(Limit l) const;
    Domain here(Domain d) const;
    Conjunct extra_bounds(const Code& loop) const;

    const KernelData& kernel_;
    std::int64_t limit_;
    Env values_;
    std::int64_t copies_ = 1;
};

Affine Unroller::here(Affine a) const {
    for (const auto& [name, value] : values_) a = a.substitute(name, Affine(value));
    return a;
}

Limit Unroller::here(Limit l) const {
    for (auto& alternative : l.alternatives)
        for (Ratio& r : alternative) r.form = here(r.form);
    return l;
}

Domain Unroller::here(Domain d) const {
    for (const auto& [name, value] : values_) d = d.substitute(name, Affine(value));
    return d;
}

std::vector<CodePtr> Unroller::all(const std::vector<CodePtr>& codes) {
    std::vector<CodePtr> out;
    for (const CodePtr& c : codes) append(out, run(c));
    return out;
}

/// The tightest number on one side of a range: quotients of numbers are evaluated.
std::optional<std::int64_t> number_of(const Limit& limit, bool lower) {
    std::optional<std::int64_t> out;
    for (const auto& alternative : limit.alternatives) {
        std::optional<std::int64_t> tightest;
        for (const Ratio& r : alternative) {
            if (!r.form.is_constant()) continue;
            const std::int64_t value =
                lower ? -floor_quotient(-r.form.constant, r.divisor) : floor_quotient(r.form.constant, r.divisor);
            tightest = !tightest ? value : lower ? std::max(*tightest, value) : std::min(*tightest, value);
        }
        if (!tightest) return std::nullopt;
        out = !out ? *tightest : lower ? std::min(*out, *tightest) : std::max(*out, *tightest);
    }
    return out;
}

/// Bounds of the range that are no numbers: tested in each copy.
Conjunct Unroller::extra_bounds(const Code& loop) const {
    Conjunct out;
    for (const Constraint& c : enforced_below(loop.variable, loop.lower)) out.push_back(c);
    for (const Constraint& c : enforced_above(loop.variable, loop.upper)) out.push_back(c);
    return out;
}

void collect_statements(const Code& code, std::vector<std::size_t>& out) {
    if (code.kind == Code::Kind::Run) out.push_back(code.statement);
    for (const CodePtr& c : code.body) collect_statements(*c, out);
    for (const CodePtr& c : code.otherwise) collect_statements(*c, out);
}

/// Does the statement mention an array or scalar?
bool uses(const Statement& s, Name name) {
    const auto in = [&](const std::vector<Expr>& list) {
        return std::any_of(list.begin(), list.end(), [&](const Expr& e) { return mentions(e, name); });
    };
    const bool placed =
        std::any_of(s.places.begin(), s.places.end(), [&](const Place& p) { return p.array == name || in(p.subscripts); });
    const bool bound = s.call && std::any_of(s.call->bindings.begin(), s.call->bindings.end(),
                                             [&](const auto& b) { return mentions(b.second, name); });
    return placed || bound || in(s.values) || in(s.predicates) || s.domain.mentions(name);
}

/// The range of numbers outside which no statement under the loop runs, with the values of unrolled loops around it.
std::optional<std::pair<std::int64_t, std::int64_t>> Unroller::hull(const Code& loop) const {
    std::vector<std::size_t> statements;
    collect_statements(loop, statements);
    std::optional<std::pair<std::int64_t, std::int64_t>> out;
    const auto impossible = [](Constraint c) { return normalise(c) == Truth::False; };
    for (const std::size_t s : statements) {
        const Domain domain = here(intersect(kernel_.statements[s]->domain, kernel_.assumptions));
        for (const Conjunct& piece : domain.pieces) {
            if (std::any_of(piece.begin(), piece.end(), impossible)) continue;
            const auto range = constant_range(piece, loop.variable);
            if (!range) return std::nullopt;
            out = out ? std::pair(std::min(out->first, range->first), std::max(out->second, range->second)) : *range;
        }
    }
    return out ? out : std::pair<std::int64_t, std::int64_t>(0, -1);
}

CodePtr Unroller::copies(const Code& loop) {
    Code bounds;
    bounds.variable = loop.variable;
    bounds.lower = here(loop.lower);
    bounds.upper = here(loop.upper);
    auto low = number_of(bounds.lower, true), high = number_of(bounds.upper, false);
    if (!low || !high) {
        const auto range = hull(loop);
        if (range && !low) low = range->first;
        if (range && !high) high = range->second;
    }
    const Loc loc = loop.loop ? loop.loop->loc : Loc();
    if (!low || !high)
        throw user_error("unroll",
                         "loop '" + loop.variable.str() + "' cannot be unrolled: its number of iterations is no constant", loc)
            .hint("split it by a constant and unroll the inner loop, or fix the parameters it depends on");
    const std::int64_t count = *high < *low ? 0 : add(floor_quotient(sub(*high, *low), loop.step), 1);
    const std::int64_t total = mul(copies_, count);
    if (total > limit_)
        throw user_error(
            "unroll",
            fmt::format("unrolling loop '{}' makes {} copies of its body; the limit is {}", loop.variable.str(), total, limit_),
            loc)
            .hint("split it and unroll only the inner loop, or raise the limit");
    const std::int64_t outer = std::exchange(copies_, total);
    const Conjunct extra = extra_bounds(bounds);
    auto out = std::make_shared<Code>();
    for (std::int64_t k = 0; k < count; ++k) {
        append(out->body, copy(loop, loop.descending ? *high - k * loop.step : *low + k * loop.step, extra));
    }
    copies_ = outer;
    return out;
}

/// The temporaries that statements in this copy use.
std::vector<Name> Unroller::kept(const std::vector<Name>& temporaries, const Code& body) const {
    std::vector<std::size_t> statements;
    collect_statements(body, statements);
    std::vector<Name> out;
    for (const Name t : temporaries)
        if (std::any_of(statements.begin(), statements.end(), [&](std::size_t s) { return uses(*kernel_.statements[s], t); }))
            out.push_back(t);
    return out;
}

CodePtr Unroller::copy(const Code& loop, std::int64_t value, const Conjunct& extra) {
    const auto shadowed = values_.find(loop.variable) != values_.end();
    require(!shadowed, "loops nested in each other have distinct names");
    values_[loop.variable] = value;
    auto body = std::make_shared<Code>();
    const Domain condition = Domain{{extra}}.substitute(loop.variable, Affine(value));
    if (!condition.is_nothing()) {
        body->body = all(loop.body);
        body->temporaries = kept(loop.temporaries, *body);
    }
    values_.erase(loop.variable);
    return condition.is_everything() || condition.is_nothing() ? body : make_if(condition, {body});
}

CodePtr Unroller::fixed(const Code& c) {
    auto out = std::make_shared<Code>(c);
    out->value = here(c.value);
    if (values_.empty() || !out->value.is_constant()) {
        out->body = all(c.body);
        return out;
    }
    values_[c.variable] = out->value.constant;
    out->kind = Code::Kind::Block;
    out->body = all(c.body);
    values_.erase(c.variable);
    return out;
}

CodePtr Unroller::branch(const Code& c) {
    auto out = std::make_shared<Code>(c);
    out->condition = here(c.condition);
    const bool always =
        std::any_of(out->condition.pieces.begin(), out->condition.pieces.end(), [](const Conjunct& p) { return p.empty(); });
    if (!out->condition.is_nothing()) out->body = all(c.body);
    if (!always) out->otherwise = all(c.otherwise);
    if (always || out->condition.is_nothing()) {
        out->kind = Code::Kind::Block;
        if (!always) out->body = out->otherwise;
        out->otherwise.clear();
    }
    return out;
}

CodePtr Unroller::run(const CodePtr& code) {
    if (code->kind == Code::Kind::For && code->tag.kind == LoopTag::Kind::Unroll) return copies(*code);
    if (code->kind == Code::Kind::If) return branch(*code);
    if (code->kind == Code::Kind::Fix) return fixed(*code);
    auto out = std::make_shared<Code>(*code);
    if (code->kind == Code::Kind::Run) out->constants = values_;
    out->lower = here(code->lower);
    out->upper = here(code->upper);
    out->body = all(code->body);
    return out;
}

bool wants_unrolling(const Code& c) {
    if (c.kind == Code::Kind::For && c.tag.kind == LoopTag::Kind::Unroll) return true;
    const auto in = [](const CodePtr& child) { return wants_unrolling(*child); };
    return std::any_of(c.body.begin(), c.body.end(), in) || std::any_of(c.otherwise.begin(), c.otherwise.end(), in);
}

}  // namespace

CodePtr unroll(const CodePtr& code, const KernelData& kernel, std::int64_t limit) {
    return wants_unrolling(*code) ? Unroller(kernel, limit).run(code) : code;
}

}  // namespace heddle
