// Steps on reductions.
#pragma once

#include "transform/row.h"

namespace heddle {

struct RFactor {
    Name statement;
    std::vector<Name> over;
    LoopRef at;
    Name into;
    std::vector<Name> loops;
    AddressSpace space = AddressSpace::Auto;

    bool operator==(const RFactor&) const = default;
    static constexpr auto row =
        make_row(About{"rfactor", "rfactor",
                       "Give each iteration of a reduction loop an accumulator of its own, and combine them at the end.",
                       "rfactor S over li into p loops k",
                       "for [lo, li] : 0 <= li < 8 and 8*lo + li >= 0 and 8*lo + li < n {\n"
                       "  S [reassociate]: y[0] += x[8*lo + li]\n"
                       "}",
                       "temp p : f64[8]\n"
                       "for [k] : 0 <= k < 8 and k < n {\n"
                       "  p_start: p[k] = -(0.0)\n"
                       "}\n"
                       "for [lo, li] : 0 <= li < 8 and 8*lo + li >= 0 and 8*lo + li < n {\n"
                       "  S [reassociate]: p[li] += x[8*lo + li]\n"
                       "}\n"
                       "for [k] : 0 <= k < 8 and k < n {\n"
                       "  p_end [reassociate]: y[0] += p[k]\n"
                       "}"},
                 needed("statement", "", &RFactor::statement, "label of the update"),
                 needed("over", "over", &RFactor::over, "loops whose iterations get accumulators of their own"),
                 maybe("at", "at", &RFactor::at,
                       "the loop inside which the partial results are started and combined (outside the reduction)"),
                 maybe("into", "into", &RFactor::into, "name of the accumulators (NAME_p)"),
                 maybe("loops", "loops", &RFactor::loops, "names of the loops that start and combine them"),
                 maybe("space", "in", &RFactor::space, "address space of the accumulators"));
};

struct TreeReduce {
    Name statement;
    Name over;

    bool operator==(const TreeReduce&) const = default;
    static constexpr auto row =
        make_row(About{"tree", "tree_reduce", "Combine a row of partial results by halving: each loop adds its second half to its first.",
                       "tree S over k",
                       "for [i] : 0 <= i < n {\n"
                       "  temp p : f64[4]\n"
                       "  for [j] : 0 <= j < 4 {\n"
                       "    S0: p[j] = x[4*i + j]\n"
                       "  }\n"
                       "  for [k] : 0 <= k < 4 {\n"
                       "    S [reassociate]: y[i] += p[k]\n"
                       "  }\n"
                       "}",
                       "for [i] : 0 <= i < n {\n"
                       "  temp p : f64[4]\n"
                       "  for [j] : 0 <= j < 4 {\n"
                       "    S0: p[j] = x[4*i + j]\n"
                       "  }\n"
                       "  for [k] : 0 <= k < 2 {\n"
                       "    S_2: p[k] = p[k] + p[k + 2]\n"
                       "  }\n"
                       "  for [k] : 0 <= k < 1 {\n"
                       "    S_1: p[k] = p[k] + p[k + 1]\n"
                       "  }\n"
                       "  S [reassociate]: y[i] += p[0]\n"
                       "}"},
                 needed("statement", "", &TreeReduce::statement, "label of the update that combines elements of a temporary"),
                 needed("over", "over", &TreeReduce::over, "the loop that it reduces over, of constant range"));
};

struct FactorOut {
    Name temporary;

    bool operator==(const FactorOut&) const = default;
    static constexpr auto row =
        make_row(About{"factor_out", "factor_out",
                       "Take the factors that all terms of a temporary's sum share out of it, and multiply its uses by them.",
                       "factor_out t",
                       "for [i] : 0 <= i < n {\n"
                       "  temp t : f64\n"
                       "  S0: t = 0.0\n"
                       "  for [j] : 0 <= j < m {\n"
                       "    S1 [reassociate]: t += x[i]*A[i, j]\n"
                       "  }\n"
                       "  S2: y[i] = t\n"
                       "}",
                       "for [i] : 0 <= i < n {\n"
                       "  temp t : f64\n"
                       "  S0: t = 0.0\n"
                       "  for [j] : 0 <= j < m {\n"
                       "    S1 [reassociate]: t += A[i, j]\n"
                       "  }\n"
                       "  S2: y[i] = x[i]*t\n"
                       "}"},
                 needed("temporary", "", &FactorOut::temporary,
                        "the temporary: it starts at zero, and one statement adds to it, which may reassociate"));
};

Kernel run_step(const Kernel& kernel, const RFactor& step);
Kernel run_step(const Kernel& kernel, const TreeReduce& step);
Kernel run_step(const Kernel& kernel, const FactorOut& step);

inline constexpr StepCall<TreeReduce> tree_reduce;
inline constexpr StepCall<RFactor> rfactor;
inline constexpr StepCall<FactorOut> factor_out;

}  // namespace heddle
