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
    void reduce(const Statement& s, const Code& loop, std::vector<Reduction>& clauses);
    const Code* collapsed(const Code& loop) const;

    const KernelData& kernel_;
    std::optional<LoopQuestions> questions_;
    std::set<std::size_t> atomic_;
};

/// A scalar, held by the function or reached through a pointer, can be reduced by a clause.
bool is_scalar(const KernelData& kernel, Name array) {
    const Array* a = kernel.find_array(array);
    return a && a->shape.empty();
}

void Concurrency::reduce(const Statement& s, const Code& loop, std::vector<Reduction>& clauses) {
    const bool simple = s.places.size() == 1 && s.update != Update::Custom && s.update != Update::ArgMin &&
                        s.update != Update::ArgMax && s.update != Update::Assign;
    if (!simple)
        throw user_error("reduction",
                         fmt::format("loop '{}' cannot run {}: '{}' combines tuples over its iterations", loop.variable.str(),
                                     way_of(loop.tag), s.label.str()),
                         s.loc)
            .hint("split the reduction into partial results first");
    const Reduction clause{s.places[0].array, s.update};
    if (is_scalar(kernel_, clause.array) && !s.atomic) {
        const auto same = [&](const Reduction& r) { return r.array == clause.array; };
        if (std::none_of(clauses.begin(), clauses.end(), same)) clauses.push_back(clause);
        return;
    }
    if (loop.tag.kind == Kind::Vector)
        throw user_error(
            "reduction",
            fmt::format("loop '{}' cannot run as a vector: its iterations update elements of '{}' that may be the same",
                        loop.variable.str(), clause.array.str()),
            s.loc)
            .hint("accumulate in a scalar temporary, or vectorize another loop");
}

void Concurrency::examine(const Node* loop, Code& out) {
    if (!questions_) questions_.emplace(kernel_);
    if (const auto witness = questions_->carried_by(loop, true))
        throw user_error(
            "race", "loop '" + loop->loop.str() + "' cannot run " + way_of(out.tag) + ": " + witness->text(kernel_), loop->loc);
    for (const std::size_t k : questions_->reductions_carried(loop)) {
        const Statement& s = *kernel_.statements[k];
        reduce(s, out, out.reductions);
        const bool clause = s.places.size() == 1 && is_scalar(kernel_, s.places[0].array) && !s.atomic;
        if (!clause) atomic_.insert(k);
    }
}

/// The next loop of a collapsed nest; throws when there is none or its range depends on the outer one.
const Code* Concurrency::collapsed(const Code& loop) const {
    const Code* inner = loop.body.size() == 1 && loop.temporaries.empty() ? loop.body[0].get() : nullptr;
    while (inner && inner->kind == Code::Kind::Block && inner->temporaries.empty() && inner->body.size() == 1)
        inner = inner->body[0].get();
    if (!inner || inner->kind != Code::Kind::For)
        throw user_error("collapse",
                         "loop '" + loop.variable.str() + "' cannot be collapsed: no loop is perfectly nested in it",
                         loop.loop ? loop.loop->loc : Loc());
    for (const Limit* limit : {&inner->lower, &inner->upper})
        for (const auto& alternative : limit->alternatives)
            for (const Ratio& r : alternative)
                if (r.form.mentions(loop.variable))
                    throw user_error("collapse",
                                     "loops '" + loop.variable.str() + "' and '" + inner->variable.str() +
                                         "' cannot be collapsed: the range of the second depends on the first",
                                     inner->loop ? inner->loop->loc : Loc())
                        .hint("leave out 'collapse', or join the loops");
    return inner;
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
            inner = collapsed(*inner);
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
