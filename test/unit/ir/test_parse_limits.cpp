// Large, deep and long input: it works, or is a clear error; never a crash.
#include <ctime>

#include "parse_help.h"

using namespace heddle;
using namespace heddle::test;

namespace {

std::string repeated(const std::string& part, int count) {
    std::string out;
    for (int k = 0; k < count; ++k) out += part;
    return out;
}

/// Seconds of the processor for reading a text.
double seconds(const std::string& text) {
    const std::clock_t start = std::clock();
    parse(text);
    return double(std::clock() - start) / CLOCKS_PER_SEC;
}

/// Ten times as much text takes about ten times as long; a square would take a hundred.
template <class Text>
void grows_linearly(Text text) {
    const double small = seconds(text(500)), large = seconds(text(5000));
    INFO(small << " s for 500, " << large << " s for 5000");
    CHECK(large < 30 * small + 0.1);
}

}  // namespace

TEST_CASE("Nesting of 200 works, deeper is an error") {
    const auto parentheses = [](int n) { return "x[0] = " + repeated("(", n) + "1.0" + repeated(")", n); };
    CHECK_NOTHROW(read_body(parentheses(190)));
    refuses(parentheses(210), "nested deeper than 200 levels");
    refuses(parentheses(100000), "nested deeper than 200 levels");
    refuses("x[0] = " + repeated("x[", 100000), "nested deeper than 200 levels");
    refuses("x[0] = " + repeated("sqrt(", 100000), "nested deeper than 200 levels");
    refuses("x[0] = " + repeated("1.0 > 0.0 ? ", 100000), "nested deeper than 200 levels");
    refuses(repeated("{", 100000), "nested deeper than 200 levels");
    refuses("if " + repeated("exists e : ", 100000), "already a loop");
    refuses("x[0] = " + repeated("sum[i : ", 1000), "already a loop");
    refuses("const t : f64[1] = " + repeated("{", 100000), "expected");
}

TEST_CASE("100 loops in each other") {
    std::string text;
    for (int k = 0; k < 100; ++k) text += "for [l" + std::to_string(k) + "] : 0 <= l" + std::to_string(k) + " < n {\n";
    CHECK_NOTHROW(read_body(text + "x[l99] = 1.0" + repeated("}", 100)));
}

TEST_CASE("Chains of 100,000 operators") {
    const int n = 100000;
    CHECK_NOTHROW(read_body("x[0] = 1.0" + repeated(" + y[0]", n)));
    CHECK_NOTHROW(read_body("x[0] = " + repeated("-", n) + "y[0]"));
    CHECK_NOTHROW(read_body("if b[0]" + repeated(" or b[1]", n / 2) + " { x[0] = 1.0 }"));
    CHECK_NOTHROW(read_body("for [i] : 0 <= i < n" + repeated(" + 1", n) + repeated(" and i != 2", 5) + " { x[i] = 1.0 }"));
    CHECK_NOTHROW(read_body("x[0] = " + repeated("b[0] ? 1.0 : ", 20000) + "2.0"));
    CHECK_NOTHROW(read_body("const t : f64 = 1.0" + repeated(" + 1.0", n)));
    CHECK_NOTHROW(read_body(repeated("if b[0] { x[0] = 1.0 } else ", 300) + "{ x[0] = 2.0 }"));
}

TEST_CASE("Names of 300 characters work everywhere; longer than 1000 are an error") {
    const std::string name(300, 'q');
    const auto k = read_kernel("kernel " + name + "k(n : index; " + name + " : inout f64[n]) { " + name + "l: " + name +
                               "[0] = sum[" + name + "i : 0 <= " + name + "i < n](" + name + "[" + name + "i]) }");
    CHECK(k->statements.back()->label == Name(name + "l"));
    refuses("temp " + std::string(1001, 'q') + " : f64", "a name of 1001 characters; 1000 are the most");
}

TEST_CASE("Made-up names of very long ones stay readable") {
    const std::string name(1000, 'q');
    const auto k = read_body(name + ": x[0] = sum[i : 0 <= i < n](x[i])");
    for (const auto& s : k->statements) CHECK(s->label.str().size() <= 1000);
}

TEST_CASE("Time grows with the number of statements, however they are written") {
    grows_linearly(
        [](int n) { return around(repeated("for [i, j] : 0 <= i < n and 0 <= j < m { x[i] = x[i] + 2.0 * A[i, j] }\n", n)); });
    grows_linearly([](int n) {
        std::string text = "for [i] : 0 <= i < n { let s0 = x[i]\n";
        for (int k = 0; k < n; ++k) text += "let s" + std::to_string(k + 1) + " = s" + std::to_string(k) + " + x[i]\n";
        return around(text + "}");
    });
    grows_linearly(
        [](int n) { return around(repeated("for [i] : 0 <= i < n { let s = x[i]; if s > 0.0 { x[i] = s + 1.0 } }\n", n)); });
    grows_linearly([](int n) { return around(repeated("for [i] : 0 <= i < n { x[i] = sum[j : 0 <= j < m](A[i, j]) }\n", n)); });
    grows_linearly([](int n) { return around(repeated("x[0] = y[0] * 2.0\n", n)); });
}

TEST_CASE("A chain of 2,000 kernels calling each other needs no stack") {
    std::string text;
    for (int k = 0; k < 2000; ++k) text += "kernel k" + std::to_string(k) + "() { call k" + std::to_string(k + 1) + "() }\n";
    CHECK(parse(text + "kernel k2000() {}").kernels.size() == 2001);
}

TEST_CASE("Rules in each other 1,000 deep") {
    std::string text = "def r0(i) = x[i]\n";
    for (int k = 1; k < 1000; ++k) {
        const std::string before = "r" + std::to_string(k - 1);
        text += "def r" + std::to_string(k) + "(i) = " + before + "(i) + 0.5 * " + before + "(i + 1)\n";
    }
    CHECK_NOTHROW(read_body(text + "y[0] = r999(0)"));
}

TEST_CASE("Every prefix of a file is read or refused") {
    const Unit all = parse_file(HEDDLE_SOURCE_DIR "/examples/block_reduce_submit.heddle");
    const std::string text = all.kernels[0].data().loc.source->text;
    int refused = 0;
    for (std::size_t k = 0; k < text.size(); ++k) {
        try {
            parse(std::string_view(text).substr(0, k));
        } catch (const Error& e) {
            ++refused;
            CHECK(e.kind() == ErrorKind::User);
            CHECK_FALSE(e.render().empty());
        }
    }
    CHECK(refused > 100);
}
