// Is every access inside its array?
#include "ir/bounds.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/bounds/facts.h"
#include "ir/bounds/product.h"
#include "ir/depend/pairs.h"
#include "ir/depend/witness.h"
#include "ir/poly.h"
#include "ir/poly/feasible.h"
#include "ir/print.h"

namespace heddle {
namespace {

using namespace depend;

/// One subscript under test.
struct Subject {
    const StatementModel& s;
    const AccessModel& a;
    const Array& array;
    std::size_t dimension;
};

std::vector<Name> symbols_of(const Conjunct& c) {
    std::vector<Name> out;
    for (const Constraint& k : c) k.form.symbols(out);
    return out;
}

std::string access_text(const AccessModel& a) {
    std::string out;
    for (const Expr& e : a.access.subscripts) out += (out.empty() ? "" : ", ") + print(e);
    return fmt::format("{} {}[{}]",
                       a.access.reduction ? "updates"
                       : a.access.write   ? "writes"
                                          : "reads",
                       a.access.array.str(), out);
}

std::string values_text(const Env& env) {
    std::string out;
    for (const auto& [n, value] : env) out += fmt::format("{}{}={}", out.empty() ? "" : ", ", n.str(), value);
    return out;
}

class Checker {
public:
    explicit Checker(const KernelData& kernel) : kernel_(kernel), model_(kernel), facts_(model_) {}

    std::vector<Finding> run() {
        for (const Array& a : kernel_.arrays) shape(a);
        for (std::size_t s = 0; s < kernel_.statements.size(); ++s) {
            const StatementModel& st = model_.statement(s);
            for (const AccessModel& a : st.accesses) access(st, a);
        }
        return std::move(findings_);
    }

private:
    /// An extent that `where` makes negative for all values.
    void shape(const Array& a) {
        for (std::size_t k = 0; k < a.shape.size(); ++k) {
            const auto extent = affine_of(a.shape[k]);
            if (!extent || extent->is_constant()) {
                if (extent && extent->constant < 0) negative(a, k);
                continue;
            }
            Domain d = intersect(kernel_.assumptions, domain_of(at_least(*extent, Affine(0))));
            if (poly::is_empty(d) && !poly::is_empty(kernel_.assumptions)) negative(a, k);
        }
    }
    void negative(const Array& a, std::size_t dimension) {
        Finding f{Finding::Kind::NegativeShape, 0, a.name, static_cast<int>(dimension), {}, {}, 0, 0, {}, a.loc};
        f.text = fmt::format("the extent {} of dimension {} of '{}' is negative for all sizes that 'where' allows",
                             print(a.shape[dimension]), dimension, a.name.str());
        findings_.push_back(std::move(f));
    }

    void access(const StatementModel& s, const AccessModel& a) {
        const Array* array = kernel_.find_array(a.access.array);
        if (!array || a.access.whole) return;
        for (std::size_t k = 0; k < a.forms.size() && k < array->shape.size(); ++k) subscript({s, a, *array, k});
    }
    void subscript(const Subject& x) {
        const auto& form = x.a.forms[x.dimension];
        const auto extent = affine_of(x.array.shape[x.dimension]);
        if (!form || !extent) {
            if (!products_inside(x)) unproved(x);
            return;
        }
        bool doubtful = false;
        for (const Piece& p : *form)
            for (Conjunct& context : contexts(x, p.when, {p.value, *extent}))
                for (const Constraint& good : {at_least(p.value, Affine(0)), less(p.value, *extent)}) {
                    if (implied(good, context) == Truth::True) continue;
                    context.push_back({-good.form - Affine(1), false});
                    const bool fails = fails_at(x, context);
                    if (fails && certain(x, context)) return refuted(x, context, p.value, *extent);
                    doubtful = doubtful || fails;
                    context.pop_back();
                }
        if (doubtful && !products_inside(x)) unproved(x);
    }

    /// The statement's points where the access happens, with what is known about data in it, as conjuncts.
    std::vector<Conjunct> contexts(const Subject& x, const Conjunct& when, const std::vector<Affine>& forms) {
        std::vector<Conjunct> list{when};
        for (const Domain* d : {&x.s.domain, &x.a.access.when, &kernel_.assumptions}) meet(list, *d);
        if (x.s.data.empty()) return list;
        std::vector<Name> symbols;
        for (const Affine& f : forms) f.symbols(symbols);
        for (const Conjunct& c : list)
            for (Name n : symbols_of(c)) symbols.push_back(n);
        meet(list, facts_.about(symbols, x.s));
        return list;
    }
    static bool fails_at(const Subject& x, const Conjunct& c) {
        const Truth truth = feasible(c);
        if (truth != Truth::Unknown) return truth == Truth::True;
        poly::Budget budget(fmt::format("the bounds of '{}' in '{}'", x.array.name.str(), x.s.statement->label.str()));
        return !poly::is_empty(Domain{{c}});
    }
    /// A failing point is certain when the access surely happens there: no run-time condition, no value from data.
    bool certain(const Subject& x, const Conjunct& c) const {
        if (x.a.access.conditional) return false;
        const auto symbols = symbols_of(c);
        return std::none_of(x.s.data.begin(), x.s.data.end(), [&](const DataSymbol& d) {
            return std::find(symbols.begin(), symbols.end(), d.name) != symbols.end();
        });
    }

    /// The subscript and the extent as polynomials: 0 <= subscript < extent by simple reasoning on products.
    bool products_inside(const Subject& x) {
        const auto subscript = polynomial_of(x.a.access.subscripts[x.dimension]);
        const auto extent = polynomial_of(x.array.shape[x.dimension]);
        if (!subscript || !extent) return false;
        const auto contexts_here = contexts(x, {}, {});
        const Polynomial room = *extent - *subscript - polynomial_of(Affine(1));
        return std::all_of(contexts_here.begin(), contexts_here.end(), [&](const Conjunct& c) {
            return surely_nonnegative(*subscript, c, x.s.loop_names()) && surely_nonnegative(room, c, x.s.loop_names());
        });
    }

    /// Does the subscript use a value read from an array, or a let?
    bool from_data(const Subject& x) const {
        std::vector<Name> used;
        if (const auto& form = x.a.forms[x.dimension])
            for (const Piece& p : *form) p.value.symbols(used);
        return std::any_of(x.s.data.begin(), x.s.data.end(), [&](const DataSymbol& d) {
            if (std::find(used.begin(), used.end(), d.name) == used.end()) return false;
            const Expr* e = model_.expression_of(d.name);
            bool reads = !e;
            if (e) visit(*e, [&](const Expr& node) { reads |= node.op() == Op::Read || node.op() == Op::Call; });
            return reads;
        });
    }
    void unproved(const Subject& x) {
        Finding f = finding(x, Finding::Kind::Unproved);
        const char* reason = from_data(x)             ? "the subscript depends on data"
                             : x.a.access.conditional ? "it stands under a run-time condition"
                             : !x.s.data.empty()      ? "its bounds depend on data"
                                                      : "it is beyond what is proved about products and quotients of sizes";
        f.text = fmt::format("not proved: '{}' {} inside dimension {} of extent {}; {}", x.s.statement->label.str(),
                             access_text(x.a), x.dimension, print(x.array.shape[x.dimension]), reason);
        findings_.push_back(std::move(f));
    }
    void refuted(const Subject& x, const Conjunct& c, const Affine& value, const Affine& extent) {
        Finding f = finding(x, Finding::Kind::OutOfBounds);
        std::vector<Name> first;
        const auto symbols = symbols_of(c);
        for (const Parameter& p : kernel_.parameters)
            if (std::find(symbols.begin(), symbols.end(), p.name) != symbols.end()) first.push_back(p.name);
        const auto env = poly::sample(Domain{{c}}, first);
        if (!env) return;
        for (Name n : first) f.parameters[n] = env->at(n);
        for (const Node* l : x.s.loops) f.point[l->loop] = env->count(l->loop) ? env->at(l->loop) : 0;
        Env all = *env;
        std::vector<Name> used;
        value.symbols(used);
        extent.symbols(used);
        for (Name n : used) all.emplace(n, 0);
        f.index = evaluate(value, all);
        f.extent = std::max<std::int64_t>(evaluate(extent, all), 0);
        f.text = fmt::format("{} {} outside the array: index {} of dimension {} is not in 0..{}{}{}",
                             instance_text(*x.s.statement, x.s.loop_names(), f.point, f.parameters), access_text(x.a), f.index,
                             x.dimension, f.extent - 1, f.parameters.empty() ? "" : " for ", values_text(f.parameters));
        if (f.extent == 0)
            f.text = fmt::format("{} {} outside the array: dimension {} is empty{}{}",
                                 instance_text(*x.s.statement, x.s.loop_names(), f.point, f.parameters), access_text(x.a),
                                 x.dimension, f.parameters.empty() ? "" : " for ", values_text(f.parameters));
        findings_.push_back(std::move(f));
    }
    static Finding finding(const Subject& x, Finding::Kind kind) {
        const Loc& loc = x.a.access.loc ? x.a.access.loc : x.s.statement->loc;
        return {kind, x.s.index, x.array.name, static_cast<int>(x.dimension), {}, {}, 0, 0, {}, loc};
    }

    const KernelData& kernel_;
    Model model_;
    Facts facts_;
    std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> check_bounds(const KernelData& kernel) { return Checker(kernel).run(); }

}  // namespace heddle
