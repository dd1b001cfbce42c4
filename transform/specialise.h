// Steps that say more about a kernel: values and facts of parameters, assertions, allowances.
#pragma once

#include "transform/row.h"

namespace heddle {

struct Fix {
    Name parameter;
    std::int64_t value = 0;

    bool operator==(const Fix&) const = default;
    static constexpr auto row = make_row(
        About{"fix", "fix", "Make a kernel for one value of a parameter; a call with another value is refused.", "fix n = 512",
              "for [i] : 0 <= i < n {\n"
              "  S: y[i] = x[i]\n"
              "}",
              "where n = 512\n"
              "for [i] : 0 <= i < 512 {\n"
              "  S: y[i] = x[i]\n"
              "}"},
        needed("parameter", "", &Fix::parameter, "the index parameter; it stays in the interface"),
        needed("value", "=", &Fix::value, "its value"));
};
struct Assume {
    Formula formula;

    bool operator==(const Assume&) const = default;
    static constexpr auto row = make_row(
        About{"assume", "assume", "Add a condition on the parameters; a call that breaks it is refused.", "assume n mod 4 = 0",
              "for [i] : 0 <= i < n {\n"
              "  S: y[i] = x[i]\n"
              "}",
              "where n % 4 = 0\n"
              "for [i] : 0 <= i < n {\n"
              "  S: y[i] = x[i]\n"
              "}"},
        needed("formula", "", &Assume::formula, "a condition on the index parameters"));
};
struct AssertInjective {
    std::vector<Name> arrays;

    bool operator==(const AssertInjective&) const = default;
    static constexpr auto row =
        make_row(About{"assert injective", "assert_injective",
                       "Promise that an index array holds no value twice; nobody checks it.", "assert injective g",
                       "for [i] : 0 <= i < n {\n"
                       "  S: y[g[i]] = x[i]\n"
                       "}",
                       "assert injective g\n"
                       "for [i] : 0 <= i < n {\n"
                       "  S: y[g[i]] = x[i]\n"
                       "}"},
                 needed("arrays", "", &AssertInjective::arrays, "integer arrays that subscripts read"));
};
struct AssertNonaliasing {
    std::vector<Name> arrays;

    bool operator==(const AssertNonaliasing&) const = default;
    static constexpr auto row =
        make_row(About{"assert nonaliasing", "assert_nonaliasing", "Promise that arguments do not overlap; nobody checks it.",
                       "assert nonaliasing x, y",
                       "for [i] : 0 <= i < n {\n"
                       "  S: y[i] = x[i]\n"
                       "}",
                       "assert nonaliasing x, y\n"
                       "for [i] : 0 <= i < n {\n"
                       "  S: y[i] = x[i]\n"
                       "}"},
                 needed("arrays", "", &AssertNonaliasing::arrays, "two or more array arguments"));
};
struct AllowReassociate {
    std::vector<Name> statements;

    bool operator==(const AllowReassociate&) const = default;
    static constexpr auto row =
        make_row(About{"allow reassociate", "allow_reassociate",
                       "Let the additions (products, …) of an update run in any order.", "allow reassociate S",
                       "for [i] : 0 <= i < n {\n"
                       "  S: y[0] += x[i]\n"
                       "}",
                       "for [i] : 0 <= i < n {\n"
                       "  S [reassociate]: y[0] += x[i]\n"
                       "}"},
                 needed("statements", "", &AllowReassociate::statements, "labels of updates"));
};
struct Atomic {
    std::vector<Name> statements;

    bool operator==(const Atomic&) const = default;
    static constexpr auto row =
        make_row(About{"atomic", "atomic", "Perform an update atomically, so that threads may share its element.", "atomic S",
                       "for [i] : 0 <= i < n {\n"
                       "  S: y[g[i]] += x[i]\n"
                       "}",
                       "for [i] : 0 <= i < n {\n"
                       "  S [atomic]: y[g[i]] += x[i]\n"
                       "}"},
                 needed("statements", "", &Atomic::statements, "labels of updates"));
};

Kernel run_step(const Kernel& kernel, const Fix& step);
Kernel run_step(const Kernel& kernel, const Assume& step);
Kernel run_step(const Kernel& kernel, const AssertInjective& step);
Kernel run_step(const Kernel& kernel, const AssertNonaliasing& step);
Kernel run_step(const Kernel& kernel, const AllowReassociate& step);
Kernel run_step(const Kernel& kernel, const Atomic& step);

inline constexpr StepCall<Fix> fix;
inline constexpr StepCall<Assume> assume;
inline constexpr StepCall<AssertInjective> assert_injective;
inline constexpr StepCall<AssertNonaliasing> assert_nonaliasing;
inline constexpr StepCall<AllowReassociate> allow_reassociate;
inline constexpr StepCall<Atomic> atomic;

}  // namespace heddle
