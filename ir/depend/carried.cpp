// What one loop carries: may its iterations run at the same time?
#include <algorithm>

#include "ir/depend.h"
#include "ir/depend/pairs.h"
#include "ir/depend/witness.h"
#include "ir/error.h"

namespace heddle {

using namespace depend;

struct LoopQuestions::Impl {
    explicit Impl(const KernelData& kernel) : model(kernel) {}

    std::vector<const StatementModel*> statements(const Node* loop) {
        std::vector<const StatementModel*> out;
        std::vector<const Node*> todo{loop};
        while (!todo.empty()) {
            const Node* n = todo.back();
            todo.pop_back();
            if (n->kind == Node::Kind::Leaf) out.push_back(&model.statement(n->statement));
            for (auto it = n->children.rbegin(); it != n->children.rend(); ++it) todo.push_back(it->get());
        }
        return out;
    }
    /// Two iterations, the first earlier, outer loops equal; less than `width` apart where that is given.
    static OrderCase iterations(const StatementModel& p, const StatementModel& q, const Node* loop, std::int64_t width) {
        const auto at = std::find(p.loops.begin(), p.loops.end(), loop);
        require(at != p.loops.end(), "a statement under a loop has it among its loops");
        OrderCase c = before_at(p, q, static_cast<std::size_t>(at - p.loops.begin()));
        if (width <= 0) return c;
        Affine apart = Affine::symbol(sink_name(loop->loop)) - Affine::symbol(loop->loop);
        if (loop->descending) apart = -apart;
        c.constraints.push_back(less(apart, Affine(width)));
        return c;
    }
    /// A point where p's instance meets q's in a later iteration.
    std::optional<Conjunct> meeting_point(const StatementModel& p, const AccessModel& a, const StatementModel& q,
                                          const AccessModel& b, const Node* loop, std::int64_t width) {
        OrderCase c = iterations(p, q, loop, width);
        append_equal_data(p, q, c.equal, c.constraints);
        for (const Conflict& base : conflicts(model, p, a, q, b))
            if (auto all = possible(base, c.constraints, p, q)) return all;
        return std::nullopt;
    }
    /// Both orders of every pair of accesses that may meet; `f` stops the search with true.
    template <class F>
    void each_pair(const Node* loop, F f) {
        const auto list = statements(loop);
        each_candidate(model, list, [&](const Candidate& c) {
            const StatementModel &p = *list[c.first], &q = *list[c.second];
            const AccessModel &a = p.accesses[c.a], &b = q.accesses[c.b];
            if (f(p, a, q, b)) return true;
            return (&p != &q || c.a != c.b) && f(q, b, p, a);
        });
    }

    Model model;
};

LoopQuestions::LoopQuestions(const KernelData& kernel) : impl_(std::make_unique<Impl>(kernel)) {}
LoopQuestions::~LoopQuestions() = default;

std::optional<Witness> LoopQuestions::carried_by(const Node* loop, bool reductions_ok, std::int64_t width) {
    std::optional<Witness> found;
    impl_->each_pair(loop, [&](const auto& p, const auto& a, const auto& q, const auto& b) {
        if (reductions_ok && commute(p, a, q, b, true)) return false;
        const auto point = impl_->meeting_point(p, a, q, b, loop, width);
        if (point) found = witness_at(impl_->model, *point, p, a, q, b);
        if (found) found->why = "these iterations of '" + loop->loop.str() + "' would run at the same time";
        return found.has_value();
    });
    return found;
}

std::vector<std::size_t> LoopQuestions::reductions_carried(const Node* loop) {
    std::vector<std::size_t> out;
    impl_->each_pair(loop, [&](const auto& p, const auto& a, const auto& q, const auto& b) {
        if (!commute(p, a, q, b, true)) return false;
        const auto known = [&](std::size_t s) { return std::find(out.begin(), out.end(), s) != out.end(); };
        if (known(p.index) && known(q.index)) return false;
        if (!impl_->meeting_point(p, a, q, b, loop, 0)) return false;
        for (std::size_t s : {p.index, q.index})
            if (!known(s)) out.push_back(s);
        return false;
    });
    std::sort(out.begin(), out.end());
    return out;
}

std::optional<Witness> carried_by(const KernelData& kernel, const Node* loop, bool reductions_ok, std::int64_t width) {
    return LoopQuestions(kernel).carried_by(loop, reductions_ok, width);
}
std::vector<std::size_t> reductions_carried(const KernelData& kernel, const Node* loop) {
    return LoopQuestions(kernel).reductions_carried(loop);
}

}  // namespace heddle
