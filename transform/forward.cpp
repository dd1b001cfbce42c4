#include "transform/forward.h"

#include <fmt/format.h>

#include "ir/error.h"
#include "transform/unchanged.h"

namespace heddle {

namespace {

/// One forwarding under way: the readers, and what each read becomes.
class Forwarding {
public:
    Forwarding(const Kernel& kernel, const Definition& definition, const ForwardedValue& value)
        : kernel_(kernel), data_(kernel.data()), d_(definition), value_(value) {
        std::vector<Path> paths = paths_of(data_);
        const std::set<Name> rules = rules_mentioning(data_, d_.array);
        RuleOpener opener(data_, rules);
        for (std::size_t k = 0; k < data_.statements.size(); ++k)
            if (k != d_.writer) reader(k, rules.empty() ? *data_.statements[k] : opener.open(*data_.statements[k]), paths[k]);
    }

    Kernel finish(Draft draft) {
        require_unchanged(kernel_, probes_,
                          fmt::format("the value of '{}' changes between its assignment and a use", d_.array.str()),
                          "move the use next to the assignment, or keep the temporary");
        for (auto& [index, s] : changed_) draft.set(index, std::move(s));
        draft.drop(d_.writer);
        draft.remove_array(d_.array);
        const std::set<Name> gone = rules_mentioning(data_, d_.array);
        std::erase_if(draft.data.rules, [&](const RuleDef& r) { return gone.count(r.name) != 0; });
        return draft.finish();
    }

private:
    void reader(std::size_t index, const Statement& s, const Path& path) {
        const bool bound = s.domain.mentions(d_.array);
        if (!bound && !mentions(data_, s, d_.array)) return;
        std::unordered_map<Expr, Expr, ExprHash, ExprSame> values;
        for (const Occurrence& use : occurrences(data_, s, d_.array)) {
            const Forms instance = instance_read(data_, d_, index, path, use);
            values.emplace(use.node, value_(use.node, instance));
            probe(index, use, instance);
        }
        Statement changed = replace_occurrences(s, d_.array, [&](const Expr& node) { return values.at(node); });
        if (bound) changed.domain = bounds(index, s, path);
        changed_.emplace_back(index, std::move(changed));
    }

    void probe(std::size_t index, const Occurrence& use, const Forms& instance) {
        Probe p;
        p.reader = index;
        p.when = use.when;
        p.reads = {value_read(data_, d_, instance), use.node};
        p.anchor = d_.path.nodes.back();
        p.after = true;
        p.earlier = instance;
        probes_.push_back(std::move(p));
    }

    Domain bounds(std::size_t index, const Statement& s, const Path& path) const {
        const Occurrence use{variable(d_.array), s.domain, false};
        const auto form = affine_of(value_read(data_, d_, instance_read(data_, d_, index, path, use)));
        if (!form)
            throw user_error("definition",
                             fmt::format("bounds of loops around '{}' use '{}', and its value is not affine", s.label.str(),
                                         d_.array.str()),
                             s.loc);
        return s.domain.substitute(d_.array, *form);
    }

    const Kernel& kernel_;
    const KernelData& data_;
    const Definition& d_;
    const ForwardedValue& value_;
    std::vector<Probe> probes_;
    std::vector<std::pair<std::size_t, Statement>> changed_;
};

}  // namespace

Kernel forward(const Kernel& kernel, Draft draft, const Definition& definition, const ForwardedValue& value) {
    return Forwarding(kernel, definition, value).finish(std::move(draft));
}

Expr without_types(const Expr& e) {
    return rewrite(e, [](const Expr& node) -> Expr {
        const bool kept = node.op() == Op::Cast || node.op() == Op::Var || node.op() == Op::Bool;
        return kept ? node : with_type(node, DType::Untyped);
    });
}

}  // namespace heddle
