// tree: a reduction over a row of partial results by halving.
#include <fmt/format.h>

#include "ir/access.h"
#include "ir/depend.h"
#include "ir/infer.h"
#include "ir/poly.h"
#include "transform/declared.h"
#include "transform/reduce.h"
#include "transform/refuse.h"
#include "transform/unchanged.h"

namespace heddle {

namespace {

constexpr std::int64_t most_partial_results = 4096;

/// The reduction `place op= (p[… k …], …)` over a loop that holds nothing else.
class Halving {
public:
    Halving(const Kernel& kernel, const TreeReduce& step)
        : kernel_(kernel), data_(kernel.data()), index_(statement_named(data_, step.statement)), s_(*data_.statements[index_]) {
        find_loop(step);
        check_statement();
        check_range();
        check_last_use();
    }

    Kernel run() {
        Draft draft(kernel_);
        for (std::int64_t left = high_ - low_ + 1; left > 1;) {
            const std::int64_t half = (left + 1) / 2;
            draft.before(loop_, new_loop(k_, {draft.add(level(draft, left - half, half))}));
            left = half;
        }
        draft.set(index_, result());
        draft.replace(loop_, make_leaf(index_, s_.loc));
        return draft.finish();
    }

private:
    [[noreturn]] void no(const std::string& what, const std::string& hint) const {
        throw user_error("reduction", fmt::format("'{}' {}", s_.label.str(), what), s_.loc).hint(hint);
    }

    void find_loop(const TreeReduce& step) {
        const Path path = paths_of(data_)[index_];
        const auto at = std::find_if(path.nodes.begin(), path.nodes.end(),
                                     [&](const Node* n) { return n->kind == Node::Kind::Loop && n->loop == step.over; });
        if (at == path.nodes.end())
            throw user_error("name", fmt::format("loop '{}' is not around '{}'", step.over.str(), s_.label.str()), s_.loc)
                .hint("loops around it: " + listed(path.loop_names()));
        loop_ = *at;
        k_ = loop_->loop;
        if (loop_->children.size() != 1 || loop_->children[0]->kind != Node::Kind::Leaf || !loop_->temporaries.empty())
            no(fmt::format("does not stand alone in loop '{}'", k_.str()), "reorder or distribute first, so that it does");
        if (loop_->tag != LoopTag{})
            no(fmt::format("runs over loop '{}', which is tagged", k_.str()), fmt::format("sequential {} first", k_.str()));
    }

    void check_statement() {
        const std::string rfactor = fmt::format("rfactor {} first: it makes partial results", s_.label.str());
        if (s_.call || !is_reduction(data_, s_))
            no("is no reduction", "tree combines what a sum, product, min, max, and, or or a user's operator takes");
        if (!order_free(data_, s_))
            throw user_error("reassociate",
                             fmt::format("'{}' would combine in another order, and round in another way", s_.label.str()),
                             s_.loc)
                .hint(fmt::format("allow reassociate {}", s_.label.str()));
        if (!s_.predicates.empty()) no("runs under a condition at run time", rfactor);
        for (const Place& p : s_.places)
            for (const Expr& e : p.subscripts)
                if (mentions(e, k_))
                    no(fmt::format("updates an element that loop '{}' chooses", k_.str()),
                       "name the loop that it reduces over");
        for (const Expr& value : s_.values) {
            const Array* a = value.op() == Op::Read ? data_.find_array(value.name()) : nullptr;
            if (!a || a->role != Role::Temp || !a->view_of.empty() || partial_.count(a->name) != 0)
                no("combines other things than elements of temporaries", rfactor);
            int axes = 0;
            for (const Expr& e : value.args()) {
                const auto form = affine_of(e);
                if (mentions(e, k_)) axes += form && (*form - Affine::symbol(k_)).is_constant() ? 1 : 2;
            }
            if (axes != 1) no(fmt::format("does not walk along one axis of '{}' with '{}'", a->name.str(), k_.str()), rfactor);
            if (a->type != data_.find_array(s_.places[partial_.size()].array)->type)
                no("combines values of another type than its result", rfactor);
            partial_.insert(a->name);
        }
    }

    void check_range() {
        const auto range = s_.domain.convex() ? constant_range(s_.domain.pieces[0], k_) : std::nullopt;
        if (!range || range->second - range->first >= most_partial_results)
            no(fmt::format("runs over '{}', whose range is not bounded by {} constant values", k_.str(), most_partial_results),
               fmt::format("split {} first", k_.str()));
        low_ = range->first;
        high_ = range->second;
        const Affine k = Affine::symbol(k_);
        const Domain above = intersect(s_.domain, domain_of(at_least(k, Affine(low_ + 1))));
        if (!poly::is_subset(intersect(above, data_.assumptions), s_.domain.substitute(k_, k - Affine(1))))
            no(fmt::format("leaves out values of '{}' below others that it takes", k_.str()),
               "shift the loop so that it starts at its first value");
    }

    /// Partial results change on the way: nothing reads them afterwards.
    void check_last_use() const {
        Draft only(kernel_);
        const auto users = statements_touching(data_, partial_, false);
        const std::set<std::size_t> kept(users.begin(), users.end());
        for (std::size_t s = 0; s < data_.statements.size(); ++s)
            if (!kept.count(s)) only.drop(s);
        Statement last = s_;
        last.update = Update::Assign;
        last.places.clear();
        for (Expr& value : last.values) {
            last.places.push_back({value.name(), value.args()});
            value = identity_of(Update::Add, value.type());
        }
        only.set(index_, last);
        const KernelData probe = only.unchecked();
        for (const Dependence& d : dependences(probe))
            if (d.kind == DependenceKind::Flow && probe.statements[d.source]->label == s_.label)
                refuse(user_error("illegal-order",
                                  fmt::format("'{}' reads '{}' after '{}', which would change it",
                                              probe.statements[d.sink]->label.str(), d.array.str(), s_.label.str()),
                                  s_.loc)
                           .hint("declare the temporary inside the loops around the reduction, or copy it first"));
    }

    Expr moved(const Expr& e, std::int64_t by) const {
        return by == 0 ? e : substitute(e, {{k_, expr_of(Affine::symbol(k_) + Affine(by))}});
    }

    /// for k below `count`: p[k] op= p[k + half].
    Statement level(Draft& draft, std::int64_t count, std::int64_t half) const {
        Statement out = s_;
        out.label = draft.fresh(fmt::format("{}_{}", s_.label.str(), half));
        const Affine k = Affine::symbol(k_);
        const Conjunct range{at_least(k, Affine(low_)), less(k, Affine(low_ + count))};
        out.domain = Domain{{range}};
        const Domain above = s_.domain.substitute(k_, k + Affine(half));
        for (const Constraint& c : above.pieces[0])
            if (implied(c, range) != Truth::True) out.domain.pieces[0].push_back(c);
        std::vector<Expr> others;
        for (std::size_t v = 0; v < s_.values.size(); ++v) {
            out.places[v] = {s_.values[v].name(), s_.values[v].args()};
            std::vector<Expr> there;
            for (const Expr& e : s_.values[v].args()) there.push_back(moved(e, half));
            others.push_back(read(s_.values[v].name(), there, s_.values[v].type()));
        }
        out.values = combined(others);
        out.update = Update::Assign;
        out.op = {};
        out.reassociate = false;
        out.origin.clear();
        return out;
    }

    /// The operator on this element and the other.
    std::vector<Expr> combined(const std::vector<Expr>& others) const {
        if (s_.update != Update::Custom) return {make(operation_of(s_.update), others[0].type(), {s_.values[0], others[0]})};
        const OperatorDef& op = *data_.find_operator(s_.op);
        Substitution operands;
        for (std::size_t v = 0; v < others.size(); ++v) {
            operands.emplace_back(op.left[v], s_.values[v]);
            operands.emplace_back(op.right[v], others[v]);
        }
        std::vector<Expr> out;
        for (const Expr& result : op.results) out.push_back(substitute(result, operands));
        return out;
    }

    Statement result() const {
        Statement out = s_;
        const Substitution first{{k_, expr_of(Affine(low_))}};
        out.domain = s_.domain.substitute(k_, Affine(low_));
        for (Expr& e : out.values) e = substitute(e, first);
        for (auto& [name, value] : out.origin) value = substitute(value, first);
        return out;
    }

    const Kernel& kernel_;
    const KernelData& data_;
    std::size_t index_;
    const Statement& s_;
    const Node* loop_ = nullptr;
    Name k_;
    std::set<Name> partial_;
    std::int64_t low_ = 0, high_ = 0;
};

}  // namespace

/// Keeps: what is combined; the order of it changes, which is allowed or makes no difference.
Kernel run_step(const Kernel& kernel, const TreeReduce& step) { return Halving(kernel, step).run(); }

}  // namespace heddle
