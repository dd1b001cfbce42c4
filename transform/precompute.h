// Steps that tabulate values in a temporary before their uses: rules, array elements, and elements that are written too.
#pragma once

#include "transform/row.h"

namespace heddle {

struct Precompute {
    Name rule;
    std::vector<Name> over;
    LoopRef at;
    AddressSpace space = AddressSpace::Auto;
    Name into;
    std::vector<Name> loops;
    std::vector<Name> statements;

    bool operator==(const Precompute&) const = default;
    static constexpr auto row = make_row(
        About{"precompute", "precompute",
              "Compute a rule, or a temporary's values with the sums behind them, once for each element that its uses need.",
              "precompute u over ii at io into t loops k",
              "def u(i) = x[i] + x[i + 1]\n"
              "for [io, ii] : 0 <= ii < 8 and 8*io + ii >= 0 and 8*io + ii + 2 <= n {\n"
              "  S0: y[8*io + ii] = 2.0*u(8*io + ii)\n"
              "}",
              "for [io] : 0 <= 8*io <= n - 2 {\n"
              "  temp t : f64[8]\n"
              "  for [k] : 0 <= k < 8 and 8*io + k + 2 <= n {\n"
              "    t_fill: t[k] = x[8*io + k] + x[8*io + k + 1]\n"
              "  }\n"
              "  for [ii] : 0 <= ii < 8 and 8*io + ii + 2 <= n {\n"
              "    S0: y[8*io + ii] = 2.0*t[ii]\n"
              "  }\n"
              "}"},
        needed("rule", "", &Precompute::rule, "the rule; or a temporary, whose statements then move out into the table"),
        maybe("over", "over", &Precompute::over, "loops that the table spans; without it all under 'at' that the uses mention"),
        maybe("at", "at", &Precompute::at,
              "the loop whose every iteration fills the table anew; without it: once, in the kernel's body"),
        maybe("space", "in", &Precompute::space, "address space of the table"),
        maybe("into", "into", &Precompute::into, "name of the table (NAME_t)"),
        maybe("loops", "loops", &Precompute::loops, "names of the loops that fill it, one for each axis that is left"),
        maybe("statements", "for", &Precompute::statements, "labels of the statements whose uses count (all under 'at')"));
};
struct Stage {
    Name array;
    std::vector<Name> over;
    LoopRef at;
    AddressSpace space = AddressSpace::Auto;
    Name into;
    std::vector<Name> loops;
    std::vector<Name> statements;

    bool operator==(const Stage&) const = default;
    static constexpr auto row = make_row(
        About{"stage", "stage", "Copy the elements of an array that are read into a temporary first, and read them there.",
              "stage x over ii at io into t loops e",
              "for [io, ii] : 0 <= ii < 8 and 8*io + ii >= 0 and 8*io + ii < n {\n"
              "  S0: y[8*io + ii] = x[8*io + ii]\n"
              "}",
              "for [io] : 0 <= 8*io < n {\n"
              "  temp t : f64[8]\n"
              "  for [e] : 0 <= e < 8 and 8*io + e < n {\n"
              "    t_fill: t[e] = x[8*io + e]\n"
              "  }\n"
              "  for [ii] : 0 <= ii < 8 and 8*io + ii < n {\n"
              "    S0: y[8*io + ii] = t[ii]\n"
              "  }\n"
              "}"},
        needed("array", "", &Stage::array, "the array"),
        maybe("over", "over", &Stage::over, "loops that the copy spans; without it all under 'at' that the reads mention"),
        maybe("at", "at", &Stage::at, "the loop whose every iteration copies anew; without it: once, in the kernel's body"),
        maybe("space", "in", &Stage::space, "address space of the copy"),
        maybe("into", "into", &Stage::into, "name of the copy (NAME_t)"),
        maybe("loops", "loops", &Stage::loops, "names of the loops that fill it, one for each axis that is left"),
        maybe("statements", "for", &Stage::statements, "labels of the statements whose reads count (all under 'at')"));
};
struct BufferArray {
    Name array;
    std::vector<Name> over;
    LoopRef at;
    AddressSpace space = AddressSpace::Auto;
    Name into;
    std::vector<Name> loops;

    bool operator==(const BufferArray&) const = default;
    static constexpr auto row =
        make_row(About{"buffer", "buffer_array",
                       "Work on a copy of the elements of an array that a loop's iteration reads or writes, and write it back.",
                       "buffer y at i into t",
                       "for [i, j] : 0 <= i < n and 0 <= j < m {\n"
                       "  S0: y[i] += A[i, j]\n"
                       "}",
                       "for [i] : 0 <= i < n {\n"
                       "  temp t : f64\n"
                       "  if m >= 1 {\n"
                       "    t_load: t = y[i]\n"
                       "  }\n"
                       "  for [j] : 0 <= j < m {\n"
                       "    S0: t += A[i, j]\n"
                       "  }\n"
                       "  if m >= 1 {\n"
                       "    t_store: y[i] = t\n"
                       "  }\n"
                       "}"},
                 needed("array", "", &BufferArray::array, "the array"),
                 maybe("over", "over", &BufferArray::over,
                       "loops that the copy spans; without it all under 'at' that the accesses mention"),
                 maybe("at", "at", &BufferArray::at,
                       "the loop whose every iteration copies anew; without it: once, in the kernel's body"),
                 maybe("space", "in", &BufferArray::space, "address space of the copy"),
                 maybe("into", "into", &BufferArray::into, "name of the copy (NAME_t)"),
                 maybe("loops", "loops", &BufferArray::loops, "names of the loops that copy, one for each axis that is left"));
};

Kernel run_step(const Kernel& kernel, const Precompute& step);
Kernel run_step(const Kernel& kernel, const Stage& step);
Kernel run_step(const Kernel& kernel, const BufferArray& step);

inline constexpr StepCall<Precompute> precompute;
inline constexpr StepCall<Stage> stage;
inline constexpr StepCall<BufferArray> buffer_array;

}  // namespace heddle
