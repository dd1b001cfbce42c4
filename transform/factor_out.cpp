#include <fmt/format.h>

#include <algorithm>

#include "ir/access.h"
#include "ir/infer.h"
#include "transform/declared.h"
#include "transform/reduce.h"
#include "transform/unchanged.h"

namespace heddle {

namespace {

bool is_zero(const Expr& e) {
    if (e.op() == Op::Neg) return is_zero(e.arg(0));
    return (e.op() == Op::Float && e.real() == 0) || (e.op() == Op::Int && e.integer() == 0);
}

Expr times(const Expr& a, const Expr& b) { return a ? make(Op::Mul, b.type(), {a, b}) : b; }

/// A product in two: factors that move, and what is left (null: nothing).
struct Split {
    Expr moved, rest;
};

/// With t the sum of f*e over loops of which f knows nothing, t is f times the sum of e, at every moment: t starts at zero, and
/// f*s + f*e = f*(s + e). All that is asked is which factors those are, and whether they have the same value at each use.
class Extraction {
public:
    Extraction(const Kernel& kernel, Name temporary)
        : kernel_(kernel),
          data_(kernel.data()),
          name_(temporary),
          d_(declared(data_, temporary, "factor_out")),
          paths_(paths_of(data_)),
          update_(the_update()) {
        refuse_in_bounds(data_, d_);
        path_inside();
        solve_loops();
    }

    Kernel run() {
        const Statement& sum = *data_.statements[update_];
        const Split split = take(sum.values[0]);
        if (!split.moved) refuse_varying(sum);
        Draft draft(kernel_);
        Statement inner = sum;
        inner.values = {split.rest ? split.rest : one()};
        draft.set(update_, std::move(inner));
        RuleOpener opener(data_, rules_mentioning(data_, name_));
        for (std::size_t k : d_.users)
            if (k != update_) multiply(draft, k, opener, split.moved);
        require_unchanged(kernel_, probes_, fmt::format("a factor of '{}' changes between its sum and a use", name_.str()),
                          "move the use next to the sum, or copy the factor into a temporary first");
        const std::set<Name> gone = rules_mentioning(data_, name_);
        std::erase_if(draft.data.rules, [&](const RuleDef& r) { return gone.count(r.name) != 0; });
        return draft.finish();
    }

private:
    Error refused(const std::string& why, std::size_t statement) const {
        return user_error("reduction", fmt::format("'{}' {}", name_.str(), why), data_.statements[statement]->loc);
    }

    /// The one statement that adds to the temporary; all others that write it set it to zero.
    std::size_t the_update() const {
        std::optional<std::size_t> out;
        for (std::size_t k : d_.users) {
            const Statement& s = *data_.statements[k];
            const bool writes = std::any_of(s.places.begin(), s.places.end(), [&](const Place& p) { return p.array == name_; });
            if (!writes || (s.update == Update::Assign && s.places.size() == 1 && is_zero(s.values[0]))) continue;
            if (s.update != Update::Add || !is_reduction(data_, s))
                throw refused(fmt::format("is no sum: '{}' writes it", s.label.str()), k);
            if (out)
                throw refused(
                    fmt::format("is added to by '{}' and by '{}'", data_.statements[*out]->label.str(), s.label.str()), k);
            out = k;
        }
        if (!out) throw user_error("reduction", fmt::format("nothing adds to '{}'", name_.str()), d_.array->loc);
        const Statement& s = *data_.statements[*out];
        for (const Expr& e : s.predicates)
            if (names_mentioned(data_, e).count(name_))
                throw refused(fmt::format("decides itself whether '{}' adds to it", s.label.str()), *out);
        if (!order_free(data_, s))
            throw user_error(
                "reassociate",
                fmt::format("'{}' adds floating-point numbers, and a factor outside their sum changes the rounding",
                            s.label.str()),
                s.loc)
                .hint(fmt::format("allow reassociate {}", s.label.str()));
        return *out;
    }

    /// Loops and temporaries between the declaration and the sum.
    void path_inside() {
        const std::vector<const Node*>& way = paths_[update_].nodes;
        const std::size_t home = d_.path.nodes.size();
        anchor_ = way.at(home);
        for (std::size_t k = home; k < way.size(); ++k) {
            if (way[k]->kind == Node::Kind::Loop) inner_.insert(way[k]->loop);
            inner_.insert(way[k]->temporaries.begin(), way[k]->temporaries.end());
        }
    }

    /// Loops that the element tells, as forms in its subscripts (symbols #0, #1, …): they are the same wherever it is used.
    void solve_loops() {
        const std::vector<Expr>& subscripts = data_.statements[update_]->places[0].subscripts;
        for (std::size_t k = 0; k < subscripts.size(); ++k) {
            const auto form = affine_of(subscripts[k]);
            if (!form) continue;
            std::vector<Name> symbols;
            form->symbols(symbols);
            std::erase_if(symbols, [&](Name n) { return !inner_.count(n); });
            if (symbols.size() != 1 || find_form(element_, symbols[0])) continue;
            const std::int64_t c = form->coefficient(symbols[0]);
            const Affine rest = *form - Affine::symbol(symbols[0], c);
            if ((c != 1 && c != -1) || rest.mentions(symbols[0])) continue;
            element_.emplace_back(symbols[0], c * (Affine::symbol(axis(k)) - rest));
        }
        for (const auto& [loop, form] : element_) inner_.erase(loop);
    }
    static Name axis(std::size_t k) { return Name("#" + std::to_string(k)); }

    bool moves(const Expr& factor) const {
        const std::set<Name> names = names_mentioned(data_, factor);
        return factor.type() == d_.array->type && !names.count(name_) &&
               std::none_of(inner_.begin(), inner_.end(), [&](Name n) { return names.count(n) != 0; });
    }
    /// Signs stay inside, and so does all that is no product of the temporary's own type.
    Split take(const Expr& e) const {
        if (e.op() == Op::Neg) {
            const Split s = take(e.arg(0));
            return {s.moved, with_args(e, {s.rest ? s.rest : one()})};
        }
        const DType type = d_.array->type;
        if (e.op() == Op::Mul && e.type() == type) {
            const Split a = take(widened(e.arg(0))), b = take(widened(e.arg(1)));
            return {b.moved ? times(a.moved, b.moved) : a.moved, b.rest ? times(a.rest, b.rest) : a.rest};
        }
        return moves(e) ? Split{e, {}} : Split{{}, e};
    }
    /// Factors of a narrower type are widened first, so that none of their products is formed in it.
    Expr widened(const Expr& e) const {
        const DType type = d_.array->type;
        return e.type() == type || is_complex(type) ? e : make(Op::Cast, type, {e}, {}, e.loc());
    }
    Expr one() const {
        const DType type = d_.array->type;
        if (is_integer(type)) return int_literal(1, type);
        return is_float(type) ? float_literal(1, type) : make(Op::Cast, type, {float_literal(1, DType::F64)});
    }

    [[noreturn]] void refuse_varying(const Statement& sum) const {
        throw user_error("reduction", fmt::format("no factor of '{}' is the same for all terms of its sum", sum.label.str()),
                         sum.loc)
            .hint("its factors are what stands between the '*' of its value; 'inline' opens rules and temporaries");
    }

    void multiply(Draft& draft, std::size_t index, RuleOpener& opener, const Expr& factor) {
        const Statement s = opener.open(*data_.statements[index]);
        for (const Occurrence& use : occurrences(data_, s, name_))
            probes_.push_back({index, use.when, {factor_at(use.node, factor, index)}, anchor_, false, {}});
        draft.set(index,
                  replace_occurrences(s, name_, [&](const Expr& node) { return times(factor_at(node, factor, index), node); }));
    }
    /// The factor for the element of a read.
    Expr factor_at(const Expr& node, const Expr& factor, std::size_t index) const {
        Forms forms;
        for (const auto& [loop, form] : element_) {
            if (!mentions(factor, loop)) continue;
            Affine value = form;
            for (std::size_t k = 0; k < node.args().size(); ++k) {
                const auto subscript = affine_of(node.arg(k));
                if (!value.mentions(axis(k))) continue;
                if (!subscript)
                    throw refused(
                        fmt::format("is read by '{}' at a subscript that is not affine", data_.statements[index]->label.str()),
                        index);
                value = value.substitute(axis(k), *subscript);
            }
            forms.emplace_back(loop, value);
        }
        return substitute_loops(data_, factor, forms);
    }

    const Kernel& kernel_;
    const KernelData& data_;
    Name name_;
    Declared d_;
    std::vector<Path> paths_;
    std::size_t update_;
    const Node* anchor_ = nullptr;  ///< what the sum is computed in, where the temporary is declared
    std::set<Name> inner_;          ///< loops that the element does not tell, and temporaries, between declaration and sum
    Forms element_;
    std::vector<Probe> probes_;
};

}  // namespace

/// Keeps: every instance and the order; rounding differs, and with it the sign of a zero and what comes of infinite factors.
Kernel run_step(const Kernel& kernel, const FactorOut& step) { return Extraction(kernel, step.temporary).run(); }

}  // namespace heddle
