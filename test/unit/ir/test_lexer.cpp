#include <catch2/catch.hpp>

#include "ir/parse/lexer.h"

using namespace heddle;

namespace {

/// The tokens of a text, each as its kind's letter and its text.
std::string kinds(const std::string& text) {
    auto source = std::make_shared<Source>(Source{"t", text});
    std::string out;
    for (const Token& t : tokenize(source)) {
        constexpr std::string_view letters = "EWQIFSB";
        if (t.kind == TokenKind::End) return out;
        out += (out.empty() ? "" : " ") + std::string(1, letters[static_cast<std::size_t>(t.kind)]) + ":" + std::string(t.text);
    }
    return out;
}

}  // namespace

TEST_CASE("Tokens take the longest match") {
    CHECK(kinds("a//b <= <c->d") == "W:a S:// W:b S:<= S:< W:c S:-> W:d");
    CHECK(kinds("x+=1 x-=y==z") == "W:x S:+= I:1 W:x S:-= W:y S:== W:z");
}

TEST_CASE("Numbers: integers, floats, hexadecimal ones") {
    CHECK(kinds("12 0x1F 1.5 .5 2. 1e3 1.5e-3 0x1.8p3") == "I:12 I:0x1F F:1.5 F:.5 F:2. F:1e3 F:1.5e-3 F:0x1.8p3");
    CHECK(kinds("1-2") == "I:1 S:- I:2");
    CHECK(kinds("12ab") == "I:12ab");
}

TEST_CASE("Names in backticks lose them; others in backticks are bad") {
    CHECK(kinds("`for` `x1`") == "Q:for Q:x1");
    CHECK(kinds("`` `1a` `open") == "B:` B:` B:`1a B:` B:`open");
}

TEST_CASE("Comments and blanks go, places stay") {
    auto source = std::make_shared<Source>(Source{"t", "# all\n  a # b\r\n\tb c"});
    const auto tokens = tokenize(source);
    REQUIRE(tokens.size() == 4);
    CHECK((tokens[0].line == 2 && tokens[0].column == 3 && tokens[0].new_line));
    CHECK((tokens[1].line == 3 && tokens[1].column == 2 && tokens[1].new_line));
    CHECK((tokens[2].line == 3 && tokens[2].column == 4 && !tokens[2].new_line));
}

TEST_CASE("A byte order mark is skipped, a whole character is bad at once") {
    CHECK(kinds("\xEF\xBB\xBFx") == "W:x");
    CHECK(kinds("x @ \xC3\xA9") == "W:x B:@ B:\xC3\xA9");
    CHECK(describe({TokenKind::Bad, false, false, 1, 1, 0, "@"}) == "'@', which no word or symbol starts with");
}

TEST_CASE("Reserved words are quoted, words of single places are not") {
    for (const char* word : {"for", "sum", "f64", "min", "let", "mod", "exists"})
        CHECK(quoted(word) == "`" + std::string(word) + "`");
    for (const char* word : {"in", "out", "index", "parallel", "kernel", "schedule", "double", "int", "exp"})
        CHECK(quoted(word) == word);
}
