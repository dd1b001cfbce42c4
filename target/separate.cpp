#include "target/separate.h"

#include <algorithm>

#include "target/code.h"

namespace heddle {
namespace {

/// A loop of the band with the numbers between which it runs at most.
struct Boxed {
    Name variable;
    std::int64_t low, high;
};

class Separator {
public:
    explicit Separator(const Domain& assumptions) : known_(assumptions) {}
    CodePtr run(const CodePtr& code);

private:
    std::vector<CodePtr> all(const std::vector<CodePtr>& codes);
    CodePtr descend(const CodePtr& code);
    Conjunct full_condition(const Code& outermost) const;
    void collect(const Code& c, std::vector<Boxed>& box, Conjunct& out) const;

    Known known_;
};

/// The smallest value over the box; nothing where the form has a variable of the band without numbers.
std::optional<Affine> smallest_over(Affine form, const std::vector<Boxed>& box) {
    for (auto it = box.rbegin(); it != box.rend(); ++it) {
        const std::int64_t a = form.coefficient(it->variable);
        Affine rest = form - Affine::symbol(it->variable, a);
        if (rest.mentions(it->variable)) return std::nullopt;
        if (a != 0) form = rest + Affine(a * (a > 0 ? it->low : it->high));
    }
    return form;
}

void keep(const Affine& form, const std::vector<Boxed>& box, Conjunct& out) {
    const auto worst = smallest_over(form, box);
    if (!worst) return;
    Constraint c{*worst, false};
    if (normalise(c) == Truth::Unknown && std::find(out.begin(), out.end(), c) == out.end()) out.push_back(std::move(c));
}

/// Walks the band: bounds and guards besides the box must hold at the box's worst corner.
void Separator::collect(const Code& c, std::vector<Boxed>& box, Conjunct& out) const {
    if (c.kind == Code::Kind::For && c.lower.is_single() && c.upper.is_single()) {
        const auto low = number_in_all(c.lower, true), high = number_in_all(c.upper, false);
        if (!low || !high) return;
        for (const Ratio& r : c.lower.alternatives[0]) keep(Affine(r.divisor * *low) - r.form, box, out);
        for (const Ratio& r : c.upper.alternatives[0]) keep(r.form - Affine(r.divisor * *high), box, out);
        box.push_back({c.variable, *low, *high});
    } else if (c.kind == Code::Kind::If && c.condition.convex()) {
        for (const Constraint& k : c.condition.pieces[0])
            if (!k.equality) keep(k.form, box, out);
    } else if (c.kind != Code::Kind::Block) {
        return;
    }
    for (const CodePtr& child : c.body) {
        std::vector<Boxed> inner = box;
        collect(*child, inner, out);
    }
}

Conjunct Separator::full_condition(const Code& outermost) const {
    std::vector<Boxed> box;
    Conjunct all, out;
    collect(outermost, box, all);
    for (const Constraint& c : all) {
        std::vector<Name> symbols;
        c.form.symbols(symbols);
        const bool inside = std::any_of(symbols.begin(), symbols.end(), [&](Name n) { return n == outermost.variable; });
        if (!inside) out.push_back(c);
    }
    for (std::size_t k = out.size(); k-- > 0;) {  // what the others imply is left out
        Known known = known_;
        for (std::size_t m = 0; m < out.size(); ++m)
            if (m != k) known.add(out[m]);
        if (known.proves(out[k])) out.erase(out.begin() + static_cast<std::ptrdiff_t>(k));
    }
    return out;
}

std::vector<CodePtr> Separator::all(const std::vector<CodePtr>& codes) {
    std::vector<CodePtr> out;
    for (const CodePtr& c : codes) out.push_back(run(c));
    return out;
}

CodePtr Separator::descend(const CodePtr& code) {
    if (code->body.empty()) return code;
    auto out = std::make_shared<Code>(*code);
    const auto mark = known_.mark();
    if (code->kind == Code::Kind::For || code->kind == Code::Kind::Fix) {
        known_.enter(code->variable);
        know_range(known_, *code);
    }
    if (code->kind == Code::Kind::If && code->condition.convex()) known_.add(code->condition.pieces[0]);
    out->body = all(code->body);
    known_.release(mark);
    out->otherwise = all(code->otherwise);
    return out;
}

CodePtr Separator::run(const CodePtr& code) {
    if (code->kind != Code::Kind::For || !code->separate) return descend(code);
    Conjunct full = full_condition(*code);
    if (full.empty()) return descend(code);
    auto out = std::make_shared<Code>();
    out->kind = Code::Kind::If;
    const auto mark = known_.mark();
    known_.add(full);
    const CodePtr plain = simplify(code, known_);
    out->body = {descend(plain)};
    known_.release(mark);
    out->condition = Domain{{std::move(full)}};
    out->otherwise = {descend(code)};
    return out;
}

bool wants_separation(const Code& c) {
    if (c.separate) return true;
    const auto in = [](const CodePtr& child) { return wants_separation(*child); };
    return std::any_of(c.body.begin(), c.body.end(), in) || std::any_of(c.otherwise.begin(), c.otherwise.end(), in);
}

}  // namespace

CodePtr separate_full_tiles(const CodePtr& code, const Domain& assumptions) {
    return wants_separation(*code) ? Separator(assumptions).run(code) : code;
}

}  // namespace heddle
