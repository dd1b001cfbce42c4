// Steps that change the loops around statements: splitting, tiling, joining, reordering, and affine changes.
#pragma once

#include "transform/row.h"

namespace heddle {

struct SplitLoop {
    LoopRef loop;
    std::int64_t by = 0;
    std::vector<Name> into;
    bool separate = false;
    bool peeled = false;

    bool operator==(const SplitLoop&) const = default;
    static constexpr auto row = make_row(
        About{"split", "split_loop", "Split a loop into one over blocks and one inside a block.", "split i by 8 into io, ii",
              "for [i] : 0 <= i < n {\n"
              "  S: y[i] = x[i]\n"
              "}",
              "for [io, ii] : 0 <= ii < 8 and 8*io + ii >= 0 and 8*io + ii < n {\n"
              "  S {i = 8*io + ii}: y[8*io + ii] = x[8*io + ii]\n"
              "}"},
        needed("loop", "", &SplitLoop::loop, "the loop"),
        needed("by", "by", &SplitLoop::by, "iterations of a block, at least 1; blocks start at multiples of it"),
        maybe("into", "into", &SplitLoop::into, "names of the two new loops (i_o, i_i)"),
        maybe("separate", "separate", &SplitLoop::separate, "emit full blocks apart from partial ones"),
        maybe("peeled", "peeled", &SplitLoop::peeled, "full blocks, then a loop of its own over the rest"));
};
struct Tile {
    std::vector<LoopRef> loops;
    std::vector<std::int64_t> by;
    std::vector<Name> into;
    bool separate = false;

    bool operator==(const Tile&) const = default;
    static constexpr auto row = make_row(
        About{"tile", "tile", "Split several loops of a nest and run block by block.", "tile i, j by 8, 4 into io, jo, ii, jj",
              "for [i, j] : 0 <= i < n and 0 <= j < m {\n"
              "  S: B[i, j] = A[i, j]\n"
              "}",
              "for [io, jo, ii, jj] : 0 <= ii < 8 and 8*io + ii >= 0 and 8*io + ii < n and 0 <= jj < 4 and 4*jo + jj >= 0 and "
              "4*jo + jj < m {\n"
              "  S {i = 8*io + ii, j = 4*jo + jj}: B[8*io + ii, 4*jo + jj] = A[8*io + ii, 4*jo + jj]\n"
              "}"},
        needed("loops", "", &Tile::loops, "the loops, outermost first"),
        needed("by", "by", &Tile::by, "a size for each loop, or one for all"),
        maybe("into", "into", &Tile::into, "names: all block loops, then all inner loops (i_o, j_o, i_i, j_i)"),
        maybe("separate", "separate", &Tile::separate, "emit full tiles apart from partial ones"));
};
struct JoinLoops {
    std::vector<LoopRef> loops;
    std::vector<Name> into;

    bool operator==(const JoinLoops&) const = default;
    static constexpr auto row = make_row(
        About{"join", "join_loops", "Make one loop of loops directly inside each other; the inner ones have constant bounds.",
              "join i, j into f",
              "for [i, j] : 0 <= i < n and 0 <= j < 5 {\n"
              "  S: C[i, j] = x[i]\n"
              "}",
              "for [f] : 0 <= f < 5*n {\n"
              "  S {i = f // 5, j = f % 5}: C[f // 5, f % 5] = x[f // 5]\n"
              "}"},
        needed("loops", "", &JoinLoops::loops, "the loops, outermost first"),
        maybe("into", "into", &JoinLoops::into, "name of the new loop (i_j)"));
};
struct ReorderLoops {
    std::vector<LoopRef> loops;

    bool operator==(const ReorderLoops&) const = default;
    static constexpr auto row =
        make_row(About{"reorder", "reorder_loops",
                       "Let the named loops of a nest take each other's places; statements that are not under all of them get "
                       "loops of their own.",
                       "reorder j, i",
                       "for [i, j] : 0 <= i < n and 0 <= j < m {\n"
                       "  S: B[i, j] = A[i, j]\n"
                       "}",
                       "for [j, i] : 0 <= j < m and 0 <= i < n {\n"
                       "  S: B[i, j] = A[i, j]\n"
                       "}"},
                 needed("loops", "", &ReorderLoops::loops, "loops of one nest in the order they shall have, outermost first"));
};
struct ReverseLoop {
    LoopRef loop;

    bool operator==(const ReverseLoop&) const = default;
    static constexpr auto row = make_row(About{"reverse", "reverse_loop", "Run a loop the other way round.", "reverse i",
                                               "for [i] : 0 <= i < n {\n"
                                               "  S: y[i] = x[i]\n"
                                               "}",
                                               "for [-i] : 0 <= i < n {\n"
                                               "  S: y[i] = x[i]\n"
                                               "}"},
                                         needed("loop", "", &ReverseLoop::loop, "the loop"));
};
struct ShiftLoop {
    LoopRef loop;
    Expression by;

    bool operator==(const ShiftLoop&) const = default;
    static constexpr auto row =
        make_row(About{"shift", "shift_loop", "Add an amount to a loop variable.", "shift i by 1",
                       "for [i] : 0 <= i < n {\n"
                       "  S: y[i] = x[i]\n"
                       "}",
                       "for [i] : 1 <= i <= n {\n"
                       "  S {i = i - 1}: y[i - 1] = x[i - 1]\n"
                       "}"},
                 needed("loop", "", &ShiftLoop::loop, "the loop"),
                 needed("by", "by", &ShiftLoop::by, "affine in parameters and outer loops; added to the variable"));
};
struct SkewLoop {
    LoopRef loop;
    Expression by;

    bool operator==(const SkewLoop&) const = default;
    static constexpr auto row =
        make_row(About{"skew", "skew_loop", "Add multiples of other loops to a loop variable.", "skew j by i",
                       "for [i, j] : 0 <= i < n and 0 <= j < m {\n"
                       "  S: B[i, j] = A[i, j]\n"
                       "}",
                       "for [i, j] : 0 <= i < n and i <= j < i + m {\n"
                       "  S {j = j - i}: B[i, j - i] = A[i, j - i]\n"
                       "}"},
                 needed("loop", "", &SkewLoop::loop, "the loop"),
                 needed("by", "by", &SkewLoop::by, "affine in the other loops of the nest; added to the variable"));
};
struct AffineLoops {
    std::vector<LoopRef> loops;
    std::vector<Expression> forms;
    std::vector<Name> into;

    bool operator==(const AffineLoops&) const = default;
    static constexpr auto row =
        make_row(About{"affine", "affine_loops",
                       "Any quasi-affine change of the loops of a nest that can be inverted; strides and floors are allowed.",
                       "affine (i, j) -> (i + j, j) into d, j",
                       "for [i, j] : 0 <= i < n and 0 <= j < m {\n"
                       "  S: B[i, j] = A[i, j]\n"
                       "}",
                       "for [d, j] : 0 <= j <= d and d < j + n and j < m {\n"
                       "  S {i = d - j}: B[d - j, j] = A[d - j, j]\n"
                       "}"},
                 needed("loops", "(", &AffineLoops::loops, "loops directly inside each other, outermost first", ")"),
                 needed("forms", "-> (", &AffineLoops::forms, "the new loops as forms of the old ones, outermost first", ")"),
                 maybe("into", "into", &AffineLoops::into, "names of the new loops (those of the old ones, then i_1 …)"));
};
struct CutLoop {
    LoopRef loop;
    Expression at;

    bool operator==(const CutLoop&) const = default;
    static constexpr auto row = make_row(
        About{"cut", "cut_loop", "Cut the iterations of a loop in two: those below a value, and the rest.", "cut i at 2",
              "for [i] : 0 <= i < n {\n"
              "  S: y[i] = x[i]\n"
              "}",
              "for [i] : 0 <= i < 2 and i < n {\n"
              "  S: y[i] = x[i]\n"
              "}\n"
              "for [i] : 2 <= i < n {\n"
              "  S_1: y[i] = x[i]\n"
              "}"},
        needed("loop", "", &CutLoop::loop, "the loop"),
        needed("at", "at", &CutLoop::at, "affine in parameters and outer loops; the first value of the upper part"));
};
struct PeelLoop {
    LoopRef loop;
    std::int64_t first = 0;
    std::int64_t last = 0;

    bool operator==(const PeelLoop&) const = default;
    static constexpr auto row = make_row(
        About{"peel", "peel_loop", "Give the first or last iterations of a loop a loop of their own.", "peel i first 1",
              "for [i] : 0 <= i < n {\n"
              "  S: y[i] = x[i]\n"
              "}",
              "for [i] : 0 <= i < 1 and i < n {\n"
              "  S_1: y[i] = x[i]\n"
              "}\n"
              "for [i] : 1 <= i < n {\n"
              "  S: y[i] = x[i]\n"
              "}"},
        needed("loop", "", &PeelLoop::loop, "the loop"),
        maybe("first", "first", &PeelLoop::first, "this many from its beginning"),
        maybe("last", "last", &PeelLoop::last, "this many from its end"));
};
struct RenameLoop {
    LoopRef loop;
    Name to;

    bool operator==(const RenameLoop&) const = default;
    static constexpr auto row =
        make_row(About{"rename", "rename_loop", "Give a loop another name.", "rename i to row",
                       "for [i] : 0 <= i < n {\n"
                       "  S: y[i] = x[i]\n"
                       "}",
                       "for [row] : 0 <= row < n {\n"
                       "  S {i = row}: y[row] = x[row]\n"
                       "}"},
                 needed("loop", "", &RenameLoop::loop, "the loop"), needed("to", "to", &RenameLoop::to, "its new name"));
};

Kernel run_step(const Kernel& kernel, const SplitLoop& step);
Kernel run_step(const Kernel& kernel, const Tile& step);
Kernel run_step(const Kernel& kernel, const JoinLoops& step);
Kernel run_step(const Kernel& kernel, const ReorderLoops& step);
Kernel run_step(const Kernel& kernel, const ReverseLoop& step);
Kernel run_step(const Kernel& kernel, const ShiftLoop& step);
Kernel run_step(const Kernel& kernel, const SkewLoop& step);
Kernel run_step(const Kernel& kernel, const AffineLoops& step);
Kernel run_step(const Kernel& kernel, const CutLoop& step);
Kernel run_step(const Kernel& kernel, const PeelLoop& step);
Kernel run_step(const Kernel& kernel, const RenameLoop& step);

inline constexpr StepCall<SplitLoop> split_loop;
inline constexpr StepCall<Tile> tile;
inline constexpr StepCall<JoinLoops> join_loops;
inline constexpr StepCall<ReorderLoops> reorder_loops;
inline constexpr StepCall<ReverseLoop> reverse_loop;
inline constexpr StepCall<ShiftLoop> shift_loop;
inline constexpr StepCall<SkewLoop> skew_loop;
inline constexpr StepCall<AffineLoops> affine_loops;
inline constexpr StepCall<CutLoop> cut_loop;
inline constexpr StepCall<PeelLoop> peel_loop;
inline constexpr StepCall<RenameLoop> rename_loop;

}  // namespace heddle
