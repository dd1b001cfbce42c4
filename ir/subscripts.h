// Subscripts of arrays whose axes are cut into blocks, or stored modulo a number.
#pragma once

#include "ir/kernel_data.h"

namespace heddle {

/// The form with floors that `domain` decides replaced by their values: floor(ii/8) is 0 where 0 <= ii < 8.
Affine settle_floors(const Affine& form, const Domain& domain);
/// floor(e/by) and e mod by, settled where the statement's domain decides.
std::pair<Expr, Expr> block_and_entry(const Expr& subscript, std::int64_t by, const Domain& domain);

/// The array with its elements along an axis stored in turn in `modulus` places; an axis of one place goes.
Array folded(Array array, std::size_t axis, std::int64_t modulus);
/// The subscripts of an element of it in a statement of that domain.
std::vector<Expr> folded(std::vector<Expr> subscripts, std::size_t axis, std::int64_t modulus, const Domain& domain);

}  // namespace heddle
