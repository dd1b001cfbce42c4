#include <fmt/format.h>

#include <algorithm>

#include "ir/infer.h"
#include "ir/parse.h"
#include "transform/draft.h"
#include "transform/forward.h"
#include "transform/inline.h"
#include "transform/match.h"

namespace heddle {

namespace {

/// Replaces what matches, larger expressions first.
class Extraction {
public:
    explicit Extraction(const RuleDef& rule) : rule_(rule), pattern_(rule.body, rule.parameters) {}

    Statement apply(const Statement& s) {
        Statement out = s;
        map_expressions(out, false, [&](const Expr& e) { return replaced(e); });
        return out;
    }
    std::size_t count() const { return count_; }

private:
    /// Larger expressions first: what stands inside a match is not looked at.
    Expr replaced(const Expr& e) {
        std::vector<std::pair<Expr, bool>> todo{{e, false}};
        while (!todo.empty()) {
            const auto [at, children_done] = todo.back();
            todo.pop_back();
            if (done_.count(at.node())) continue;
            if (children_done) {
                finish(at);
            } else if (Expr out = use(at)) {
                done_[at.node()] = out;
            } else {
                todo.emplace_back(at, true);
                for (const Expr& a : at.args()) todo.emplace_back(a, false);
            }
        }
        keep_.push_back(e);
        return done_.at(e.node());
    }
    void finish(const Expr& e) {
        std::vector<Expr> args;
        for (const Expr& a : e.args()) args.push_back(done_.at(a.node()));
        done_[e.node()] = with_args(e, std::move(args));
    }
    /// The use of the rule that stands for the whole expression; its type must stay.
    Expr use(const Expr& e) {
        const auto arguments = pattern_.match(e);
        if (!arguments) return {};
        const Expr out = make(Op::Rule, e.type(), *arguments, rule_.name, e.loc());
        ++count_;
        return out;
    }

    const RuleDef& rule_;
    Pattern pattern_;
    std::unordered_map<const ExprNode*, Expr> done_;
    std::vector<Expr> keep_;
    std::size_t count_ = 0;
};

RuleDef rule_of(const KernelData& kernel, const Extract& step) {
    RuleDef out{step.rule, step.parameters, {}, {}};
    if (std::set<Name>(step.parameters.begin(), step.parameters.end()).size() != step.parameters.size())
        throw user_error("name", fmt::format("two parameters of '{}' have one name", step.rule.str()));
    for (Name p : step.parameters)
        if (kernel.find_array(p) || kernel.is_parameter(p))
            throw user_error("name", fmt::format("the parameter '{}' has the name of something else in the kernel", p.str()));
    out.body = without_types(parse_expression(kernel, step.body.text));
    for (Name p : step.parameters)
        if (!mentions(out.body, p))
            throw user_error("name", fmt::format("the parameter '{}' does not stand in the body of '{}'", p.str(), step.rule.str()))
                .hint("every parameter must be known from what matches");
    return out;
}

}  // namespace

Kernel run_step(const Kernel& kernel, const Extract& step) {
    const KernelData& data = kernel.data();
    const RuleDef rule = rule_of(data, step);
    Draft draft(kernel);
    draft.claim(step.rule, step.rule.str());
    draft.data.rules.push_back(rule);
    Extraction extraction(rule);
    std::vector<std::size_t> chosen;
    for (Name label : step.statements) chosen.push_back(statement_named(data, label));
    for (std::size_t k = 0; k < data.statements.size(); ++k) {
        if (!chosen.empty() && std::find(chosen.begin(), chosen.end(), k) == chosen.end()) continue;
        const std::size_t before = extraction.count();
        Statement s = extraction.apply(*data.statements[k]);
        if (extraction.count() != before) draft.set(k, std::move(s));
    }
    if (extraction.count() == 0)
        throw user_error("extract", fmt::format("nothing matches '{}'", step.body.text))
            .hint("parameters stand for loops and offsets: A[i, j + 1]; operands of sums and products may stand in either order");
    return draft.finish();
}

}  // namespace heddle
