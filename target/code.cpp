#include "target/code.h"

#include <algorithm>

namespace heddle {

CodePtr make_run(std::size_t statement) {
    auto code = std::make_shared<Code>();
    code->kind = Code::Kind::Run;
    code->statement = statement;
    return code;
}

CodePtr make_if(Domain condition, std::vector<CodePtr> body) {
    auto code = std::make_shared<Code>();
    code->kind = Code::Kind::If;
    code->condition = std::move(condition);
    code->body = std::move(body);
    if (code->body.size() == 1 && code->body[0]->kind == Code::Kind::If && code->body[0]->otherwise.empty()) {
        const CodePtr inner = code->body[0];
        code->condition = intersect(code->condition, inner->condition);
        code->body = inner->body;
    }
    return code;
}

void append(std::vector<CodePtr>& to, CodePtr code) {
    if (code->kind == Code::Kind::Block && code->temporaries.empty()) {
        for (const CodePtr& c : code->body) append(to, c);
        return;
    }
    const bool joins = !to.empty() && code->kind == Code::Kind::If && to.back()->kind == Code::Kind::If &&
                       code->otherwise.empty() && to.back()->otherwise.empty() && code->condition == to.back()->condition;
    if (!joins) return to.push_back(std::move(code));
    auto joined = std::make_shared<Code>(*to.back());
    for (const CodePtr& c : code->body) append(joined->body, c);
    to.back() = std::move(joined);
}

std::optional<std::int64_t> number_in_all(const Limit& limit, bool smallest) {
    std::optional<std::int64_t> out;
    for (const auto& alternative : limit.alternatives) {
        const auto it = std::find_if(alternative.begin(), alternative.end(),
                                     [](const Ratio& r) { return r.divisor == 1 && r.form.is_constant(); });
        if (it == alternative.end()) return std::nullopt;
        const std::int64_t value = it->form.constant;
        out = !out ? value : smallest ? std::min(*out, value) : std::max(*out, value);
    }
    return out;
}

void know_range(Known& known, const Code& loop) {
    const Affine variable = Affine::symbol(loop.variable);
    if (loop.kind == Code::Kind::Fix) return known.add(equal(variable, loop.value));
    known.add(enforced_below(loop.variable, loop.lower));
    known.add(enforced_above(loop.variable, loop.upper));
    if (const auto low = number_in_all(loop.lower, true)) known.add(at_least(variable, Affine(*low)));
    if (const auto high = number_in_all(loop.upper, false)) known.add(at_least(Affine(*high), variable));
}

namespace {

std::vector<CodePtr> simplify_all(const std::vector<CodePtr>& codes, Known& known) {
    std::vector<CodePtr> out;
    for (const CodePtr& c : codes) append(out, simplify(c, known));
    return out;
}

/// Bounds of one side that the others of it and what is known do not imply.
void drop_implied(Limit& limit, Known& known, const std::function<Constraint(const Ratio&)>& constraint) {
    if (!limit.is_single()) return;
    auto& ratios = limit.alternatives[0];
    for (std::size_t k = ratios.size(); k-- > 0 && ratios.size() > 1;) {
        const auto mark = known.mark();
        for (std::size_t m = 0; m < ratios.size(); ++m)
            if (m != k) known.add(constraint(ratios[m]));
        const bool implied = known.proves(constraint(ratios[k]));
        known.release(mark);
        if (implied) ratios.erase(ratios.begin() + static_cast<std::ptrdiff_t>(k));
    }
}

CodePtr simplify_loop(const Code& c, Known& known) {
    auto out = std::make_shared<Code>(c);
    const auto mark = known.mark();
    known.enter(c.variable);
    if (c.kind == Code::Kind::For) {
        const Affine v = Affine::symbol(c.variable);
        drop_implied(out->lower, known, [&](const Ratio& r) { return at_least(r.divisor * v, r.form); });
        drop_implied(out->upper, known, [&](const Ratio& r) { return at_least(r.form, r.divisor * v); });
    }
    know_range(known, *out);
    out->body = simplify_all(c.body, known);
    known.release(mark);
    return out->body.empty() ? std::make_shared<Code>() : out;
}

CodePtr simplify_if(const Code& c, Known& known) {
    Domain left = Domain::nothing();
    for (const Conjunct& piece : c.condition.pieces) {
        if (std::any_of(piece.begin(), piece.end(), [&](const Constraint& k) { return known.refutes(k); })) continue;
        Conjunct rest;
        for (const Constraint& k : piece)
            if (!known.proves(k)) rest.push_back(k);
        left.pieces.push_back(std::move(rest));
    }
    const bool certain = std::any_of(left.pieces.begin(), left.pieces.end(), [](const Conjunct& p) { return p.empty(); });
    const auto mark = known.mark();
    if (!certain && left.convex()) known.add(left.pieces[0]);
    auto out = std::make_shared<Code>();
    if (certain || !left.is_nothing()) out->body = simplify_all(c.body, known);
    known.release(mark);
    if (certain) return out;
    std::vector<CodePtr> otherwise = simplify_all(c.otherwise, known);
    if (left.is_nothing()) {
        out->body = std::move(otherwise);
        return out;
    }
    if (otherwise.empty()) return make_if(std::move(left), std::move(out->body));
    out->kind = Code::Kind::If;
    out->condition = std::move(left);
    out->otherwise = std::move(otherwise);
    return out;
}

}  // namespace

CodePtr simplify(const CodePtr& code, Known& known) {
    switch (code->kind) {
        case Code::Kind::Run:
        case Code::Kind::Launch:
        case Code::Kind::Barrier:
            return code;
        case Code::Kind::If:
            return simplify_if(*code, known);
        case Code::Kind::Block: {
            auto out = std::make_shared<Code>(*code);
            out->body = simplify_all(code->body, known);
            return out;
        }
        default:
            return simplify_loop(*code, known);
    }
}

}  // namespace heddle
