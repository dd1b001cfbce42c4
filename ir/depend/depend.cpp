// The one legality question: does the new order keep every dependent pair?
#include "ir/depend.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "ir/depend/flow.h"
#include "ir/depend/pairs.h"
#include "ir/depend/witness.h"
#include "ir/error.h"

namespace heddle {
namespace {

using namespace depend;

/// One entry of `moved`: an old statement, where it stands now, and its new loops in terms of the old.
struct Moved {
    const StatementModel* old;
    StatementModel now;
    std::vector<Affine> forms, sink_forms;
    Domain where, sink_where;
    bool exact = true;     ///< `where` is what it covers, no more
    int order_class = 0;   ///< equal when loops, forms, data and what is covered are
    int domain_class = 0;  ///< equal when also the domains are
};

std::string text_of(const Domain& d) {
    std::string out;
    for (const Conjunct& piece : d.pieces) {
        out += "|";
        for (const Constraint& c : piece) out += c.form.str() + (c.equality ? "=" : ">");
    }
    return out;
}

class Question {
public:
    Question(const KernelData& old_kernel, const KernelData& new_kernel, const std::vector<Correspondence>& moved)
        : old_(old_kernel), new_(new_kernel) {
        entries_.reserve(moved.size());
        for (const Correspondence& c : moved) entries_.push_back(entry(c));
    }

    std::optional<Witness> answer() {
        std::vector<const StatementModel*> statements;
        for (const Moved& m : entries_) statements.push_back(m.old);
        std::optional<Witness> found;
        each_candidate(old_, statements, [&](const Candidate& c) {
            const Moved &p = entries_[c.first], &q = entries_[c.second];
            const Name array = p.old->accesses[c.a].access.array;
            if (unharmed_.count(array)) return false;
            found = violation(p, p.old->accesses[c.a], q, q.old->accesses[c.b]);
            const bool both = c.first != c.second || c.a != c.b;
            if (!found && both) found = violation(q, q.old->accesses[c.b], p, p.old->accesses[c.a]);
            if (found && same_values(array)) found.reset();
            return found.has_value();
        });
        return found;
    }

private:
    /// An order that turns some dependence on the array round, and yet every read sees the same write.
    bool same_values(Name array) {
        const KernelData& kernel = old_.kernel();
        std::vector<Placed> placed;
        std::unordered_set<std::size_t> listed;
        bool known = old_.bucket(array) == array && old_.base(array) == array;
        const auto accesses = [&](const StatementModel& s) {
            return std::any_of(s.accesses.begin(), s.accesses.end(), [&](const AccessModel& a) {
                known = known && (a.access.array == array || old_.base(a.access.array) != array);
                return a.access.array == array;
            });
        };
        for (const Moved& m : entries_) {
            listed.insert(m.old->index);
            if (!accesses(*m.old)) continue;
            known = known && m.exact;
            placed.push_back({m.old, m.now, m.forms, m.where});
        }
        for (std::size_t k = 0; k < kernel.statements.size() && known; ++k)
            if (!listed.count(k) && accesses(old_.statement(k))) known = stays(k, placed);
        if (!known || !same_flow(kernel, array, placed)) return false;
        return unharmed_.insert(array).second;
    }
    /// A statement that is not listed: it has its loops still.
    bool stays(std::size_t index, std::vector<Placed>& placed) {
        if (now_index_.empty())
            for (std::size_t k = 0; k < new_.kernel().statements.size(); ++k)
                now_index_.emplace(new_.kernel().statements[k]->label, k);
        const StatementModel& old = old_.statement(index);
        const auto now = now_index_.find(old.statement->label);
        if (now == now_index_.end()) return false;
        placed.push_back({&old, new_.place(now->second), {}, Domain::everything()});
        for (Name loop : placed.back().now.loop_names()) placed.back().forms.push_back(Affine::symbol(loop));
        return placed.back().now.loop_names() == old.loop_names();
    }

    Moved entry(const Correspondence& c) {
        Moved m;
        m.old = &old_.statement(c.old_statement);
        m.now = new_.place(c.new_statement);
        for (const Node* loop : m.now.loops) {
            m.forms.push_back(form_of(c, loop->loop, *m.old));
            m.sink_forms.push_back(renamed(m.forms.back(), *m.old));
        }
        m.where = known_part(c.where, *m.old);
        m.exact = m.where == c.where;
        m.sink_where = renamed(m.where, *m.old);
        classify(m);
        return m;
    }
    static Affine form_of(const Correspondence& c, Name loop, const StatementModel& old) {
        for (const auto& [name, form] : c.loops)
            if (name == loop) return form;
        const auto names = old.loop_names();
        require(std::find(names.begin(), names.end(), loop) != names.end(), "every new loop is told in terms of the old");
        return Affine::symbol(loop);
    }
    /// Without constraints on data that the statement does not know: more instances, never fewer.
    Domain known_part(const Domain& where, const StatementModel& old) const {
        const auto names = old.loop_names();
        const auto known = [&](Name n) {
            return std::find(names.begin(), names.end(), n) != names.end() || old_.kernel().is_parameter(n) ||
                   std::any_of(old.data.begin(), old.data.end(), [&](const DataSymbol& d) { return d.name == n; });
        };
        Domain out = where;
        for (Conjunct& piece : out.pieces)
            std::erase_if(piece, [&](const Constraint& c) {
                std::vector<Name> symbols;
                c.form.symbols(symbols);
                return !std::all_of(symbols.begin(), symbols.end(), known);
            });
        return out;
    }
    void classify(Moved& m) {
        std::string key;
        for (const std::vector<const Node*>& loops : {m.old->loops, m.now.loops}) {
            for (const Node* l : loops) key += l->loop.str() + (l->descending ? "-," : ",");
            key += ";";
        }
        for (const Affine& f : m.forms) key += f.str() + ",";
        for (const DataSymbol& d : m.old->data) key += fmt::format("{}:{},", d.name.str(), d.need);
        key += text_of(m.where);
        m.order_class = number(key);
        m.domain_class = number(key + text_of(m.old->domain));
    }
    int number(const std::string& key) { return classes_.emplace(key, static_cast<int>(classes_.size())).first->second; }

    /// Ways in which p's instance ran before q's and does not any more.
    const std::vector<OrderCase>& turned(const Moved& p, const Moved& q, const Meeting& then, const Meeting& now) {
        const std::array<int, 6> key{
            p.order_class, q.order_class, static_cast<int>(then.common), then.order, static_cast<int>(now.common), now.order};
        const auto [it, fresh] = turned_.try_emplace(key);
        if (!fresh) return it->second;
        for (const OrderCase& c : before(*p.old, *q.old)) {
            for (Conjunct& n : not_before(p, q, now, c)) {
                OrderCase both{joined(c.constraints, n), c.equal};
                if (feasible(both.constraints) != Truth::False) it->second.push_back(std::move(both));
            }
        }
        return it->second;
    }
    /// Ways in which, now, p's instance does not come strictly before q's, where it did so by `then`. Goes through the new
    /// common loops as long as both may have equal values there.
    static std::vector<Conjunct> not_before(const Moved& p, const Moved& q, const Meeting& now, const OrderCase& then) {
        std::vector<Conjunct> out;
        Conjunct same;
        for (std::size_t k = 0; k < now.common; ++k) {
            const Affine &x = p.forms[k], &y = q.sink_forms[k];
            const bool down = p.now.loops[k]->descending;
            const Sign sign = sign_of(down ? x - y : y - x, *p.old, *q.old, then.equal);
            if (sign == Sign::Zero) continue;
            if (sign == Sign::Positive) return out;
            out.push_back(same);
            if (sign == Sign::Negative) return out;
            out.back().push_back(down ? less(x, y) : less(y, x));
            same.push_back(equal(x, y));
        }
        if (now.order >= 0) out.push_back(std::move(same));
        return out;
    }

    enum class Sign { Negative, Zero, Positive, Unknown };
    /// The sign of a form over both instances when the first `equal` old loops are equal and the next runs forward, if that is
    /// plain.
    static Sign sign_of(Affine form, const StatementModel& p, const StatementModel& q, std::size_t equal) {
        for (std::size_t k = 0; k < equal; ++k) {
            const Name there = sink_name(q.loops[k]->loop);
            if (form.mentions(there)) form = form.rename(there, p.loops[k]->loop);
        }
        if (!form.is_constant() && equal < p.loops.size() && equal < q.loops.size()) {
            const Node* next = p.loops[equal];
            const std::int64_t ahead = form.coefficient(sink_name(next->loop));
            const Affine step = Affine::symbol(sink_name(next->loop)) - Affine::symbol(next->loop);
            if (next != q.loops[equal] || form != ahead * step) return Sign::Unknown;
            return (ahead > 0) != next->descending ? Sign::Positive : Sign::Negative;
        }
        if (!form.is_constant()) return Sign::Unknown;
        return form.constant > 0 ? Sign::Positive : form.constant < 0 ? Sign::Negative : Sign::Zero;
    }

    std::optional<Witness> violation(const Moved& p, const AccessModel& a, const Moved& q, const AccessModel& b) {
        if (commute(*p.old, a, *q.old, b, false)) return std::nullopt;
        const Meeting then = meeting(*p.old, *q.old), now = meeting(p.now, q.now);
        const auto& cases = turned(p, q, then, now);
        if (cases.empty()) return std::nullopt;
        const int scope = static_cast<int>(old_.scope_depth(old_.base(a.access.array)));
        if (a.access.array != b.access.array) return search(p, a, q, b, cases);
        const int overlap = 2 * a.access.whole + 4 * b.access.whole;
        const std::array<int, 10> key{p.domain_class,
                                      q.domain_class,
                                      a.form_class,
                                      b.form_class,
                                      scope,
                                      overlap,
                                      static_cast<int>(then.common),
                                      then.order,
                                      static_cast<int>(now.common),
                                      now.order};
        if (fine_.count(key)) return std::nullopt;
        auto found = search(p, a, q, b, cases);
        if (!found) fine_.insert(key);
        return found;
    }
    std::optional<Witness> search(const Moved& p, const AccessModel& a, const Moved& q, const AccessModel& b,
                                  const std::vector<OrderCase>& cases) {
        for (const Conflict& base : conflicts(old_, *p.old, a, *q.old, b, p.where, q.sink_where))
            for (const OrderCase& c : cases) {
                Conjunct order = c.constraints;
                append_equal_data(*p.old, *q.old, c.equal, order);
                const auto all = possible(base, order, *p.old, *q.old);
                if (!all) continue;
                if (auto w = witness_at(old_, *all, *p.old, a, *q.old, b)) {
                    w->why = "the new order runs " + second_text(p, q, *w) + " first";
                    return w;
                }
            }
        return std::nullopt;
    }
    static std::string second_text(const Moved& p, const Moved& q, const Witness& w) {
        if (p.old != q.old) return q.old->statement->label.str();
        return instance_text(*q.old->statement, q.old->loop_names(), w.sink_point, w.parameters);
    }

    template <std::size_t N>
    struct Hash {
        std::size_t operator()(const std::array<int, N>& key) const {
            std::size_t h = 1469598103934665603ull;
            for (int k : key) h = (h ^ static_cast<std::size_t>(k)) * 1099511628211ull;
            return h ^ (h >> 29);
        }
    };

    Model old_, new_;
    std::vector<Moved> entries_;
    std::unordered_map<std::string, int> classes_;
    std::unordered_map<std::array<int, 6>, std::vector<OrderCase>, Hash<6>> turned_;
    std::unordered_set<std::array<int, 10>, Hash<10>> fine_;
    std::unordered_set<Name> unharmed_;  ///< arrays of which every read sees the same write, whatever turned round
    std::unordered_map<Name, std::size_t> now_index_;
};

}  // namespace

std::optional<Witness> violates_order(const KernelData& old_kernel, const KernelData& new_kernel,
                                      const std::vector<Correspondence>& moved) {
    if (moved.empty()) return std::nullopt;
    return Question(old_kernel, new_kernel, moved).answer();
}

}  // namespace heddle
