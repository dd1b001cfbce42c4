// Simple reasoning about products of symbols: enough for flattened arrays, a[i*m + j] inside n*m.
#pragma once

#include <map>
#include <vector>

#include "ir/affine.h"

namespace heddle::depend {

/// An integer polynomial: monomials (sorted names with repetition) and their coefficients, none 0.
struct Polynomial {
    std::map<std::vector<Name>, std::int64_t> terms;
};
/// The polynomial of an expression in + - * over literals, variables and scalars; nothing for anything else.
std::optional<Polynomial> polynomial_of(const Expr& e);
Polynomial operator-(const Polynomial& a, const Polynomial& b);
Polynomial polynomial_of(const Affine& a);  ///< without floors

/// Is the polynomial surely >= 0 at every point of the context? `loops`, innermost last, are replaced by their bounds one by
/// one.
bool surely_nonnegative(const Polynomial& p, const Conjunct& context, const std::vector<Name>& loops);

}  // namespace heddle::depend
