// Steps that say how a loop runs: unrolled, as vector lanes, on threads, or plainly.
#pragma once

#include "transform/row.h"

namespace heddle {

struct UnrollLoop {
    LoopRef loop;
    std::int64_t by = 0;
    std::vector<Name> into;

    bool operator==(const UnrollLoop&) const = default;
    static constexpr auto row =
        make_row(About{"unroll", "unroll_loop", "Write the iterations of a loop out: all of them, or blocks of some.",
                       "unroll i by 4 into io, ii",
                       "for [i] : 0 <= i < n {\n"
                       "  S: y[i] = x[i]\n"
                       "}",
                       "for [io] : 0 <= 4*io < n {\n"
                       "  for [ii] unroll : 0 <= ii < 4 and 4*io + ii < n {\n"
                       "    S {i = 4*io + ii}: y[4*io + ii] = x[4*io + ii]\n"
                       "  }\n"
                       "}"},
                 needed("loop", "", &UnrollLoop::loop, "the loop"),
                 maybe("by", "by", &UnrollLoop::by, "copies; without it all iterations, whose number must then be constant"),
                 maybe("into", "into", &UnrollLoop::into, "names of the two new loops (i_o, i_i)"));
};
struct JamLoop {
    LoopRef loop;
    std::int64_t by = 0;
    std::vector<Name> into;

    bool operator==(const JamLoop&) const = default;
    static constexpr auto row = make_row(
        About{"jam", "jam_loop", "Unroll and jam: write several iterations of an outer loop out inside the loops under it.",
              "jam i by 2 into io, ii",
              "for [i, j] : 0 <= i < n and 0 <= j < m {\n"
              "  S: B[i, j] = A[i, j]\n"
              "}",
              "for [io, j] : 0 <= 2*io < n and 0 <= j < m {\n"
              "  for [ii] unroll : 0 <= ii < 2 and 2*io + ii < n {\n"
              "    S {i = 2*io + ii}: B[2*io + ii, j] = A[2*io + ii, j]\n"
              "  }\n"
              "}"},
        needed("loop", "", &JamLoop::loop, "the outer loop"),
        needed("by", "by", &JamLoop::by, "iterations that are jammed together"),
        maybe("into", "into", &JamLoop::into, "names of the two new loops (i_o, i_i)"));
};
struct Vectorize {
    LoopRef loop;
    std::int64_t by = 0;
    std::vector<Name> into;

    bool operator==(const Vectorize&) const = default;
    static constexpr auto row = make_row(
        About{"vectorize", "vectorize", "Run blocks of iterations as lanes of a vector.", "vectorize i by 8 into io, ii",
              "for [i] : 0 <= i < n {\n"
              "  S: y[i] = x[i]\n"
              "}",
              "for [io] : 0 <= 8*io < n {\n"
              "  for [ii] vector : 0 <= ii < 8 and 8*io + ii < n {\n"
              "    S {i = 8*io + ii}: y[8*io + ii] = x[8*io + ii]\n"
              "  }\n"
              "}"},
        needed("loop", "", &Vectorize::loop, "the loop"), maybe("by", "by", &Vectorize::by, "lanes; without it all iterations"),
        maybe("into", "into", &Vectorize::into, "names of the two new loops (i_o, i_i)"));
};
struct Parallel {
    LoopRef loop;
    Name schedule = "static";
    std::int64_t chunk = 0;
    std::int64_t collapse = 1;
    std::int64_t threshold = 0;

    bool operator==(const Parallel&) const = default;
    static constexpr auto row = make_row(
        About{"parallel", "parallel", "Run the iterations of a loop on threads.", "parallel i schedule dynamic chunk 4",
              "for [i] : 0 <= i < n {\n"
              "  S: y[i] = x[i]\n"
              "}",
              "for [i] parallel schedule(dynamic, 4) : 0 <= i < n {\n"
              "  S: y[i] = x[i]\n"
              "}"},
        needed("loop", "", &Parallel::loop, "the loop"),
        maybe("schedule", "schedule", &Parallel::schedule, "static or dynamic: how iterations are dealt out"),
        maybe("chunk", "chunk", &Parallel::chunk, "iterations dealt out at a time (0: as the runtime likes)"),
        maybe("collapse", "collapse", &Parallel::collapse, "this many loops directly inside each other share the threads"),
        maybe("threshold", "if", &Parallel::threshold, "stay on one thread below this many iterations"));
};
struct MapLoop {
    LoopRef loop;
    DeviceAxis to;

    bool operator==(const MapLoop&) const = default;
    static constexpr auto row = make_row(
        About{"map", "map_loop", "Run the iterations of a loop on the blocks of a device's grid, or on the lanes of a block.",
              "map i to lane.x",
              "for [i] : 0 <= i < 64 {\n"
              "  S: y[i] = x[i]\n"
              "}",
              "for [i] lane.x : 0 <= i < 64 {\n"
              "  S: y[i] = x[i]\n"
              "}"},
        needed("loop", "", &MapLoop::loop, "the loop"),
        needed("to", "to", &MapLoop::to, "block.x, block.y, block.z, lane.x, lane.y or lane.z"));
};
struct Sequential {
    LoopRef loop;

    bool operator==(const Sequential&) const = default;
    static constexpr auto row =
        make_row(About{"sequential", "sequential", "Run a loop plainly again: drop its tag.", "sequential i",
                       "for [i] parallel : 0 <= i < n {\n"
                       "  S: y[i] = x[i]\n"
                       "}",
                       "for [i] : 0 <= i < n {\n"
                       "  S: y[i] = x[i]\n"
                       "}"},
                 needed("loop", "", &Sequential::loop, "the loop"));
};

Kernel run_step(const Kernel& kernel, const UnrollLoop& step);
Kernel run_step(const Kernel& kernel, const JamLoop& step);
Kernel run_step(const Kernel& kernel, const Vectorize& step);
Kernel run_step(const Kernel& kernel, const Parallel& step);
Kernel run_step(const Kernel& kernel, const MapLoop& step);
Kernel run_step(const Kernel& kernel, const Sequential& step);

inline constexpr StepCall<UnrollLoop> unroll_loop;
inline constexpr StepCall<JamLoop> jam_loop;
inline constexpr StepCall<Vectorize> vectorize;
inline constexpr StepCall<Parallel> parallel;
inline constexpr StepCall<MapLoop> map_loop;
inline constexpr StepCall<Sequential> sequential;

}  // namespace heddle
