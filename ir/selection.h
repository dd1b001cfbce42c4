// How argmin and argmax say that nothing was taken yet.
#pragma once

#include <vector>

#include "ir/affine.h"

namespace heddle {

/// An update `argmin=` or `argmax=` takes -1 in all its indices for "nothing taken yet". May a point of the domain have -1 in
/// all these loops? Then a reduction keeps `even_index` of its first loop in place of the index, which is never -1.
bool visits_minus_one(const Domain& domain, const std::vector<Name>& loops);
/// 2*i.
Expr even_index(const Expr& i);
/// i from 2*i, and -1 from -1.
Expr index_of_even(const Expr& e);

}  // namespace heddle
