// Steps on where temporaries are declared and how large they are.
#pragma once

#include "transform/row.h"

namespace heddle {

struct ExpandTemporary {
    Name temporary;
    std::vector<Name> over;

    bool operator==(const ExpandTemporary&) const = default;
    static constexpr auto row = make_row(
        About{"expand", "expand_temporary",
              "Give a temporary an axis for each iteration of a loop around it, and declare it outside.", "expand t over i",
              "for [i] : 0 <= i < n {\n"
              "  temp t : f64\n"
              "  S0: t = x[i]\n"
              "  S1: y[i] = t\n"
              "}",
              "temp t : f64[max(n, 0)]\n"
"for [i] : 0 <= i < n {\n"
"  S0: t[i] = x[i]\n"
"  S1: y[i] = t[i]\n"
"}"},
        needed("temporary", "", &ExpandTemporary::temporary, "the temporary"),
        needed("over", "over", &ExpandTemporary::over,
               "the innermost loops around its declaration; their axes come first, in this order"));
};
struct ContractTemporary {
    Name temporary;

    bool operator==(const ContractTemporary&) const = default;
    static constexpr auto row = make_row(
        About{"contract", "contract_temporary",
              "Declare a temporary as far inside as its values allow, no larger than an iteration needs.", "contract t",
              "temp t : f64[max(n, 0)]\n"
"for [i] : 0 <= i < n {\n"
"  S0: t[i] = x[i]\n"
"  S1: y[i] = t[i]\n"
"}",
              "for [i] : 0 <= i < n {\n"
              "  temp t : f64\n"
              "  S0: t = x[i]\n"
              "  S1: y[i] = t\n"
              "}"},
        needed("temporary", "", &ContractTemporary::temporary, "the temporary"));
};
struct Privatise {
    Name temporary;
    LoopRef at;

    bool operator==(const Privatise&) const = default;
    static constexpr auto row = make_row(
        About{"privatise", "privatise", "Give every iteration of a loop its own instance of a temporary.", "privatise t at i",
              "temp t : f64\n"
              "for [i] : 0 <= i < n {\n"
              "  S0: t = x[i]\n"
              "  S1: y[i] = t\n"
              "}",
              "for [i] : 0 <= i < n {\n"
              "  temp t : f64\n"
              "  S0: t = x[i]\n"
              "  S1: y[i] = t\n"
              "}"},
        needed("temporary", "", &Privatise::temporary, "the temporary"),
        needed("at", "at", &Privatise::at, "the loop; everything that uses the temporary stands inside it"));
};
struct PlaceTemporary {
    Name temporary;
    AddressSpace space = AddressSpace::Auto;

    bool operator==(const PlaceTemporary&) const = default;
    static constexpr auto row = make_row(About{"place", "place_temporary", "Say in which address space a temporary lives.",
                                               "place t in heap", "temp t : f64[n]", "temp t : f64[n] in heap"},
                                         needed("temporary", "", &PlaceTemporary::temporary, "the temporary"),
                                         needed("space", "in", &PlaceTemporary::space, "private, shared, global or heap"));
};

Kernel run_step(const Kernel& kernel, const ExpandTemporary& step);
Kernel run_step(const Kernel& kernel, const ContractTemporary& step);
Kernel run_step(const Kernel& kernel, const Privatise& step);
Kernel run_step(const Kernel& kernel, const PlaceTemporary& step);

inline constexpr StepCall<ExpandTemporary> expand_temporary;
inline constexpr StepCall<ContractTemporary> contract_temporary;
inline constexpr StepCall<Privatise> privatise;
inline constexpr StepCall<PlaceTemporary> place_temporary;

}  // namespace heddle
