// Races of the loops that run in parallel.
#include "ir/bounds.h"
#include "ir/depend.h"
#include "ir/tree.h"

namespace heddle {
namespace {

/// Adds a finding when the iterations of the loop depend on each other.
void check_loop(const KernelData& kernel, LoopQuestions& questions, const Node* loop, std::vector<Finding>& out) {
    const auto w = questions.carried_by(loop, true);
    if (!w) return;
    Finding f{Finding::Kind::Race, w->source, w->array, -1, w->parameters, w->source_point, 0, 0, w->text(kernel), loop->loc};
    if (!f.loc) f.loc = kernel.statements[w->source]->loc;
    out.push_back(std::move(f));
}

/// The loop directly inside, when there is nothing else.
const Node* only_loop(const Node* n) {
    while (n->children.size() == 1) {
        n = n->children[0].get();
        if (n->kind == Node::Kind::Loop) return n;
    }
    return nullptr;
}

}  // namespace

std::vector<Finding> check_races(const KernelData& kernel) {
    std::vector<Finding> out;
    std::optional<LoopQuestions> questions;
    if (!kernel.root) return out;
    walk(kernel.root, [&](const NodePtr& n) {
        const bool parallel = n->tag.kind == LoopTag::Kind::Parallel;
        if (n->kind != Node::Kind::Loop || !n->tag.is_concurrent()) return;
        if (!questions) questions.emplace(kernel);
        const Node* loop = n.get();
        for (int k = 0; loop && k < (parallel ? n->tag.collapse : 1); ++k, loop = only_loop(loop))
            check_loop(kernel, *questions, loop, out);
    });
    return out;
}

}  // namespace heddle
