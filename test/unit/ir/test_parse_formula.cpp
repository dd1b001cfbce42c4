// Formulas as sets, held against isl's reading of the same text.
#include <random>

#include "ir/parse/bounded.h"
#include "parse_help.h"

using namespace heddle;
using namespace heddle::test;

namespace {

Domain set_of(const std::string& formula) { return parse_condition(KernelData{}, formula); }

/// Do the two readings agree at all points of a box?
void agree(const std::string& ours, const std::string& isl, int radius = 9) {
    INFO(ours);
    const Domain a = set_of(ours), b = poly::read(isl, {"i", "j", "n"});
    for (int i = -radius; i <= radius; ++i)
        for (int j = -radius; j <= radius; ++j)
            for (int n : {-1, 0, 3, 7}) {
                const Env env{{"i", i}, {"j", j}, {"n", n}};
                if (contains(a, env) != contains(b, env)) FAIL(ours << " differs at i=" << i << " j=" << j << " n=" << n);
            }
}
void agree(const std::string& formula) { agree(formula, formula); }

}  // namespace

TEST_CASE("Formulas agree with isl's") {
    agree("0 <= i < n and 0 <= j < i");
    agree("not (i = j or i < 3)");
    agree("i mod 3 = 1 and j >= 0");
    agree("i % 3 == 1 and not j >= 0", "i mod 3 = 1 and j < 0");
    agree("floor(i/4) <= j", "4j > i - 4");
    agree("i // 4 = j", "4j <= i < 4j + 4");
    agree("i // -4 = j", "4j <= -i < 4j + 4");
    agree("ceil(i/4) = j", "4j - 4 < i <= 4j");
    agree("exists e : i = 3*e and j >= e", "exists e : i = 3e and j >= e");
    agree("exists (e, f : i = 2*e + 4*f) or j = n", "i mod 2 = 0 or j = n");
    agree("exists (e = floor(i/2) : j = e)", "exists (e = floor(i/2) : j = e)");
    agree("not exists e : i = 2*e", "i mod 2 = 1");
    agree("i <= min(j, n)", "i <= j and i <= n");
    agree("max(i, j, 2) < n", "i < n and j < n and 2 < n");
    agree("min(i, j) < n", "i < n or j < n");
    agree("max(i, j) = n", "(i = n and j <= n) or (j = n and i <= n)");
    agree("2*min(i, 3) - max(j, 1) >= 0", "(2i >= j and 6 >= j) and (2i >= 1)");
    agree("abs(i - j) <= 2", "-2 <= i - j <= 2");
    agree("0 <= i, j < n", "0 <= i < n and 0 <= j < n");
    agree("i, j >= 1", "i >= 1 and j >= 1");
    agree("i != j and i != 3", "(i < j or i > j) and (i < 3 or i > 3)");
    agree("i = j = n", "i = j and j = n");
    agree("2*(i + j) - 3*i > -(n)", "2j - i + n > 0");
    agree("true and i > 0", "i > 0");
    agree("false or 1 = 0 or i > 0", "i > 0");
    agree("-i // 2 >= j", "2j <= -i");
    agree("min(i, j) // 2 = n", "exists e : e = n and ((i <= j and 2e <= i < 2e+2) or (j < i and 2e <= j < 2e + 2))");
    agree("min(i, j) mod 3 = 0", "(i <= j and i mod 3 = 0) or (j < i and j mod 3 = 0)");
}

TEST_CASE("Random formulas agree with isl's") {
    std::mt19937 random(7);
    const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    const std::vector<std::string> terms{"i", "j", "n", "2i", "i + j", "j - n + 1", "3", "-2", "floor(i/3)", "floor((i + j)/2)",
                                         "-j"};
    const std::vector<std::string> comparisons{" <= ", " < ", " = ", " > ", " >= "};
    const auto formula = [&](auto self, int depth) -> std::string {
        const int kind = depth == 0 ? 0 : pick(5);
        if (kind <= 1) return terms[pick(11)] + comparisons[pick(5)] + terms[pick(11)];
        if (kind == 4) return "not (" + self(self, depth - 1) + ")";
        return "(" + self(self, depth - 1) + (kind == 2 ? " and " : " or ") + self(self, depth - 1) + ")";
    };
    for (int k = 0; k < 100; ++k) {
        const std::string isl = formula(formula, 3);
        std::string ours = isl;
        for (std::size_t at = 0; (at = ours.find("2i", at)) != std::string::npos;) ours.replace(at, 2, "2*i");
        agree(ours, isl, 5);
    }
}

TEST_CASE("What is no formula is named") {
    refuses("for [i] : 0 <= i < g[0] { x[i] = a }",
            "the loop's formula must be quasi-affine in loops, index parameters and integer lets, but 'g' is data");
    refuses("for [i] : 0 <= i < n*m { x[i] = a }", "but this part is none");
    refuses("for [i] : 0 <= i < n // m { x[i] = a }", "but this part is none");
    refuses("for [i] : i { x[i] = a }", "but this part is none");
    refuses("for [i] : 0 <= i < n / 2 { x[i] = a }", "but this part is none");
    refuses("for [i] : 0 <= i < n and x[i] > 0.0 { x[i] = a }", "'x' is data");
    refuses("for [i] : 0 <= i < a { x[i] = a }", "'a' is data");
    refuses("temp t : i64\n t = 3\n for [i] : 0 <= i < t { x[i] = a }", "read it before: let lo = …, then use lo");
    refuses("for [i] : n, i { x[i] = a }", "expected a comparison such as '<=' after the list");
    refuses("for [i] : 0 <= i < 5, i < n { x[i] = a }", "conditions are joined by 'and', not by ','");
    refuses("for [i] : 0 <= i < n { if (exists e : i = 2*e) or x[i] < a { x[i] = a } }",
            "'exists' stands with a condition on data");
}

TEST_CASE("Integer scalars by value may stand in formulas") {
    const auto k = read_body("for [i] : 0 <= i < c { x[i] = a }");
    CHECK(has_domain(*k, "S0", "0 <= i < c", {"i", "c"}));
}

TEST_CASE("Loops without a bound are refused where they stand") {
    CHECK(refused_body("\n  for [i] : 0 <= i { x[i] = a }") ==
          "k.heddle:3:8: error: loop 'i' has no upper bound: it would never end\n"
          "    for [i] : 0 <= i { x[i] = a }}\n"
          "         ^\n"
          "hint: add a bound such as 'i < n'\n");
    refuses("for [i] : i < n { x[i] = a }", "loop 'i' has no lower bound");
    refuses("for [i, j] : 0 <= i + j < n { x[i] = a }", "loop 'i' has no");
    refuses("for [i] : 0 <= i < n or i > 2*n { x[i] = a }", "no upper bound");
    refuses("for [i] : i mod 2 = 0 { x[i] = a }", "no lower bound");
    refuses("for [i] : i != 3 { x[i] = a }", "no");
    refuses("for [i] { x[i] = a }", "loop 'i' has no lower bound");
    refuses("for [i] : i >= 0 { }", "loop 'i' has no upper bound");
}

TEST_CASE("Bounds may be found in any form; empty domains are none of an error") {
    for (const char* formula :
         {"0 <= i + j < n and 0 <= i - j < n", "0 <= i // 4 < n and j = i", "i = 2*(i // 2) and 0 <= i < n and j = 0", "1 = 0",
          "i < 0 and i > 0 and j = i", "0 <= i < n and exists e : j = 2*e and 0 <= e < i", "abs(i) < n and -1 <= j <= 1",
          "i >= 0 and 3*i < n and i <= j <= 2*i"}) {
        INFO(formula);
        CHECK_NOTHROW(read_body(std::string("for [i, j] : ") + formula + " { x[0] = a }"));
    }
    CHECK_NOTHROW(read_body("for [i] : i >= 0 { for [j] : i <= j < n { x[0] = a } }"));
}

TEST_CASE("Coefficients that leave 64 bits and sets of too many pieces are errors") {
    refuses("for [i] : 0 <= 4611686018427387904*i*4 < n { x[i] = a }", "does not fit 64 bits");
    std::string many = "i != 0";
    for (int k = 1; k < 14; ++k) many += " and i + " + std::to_string(k) + "*j != n";
    refuses("for [i, j] : 0 <= i, j < n and " + many + " { x[i] = a }", "falls into more than 4096 pieces");
}
