// Kernels back to text.
//
// The printed form, where the language leaves a choice. All of it is ordinary kernel text:
//  - Every statement has its label: `label [reassociate, atomic] {i = 32*io + ii}: C[i, j] += …`.
//  - `-5`, `-2.5`, `-inf` are literals; `-(5)` is the negation of one. `u64` literals above 2^63 are written without a sign.
//    A literal whose type is not what its surroundings give it is written as a cast: `i64(5)`, `f32(0.1)`.
//  - Tuples: `(m, z) = (-inf, 0.0)`, `(v, i) argmax= (H[j], j)`, `(m, z) online= (s[j], 1.0)` for an operator `online`.
//  - `label: let s = x[i]`, or `let s : f32 = …` where the type is not the value's own. A `let` whose one statement does not
//    stand directly in the block that declares it: `let s : f32` there, and `label: s = …` below.
//  - Temporaries, tables and views stand at the top of their block: `temp t : f64[n] layout(1, 0) pad(0, 8) in heap`.
//  - A loop line holds what all statements below share of its formula, the rest stands in `if (affine) { … }` around a
//    statement; predicates come as a further `if` directly around their one statement. A line whose loops lack bounds gets
//    those that the loops inside imply, and these leave out what that makes redundant. No formula at all: `for [i] : 0 = 0`.
//  - Tags: `for [i] parallel schedule(dynamic, 4) collapse(2) if(1000) separate : …`; only loops without tags share a line.
//  - Formulas use `%`, `//`, chained comparisons and `=`, for which an `if` says `==`. No point at all: `1 = 0`.
//  - Callees stand before their callers, operators and externs before all kernels.
#pragma once

#include <string>

#include "ir/kernel_data.h"

namespace heddle {

/// Text that parses to an equal kernel.
std::string print(const KernelData& kernel);
std::string print(const Expr& e);
std::string print(const Affine& a);
std::string print(const Constraint& c);
std::string print(const Domain& d);                                         ///< "0 <= i < n and 0 <= j < m"
std::string print_statement(const KernelData& kernel, const Statement& s);  ///< one line, without label and domain
std::string mapping_text(const LoopTag& tag);                               ///< "block.x", "lane.y" of a mapped loop
/// Equal meaning as data: same arrays, statements, tree; domains equal as sets. The order of temporaries, and blocks that
/// declare nothing, make no difference.
bool equal(const KernelData& a, const KernelData& b);

}  // namespace heddle
