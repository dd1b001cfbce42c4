// All dependences of a kernel, for `explain` and `show`.
#include <algorithm>
#include <sstream>
#include <tuple>

#include "ir/depend.h"
#include "ir/depend/pairs.h"
#include "ir/depend/witness.h"
#include "ir/poly.h"

namespace heddle {
namespace {

using namespace depend;

class Lister {
public:
    explicit Lister(const KernelData& kernel) : kernel_(kernel), model_(kernel) {}

    std::vector<Dependence> run() {
        std::vector<const StatementModel*> all;
        for (std::size_t s = 0; s < kernel_.statements.size(); ++s) all.push_back(&model_.statement(s));
        each_candidate(model_, all, [&](const Candidate& c) {
            const StatementModel &p = *all[c.first], &q = *all[c.second];
            pair(p, p.accesses[c.a], q, q.accesses[c.b]);
            if (&p != &q || c.a != c.b) pair(q, q.accesses[c.b], p, p.accesses[c.a]);
            return false;
        });
        const auto key = [](const Dependence& d) { return std::tie(d.source, d.sink, d.array, d.kind, d.relation); };
        std::sort(out_.begin(), out_.end(), [&](const Dependence& a, const Dependence& b) { return key(a) < key(b); });
        out_.erase(
            std::unique(out_.begin(), out_.end(), [&](const Dependence& a, const Dependence& b) { return key(a) == key(b); }),
            out_.end());
        return std::move(out_);
    }

private:
    void pair(const StatementModel& p, const AccessModel& a, const StatementModel& q, const AccessModel& b) {
        Domain all = Domain::nothing();
        const auto cases = before(p, q);
        if (cases.empty()) return;
        for (const Conflict& base : conflicts(model_, p, a, q, b))
            for (const OrderCase& c : cases) {
                Conjunct order = c.constraints;
                append_equal_data(p, q, c.equal, order);
                if (auto both = possible(base, order, p, q)) all.pieces.push_back(*std::move(both));
            }
        if (all.is_nothing()) return;
        Dependence d{kind_of(a.access, b.access), p.index, q.index, a.access.array, {}, {}, true};
        d.relation = relation(all, p, q);
        for (std::size_t k = 0; k < meeting(p, q).common; ++k) d.distance.push_back(distance(all, p, q, p.loops[k]->loop));
        d.exact = a.exact && b.exact && !a.access.conditional && !b.access.conditional && a.access.array == b.access.array;
        for (const Conjunct& c : all.pieces) d.exact = d.exact && !mentions_data(c, p, q);
        out_.push_back(std::move(d));
    }

    static std::string relation(Domain all, const StatementModel& p, const StatementModel& q) {
        std::vector<Name> in = p.loop_names(), out, gone;
        for (Name n : q.loop_names()) out.push_back(sink_name(n));
        for (const DataSymbol& d : p.data) gone.push_back(d.name);
        for (const DataSymbol& d : q.data) gone.push_back(sink_name(d.name));
        if (!gone.empty()) all = poly::project(all, gone);
        poly::Budget budget("the dependence of '" + p.statement->label.str() + "' and '" + q.statement->label.str() + "'");
        return poly::guarded("", [&] {
            std::ostringstream text;
            text << poly::to_map(all, in, p.statement->label, out, q.statement->label).coalesce();
            return text.str();
        });
    }
    /// Sink minus source: a number where it is always the same, else its sign, else "*".
    static std::string distance(const Domain& all, const StatementModel& p, const StatementModel& q, Name loop) {
        const Affine apart = Affine::symbol(sink_name(loop)) - Affine::symbol(loop);
        const auto never = [&](const Constraint& c) {
            return std::none_of(all.pieces.begin(), all.pieces.end(),
                                [&](const Conjunct& piece) { return possible(joined(piece, {c}), p, q); });
        };
        const bool positive = never(at_least(Affine(0), apart)), negative = never(at_least(apart, Affine(0)));
        for (std::int64_t k = 0; k <= 4; ++k)
            for (const std::int64_t value : {k, -k})
                if (never(less(Affine(value), apart)) && never(less(apart, Affine(value)))) return std::to_string(value);
        const auto low = poly::constant_min(apart, all);
        if (low && low == poly::constant_max(apart, all)) return std::to_string(*low);
        return positive ? "+" : negative ? "-" : "*";
    }

    const KernelData& kernel_;
    Model model_;
    std::vector<Dependence> out_;
};

}  // namespace

std::vector<Dependence> dependences(const KernelData& kernel) { return Lister(kernel).run(); }

}  // namespace heddle
