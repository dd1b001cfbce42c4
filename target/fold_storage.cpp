#include "target/fold_storage.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/access.h"
#include "ir/depend.h"
#include "ir/infer.h"
#include "ir/lifetimes.h"
#include "ir/subscripts.h"
#include "ir/tree.h"
#include "ir/uses.h"

namespace heddle {
namespace {

/// What is looked at: larger kernels are scheduled by hand or by a generator, which has `fold`.
constexpr std::size_t most_statements = 400, most_users = 12, most_arrays = 16;
constexpr unsigned long operations = 200'000;

/// An access of the array, with the loops around it that are inside its declaration, outermost first.
struct Use {
    std::size_t statement;
    Access access;
    std::vector<const Node*> loops;
};

class Folding {
public:
    Folding(const KernelData& kernel, Name name) : kernel_(kernel), name_(name) { find_uses(); }

    bool may_fold() const { return !uses_.empty() && users_.size() <= most_users && exact_; }
    /// The smallest number of places along the axis, among those that are tried; nothing when none will do.
    std::optional<std::int64_t> places(std::size_t axis) const;
    std::shared_ptr<const KernelData> stored(std::size_t axis, std::int64_t modulus) const;

private:
    void find_uses();
    bool reused(std::size_t axis) const;
    bool varies_innermost(std::size_t axis) const;
    bool races(const KernelData& now) const;

    const KernelData& kernel_;
    Name name_;
    std::vector<std::size_t> users_;
    std::vector<Use> uses_;
    bool exact_ = true;
};

bool mentions_array(const Statement& s, Name name) {
    bool found = false;
    visit_names(s, [&](Name n) { found = found || n == name; });
    return found;
}

void Folding::find_uses() {
    const std::vector<Path> paths = paths_of(kernel_);
    for (std::size_t k = 0; k < kernel_.statements.size(); ++k) {
        const Statement& s = *kernel_.statements[k];
        if (!mentions_array(s, name_)) continue;
        users_.push_back(k);
        exact_ = exact_ && !s.call && !s.domain.mentions(name_);
        const auto& nodes = paths[k].nodes;
        const auto home = std::find_if(nodes.begin(), nodes.end(), [&](const Node* n) {
            return std::find(n->temporaries.begin(), n->temporaries.end(), name_) != n->temporaries.end();
        });
        std::vector<const Node*> loops;
        for (auto it = home == nodes.end() ? home : home + 1; it != nodes.end(); ++it)
            if ((*it)->kind == Node::Kind::Loop) loops.push_back(*it);
        for (Access& a : accesses_of(kernel_, s)) {
            if (a.array != name_) continue;
            exact_ = exact_ && a.exact();
            uses_.push_back({k, std::move(a), loops});
        }
    }
}

/// Is the entry that is written, and one that is read, chosen by a loop around both? Only then can few be enough for many.
bool Folding::reused(std::size_t axis) const {
    for (const Use& w : uses_)
        for (const Use& r : uses_) {
            if (!w.access.write || !r.access.reads()) continue;
            for (std::size_t k = 0; k < w.loops.size() && k < r.loops.size() && w.loops[k] == r.loops[k]; ++k)
                if (w.access.affine[axis]->mentions(w.loops[k]->loop) && r.access.affine[axis]->mentions(w.loops[k]->loop))
                    return true;
        }
    return false;
}

/// Does the innermost loop around a use move along the axis?
bool Folding::varies_innermost(std::size_t axis) const {
    return std::any_of(uses_.begin(), uses_.end(),
                       [&](const Use& u) { return !u.loops.empty() && u.access.affine[axis]->mentions(u.loops.back()->loop); });
}

/// Do iterations of a concurrent loop depend on each other now?
bool Folding::races(const KernelData& now) const {
    std::optional<LoopQuestions> questions;
    std::set<const Node*> asked;
    for (const Use& u : uses_)
        for (const Node* loop : u.loops) {
            if (!loop->tag.is_concurrent() || !asked.insert(loop).second) continue;
            if (!questions) questions.emplace(now);
            if (questions->carried_by(loop, true)) return true;
        }
    return false;
}

std::optional<std::int64_t> Folding::places(std::size_t axis) const {
    if (!reused(axis)) return std::nullopt;
    const Lifetimes lives(kernel_, {name_}, users_, operations);
    if (lives.unknown()) return std::nullopt;
    const bool innermost = varies_innermost(axis);
    for (const std::int64_t m : {1, 2, 4, 8}) {
        if (lives.folded(axis, m)) continue;
        if (m > 1 && innermost) return std::nullopt;
        return races(*stored(axis, m)) ? std::nullopt : std::optional(m);
    }
    return std::nullopt;
}

std::shared_ptr<const KernelData> Folding::stored(std::size_t axis, std::int64_t modulus) const {
    auto out = std::make_shared<KernelData>(kernel_);
    for (Array& a : out->arrays)
        if (a.name == name_) a = folded(a, axis, modulus);
    for (const std::size_t k : users_) {
        Statement s = *kernel_.statements[k];
        const auto in = [&](Expr& e) {
            e = rewrite(e, [&](const Expr& node) {
                return node.op() == Op::Read && node.name() == name_
                           ? with_args(node, folded(node.args(), axis, modulus, s.domain))
                           : node;
            });
        };
        for (Place& p : s.places) {
            std::for_each(p.subscripts.begin(), p.subscripts.end(), in);
            if (p.array == name_) p.subscripts = folded(p.subscripts, axis, modulus, s.domain);
        }
        std::for_each(s.values.begin(), s.values.end(), in);
        std::for_each(s.predicates.begin(), s.predicates.end(), in);
        out->statements[k] = std::make_shared<const Statement>(infer(*out, s));
    }
    return out;
}

std::string reason_of(std::size_t axis, std::int64_t modulus) {
    return modulus == 1 ? fmt::format("one entry along axis {} holds a value at a time", axis)
                        : fmt::format("at most {} entries along axis {} hold values at a time", modulus, axis);
}

bool is_candidate(const KernelData& kernel, const Array& a, const Storage& storage) {
    return storage.kind == Storage::Kind::Allocated && a.space == AddressSpace::Auto && a.layout.is_default() &&
           a.view_of.empty() &&
           std::none_of(kernel.arrays.begin(), kernel.arrays.end(), [&](const Array& v) { return v.view_of == a.name; });
}

/// Folds one temporary along each axis where that is worth it.
void fold_array(FoldedStorage& out, Name name) {
    const std::size_t rank = out.kernel->find_array(name)->shape.size();
    std::size_t dropped = 0;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        const Folding folding(*out.kernel, name);
        if (!folding.may_fold()) return;
        const auto modulus = folding.places(axis - dropped);
        if (!modulus) continue;
        out.kernel = folding.stored(axis - dropped, *modulus);
        dropped += *modulus == 1;
        std::string& reason = out.reasons[name];
        reason += (reason.empty() ? "" : ", ") + reason_of(axis, *modulus);
    }
}

}  // namespace

FoldedStorage fold_storage(const std::shared_ptr<const KernelData>& kernel, const std::map<Name, Storage>& storage) {
    FoldedStorage out{kernel, {}};
    if (kernel->statements.size() > most_statements) return out;
    std::size_t looked_at = 0;
    for (const Array& a : kernel->arrays) {
        const auto it = storage.find(a.name);
        if (it == storage.end() || !is_candidate(*kernel, a, it->second)) continue;
        if (++looked_at > most_arrays) break;
        fold_array(out, a.name);
    }
    return out;
}

}  // namespace heddle
