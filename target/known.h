// What is known at a place of the emitted code, and cheap proofs from it.
#pragma once

#include <vector>

#include "ir/affine.h"

namespace heddle {

/// A stack of facts: assumptions about parameters, then bounds and guards of the code around. Symbols entered later are inner
/// ones.
class Known {
public:
    Known() = default;
    /// Takes what every piece of the assumptions says.
    explicit Known(const Domain& assumptions);

    void enter(Name symbol) { order_.push_back(symbol); }
    void add(Constraint c);
    void add(const Conjunct& all);
    /// What `mark` returned, given to `release`, takes back everything added and entered since.
    struct Mark {
        std::size_t facts, symbols;
    };
    Mark mark() const { return {facts_.size(), order_.size()}; }
    void release(Mark m);

    /// Does the constraint hold for sure? Incomplete: false means "not seen". Method: the innermost atom of the form is
    /// replaced by bounds known for it, again and again, until constants remain (Fourier-Motzkin along one path, with a limit
    /// on the paths).
    bool proves(const Constraint& c) const;
    bool proves_nonnegative(const Affine& a) const;
    /// Is the negation proved?
    bool refutes(const Constraint& c) const;
    /// Is the innermost of all symbols in the first form?
    bool innermost_is_in(const Affine& first, const Affine& second) const { return rank(first) >= rank(second); }
    const Conjunct& facts() const { return facts_; }

private:
    int rank(const Atom& atom) const;
    int rank(const Affine& a) const;
    bool search(const Affine& f, int depth, int& budget) const;
    bool step(const Affine& f, const Atom& atom, std::int64_t a, const Affine& fact, bool equality, int depth,
              int& budget) const;

    Conjunct facts_;
    std::vector<Name> order_;
};

}  // namespace heddle
