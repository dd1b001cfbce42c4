// Steps that move statements between loops.
#pragma once

#include "transform/row.h"

namespace heddle {

struct FuseLoops {
    std::vector<LoopRef> loops;
    std::vector<Name> into;

    bool operator==(const FuseLoops&) const = default;
    static constexpr auto row =
        make_row(About{"fuse", "fuse_loops", "Make one loop of several that stand side by side.", "fuse i, j into i",
                       "for [i] : 0 <= i < n {\n"
                       "  S: y[i] = x[i]\n"
                       "}\n"
                       "for [j] : 0 <= j < n {\n"
                       "  T: z[j] = y[j]\n"
                       "}",
                       "for [i] : 0 <= i < n {\n"
                       "  S: y[i] = x[i]\n"
                       "  T {j = i}: z[i] = y[i]\n"
                       "}"},
                 needed("loops", "", &FuseLoops::loops, "the loops, first to last"),
                 maybe("into", "into", &FuseLoops::into, "name of the fused loop (that of the first)"));
};
struct DistributeLoop {
    LoopRef loop;
    std::vector<Name> before;

    bool operator==(const DistributeLoop&) const = default;
    static constexpr auto row =
        make_row(About{"distribute", "distribute_loop", "Give the parts of a loop's body loops of their own.", "distribute i",
                       "for [i] : 0 <= i < n {\n"
                       "  S: y[i] = x[i]\n"
                       "  T: z[i] = y[i]\n"
                       "}",
                       "for [i] : 0 <= i < n {\n"
                       "  S: y[i] = x[i]\n"
                       "}\n"
                       "for [i] : 0 <= i < n {\n"
                       "  T: z[i] = y[i]\n"
                       "}"},
                 needed("loop", "", &DistributeLoop::loop, "the loop"),
                 maybe("before", "before", &DistributeLoop::before, "statements before which to cut (everywhere)"));
};
struct DuplicateLoop {
    LoopRef loop;
    std::vector<Name> statements;
    std::vector<Name> into;

    bool operator==(const DuplicateLoop&) const = default;
    static constexpr auto row =
        make_row(About{"duplicate", "duplicate_loop", "Give some statements under a loop their own copy of it.",
                       "duplicate i for S into k",
                       "for [i] : 0 <= i < n {\n"
                       "  R: y[i] = x[i]\n"
                       "  S: z[i] = y[i]\n"
                       "}",
                       "for [i] : 0 <= i < n {\n"
                       "  R: y[i] = x[i]\n"
                       "}\n"
                       "for [k] : 0 <= k < n {\n"
                       "  S {i = k}: z[k] = y[k]\n"
                       "}"},
                 needed("loop", "", &DuplicateLoop::loop, "the loop"),
                 needed("statements", "for", &DuplicateLoop::statements, "labels of the statements that move to the copy"),
                 maybe("into", "into", &DuplicateLoop::into, "name of the copy (the loop's own)"));
};
struct Hoist {
    std::vector<Name> statements;
    LoopRef loop;

    bool operator==(const Hoist&) const = default;
    static constexpr auto row = make_row(
        About{"hoist", "hoist", "Move statements that do the same in every iteration in front of the loop.", "hoist S from j",
              "for [i] : 0 <= i < n {\n"
              "  temp s : f64\n"
              "  for [j] : 0 <= j < m {\n"
              "    S: s = 2.0*x[i]\n"
              "    R: B[i, j] = s\n"
              "  }\n"
              "}",
              "for [i] : 0 <= i < n {\n"
              "  temp s : f64\n"
              "  if m >= 1 {\n"
              "    S: s = 2.0*x[i]\n"
              "  }\n"
              "  for [j] : 0 <= j < m {\n"
              "    R: B[i, j] = s\n"
              "  }\n"
              "}"},
        needed("statements", "", &Hoist::statements, "labels of the statements"),
        needed("loop", "from", &Hoist::loop, "the loop they leave"));
};

Kernel run_step(const Kernel& kernel, const FuseLoops& step);
Kernel run_step(const Kernel& kernel, const DistributeLoop& step);
Kernel run_step(const Kernel& kernel, const DuplicateLoop& step);
Kernel run_step(const Kernel& kernel, const Hoist& step);

inline constexpr StepCall<FuseLoops> fuse_loops;
inline constexpr StepCall<DistributeLoop> distribute_loop;
inline constexpr StepCall<DuplicateLoop> duplicate_loop;
inline constexpr StepCall<Hoist> hoist;

}  // namespace heddle
