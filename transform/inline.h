// Steps between substitution rules, temporaries and the expressions they stand for.
#pragma once

#include "transform/row.h"

namespace heddle {

struct Inline {
    Name what;
    std::vector<Name> statements;

    bool operator==(const Inline&) const = default;
    static constexpr auto row = make_row(
        About{"inline", "inline_name",
              "Put what a name stands for in its place: a rule's body, a temporary's one value, a called kernel's statements.",
              "inline t",
              "for [i] : 0 <= i < n {\n"
              "  temp t : f64\n"
              "  S0: t = 2.0*x[i]\n"
              "  S1: y[i] = t + 1.0\n"
              "}",
              "for [i] : 0 <= i < n {\n"
              "  S1: y[i] = 2.0*x[i] + 1.0\n"
              "}"},
        needed("what", "", &Inline::what, "a rule, a temporary that one statement assigns, or the label of a call"),
        maybe("statements", "in", &Inline::statements, "rules only: labels of the statements in question (all)"));
};
struct MakeRule {
    Name temporary;

    bool operator==(const MakeRule&) const = default;
    static constexpr auto row =
        make_row(About{"rule", "make_rule", "Make a substitution rule of a temporary that one statement assigns.", "rule t",
                       "temp t : f64[n]\n"
                       "for [i] : 0 <= i < n {\n"
                       "  S0: t[i] = 2.0*x[i]\n"
                       "}\n"
                       "for [j] : 0 <= j < n {\n"
                       "  S1: y[j] = t[j] + 1.0\n"
                       "}",
                       "def t(i) = 2.0*x[i]\n"
                       "for [j] : 0 <= j < n {\n"
                       "  S1: y[j] = t(j) + 1.0\n"
                       "}"},
                 needed("temporary", "", &MakeRule::temporary, "the temporary; it and its statement disappear"));
};
struct Extract {
    Name rule;
    std::vector<Name> parameters;
    Expression body;
    std::vector<Name> statements;

    bool operator==(const Extract&) const = default;
    static constexpr auto row =
        make_row(About{"extract", "extract_rule", "Define a substitution rule and use it wherever its body matches.",
                       "extract u (i) = x[i] + x[i + 1]",
                       "for [i] : 1 <= i < n {\n"
                       "  S0: y[i] = 0.5*(x[i - 1] + x[i])\n"
                       "}",
                       "def u(i) = x[i] + x[i + 1]\n"
                       "for [i] : 1 <= i < n {\n"
                       "  S0: y[i] = 0.5*u(i - 1)\n"
                       "}"},
                 needed("rule", "", &Extract::rule, "name of the new rule"),
                 needed("parameters", "(", &Extract::parameters, "its parameters; each stands for an integer", ")"),
                 needed("body", "=", &Extract::body, "the expression in them"),
                 maybe("statements", "in", &Extract::statements, "labels of the statements in question (all)"));
};

Kernel run_step(const Kernel& kernel, const Inline& step);
Kernel run_step(const Kernel& kernel, const MakeRule& step);
Kernel run_step(const Kernel& kernel, const Extract& step);

inline constexpr StepCall<Inline> inline_name;
inline constexpr StepCall<MakeRule> make_rule;
inline constexpr StepCall<Extract> extract_rule;

}  // namespace heddle
