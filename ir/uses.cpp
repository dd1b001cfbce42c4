#include "ir/uses.h"

#include <algorithm>

namespace heddle {

void visit_names(const Statement& s, const std::function<void(Name)>& see) {
    const auto in = [&](const Expr& e) {
        visit(e, [&](const Expr& node) {
            if (node.op() == Op::Var || node.op() == Op::Read) see(node.name());
        });
    };
    for (const Place& p : s.places) {
        see(p.array);
        std::for_each(p.subscripts.begin(), p.subscripts.end(), in);
    }
    std::for_each(s.values.begin(), s.values.end(), in);
    std::for_each(s.predicates.begin(), s.predicates.end(), in);
    if (s.call)
        for (const auto& [target, value] : s.call->bindings) in(value);
    std::vector<Name> symbols;
    s.domain.symbols(symbols);
    std::for_each(symbols.begin(), symbols.end(), see);
}

namespace {

/// Walks the tree with the declarations in force. A use marks the child of the declaring block that it is in; when the child
/// ends, its positions join the range.
class LivenessWalk {
public:
    explicit LivenessWalk(const KernelData& kernel) : kernel_(kernel) {
        for (const Array& a : kernel.arrays)
            if (!a.view_of.empty()) memory_[a.name] = a.view_of;
        for (std::size_t k = 0; k < memory_.size(); ++k)
            for (auto& [view, of] : memory_)
                if (const auto it = memory_.find(of); it != memory_.end()) of = it->second;
    }
    void node(const Node& n);
    std::map<Name, LiveRange> take() { return std::move(ranges_); }

private:
    void use(Name name);

    const KernelData& kernel_;
    std::map<Name, Name> memory_;                                  ///< of views
    std::unordered_map<Name, std::size_t> declared_;               ///< depth of the declaring node
    std::vector<std::pair<std::size_t, std::vector<Name>>> open_;  ///< by depth: first position of the child, what it uses
    std::map<Name, LiveRange> ranges_;
    std::size_t position_ = 0;
};

void LivenessWalk::use(Name name) {
    if (const auto view = memory_.find(name); view != memory_.end()) name = view->second;
    const auto at = declared_.find(name);
    if (at != declared_.end()) open_[at->second].second.push_back(name);
}

void LivenessWalk::node(const Node& n) {
    if (n.kind == Node::Kind::Leaf) {
        visit_names(*kernel_.statements[n.statement], [&](Name name) { use(name); });
        ++position_;
        return;
    }
    const std::size_t depth = open_.size();
    open_.emplace_back();
    for (Name t : n.temporaries) declared_[t] = depth;
    for (const NodePtr& child : n.children) {
        open_[depth] = {position_, {}};
        node(*child);
        for (Name t : open_[depth].second) {
            const auto [it, is_new] = ranges_.try_emplace(t, LiveRange{open_[depth].first, position_ - 1});
            if (!is_new) it->second.last = position_ - 1;
        }
    }
    open_.pop_back();
    for (Name t : n.temporaries) declared_.erase(t);
}

}  // namespace

std::map<Name, LiveRange> live_ranges(const KernelData& kernel) {
    LivenessWalk walk(kernel);
    walk.node(*kernel.root);
    return walk.take();
}

}  // namespace heddle
