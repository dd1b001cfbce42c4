// What the reader refuses, and how it says so.
#include "parse_help.h"

using namespace heddle;
using namespace heddle::test;

TEST_CASE("An unknown name: place, caret and near matches") {
    CHECK(refusal("kernel k(n : index; alpha : f64; x : out f64[n])\n{\n  for [i] : 0 <= i < n {\n    x[i] = alhpa * 2.0\n  "
                  "}\n}\n") ==
          "k.heddle:4:12: error: unknown name 'alhpa'\n"
          "      x[i] = alhpa * 2.0\n"
          "             ^\n"
          "hint: did you mean 'alpha'?\n");
}

TEST_CASE("A missing brace names the one it would close") {
    CHECK(refusal("kernel k(n : index; x : out f64[n]) {\n  for [i] : 0 <= i < n {\n    x[i] = 1.0\n}\n") ==
          "k.heddle:5:1: error: expected '}', found the end of the file\n"
          "  \n"
          "  ^\n"
          "k.heddle:1:37: note: to close this '{'\n"
          "  kernel k(n : index; x : out f64[n]) {\n"
          "                                      ^\n");
}

TEST_CASE("Two declarations of one name show both places") {
    CHECK(refused_body("\n  temp x : f64") ==
          "k.heddle:3:8: error: 'x' is already an array or value\n"
          "    temp x : f64}\n"
          "         ^\n"
          "k.heddle:1:42: note: declared here\n"
          "  kernel k(n, m : index; a : f64; c : i32; x, y : inout f64[n], A : in f64[n, m], g : in i32[n], f : in f32[n], b : "
          "in bool[n])\n"
          "                                           ^\n"
          "hint: names shadow nothing: choose another one\n");
}

TEST_CASE("A word of the language as a name is refused with its backticks") {
    CHECK(refusal("kernel k(sum : index) {}\n") ==
          "k.heddle:1:10: error: expected a parameter's name, found 'sum', which is a word of the language\n"
          "  kernel k(sum : index) {}\n"
          "           ^\n"
          "hint: backticks make a name of it: `sum`\n");
}

TEST_CASE("Calls in a circle are refused") {
    CHECK(refusal("kernel a() { call b() }\nkernel b() { call c() }\nkernel c() { call b() }\n") ==
          "k.heddle:3:19: error: kernel 'b' calls itself: b -> c -> b\n"
          "  kernel c() { call b() }\n"
          "                    ^\n"
          "hint: a kernel may call others only, without a circle: write a loop\n");
    CHECK_THAT(refusal("kernel a() { call a() }"), Catch::Contains("kernel 'a' calls itself: a -> a"));
}

TEST_CASE("Syntax: what was expected and what was found") {
    const auto check = [](const std::string& text, const std::string& sentence) {
        INFO(text);
        CHECK_THAT(refusal(text), Catch::Contains(sentence));
    };
    check("kernle k() {}", "did you mean 'kernel'?");
    check("kernel () {}", "expected the kernel's name, found '('");
    check("kernel k {}", "expected '(' before the kernel's parameters, found '{'");
    check("kernel k(n) {}", "expected ':' between the names of parameters and their type, found ')'");
    check("kernel k(n : int) {}", "expected a type, found 'int'");
    check("kernel k(n : f46) {}", "did you mean 'f64'?");
    check("kernel k(n : index", "expected ')', found the end of the file");
    check("kernel k(n : index) where {}", "expected a value, found '{'");
    check("kernel k(n : index; x : f64) where x > 0 {}", "'x' is data");
    check("kernel k(n : index) { } }", "expected 'kernel', 'schedule', 'operator' or 'extern', found '}'");
    check("kernel k(n : index) {}\nkernel k(n : index) {}", "two kernels are called 'k'");
    check("kernel k(n : index, n : f64) {}", "'n' is already an index parameter");
    check("kernel k(x : in f64[m]) {}", "unknown name 'm'");
    check("kernel k(x : in f64[2.5]) {}", "an index is an integer");
    check("kernel k(s : f64, x : in f64[s]) {}", "a shape uses only index parameters, but 's' is none");
    check("kernel k(x : in f64[]) {}", "expected a subscript, found ']'");
    check("kernel k(x : in f64[2] layout(0, 1)) {}", "layout has 2 entries, but the array has 1 axes");
    check("kernel k(x : in f64[2, 2] layout(0, 2)) {}", "layout names every axis once");
    check("kernel k(x : in f64[2, 2] separate(2)) {}", "separate(2) names no axis");
    check("kernel k(x : in f64[2, 2] strides(1, 2) pad(1, 1)) {}", "strides say everything");
    check("kernel k(x : in f64[2] in heep) {}", "did you mean 'heap'?");
    check("kernel k(x : in f64[2] may) {}", "expected 'alias' after 'may'");
    check("schedule s for k {}\n", "there is no kernel 'k' in this file");
    check("kernel gem() {} schedule s for gemm {}\n", "did you mean 'gem'?");
    check("kernel k() {} schedule s for k {} schedule s for k {}", "two schedules are called 's'");
    check("kernel k() {} schedule s for k { split", "to close this '{'");
    check("kernel k() {} kernel l() {} schedule s { }", "the file holds several kernels");
    check("extern fn sqrt(f64) -> f64", "'sqrt' is a function of the language");
    check("extern fn f(f64)", "expected '->' before the type of the result");
    check("operator f(a, b) = a", "expected 'identity' behind the result");
    check("operator f((a, b), c) = a identity 0.0", "have 2 and 1 parts");
    check("operator f((a, b), (c, d)) = (a, b, c) identity (0, 0)", "its result has 3");
    check("operator f(a, b) = c identity 0.0", "unknown name 'c'");
    check("operator f(a, a) = a identity 0.0", "'a' is already an operand");
    check("operator f(a, b) = a identity 0.0\noperator f(a, b) = a identity 0.0", "two operators are called 'f'");
    check("@", "which no word or symbol starts with");
    check("kernel k(n : index) { \x01 }", "a character of code 1");
}

TEST_CASE("Statements") {
    refuses("x[0] 1.0", "expected '=' or an update such as '+=' after the place, found '1.0'");
    refuses("x[0] /= 2.0", "spell it out: x = x / y");
    refuses("x[0] = 1.0 y[0] = 2.0", "statements on one line are divided by ';'");
    refuses("x[0] = ", "expected a value, found '}'");
    refuses("x[0] = (1.0", "expected ')', found '}'");
    refuses("x[0][1] = 1.0", "subscripts stand in one pair of brackets: A[i, j]");
    refuses("3 = x[0]", "expected a statement, found '3'");
    refuses("foo(1)", "another kernel is run by: call foo(…)");
    refuses("z[0] = 1.0", "unknown array 'z'");
    refuses("n = 1", "'n' is an index parameter: it cannot be written");
    refuses("A[0, 0] = 1.0", "'A' is an 'in' argument: it cannot be written");
    refuses("a = 1.0", "declare it 'inout', or 'out' where it is written before it is read");
    refuses("let t = a\n t = 1.0", "'t' is a 'let', which is written once");
    refuses("const t : f64[1] = {1.0}\n t[0] = 1.0", "'t' is a table, which is read only");
    refuses("view v : f64[n, 1] = x\n v[0, 0] = 1.0", "write to 'x' itself");
    refuses("p: x[0] = 1.0\n p: x[0] = 1.0", "two statements are labelled 'p'");
    refuses("x = 1.0", "x has 1 dimension");
    refuses("(x[0], x[1]) = 1.0", "expected '(' and 2 values");
    refuses("(x[0], x[1]) = (1.0, 2.0, 3.0)", "2 places get 3 values");
    refuses("(x[0], x[1]) += (1.0, 2.0)", "'+=' has one place, not 2");
    refuses("let (v, p) = argmax[i : 0 <= i < n](x[i])\n v = x[0]", "'v' is a 'let'");
    refuses("else { x[0] = 1.0 }", "'else' follows the '}' of an 'if'");
    refuses("if x[0] { x[0] = 1.0 }", "a condition is bool, but this is f64");
    refuses("while true { }", "unknown array 'while'");
    refuses("for i : 0 <= i < n { }", "expected '[' before the loop names, found 'i'");
    refuses("for [i : 0 <= i < n] { }", "expected ']', found ':'");
    refuses("for [i] 0 <= i < n { }", "expected ':' and the loop's formula, or a tag");
    refuses("for [i] paralel : 0 <= i < n { }", "did you mean 'parallel'?");
    refuses("for [i] parallel vector : 0 <= i < n { }", "a loop is tagged twice");
    refuses("for [i, j] vector : 0 <= i, j < n { x[i] = a }", "this tag belongs to one loop");
    refuses("for [i] parallel collapse(0) : 0 <= i < n { }", "collapse must be at least 1");
    refuses("for [i] parallel collapse(2) : 0 <= i < n { x[i] = a }", "invariant 7");
    refuses("for [i] parallel schedule(guided) : 0 <= i < n { }", "expected 'static' or 'dynamic'");
    refuses("for [i, i] : 0 <= i < n { }", "'i' is already a loop");
    refuses("for [i] : 0 <= i < n { for [i] : 0 <= i < n { } }", "'i' is already a loop");
    refuses("for [x] : 0 <= x < n { }", "'x' is already an array or value");
    refuses("for [i] : 0 <= i < k { x[i] = a }", "unknown name 'k'");
    refuses("for [i] : 0 <= i < n { x[i] = a ", "expected '}', found the end of the file");
}

TEST_CASE("Expressions") {
    refuses("x[0] = y[0] +", "expected a value, found '}'");
    refuses("x[0] = 12ab", "'12ab' is no number");
    refuses("x[0] = 1.2e", "'1.2e' is no number");
    refuses("x[0] = 0x", "'0x' is no number");
    refuses("x[0] = 99999999999999999999", "'99999999999999999999' does not fit 64 bits");
    refuses("x[0] = -9223372036854775809", "does not fit 64 bits");
    refuses("x[0] = 1e400", "'1e400' is out of the range of f64");
    refuses("x[0] = sqrtt(a)", "did you mean 'sqrt'?");
    refuses("x[0] = sqrt", "'sqrt' is a function: sqrt(…)");
    refuses("x[0] = A(0, 1)", "subscripts stand in brackets: A[i, j]");
    refuses("x[0] = a[0]", "a has 0 dimensions");
    refuses("x[0] = n[0]", "'n' is an index parameter, no array");
    refuses("x[0] = min(a)", "'min' takes two values or more");
    refuses("x[0] = f64(a, a)", "'f64' takes one, not 2 values");
    refuses("x[0] = a + not b[0]", "put parentheses around it");
    refuses("x[0] = a ? 1.0", "expected ':' between the two values of '? :'");
    refuses("x[0] = if", "expected a value, found 'if'");
    refuses("x[0] = exists e : e = n", "expected a value, found 'exists'");
    refuses("x[0] = a = 2.0", "expected an operator or the end of the line, found '='");
    refuses("x[0] = n / 2", "'/' is real division, but both sides are integers");
    refuses("f[0] = 1.0", "'f' is an 'in' argument");
    refuses("x[0] = `for", "'`for', which is no name in backticks");
    refuses("def r(i) = x[i]\n x[0] = r(1, 2)", "rule 'r' takes 1 arguments, not 2");
    refuses("def r(i) = z[i]\n x[0] = r(1)", "unknown name 'z'");
    refuses("for [i] : 0 <= i < n { def r(j) = x[i + j]\n x[i] = r(1) }", "a rule cannot use the loop 'i' around it");
    refuses("def sqrt(i) = x[i]", "'sqrt' is a function of the language");
    refuses("x[0] = r(1)\n def r(i) = y[i]", "unknown function 'r'");
}

TEST_CASE("Tables and views") {
    refuses("const t : f64[2] = {1.0}", "expected 2 entries on axis 0, not 1, found '}'");
    refuses("const t : f64[2] = {1.0, 2.0, 3.0}", "expected '}': axis 0 has 2 entries, found '3.0'");
    refuses("const t : f64[2, 2] = {1.0, 2.0}", "expected '{' before the 2 entries of axis 1");
    refuses("const t : f64[n] = {1.0}", "the shape of the table 't' must be constant");
    refuses("const t : u8[1] = {256}", "this constant does not fit u8");
    refuses("const t : i32[1] = {1.5}", "a float in a table of integers");
    refuses("const t : bool[1] = {1}", "a table of bool holds true and false");
    refuses("const t : f64[1] = {sqrt(2.0)}", "a table holds constants");
    refuses("const t : f64[1] = {a}", "unknown name 'a'");
    refuses("view v : f32[n] = x", "the view is f32, but 'x' is f64");
    refuses("view v : f64[n] = n", "'n' is an index parameter, no array");
    refuses("view v : f64[n] = w", "unknown array 'w'");
    refuses("temp t : f64[n] in cache", "expected an address space, found 'cache'");
    refuses("for [i] : 0 <= i < n { temp t : f64[i] }", "a shape uses only index parameters, but 'i' is a loop");
    refuses("let s : f32 = a\n x[0] = s", "f32");
    refuses("assert injective x, y", "'assert injective' names one array");
    refuses("assert disjoint x, y", "expected 'injective' or 'nonaliasing' after 'assert'");
    refuses("assert injective z", "unknown array 'z'");
}

TEST_CASE("Calls") {
    const std::string callee =
        "kernel f(n : index; p : inout f64[n], q : in f64[n], s : f64) { if n >= 1 { p[0] = q[0] * s } }\n";
    const auto check = [&](const std::string& call, const std::string& sentence) {
        INFO(call);
        CHECK_THAT(refusal(callee + around(call)), Catch::Contains(sentence));
    };
    check("call g(n)", "there is no kernel 'g' in this file");
    check("call f(n, x, y)", "argument 's' of kernel 'f' is missing");
    check("call f(n, x, y, a, a)", "kernel 'f' takes 4 arguments, not more");
    check("call f(n = n, p = x, r = y, s = a)", "kernel 'f' has no argument 'r'");
    check("call f(n = n, n = n, q = y, s = a)", "argument 'n' is given twice");
    check("call f(n = n, x, y, a)", "all arguments are named or none");
    check("call f(n, x[0], y, a)", "is an array: give the name of one");
    check("call f(n, x, A, a)", "argument q of f is an array of f64 with 1 dimensions");
    check("call f(n, x, f, a)", "argument q of f is an array of f64 with 1 dimensions");
    check("call f(a, x, y, a)", "an index is an integer");
    check("call f(n, x, x, a)", "'x' is given for 'p', which kernel 'f' writes, and for 'q'");
    CHECK_THAT(refusal("kernel f(p : inout f64[1]) { p[0] = 1.0 } kernel k(x : in f64[1]) { call f(x) }"),
               Catch::Contains("kernel 'f' writes its argument 'p', but 'x' cannot be written"));
}

TEST_CASE("A file that cannot be read") {
    CHECK_THROWS_WITH(parse_file("/no/such/file.heddle"), Catch::Contains("cannot read '/no/such/file.heddle': No such file"));
    CHECK_THROWS_WITH(parse_file("/tmp"), Catch::Contains("cannot read '/tmp': Is a directory"));
}
