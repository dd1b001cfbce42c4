#include "target/concurrency.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ir/depend.h"
#include "ir/error.h"

namespace heddle {
namespace {

using Kind = LoopTag::Kind;

std::string way_of(const LoopTag& tag) { return tag.kind == Kind::Parallel ? "in parallel" : "as a vector"; }

class Concurrency {
public:
    explicit Concurrency(const KernelData& kernel) : kernel_(kernel) {}
    CodePtr run(const CodePtr& code);

private:
    std::vector<CodePtr> all(const std::vector<CodePtr>& codes);
    void examine(const Node* loop, Code& out);
    void reduce(const std::vector<std::size_t>& statements, Code& loop);
    const Code& collapsed(const Code& loop) const;

    const KernelData& kernel_;
    std::optional<LoopQuestions> questions_;
    std::set<std::size_t> atomic_;
};

/// A scalar, held by the function or reached through a pointer, can be reduced by a clause.
bool is_scalar(const KernelData& kernel, Name array) {
    const Array* a = kernel.find_array(array);
    return a && a->shape.empty();
}

bool is_simple(const Statement& s) {
    return s.places.size() == 1 && s.update != Update::Custom && s.update != Update::ArgMin && s.update != Update::ArgMax &&
           s.update != Update::Assign;
}

/// Does the code give the symbol, an integer `let`, its value?
bool gives(const KernelData& kernel, const Code& code, Name symbol) {
    const auto in = [&](const CodePtr& c) { return gives(kernel, *c, symbol); };
    if (code.kind != Code::Kind::Run)
        return std::any_of(code.body.begin(), code.body.end(), in) ||
               std::any_of(code.otherwise.begin(), code.otherwise.end(), in);
    const std::vector<Place>& places = kernel.statements[code.statement]->places;
    return std::any_of(places.begin(), places.end(), [&](const Place& p) { return p.array == symbol; });
}

/// Do all iterations of the loop run all these statements, unconditionally, on one element that is known before it?
bool one_element(const KernelData& kernel, const Code& loop, const std::vector<std::size_t>& statements) {
    const Statement& first = *kernel.statements[statements[0]];
    for (const Expr& e : first.places[0].subscripts) {
        const auto form = affine_of(e);
        if (!form || form->mentions(loop.variable)) return false;
        std::vector<Name> symbols;
        form->symbols(symbols);
        if (std::any_of(symbols.begin(), symbols.end(), [&](Name n) { return gives(kernel, loop, n); })) return false;
    }
    return std::all_of(statements.begin(), statements.end(), [&](std::size_t k) {
        const Statement& s = *kernel.statements[k];
        const auto& a = s.places[0].subscripts;
        const auto& b = first.places[0].subscripts;
        const bool direct = std::any_of(loop.body.begin(), loop.body.end(),
                                        [&](const CodePtr& c) { return c->kind == Code::Kind::Run && c->statement == k; });
        return direct && s.predicates.empty() &&
               std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Expr& x, const Expr& y) { return x.same(y); });
    });
}

/// Updates of one array by different iterations: a clause, an accumulator, or atomics.
void Concurrency::reduce(const std::vector<std::size_t>& statements, Code& loop) {
    const Statement& first = *kernel_.statements[statements[0]];
    bool atomic_wanted = false, locked = false;
    for (const std::size_t k : statements) {
        const Statement& s = *kernel_.statements[k];
        atomic_wanted |= s.atomic;
        if (is_simple(s)) continue;
        if (loop.tag.kind == Kind::Vector)
            throw user_error("reduction",
                             fmt::format("loop '{}' cannot run {}: '{}' combines tuples over its iterations", loop.variable.str(),
                                         way_of(loop.tag), s.label.str()),
                             s.loc)
                .hint("split the reduction into partial results first");
        locked = true;
    }
    if (locked) {
        atomic_.insert(statements.begin(), statements.end());
        return;
    }
    Reduction clause{first.places[0].array, first.update, {}, statements, false};
    const bool scalar = is_scalar(kernel_, clause.array);
    if (!atomic_wanted && (scalar || one_element(kernel_, loop, statements))) {
        for (const Expr& e : first.places[0].subscripts) clause.element.push_back(expr_of(*affine_of(e)));  // i - i is gone
        clause.atomic = atomic_.count(statements[0]) != 0;
        loop.reductions.push_back(std::move(clause));
        if (!scalar)
            for (const std::size_t k : statements) atomic_.erase(k);
        return;
    }
    if (loop.tag.kind == Kind::Vector)
        throw user_error(
            "reduction",
            fmt::format("loop '{}' cannot run as a vector: its iterations update elements of '{}' that may be the same",
                        loop.variable.str(), clause.array.str()),
            first.loc)
            .hint("accumulate in a scalar temporary, or vectorize another loop");
    atomic_.insert(statements.begin(), statements.end());
}

void Concurrency::examine(const Node* loop, Code& out) {
    if (!questions_) questions_.emplace(kernel_);
    if (const auto witness = questions_->carried_by(loop, true))
        throw user_error(
            "race", "loop '" + loop->loop.str() + "' cannot run " + way_of(out.tag) + ": " + witness->text(kernel_), loop->loc);
    std::map<Name, std::vector<std::size_t>> groups;
    for (const std::size_t k : questions_->reductions_carried(loop))
        for (const Place& p : kernel_.statements[k]->places) groups[p.array].push_back(k);
    for (const auto& [array, statements] : groups) {
        const auto same = [&, a = array](const Reduction& r) { return r.array == a; };
        if (std::none_of(out.reductions.begin(), out.reductions.end(), same)) reduce(statements, out);
    }
}

/// The next loop of a collapsed nest, whose range does not depend on this one.
const Code& Concurrency::collapsed(const Code& loop) const {
    const Code* inner = &loop;
    do {
        require(inner->body.size() == 1 && inner->temporaries.empty(), "collapsed loops stand directly inside each other");
        inner = inner->body[0].get();
    } while (inner->kind == Code::Kind::Block);
    require(inner->kind == Code::Kind::For, "a collapsed loop is a loop");
    return *inner;
}

std::vector<CodePtr> Concurrency::all(const std::vector<CodePtr>& codes) {
    std::vector<CodePtr> out;
    out.reserve(codes.size());
    for (const CodePtr& c : codes) out.push_back(run(c));
    return out;
}

CodePtr Concurrency::run(const CodePtr& code) {
    const bool tagged = code->kind == Code::Kind::For && (code->tag.kind == Kind::Parallel || code->tag.kind == Kind::Vector);
    if (!tagged && code->body.empty() && code->kind != Code::Kind::Run) return code;
    auto out = std::make_shared<Code>(*code);
    if (tagged) {
        const std::set<std::size_t> outer = atomic_;
        examine(code->loop, *out);
        const Code* inner = code.get();
        for (int k = 1; k < code->tag.collapse && code->tag.kind == Kind::Parallel; ++k) {
            inner = &collapsed(*inner);
            examine(inner->loop, *out);
        }
        out->body = all(code->body);
        atomic_ = outer;
        return out;
    }
    out->atomic = code->kind == Code::Kind::Run && atomic_.count(code->statement) != 0;
    out->body = all(code->body);
    out->otherwise = all(code->otherwise);
    return out;
}

bool has_concurrency(const Code& c) {
    if (c.kind == Code::Kind::For && (c.tag.kind == Kind::Parallel || c.tag.kind == Kind::Vector)) return true;
    const auto in = [](const CodePtr& child) { return has_concurrency(*child); };
    return std::any_of(c.body.begin(), c.body.end(), in) || std::any_of(c.otherwise.begin(), c.otherwise.end(), in);
}

}  // namespace

CodePtr make_concurrent(const CodePtr& code, const KernelData& kernel) {
    return has_concurrency(*code) ? Concurrency(kernel).run(code) : code;
}

}  // namespace heddle
