// Steps that store elements of temporaries in one place after the other.
#pragma once

#include "transform/row.h"

namespace heddle {

struct FoldTemporary {
    Name temporary;
    std::int64_t axis = 0;
    std::int64_t modulo = 0;

    bool operator==(const FoldTemporary&) const = default;
    static constexpr auto row = make_row(
        About{"fold", "fold_temporary",
              "Store a temporary's elements along an axis in turn in a few places, as only that many hold values at a time.",
              "fold t axis 0",
              "temp t : f64[n]\n"
              "for [i] : 0 <= i < n {\n"
              "  S0: t[i] = x[i]\n"
              "  if i >= 1 {\n"
              "    S1: y[i] = t[i] - t[i - 1]\n"
              "  }\n"
              "}",
              "temp t : f64[2]\n"
              "for [i] : 0 <= i < n {\n"
              "  S0: t[i % 2] = x[i]\n"
              "  if i >= 1 {\n"
              "    S1: y[i] = t[i % 2] - t[(i - 1) % 2]\n"
              "  }\n"
              "}"},
        needed("temporary", "", &FoldTemporary::temporary, "the temporary"),
        needed("axis", "axis", &FoldTemporary::axis, "the axis, counted from 0"),
        maybe("modulo", "modulo", &FoldTemporary::modulo,
              "the number of places; without it the smallest that will do; an axis of one place is dropped"));
};
struct AliasTemporary {
    Name temporary;
    Name with;

    bool operator==(const AliasTemporary&) const = default;
    static constexpr auto row = make_row(
        About{"alias", "alias_temporary",
              "Store the elements of a temporary where another one has its own, as they never hold values at the same time.",
              "alias s t",
              "temp s : f64[n]\n"
              "temp t : f64[n]\n"
              "for [i] : 0 <= i < n {\n"
              "  S0: t[i] = x[i]\n"
              "}\n"
              "for [i] : 0 <= i < n {\n"
              "  S1: s[i] = 2.0*t[i]\n"
              "}\n"
              "for [i] : 0 <= i < n {\n"
              "  S2: y[i] = s[i]\n"
              "}",
              "temp t : f64[n]\n"
              "for [i] : 0 <= i < n {\n"
              "  S0: t[i] = x[i]\n"
              "}\n"
              "for [i] : 0 <= i < n {\n"
              "  S1: t[i] = 2.0*t[i]\n"
              "}\n"
              "for [i] : 0 <= i < n {\n"
              "  S2: y[i] = t[i]\n"
              "}"},
        needed("temporary", "", &AliasTemporary::temporary, "the temporary whose storage goes"),
        needed("with", "", &AliasTemporary::with, "the one whose storage both use: of the same type, at least as large"));
};

Kernel run_step(const Kernel& kernel, const FoldTemporary& step);
Kernel run_step(const Kernel& kernel, const AliasTemporary& step);

inline constexpr StepCall<FoldTemporary> fold_temporary;
inline constexpr StepCall<AliasTemporary> alias_temporary;

struct Declared;
/// The elements along an axis stored modulo a number, which the caller answers for; an axis of one place goes.
Kernel store_modulo(const Kernel& kernel, const Declared& d, std::size_t axis, std::int64_t modulus);

}  // namespace heddle
