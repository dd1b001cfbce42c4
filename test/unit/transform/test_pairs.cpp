// Every pair, and what comes free with each: print parses back, the recorded script replays, the interpreter computes the same.
// With HEDDLE_UPDATE set the expected results are written instead.
#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>

#include "ir/error.h"
#include "pairs.h"
#include "sample_data.h"

using namespace heddle;
using namespace heddle::test;

namespace {

void update(const Pair& pair, const Outcome& outcome) {
    const std::string result = pair.folder + "/result.heddle", refused = pair.folder + "/refused.txt";
    std::remove(result.c_str());
    std::remove(refused.c_str());
    std::ofstream(outcome.result ? result : refused) << (outcome.result ? outcome.result->str() : outcome.refusal);
}

void check_expected(const Pair& pair, const Outcome& outcome) {
    const auto result = text_of(pair.folder + "/result.heddle"), refused = text_of(pair.folder + "/refused.txt");
    REQUIRE((result.has_value() != refused.has_value()));
    if (result) {
        CHECK(outcome.refusal == "");
        if (outcome.result) CHECK(outcome.result->str() == *result);
    } else {
        CHECK_FALSE(outcome.result.has_value());
        CHECK(outcome.refusal == *refused);
    }
}

void check_prints_back(const Kernel& kernel) {
    const std::string text = kernel.str();
    const Unit unit = parse(text, "printed");
    CHECK(unit.kernels.back() == kernel);
    CHECK(unit.kernels.back().str() == text);
}

/// Step by step, back and again; then from the printed history.
void check_replays(const Pair& pair, const Kernel& result) {
    Scheduled scheduled(pair.kernel);
    for (const auto& [step, loc] : read_script(pair.script).steps) {
        scheduled.apply(step, loc);
        const Kernel after = scheduled.kernel();
        REQUIRE(scheduled.undo());
        scheduled.apply(step, loc);
        CHECK(scheduled.kernel() == after);
    }
    CHECK(scheduled.kernel() == result);
    const Unit both = parse(pair.kernel.str() + "\n" + print(scheduled.history()), "history");
    CHECK(run(read_script(both.schedule("recorded")), both.kernels.back()) == result);
}

void check_computes_the_same(const Kernel& kernel, const Kernel& result) {
    std::size_t runs = 0;
    for (const Env& sizes : sample_sizes(result.data(), 4)) {
        const auto data = sample_arguments(kernel.data(), sizes);
        if (!data) continue;
        Arguments before = *data, after = *data;
        interpret(kernel, before);
        interpret(result, after);
        CHECK(difference(kernel.data(), before, after) == std::nullopt);
        ++runs;
    }
    CHECK(runs > 0);
}

}  // namespace

TEST_CASE("pairs of kernel and script") {
    static const std::vector<Pair> pairs = all_pairs();
    for (const Pair& pair : pairs) {
        DYNAMIC_SECTION(pair.name) {
            const Outcome outcome = outcome_of(pair);
            if (std::getenv("HEDDLE_UPDATE")) update(pair, outcome);
            check_expected(pair, outcome);
            if (outcome.result) {
                check_prints_back(*outcome.result);
                check_replays(pair, *outcome.result);
                if (pair.comparable) check_computes_the_same(pair.kernel, *outcome.result);
            }
        }
    }
}

TEST_CASE("a refused step leaves kernel and history as they were") {
    Scheduled scheduled(
        parse("kernel k(n : index; s : inout f64[n + 1]) { for [i] : 0 <= i < n { S: s[i + 1] = s[i] } }").kernel());
    scheduled.apply(shift_loop("i", 1));
    const Kernel before = scheduled.kernel();
    CHECK_THROWS_AS(scheduled.apply(reverse_loop("i")), Error);
    CHECK(scheduled.kernel() == before);
    CHECK(scheduled.history().steps.size() == 1);
    REQUIRE(scheduled.undo());
    CHECK(scheduled.kernel() == scheduled.original());
    CHECK_FALSE(scheduled.undo());
}

TEST_CASE("C++ calls do what lines do") {
    const Unit unit = parse(
        "kernel k(n, m : index; A : in f64[n, m], B : out f64[n, m]) { for [i, j] : 0 <= i < n and 0 <= j < m { S: B[i, j] = "
        "A[i, j] } }\n"
        "schedule s for k {\n  tile i, j by 64, 64\n  parallel i_o\n}\n");
    const Kernel lines = run(read_script(unit.schedule("s")), unit.kernel());
    CHECK((unit.kernel() | tile({"i", "j"}, {64, 64}) | parallel("i_o")) == lines);
    CHECK_THROWS_WITH(unit.kernel() | split_loop("i", 0), Catch::StartsWith("split i by 0: blocks of 0 iterations"));
}

TEST_CASE("a schedule for another kernel is refused") {
    const Unit unit = parse("kernel k(n : index; x : out f64[n]) { for [i] : 0 <= i < n { x[i] = 0.0 } }\n");
    Script script;
    script.kernel = "other";
    CHECK_THROWS_WITH(run(script, unit.kernel()), "schedule recorded is for kernel other, not for k");
}
