// Pairs of accesses on different lanes.
#include "ir/crossing.h"

#include <algorithm>

#include "ir/depend/pairs.h"
#include "ir/depend/witness.h"

namespace heddle {

using namespace depend;

struct LaneQuestions::Impl {
    explicit Impl(const KernelData& kernel) : model(kernel) {}

    struct Side {
        const Placed& placed;
        const StatementModel& statement;
        const AccessModel& access;
    };

    /// Ways in which the two instances are on different lanes. One without constraints: they may always be.
    static std::vector<Conjunct> apart(const Side& p, const Side& q) {
        std::vector<Conjunct> out;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const auto &x = p.placed.lanes[axis], &y = q.placed.lanes[axis];
            if (!x || !y) return {Conjunct{}};
            const Affine there = renamed(*y, q.statement);
            if (x->is_constant() && there.is_constant() && x->constant == there.constant) continue;
            out.push_back({less(*x, there)});
            out.push_back({less(there, *x)});
        }
        return out;
    }

    bool meets(const Side& p, const Side& q, const OrderCase& order) {
        for (const Conflict& base : conflicts(model, p.statement, p.access, q.statement, q.access))
            for (const Conjunct& lanes : apart(p, q)) {
                Conjunct all = joined(order.constraints, lanes);
                append_equal_data(p.statement, q.statement, order.equal, all);
                if (possible(base, all, p.statement, q.statement)) return true;
            }
        return false;
    }

    /// Crossings from p to q. One of each carrier is enough.
    void add(const Side& p, const Side& q, std::size_t fixed, std::vector<Crossing>& out) {
        const bool atomics = p.placed.atomic && q.placed.atomic;
        if (atomics && commute(p.statement, p.access, q.statement, q.access, true)) return;
        for (const OrderCase& order : before(p.statement, q.statement)) {
            if (order.equal < fixed) continue;
            const std::size_t common = meeting(p.statement, q.statement).common;
            Crossing c{kind_of(p.access.access, q.access.access), p.statement.index, q.statement.index, p.access.access.array,
                       order.equal < common ? p.statement.loops[order.equal] : nullptr};
            const auto same = [&](const Crossing& o) {
                return o.source == c.source && o.sink == c.sink && o.array == c.array && o.carrier == c.carrier;
            };
            if (std::none_of(out.begin(), out.end(), same) && meets(p, q, order)) out.push_back(c);
        }
    }

    Model model;
};

LaneQuestions::LaneQuestions(const KernelData& kernel) : impl_(std::make_unique<Impl>(kernel)) {}
LaneQuestions::~LaneQuestions() = default;

std::vector<Crossing> LaneQuestions::crossings(const std::vector<Placed>& statements, std::size_t fixed,
                                               const std::function<bool(Name)>& counts) {
    std::vector<const StatementModel*> models;
    for (const Placed& p : statements) models.push_back(&impl_->model.statement(p.statement));
    std::vector<Crossing> out;
    each_candidate(impl_->model, models, [&](const Candidate& c) {
        const Impl::Side p{statements[c.first], *models[c.first], models[c.first]->accesses[c.a]};
        const Impl::Side q{statements[c.second], *models[c.second], models[c.second]->accesses[c.b]};
        if (!counts(p.access.access.array) && !counts(q.access.access.array)) return false;
        impl_->add(p, q, fixed, out);
        if (c.first != c.second || c.a != c.b) impl_->add(q, p, fixed, out);
        return false;
    });
    return out;
}

}  // namespace heddle
