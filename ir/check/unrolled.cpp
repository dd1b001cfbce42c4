// Does an unrolled loop have a constant number of iterations at most?
#include <fmt/core.h>

#include "ir/check/names.h"
#include "ir/tree.h"

namespace heddle {
namespace {

void check_loop(const KernelData& kernel, const NodePtr& node) {
    for (std::size_t s : statements_under(node))
        for (const auto& piece : kernel.statements[s]->domain.pieces) {
            Conjunct known = piece;
            if (kernel.assumptions.convex())
                known.insert(known.end(), kernel.assumptions.pieces[0].begin(), kernel.assumptions.pieces[0].end());
            if (constant_range(known, node->loop)) continue;
            throw broken_invariant(
                7,
                fmt::format("loop {} is to be unrolled, but the number of its iterations around {} is not constant",
                            node->loop.str(), kernel.statements[s]->label.str()),
                node->loc);
        }
}

}  // namespace

void check_unrolled(const KernelData& kernel) {
    walk(kernel.root, [&](const NodePtr& node) {
        if (node->kind == Node::Kind::Loop && node->tag.kind == LoopTag::Kind::Unroll) check_loop(kernel, node);
    });
}

}  // namespace heddle
