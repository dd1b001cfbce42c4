// Forms and sets as a reader would write them: same meaning, fewer words.
#pragma once

#include "ir/affine.h"

namespace heddle {

/// Removes floors that a comparison does not need (i // 4 >= 0 is i >= 0, i // 4 = 0 is 0 <= i < 4), and constraints that
/// others of the same piece imply. Exact.
void tidy(Domain& domain);
/// The expression of a form with remainders written as such: 4*(i // 4) taken from i is i % 4.
Expr readable(const Affine& form);

}  // namespace heddle
