// Does an unrolled loop have a constant number of iterations at most?
#include <fmt/core.h>

#include "ir/check_names.h"
#include "ir/tree.h"

namespace heddle {
namespace {

/// Is the distance between a lower and an upper bound of `loop` constant?
bool has_constant_distance(const Conjunct& c, Name loop) {
    for (const auto& lower : c) {
        std::int64_t a = lower.form.coefficient(loop);
        if (lower.equality && a != 0) return true;
        if (a <= 0) continue;
        for (const auto& upper : c) {
            std::int64_t b = -upper.form.coefficient(loop);
            if (b <= 0 || upper.equality) continue;
            if ((b * lower.form + a * upper.form).is_constant()) return true;
        }
    }
    return false;
}

/// Do bounds of other symbols bound this one from both sides?
bool has_constant_bounds(Conjunct c, Name loop) {
    std::vector<Name> others;
    for (const auto& k : c) k.form.symbols(others);
    for (Name other : others)
        if (other != loop) c = eliminate(c, other);
    bool below = false, above = false;
    for (const auto& k : c) {
        below = below || k.equality || k.form.coefficient(loop) > 0;
        above = above || k.equality || k.form.coefficient(loop) < 0;
    }
    return below && above;
}

void check_loop(const KernelData& kernel, const NodePtr& node) {
    for (std::size_t s : statements_under(node))
        for (const auto& piece : kernel.statements[s]->domain.pieces) {
            Conjunct known = piece;
            if (kernel.assumptions.convex())
                known.insert(known.end(), kernel.assumptions.pieces[0].begin(), kernel.assumptions.pieces[0].end());
            if (has_constant_distance(piece, node->loop) || has_constant_bounds(known, node->loop)) continue;
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
