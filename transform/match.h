// Finding an expression with parameters inside others.
#pragma once

#include <optional>
#include <vector>

#include "ir/affine.h"
#include "ir/expr.h"

namespace heddle {

/// An expression whose variables named `parameters` stand for any integer expression. Subscripts match when affine forms for the
/// parameters solve them; elsewhere a parameter matches the expression that stands in its place. Sums and products match in
/// either order of their operands. Types do not count, but casts do.
class Pattern {
public:
    Pattern(Expr expression, std::vector<Name> parameters) : expression_(std::move(expression)), parameters_(std::move(parameters)) {}

    /// What each parameter stands for in `e`; nothing when `e` does not match.
    std::optional<std::vector<Expr>> match(const Expr& e) const;

private:
    Expr expression_;
    std::vector<Name> parameters_;
};

}  // namespace heddle
