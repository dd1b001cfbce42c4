// The range that one statement needs of each loop around it.
#pragma once

#include <functional>
#include <vector>

#include "target/known.h"
#include "target/program.h"

namespace heddle {

/// A statement on its way into code: its domain as what all pieces share and what each piece adds, and what is still to be
/// enforced.
struct Job {
    std::size_t statement = 0;
    std::vector<Name> loops;  ///< around it, outermost first
    Conjunct common;
    std::vector<Conjunct> rest;  ///< for each piece what is not common; empty when there is one piece
    Conjunct pending;            ///< of `common`: not yet enforced
    bool rest_pending = false;

    Job(std::size_t index, const Statement& s, std::vector<Name> around);
    std::size_t pieces() const { return rest.empty() ? 1 : rest.size(); }
    Conjunct whole(std::size_t piece) const;  ///< all constraints of a piece
    /// Constraints that hold for a piece once all loops deeper than `depth` (0: the outermost) are eliminated.
    const Conjunct& projected(std::size_t piece, std::size_t depth);

private:
    std::vector<std::vector<Conjunct>> chains_;  ///< [piece][depth]
};

/// A range of one loop for one piece of a statement.
struct Range {
    std::vector<Ratio> lower, upper;
};
using Usable = std::function<bool(const Affine&)>;
/// The bounds on `variable` that the constraints give, without those that `known` and the other bounds imply. `usable` tells
/// whether a form's other symbols have values at the loop.
Range range_of(const Conjunct& projected, const Conjunct& original, Name variable, Known& known, const Usable& usable);
/// Does the form hold the variable outside floors and not inside one?
bool plain_in(const Affine& a, Name variable);

/// Hull of several: duplicates and alternatives that another one covers for sure are left out.
Limit lower_hull(std::vector<std::vector<Ratio>> alternatives, const Known& known);
Limit upper_hull(std::vector<std::vector<Ratio>> alternatives, const Known& known);

/// variable = remainder (mod modulus): the equality that says so, if this constraint is of that form.
struct Congruence {
    std::int64_t modulus, remainder;
};
std::optional<Congruence> congruence_of(const Constraint& c, Name variable);

}  // namespace heddle
