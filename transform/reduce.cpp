#include "transform/reduce.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/access.h"
#include "ir/depend.h"
#include "ir/infer.h"
#include "transform/declared.h"
#include "transform/refuse.h"
#include "transform/table.h"
#include "transform/unchanged.h"

namespace heddle {

namespace {

/// What leaves any value as it is, -0.0 included: a sum over nothing must not turn -0.0 into 0.0.
Expr neutral(Update update, DType type) {
    const Expr zero = identity_of(update, type);
    return update == Update::Add && is_float(type) ? make(Op::Neg, type, {zero}) : zero;
}

const Statement& reduction(const KernelData& kernel, std::size_t index) {
    const Statement& s = *kernel.statements[index];
    const std::string label = s.label.str();
    if (s.call || !is_reduction(kernel, s) || s.update == Update::Custom || s.places.size() != 1)
        throw user_error("reduction", fmt::format("'{}' is no sum, product, min, max, and or or", label), s.loc);
    if (!order_free(kernel, s))
        throw user_error("reassociate",
                         fmt::format("'{}' adds floating-point numbers, and partial sums change their order and with it the rounding", label), s.loc)
            .hint(fmt::format("allow reassociate {}", label));
    return s;
}

bool in_place(const Place& p, Name loop) {
    return std::any_of(p.subscripts.begin(), p.subscripts.end(), [&](const Expr& e) { return mentions(e, loop); });
}

/// The node inside which the reduction starts and ends: what the user said, or what stands around the outermost loop that the
/// place does not mention.
const Node* home_of(const KernelData& kernel, const RFactor& step, const Statement& s, const Path& path) {
    if (!step.at.loop.empty()) {
        for (const NodePtr& n : loops_named(kernel, step.at))
            if (std::find(path.nodes.begin(), path.nodes.end(), n.get()) != path.nodes.end()) return n.get();
        throw user_error("name", fmt::format("loop '{}' is not around '{}'", step.at.str(), s.label.str()), s.loc)
            .hint("loops around it: " + listed(path.loop_names()));
    }
    const Node* around = path.nodes[0];
    for (std::size_t k = 1; k < path.nodes.size(); ++k) {
        const Node* n = path.nodes[k];
        if (n->kind == Node::Kind::Loop && !in_place(s.places[0], n->loop)) break;
        if (n->kind == Node::Kind::Loop) around = n;
    }
    return around;
}

class Factoring {
public:
    Factoring(const Kernel& kernel, const RFactor& step)
        : kernel_(kernel), data_(kernel.data()), step_(step), index_(statement_named(data_, step.statement)),
          s_(reduction(data_, index_)), draft_(kernel) {
        const Path path = paths_of(data_)[index_];
        const Node* home = home_of(data_, step, s_, path);
        const auto at = std::find(path.nodes.begin(), path.nodes.end(), home);
        check_over(path, static_cast<std::size_t>(at - path.nodes.begin()));
        request_ = {step.statement, {}, {}, step.space, step.into, step.loops, {}, "_p"};
        place_.home = home;
        place_.first = place_.last = *(at + 1);
        place_.fixed = fixed_outside(data_, place_.first);
        user_ = {index_, s_, {}};
        subscripts_ = affine_forms(data_, s_.places[0].subscripts, user_, s_.places[0].array, s_.loc);
        std::vector<Affine> forms = subscripts_;
        for (Name n : step.over) forms.push_back(Affine::symbol(n));
        const Touch touch = touch_of(data_, request_, place_, user_, forms, s_.domain, !s_.predicates.empty(), s_.loc);
        std::vector<std::string> bases(subscripts_.size(), "r");
        for (Name n : step.over) bases.push_back(n.str());
        table_ = make_table(draft_, request_, place_, {touch}, data_.find_array(s_.places[0].array)->type, bases);
        start_ = draft_.fresh(table_.name.str() + "_start");
        end_ = draft_.fresh(table_.name.str() + "_end");
        forms_ = forms;
    }

    Kernel run() {
        prove();
        start();
        combine(draft_);
        Statement partial = s_;
        partial.places = {{table_.name, table_.element(forms_, s_.domain)}};
        draft_.set(index_, std::move(partial));
        draft_.declare(place_.home, table_.array);
        return draft_.finish();
    }

private:
    void check_over(const Path& path, std::size_t home) {
        for (Name n : step_.over) {
            const auto inside = std::find_if(path.nodes.begin() + static_cast<std::ptrdiff_t>(home) + 1, path.nodes.end(), [&](const Node* l) {
                return l->kind == Node::Kind::Loop && l->loop == n;
            });
            if (inside == path.nodes.end())
                throw user_error("name", fmt::format("'{}' is no loop around '{}' inside its reduction", n.str(), s_.label.str()), s_.loc)
                    .hint("loops around it: " + listed(path.loop_names()));
            if (in_place(s_.places[0], n))
                throw user_error("reduction", fmt::format("loop '{}' chooses the element that '{}' updates, and does not run over what is added",
                                                          n.str(), s_.label.str()),
                                 s_.loc);
        }
    }

    Statement like(Name label, Update update, Place place, Expr value) {
        Statement s;
        s.label = label;
        s.update = update;
        s.places = {std::move(place)};
        s.values = {std::move(value)};
        s.domain = table_.over_loops(data_, table_.elements.image);
        s.reassociate = update != Update::Assign && s_.reassociate;
        s.loc = s_.loc;
        return s;
    }
    void start() {
        Statement s = like(start_, Update::Assign, {table_.name, table_.own()}, neutral(s_.update, table_.array.type));
        draft_.before(place_.first, nest(table_.loops, {draft_.add(std::move(s))}));
    }
    /// The result gets the accumulators, behind the reduction.
    void combine(Draft& draft) {
        std::vector<Expr> result;
        const std::vector<Affine> forms = table_.subscripts();
        for (std::size_t k = 0; k < subscripts_.size(); ++k) result.push_back(expr_of(forms[k]));
        Statement s = like(end_, s_.update, {s_.places[0].array, result}, read(table_.name, table_.own(), table_.array.type));
        draft.after(place_.last, nest(table_.loops, {draft.add(std::move(s))}));
    }

    /// The updates of the result, all else left out, may run where the accumulators are combined.
    void prove() {
        Draft now(kernel_), then(kernel_);
        Statement bare = s_;
        bare.values = {neutral(s_.update, table_.array.type)};
        bare.predicates.clear();
        now.set(index_, bare);
        then.drop(index_);
        combine(then);
        Correspondence moved{index_, 0, {}, s_.domain};
        for (std::size_t k = 0; k < table_.kept.size(); ++k) {
            const std::size_t axis = table_.kept[k];
            moved.loops.emplace_back(table_.loops[k], forms_[axis] - table_.elements.box[axis].origin);
        }
        const KernelData before = now.unchecked(), after = then.unchecked();
        const auto then_index = by_label(before), now_index = by_label(after);
        moved.old_statement = then_index.at(s_.label);
        moved.new_statement = now_index.at(end_);
        std::vector<Correspondence> all{moved};
        for (std::size_t k : statements_touching(data_, {s_.places[0].array}, false)) {
            const Name label = data_.statements[k]->label;
            if (k != index_) all.push_back({then_index.at(label), now_index.at(label), {}, Domain::everything()});
        }
        if (const auto witness = violates_order(before, after, all))
            refuse(user_error("illegal-order",
                              fmt::format("'{}' is used before its accumulators would be combined", s_.places[0].array.str()), s_.loc)
                       .note(witness->text(before))
                       .hint("choose a loop further in for 'at', or take the other statements out of the reduction's loops first"));
    }

    const Kernel& kernel_;
    const KernelData& data_;
    const RFactor& step_;
    std::size_t index_;
    const Statement& s_;
    Draft draft_;
    TableRequest request_;
    TablePlace place_;
    TableUser user_;
    std::vector<Affine> subscripts_, forms_;
    Table table_;
    Name start_, end_;
};

}  // namespace

Kernel run_step(const Kernel& kernel, const RFactor& step) { return Factoring(kernel, step).run(); }

}  // namespace heddle
