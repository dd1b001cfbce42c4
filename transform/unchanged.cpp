#include "transform/unchanged.h"

#include <algorithm>

#include "ir/access.h"
#include "ir/depend.h"
#include "transform/draft.h"
#include "transform/refuse.h"

namespace heddle {

namespace {

/// Both kernels of the question, with the probes of each by label.
class Question {
public:
    Question(const Kernel& kernel, const std::vector<Probe>& probes)
        : kernel_(kernel), paths_(paths_of(kernel.data())), now_(kernel), then_(kernel) {
        index_anchors();
        for (const Probe& p : probes) add(p);
    }

    std::optional<std::string> ask() {
        KernelData now = now_.unchecked(), then = then_.unchecked();
        const auto now_index = by_label(now), then_index = by_label(then);
        std::vector<Correspondence> moved;
        for (Pair& p : pairs_) {
            p.match.old_statement = now_index.at(p.label);
            p.match.new_statement = then_index.at(p.label);
            named_like_reader(now, p);
            moved.push_back(p.match);
        }
        std::set<Name> read;
        for (const auto& p : pairs_)
            for (const Expr& e : now.statements[p.match.old_statement]->values)
                visit(expand_rules(now, e), [&](const Expr& node) { read.insert(node.name()); });
        for (std::size_t k : statements_touching(kernel_.data(), read, true)) {
            const Name label = kernel_.data().statements[k]->label;
            moved.push_back({now_index.at(label), then_index.at(label), {}, Domain::everything()});
        }
        const auto witness = violates_order(now, then, moved);
        return witness ? std::optional(witness->text(now)) : std::nullopt;
    }

private:
    struct Pair {
        Name label;
        std::size_t reader;
        Correspondence match;
    };

    void index_anchors() {
        std::vector<Name> loops;
        const std::function<void(const Node&)> walk = [&](const Node& n) {
            around_[&n] = loops;
            if (n.kind == Node::Kind::Loop) loops.push_back(n.loop);
            for (const NodePtr& child : n.children) walk(*child);
            if (n.kind == Node::Kind::Loop) loops.pop_back();
        };
        walk(*kernel_.data().root);
    }

    void add(const Probe& p) {
        Statement s;
        s.label = now_.fresh("probe");
        s.values = p.reads;
        s.domain = p.when;
        s.loc = kernel_.data().statements[p.reader]->loc;
        Pair pair{s.label, p.reader, {}};
        pair.match.where = p.when;
        Statement earlier = s;
        const NodePtr leaf = move(p, earlier, pair.match);
        p.after ? then_.after(p.anchor, leaf) : then_.before(p.anchor, leaf);
        now_.before(paths_[p.reader].nodes.back(), now_.add(std::move(s)));
        pairs_.push_back(std::move(pair));
    }

    /// The probe at the anchor: loops of the reader that do not keep their values get copies around it.
    NodePtr move(const Probe& p, Statement& s, Correspondence& match) {
        const std::vector<Name>& outer = around_.at(p.anchor);
        std::vector<Name> copies;
        Forms renamed;
        for (const Node* loop : paths_[p.reader].loops()) {
            const Affine* form = find_form(p.earlier, loop->loop);
            const bool kept = std::find(outer.begin(), outer.end(), loop->loop) != outer.end() &&
                              (!form || *form == Affine::symbol(loop->loop));
            if (kept) continue;
            copies.push_back(now_.fresh(loop->loop.str()));
            renamed.emplace_back(loop->loop, Affine::symbol(copies.back()));
            match.loops.emplace_back(copies.back(), Affine::symbol(loop->loop));
        }
        s = substitute_loops(kernel_.data(), s, renamed);
        for (const auto& [loop, form] : p.earlier) {
            if (form == Affine::symbol(loop)) continue;
            s.domain = intersect(s.domain, domain_of(equal(Affine::symbol(loop), substitute(form, renamed))));
            match.loops.emplace_back(loop, form);
        }
        return nest(copies, {then_.add(std::move(s))});
    }

    /// In messages a probe is the statement that uses the value.
    void named_like_reader(KernelData& now, const Pair& p) const {
        const Statement& reader = *kernel_.data().statements[p.reader];
        Statement s = *now.statements[p.match.old_statement];
        s.label = reader.label;
        s.origin = reader.origin;
        now.statements[p.match.old_statement] = std::make_shared<const Statement>(std::move(s));
    }

    const Kernel& kernel_;
    std::vector<Path> paths_;
    std::map<const Node*, std::vector<Name>> around_;
    Draft now_, then_;
    std::vector<Pair> pairs_;
};

}  // namespace

namespace {

/// One name for all arrays that may share memory with this one: views, and all arguments where one may alias others.
std::map<Name, Name> memories(const KernelData& kernel) {
    const bool aliases = std::any_of(kernel.arrays.begin(), kernel.arrays.end(), [](const Array& a) { return a.may_alias; });
    const Name arguments("#arguments");
    std::map<Name, Name> out;
    for (const Array& a : kernel.arrays) {
        const auto viewed = out.find(a.view_of);
        const bool shared = aliases && a.is_argument() && !a.by_value();
        out[a.name] = viewed != out.end() ? viewed->second : shared ? arguments : a.name;
    }
    return out;
}

}  // namespace

std::vector<std::size_t> statements_touching(const KernelData& kernel, const std::set<Name>& arrays, bool writers) {
    const std::map<Name, Name> memory = memories(kernel);
    std::set<Name> wanted;
    for (Name n : arrays)
        if (const auto it = memory.find(n); it != memory.end()) wanted.insert(it->second);
    const auto touched = [&](Name n) {
        const auto it = memory.find(n);
        return it != memory.end() && wanted.count(it->second) != 0;
    };
    std::vector<std::size_t> out;
    for (std::size_t k = 0; k < kernel.statements.size(); ++k) {
        const Statement& s = *kernel.statements[k];
        bool found = std::any_of(s.places.begin(), s.places.end(), [&](const Place& p) { return touched(p.array); });
        if (!found && (!writers || s.call)) {
            const std::set<Name> names = names_mentioned(kernel, s);
            found = std::any_of(names.begin(), names.end(), touched);
        }
        if (found) out.push_back(k);
    }
    return out;
}

std::optional<std::string> changed_between(const Kernel& kernel, const std::vector<Probe>& probes) {
    return probes.empty() ? std::nullopt : Question(kernel, probes).ask();
}

void require_unchanged(const Kernel& kernel, const std::vector<Probe>& probes, const std::string& message,
                       const std::string& hint) {
    if (const auto witness = changed_between(kernel, probes))
        refuse(user_error("illegal-order", message).note(*witness).hint(hint));
}

}  // namespace heddle
