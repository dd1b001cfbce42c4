// Under what the parts of an expression are evaluated. Internal to `ir`.
#pragma once

#include <vector>

#include "ir/affine.h"
#include "ir/expr.h"

namespace heddle {

/// An affine condition, and whether others that are not affine hold besides.
struct Guard {
    Domain when;
    bool conditional = false;
};

/// The guards of one statement, by number; the first is the statement's own.
class Guards {
public:
    Guard& operator[](std::size_t number) { return guards_[number]; }
    const Guard& operator[](std::size_t number) const { return guards_[number]; }
    /// The number of the guard `outer` with the condition, or with its contrary where `negated`. Equal guards have one number.
    std::size_t narrowed(std::size_t outer, const Expr& condition, bool negated);

private:
    std::vector<Guard> guards_{Guard{}};
};

}  // namespace heddle
