#include "ir/selection.h"

#include <algorithm>

#include "ir/poly/feasible.h"

namespace heddle {

bool visits_minus_one(const Domain& domain, const std::vector<Name>& loops) {
    Domain there = domain;
    for (const Name loop : loops) there = there.substitute(loop, Affine(-1));
    return std::any_of(there.pieces.begin(), there.pieces.end(), [](const Conjunct& p) { return feasible(p) != Truth::False; });
}

Expr even_index(const Expr& i) { return make(Op::Mul, index_type, {int_literal(2, index_type), i}); }
Expr index_of_even(const Expr& e) { return make(Op::FloorDiv, index_type, {e, int_literal(2, index_type)}); }

}  // namespace heddle
