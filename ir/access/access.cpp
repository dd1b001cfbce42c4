#include "ir/access.h"

#include <algorithm>
#include <unordered_set>

#include "ir/access/guards.h"
#include "ir/access_rules.h"

namespace heddle {
namespace {

/// Collects the accesses of one statement.
class Collector {
public:
    Collector(const KernelData& kernel, RuleExpander& rules, const Statement& s) : kernel_(kernel), rules_(rules), s_(s) {}

    std::vector<Access> collect() {
        domain();
        for (const Expr& p : s_.predicates) {
            expression(p);
            narrow(p);
        }
        for (const Expr& v : s_.values) expression(v);
        for (const Place& p : s_.places)
            for (const Expr& e : p.subscripts) expression(e);
        if (s_.call) call(*s_.call);
        for (const Place& p : s_.places) place(p);
        std::stable_partition(out_.begin(), out_.end(), [](const Access& a) { return !a.write; });
        return std::move(out_);
    }

private:
    /// Lets (and other scalars) that stand in the bounds.
    void domain() {
        std::vector<Name> symbols;
        s_.domain.symbols(symbols);
        for (Name n : symbols)
            if (kernel_.find_array(n)) add({}, n, {}, s_.loc);
    }
    /// What follows a predicate happens only where it holds.
    void narrow(const Expr& predicate) {
        const auto condition = domain_of(rules_.expand(predicate));
        if (condition)
            guards_[0].when = intersect(guards_[0].when, *condition);
        else
            guards_[0].conditional = true;
    }

    void expression(const Expr& raw) {
        std::vector<std::pair<Expr, std::size_t>> todo{{rules_.expand(raw), 0}};
        while (!todo.empty()) {
            const auto [e, guard] = todo.back();
            todo.pop_back();
            if (!e.args().empty() && !seen_.insert({e.node(), guard}).second) continue;
            if (!e.args().empty()) keep_.push_back(e);
            visit_node(e, guard, todo);
        }
    }
    void visit_node(const Expr& e, std::size_t guard, std::vector<std::pair<Expr, std::size_t>>& todo) {
        if (e.op() == Op::Read || (e.op() == Op::Var && kernel_.find_array(e.name())))
            add(guards_[guard], e.name(), e.args(), e.loc());
        const bool lazy = e.op() == Op::Select || e.op() == Op::And || e.op() == Op::Or;
        for (std::size_t k = e.args().size(); k-- > 0;)
            todo.emplace_back(e.arg(k), lazy && k > 0 ? guards_.narrowed(guard, e.arg(0), e.op() == Op::Or || k == 2) : guard);
    }

    void place(const Place& p) {
        const bool reduction = is_reduction(kernel_, s_);
        std::vector<Expr> subscripts;
        for (const Expr& e : p.subscripts) subscripts.push_back(rules_.expand(e));
        if (s_.update != Update::Assign && !reduction) add(guards_[0], p.array, subscripts, s_.loc);
        add(guards_[0], p.array, std::move(subscripts), s_.loc, true, reduction);
    }
    void call(const KernelCall& c) {
        for (const auto& [name, value] : c.bindings) {
            const Array* formal = c.callee->find_array(name);
            if (!formal || formal->by_value()) {
                expression(value);
                continue;
            }
            for (bool write : {false, true}) {
                if (write ? formal->role == Role::In : formal->role == Role::Out) continue;
                Access a;
                a.array = value.name();
                a.write = write;
                a.whole = true;
                a.when = guards_[0].when;
                a.conditional = guards_[0].conditional;
                a.loc = s_.loc;
                out_.push_back(std::move(a));
            }
        }
    }

    void add(const Guard& guard, Name array, std::vector<Expr> subscripts, const Loc& loc, bool write = false,
             bool reduction = false) {
        for (const Access& a : out_)
            if (a.array == array && a.write == write && a.conditional == guard.conditional && same(a.subscripts, subscripts) &&
                a.when == guard.when)
                return;
        Access a;
        a.array = array;
        a.write = write;
        a.reduction = reduction;
        a.subscripts = std::move(subscripts);
        for (const Expr& e : a.subscripts) a.affine.push_back(affine_of(e));
        a.when = guard.when;
        a.conditional = guard.conditional;
        a.loc = loc;
        out_.push_back(std::move(a));
    }
    static bool same(const std::vector<Expr>& a, const std::vector<Expr>& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Expr& x, const Expr& y) { return x.same(y); });
    }

    struct PairHash {
        std::size_t operator()(const std::pair<const ExprNode*, std::size_t>& p) const {
            return std::hash<const void*>()(p.first) * 31 + p.second;
        }
    };

    const KernelData& kernel_;
    RuleExpander& rules_;
    const Statement& s_;
    Guards guards_;
    std::unordered_set<std::pair<const ExprNode*, std::size_t>, PairHash> seen_;
    std::vector<Expr> keep_;  ///< keeps what `seen_` points to
    std::vector<Access> out_;
};

bool rounds(DType type) { return is_float(type) || is_complex(type); }

}  // namespace

bool Access::exact() const {
    return !whole && std::all_of(affine.begin(), affine.end(), [](const auto& a) { return a.has_value(); });
}

std::vector<Access> accesses_of(const KernelData& kernel, const Statement& s, RuleExpander& rules) {
    return Collector(kernel, rules, s).collect();
}

std::vector<Access> accesses_of(const KernelData& kernel, const Statement& s) {
    RuleExpander rules(kernel);
    return accesses_of(kernel, s, rules);
}

std::vector<std::vector<Access>> accesses_of(const KernelData& kernel) {
    RuleExpander rules(kernel);
    std::vector<std::vector<Access>> out;
    out.reserve(kernel.statements.size());
    for (const auto& s : kernel.statements) out.push_back(accesses_of(kernel, *s, rules));
    return out;
}

bool is_reduction(const KernelData& kernel, const Statement& s) {
    switch (s.update) {
        case Update::Add:
        case Update::Mul:
        case Update::Min:
        case Update::Max:
        case Update::And:
        case Update::Or:
            return true;
        case Update::Custom: {
            const OperatorDef* op = kernel.find_operator(s.op);
            return op && op->commutative;
        }
        default:
            return false;
    }
}

bool order_free(const KernelData& kernel, const Statement& s, bool atomics) {
    if (!is_reduction(kernel, s)) return false;
    if (s.reassociate || (atomics && s.atomic)) return true;
    if (s.update == Update::Custom) return false;
    if (s.update != Update::Add && s.update != Update::Mul) return true;
    return std::none_of(s.places.begin(), s.places.end(), [&](const Place& p) {
        const Array* a = kernel.find_array(p.array);
        return !a || rounds(a->type);
    });
}

}  // namespace heddle
