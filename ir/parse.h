// Parts of the language read on their own, for steps and command lines. Whole files: `parse` in `ir/kernel.h`.
#pragma once

#include <string_view>

#include "ir/affine.h"
#include "ir/expr.h"

namespace heddle {

struct KernelData;

/// Reads an expression against a kernel and types it: names of arrays become Read, names of rules and functions calls, all
/// other names Var. `at` is the place of the text's first character. Errors as those of `parse`.
Expr parse_expression(const KernelData& kernel, std::string_view text, const Loc& at = {});
/// Reads a condition such as "n mod 4 = 0 and m >= n" (everything that may stand behind `where` and after a loop's colon).
Domain parse_condition(const KernelData& kernel, std::string_view text, const Loc& at = {});

}  // namespace heddle
