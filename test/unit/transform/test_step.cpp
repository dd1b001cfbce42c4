// Reading, printing, JSON and documentation of steps.
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "ir/error.h"
#include "transform/step.h"

using namespace heddle;

namespace {

ScheduleText::Line line(const std::string& text) {
    return {text, Loc{std::make_shared<const Source>(Source{"s.heddle", "  " + text}), 1, 3}};
}

Error refused(const std::string& text) {
    try {
        read_step(line(text));
    } catch (const Error& e) {
        return e;
    }
    FAIL("was read: " << text);
    throw;
}

}  // namespace

TEST_CASE("lines read and print back as they are") {
    const auto text =
        GENERATE(as<std::string>{}, "split i by 32 into io, ii", "split update.i by 4 separate", "split i by 8 peeled",
                 "tile i, j by 64, 64 into io, jo, ii, jj", "join i, j into f", "reorder io, jo, l, ii, jj", "reverse i",
                 "shift i by n - 1", "skew j by 2*i", "affine (t, i) -> (t, i + 2*t) into u, v", "cut i at (n + 1)//2",
                 "peel i first 1 last 2", "rename i to row", "unroll i", "unroll i by 4", "jam i by 2", "vectorize j by 8",
                 "parallel i schedule dynamic chunk 4 collapse 2 if 1000", "sequential i", "fuse i, j into i",
                 "distribute r before S, T", "duplicate i for S into k", "hoist S, T from j", "fix n = 512", "fix n = -1",
                 "assume n mod 4 = 0 and m >= n", "assert injective g", "assert nonaliasing a, b", "allow reassociate S",
                 "atomic S", "split `by` by 4 into `a b`, `into`");
    const Step step = read_step(line(text));
    CHECK(print(step) == text);
    CHECK(step_from_json(to_json(step)) == step);
}

TEST_CASE("optional parts may stand in any order, and comments behind") {
    CHECK(read_step(line("split i separate into a, b by 4 # blocks")) == Step(SplitLoop{"i", 4, {"a", "b"}, true, false}));
}

TEST_CASE("C++ calls make the steps that lines make") {
    CHECK(Step(tile({"i", "j"}, {64, 64})) == read_step(line("tile i, j by 64, 64")));
    CHECK(Step(parallel("S.i", "dynamic", 4)) == read_step(line("parallel S.i schedule dynamic chunk 4")));
    CHECK(Step(shift_loop("i", 1)) == read_step(line("shift i by 1")));
    CHECK(Step(affine_loops({"i"}, {"2*i"})) == read_step(line("affine (i) -> (2*i)")));
    CHECK(Step(fix("n", 512)) == read_step(line("fix n = 512")));
}

TEST_CASE("wrong lines are refused at the word in question") {
    struct Case {
        const char *text, *message;
        std::uint32_t column;
    };
    const auto c = GENERATE(values<Case>({
        {"spilt i by 4", "'spilt' is no step", 3},
        {"split", "expected the name of a loop, found the end of the line", 8},
        {"split 4", "expected the name of a loop, found '4'", 9},
        {"split i", "'split' needs 'by …': iterations of a block, at least 1; blocks start at multiples of it", 10},
        {"split i by", "expected an integer, found the end of the line", 13},
        {"split i by n", "expected an integer, found 'n'", 14},
        {"split i by 4x", "expected an integer, found '4x'", 14},
        {"split i by 99999999999999999999", "99999999999999999999 does not fit in 64 bits", 14},
        {"split i by 4 onto a, b", "'split' does not go on with 'onto'; expected 'into', 'separate', 'peeled'", 16},
        {"split i by 4 by 8", "'split' does not go on with 'by'; expected 'into', 'separate', 'peeled'", 16},
        {"tile i, by 4", "'tile' does not go on with '4'; expected 'by', 'into', 'separate'", 14},
        {"affine (i -> (i)", "expected ')', found '->'", 13},
        {"affine (i) -> (i", "expected ')', found the end of the line", 19},
        {"shift i by ", "expected an expression, found the end of the line", 14},
        {"shift i by n)", "a bracket closes here that was not opened", 15},
        {"rename i to `", "a name in backquotes needs a name and a second backquote", 15},
        {"sequential i j", "'sequential' does not go on with 'j'; expected the end of the line", 16},
    }));
    const Error e = refused(c.text);
    CHECK(e.message() == c.message);
    CHECK(e.code() == "syntax");
    CHECK(e.loc().column == c.column);
}

TEST_CASE("wrong JSON is refused by member") {
    struct Case {
        const char *text, *message;
    };
    const auto c = GENERATE(values<Case>({
        {"", "a step in JSON is an object with a member \"step\" that holds its verb"},
        {"[1]", "a step in JSON is an object with a member \"step\" that holds its verb"},
        {R"({"step": "spilt"})", "'spilt' is no step"},
        {R"({"step": "split", "loop": "i"})",
         "step 'split' needs member 'by': iterations of a block, at least 1; blocks start at multiples of it"},
        {R"({"step": "split", "loop": "i", "by": "4"})", "member 'by' of the step shall be an integer, but is \"4\""},
        {R"({"step": "split", "loop": 3, "by": 4})", "member 'loop' of the step shall be the name of a loop, but is 3"},
        {R"({"step": "split", "loop": "i", "by": 4, "peeled": 1})",
         "member 'peeled' of the step shall be true or false, but is 1"},
        {R"({"step": "split", "loop": "i", "by": 4, "size": 1})", "step 'split' has a member that it does not know"},
    }));
    CHECK_THROWS_WITH(step_from_json(c.text), c.message);
}

TEST_CASE("every row documents itself and reads its own example") {
    for (const StepInfo& s : step_table()) {
        INFO(s.verb);
        CHECK(print(read_step(line(s.example))) == s.example);
        CHECK(step_help(s.verb).find(s.summary) != std::string::npos);
        CHECK(steps_help().find(s.summary) != std::string::npos);
    }
    CHECK_THROWS_WITH(step_help("spilt"), "there is no step 'spilt'");
}

TEST_CASE("docs/steps.md is what the table says") {
    const std::string path = std::string(HEDDLE_SOURCE_DIR) + "/docs/steps.md";
    if (std::getenv("HEDDLE_UPDATE")) std::ofstream(path) << steps_markdown();
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    CHECK(text.str() == steps_markdown());
}
