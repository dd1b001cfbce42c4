// Affine forms under min and max. Internal to the reader.
#pragma once

#include <vector>

#include "ir/affine.h"

namespace heddle {

/// The largest of the smallest: max over `any` of min over its forms. Every expression of affine forms, min and max has this
/// shape.
struct Lattice {
    std::vector<std::vector<Affine>> any;

    static Lattice of(Affine a) { return {{{std::move(a)}}}; }
    bool single() const { return any.size() == 1 && any[0].size() == 1; }
    const Affine& form() const { return any[0][0]; }
};

Lattice operator+(const Lattice& a, const Lattice& b);
Lattice operator-(const Lattice& a);
Lattice scaled(std::int64_t k, const Lattice& a);
Lattice floor_div(const Lattice& a, std::int64_t denominator);  ///< denominator > 0
Lattice smaller(const Lattice& a, const Lattice& b);
Lattice larger(const Lattice& a, const Lattice& b);
/// { a >= 0 }
Domain nonnegative(const Lattice& a);

}  // namespace heddle
