// Is every read of a temporary or an `out` argument written before?
#include <fmt/format.h>

#include <algorithm>

#include "ir/bounds.h"
#include "ir/depend/pairs.h"
#include "ir/depend/witness.h"
#include "ir/error.h"
#include "ir/poly.h"
#include "ir/poly/feasible.h"

namespace heddle {
namespace {

using namespace depend;

struct Write {
    const StatementModel* s;
    const AccessModel* a;
};

class Checker {
public:
    explicit Checker(const KernelData& kernel) : kernel_(kernel), model_(kernel) {}

    std::vector<Finding> run() {
        for (std::size_t s = 0; s < kernel_.statements.size(); ++s) {
            const StatementModel& st = model_.statement(s);
            for (const AccessModel& a : st.accesses)
                if (a.access.write) writes_[model_.bucket(a.access.array)].push_back({&st, &a});
        }
        for (std::size_t s = 0; s < kernel_.statements.size(); ++s) {
            const StatementModel& st = model_.statement(s);
            for (const AccessModel& a : st.accesses) read(st, a);
        }
        return std::move(findings_);
    }

private:
    /// Reads that surely happen, of known elements, of arrays that start undefined.
    bool provable(const StatementModel& s, const AccessModel& a) const {
        const Array* array = kernel_.find_array(model_.base(a.access.array));
        const bool undefined = array && (array->role == Role::Temp || array->role == Role::Out);
        if (!undefined || !a.access.reads() || a.access.whole || !a.exact) return false;
        return !a.access.conditional && s.data.empty();
    }
    void read(const StatementModel& s, const AccessModel& a) {
        if (!provable(s, a)) return;
        const std::vector<Write>& writes = writes_[model_.bucket(a.access.array)];
        std::vector<Conjunct> points{{}};
        for (const Domain* d : {&s.domain, &a.access.when, &kernel_.assumptions}) meet(points, *d);
        std::erase_if(points, [&](const Conjunct& c) {
            return feasible(c) == Truth::False ||
                   std::any_of(writes.begin(), writes.end(), [&](const Write& w) { return covers(w, s, a, c); });
        });
        if (points.empty()) return;
        poly::Budget budget(
            fmt::format("what is written before '{}' reads '{}'", s.statement->label.str(), a.access.array.str()));
        try {
            report(s, a, uncovered(Domain{points}, s, a, writes));
        } catch (const Error& e) {
            if (e.code() != "budget") throw;  // not proved, so nothing is said
        }
    }

    /// The cheap proof: the write of the same iteration, its inner loops solved from the subscripts, comes first and covers
    /// every point.
    bool covers(const Write& w, const StatementModel& s, const AccessModel& a, const Conjunct& points) {
        const Meeting m = meeting(*w.s, s);
        if (m.order != -1 || w.a->access.array != a.access.array) return false;
        if (w.a->access.whole) return true;
        std::vector<std::pair<Name, Affine>> solved;
        std::vector<Constraint> needed;
        for (std::size_t k = 0; k < a.forms.size(); ++k) {
            if (!single(w.a->forms[k]) || !single(a.forms[k])) return false;
            solve((*w.a->forms[k])[0].value, (*a.forms[k])[0].value, *w.s, m.common, solved, needed);
        }
        for (std::size_t k = m.common; k < w.s->loops.size(); ++k)
            if (!value_of(solved, w.s->loops[k]->loop)) return false;
        return inside(w.s->domain, solved, points) && inside(w.a->access.when, solved, points) &&
               inside(Domain{{needed}}, {}, points);
    }
    static bool single(const std::optional<std::vector<Piece>>& f) { return f && f->size() == 1 && (*f)[0].when.empty(); }
    static const Affine* value_of(const std::vector<std::pair<Name, Affine>>& solved, Name n) {
        for (const auto& [name, value] : solved)
            if (name == n) return &value;
        return nullptr;
    }
    /// written == read: solves for one inner loop of the writer, or demands the equality. Inner loops are renamed before, so
    /// that they are not taken for loops of the reader.
    static void solve(const Affine& written, const Affine& read, const StatementModel& w, std::size_t common,
                      std::vector<std::pair<Name, Affine>>& solved, std::vector<Constraint>& needed) {
        for (std::size_t k = common; k < w.loops.size(); ++k) {
            const Name n = w.loops[k]->loop;
            const std::int64_t c = written.coefficient(n);
            if ((c != 1 && c != -1) || value_of(solved, n)) continue;
            const Affine rest = written - Affine::symbol(n, c);
            if (mentions_inner(rest, w, common)) break;
            solved.emplace_back(n, c * (read - rest));
            return;
        }
        Affine now = written;
        for (const auto& [n, value] : solved) now = now.substitute(n, Affine::symbol(sink_name(n)));
        for (const auto& [n, value] : solved) now = now.substitute(sink_name(n), value);
        needed.push_back(equal(now, read));
    }
    static bool mentions_inner(const Affine& a, const StatementModel& w, std::size_t common) {
        return std::any_of(w.loops.begin() + static_cast<std::ptrdiff_t>(common), w.loops.end(),
                           [&](const Node* l) { return a.mentions(l->loop); });
    }
    /// Is the solved instance in some piece of the domain at every point?
    static bool inside(const Domain& d, const std::vector<std::pair<Name, Affine>>& solved, const Conjunct& points) {
        Domain at = d;
        for (const auto& [n, value] : solved) at = at.substitute(n, Affine::symbol(sink_name(n)));
        for (const auto& [n, value] : solved) at = at.substitute(sink_name(n), value);
        return std::any_of(at.pieces.begin(), at.pieces.end(), [&](const Conjunct& piece) {
            return std::all_of(piece.begin(), piece.end(), [&](const Constraint& c) { return everywhere(c, points); });
        });
    }
    static bool everywhere(const Constraint& c, const Conjunct& points) {
        for (const Conjunct& broken : complement(domain_of(c)).pieces)
            if (feasible(joined(points, broken)) != Truth::False) return false;
        return true;
    }

    /// The points for which no write comes before, by isl: unknown subscripts and conditions count as written.
    Domain uncovered(const Domain& points, const StatementModel& s, const AccessModel& a, const std::vector<Write>& writes) {
        Domain rest = renamed(points, s);
        for (const Write& w : writes) {
            if (rest.is_nothing()) break;
            std::vector<Name> gone = w.s->loop_names();
            for (const DataSymbol& d : w.s->data) gone.push_back(d.name);
            for (const Conflict& base : conflicts(model_, *w.s, *w.a, s, a))
                for (const OrderCase& c : before(*w.s, s)) {
                    if (base.system.with(c.constraints) == Truth::False) continue;
                    const Conjunct all = joined(base.constraints, c.constraints);
                    rest = poly::subtract(rest, poly::project(Domain{{all}}, gone));
                }
        }
        return rest;
    }
    void report(const StatementModel& s, const AccessModel& a, const Domain& rest) {
        std::vector<Name> first;
        for (const Parameter& p : kernel_.parameters)
            if (rest.mentions(p.name)) first.push_back(p.name);
        const auto env = poly::sample(rest, first);
        if (!env) return;
        Finding f{Finding::Kind::ReadBeforeWrite, s.index, a.access.array, -1, {}, {}, 0, 0, {}, a.access.loc};
        if (!f.loc) f.loc = s.statement->loc;
        std::string sizes;
        for (Name n : first) {
            f.parameters[n] = env->at(n);
            sizes += fmt::format("{}{}={}", sizes.empty() ? " for " : ", ", n.str(), env->at(n));
        }
        for (const Node* l : s.loops) f.point[l->loop] = env->count(sink_name(l->loop)) ? env->at(sink_name(l->loop)) : 0;
        f.text = fmt::format("{} reads '{}', which nothing has written before{}",
                             instance_text(*s.statement, s.loop_names(), f.point, f.parameters), a.access.array.str(), sizes);
        findings_.push_back(std::move(f));
    }

    const KernelData& kernel_;
    Model model_;
    std::unordered_map<Name, std::vector<Write>> writes_;
    std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> check_defined(const KernelData& kernel) { return Checker(kernel).run(); }

}  // namespace heddle
