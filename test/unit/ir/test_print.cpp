#include <catch2/catch.hpp>

#include "ir/print.h"

using namespace heddle;

namespace {
Expr v(const char* name) { return variable(name); }
Expr op(Op o, Expr a, Expr b) { return make(o, DType::Untyped, {a, b}); }
Affine s(const char* name, std::int64_t k = 1) { return Affine::symbol(name, k); }
}  // namespace

TEST_CASE("Expressions have the fewest parentheses that keep the tree", "[print]") {
    Expr a = v("a"), b = v("b"), c = v("c");
    CHECK(print(op(Op::Add, op(Op::Add, a, b), c)) == "a + b + c");
    CHECK(print(op(Op::Add, a, op(Op::Add, b, c))) == "a + (b + c)");
    CHECK(print(op(Op::Mul, op(Op::Add, a, b), c)) == "(a + b)*c");
    CHECK(print(op(Op::Sub, a, op(Op::Mul, b, c))) == "a - b*c");
    CHECK(print(op(Op::And, op(Op::Lt, a, b), op(Op::Or, b, c))) == "a < b and (b or c)");
    CHECK(print(op(Op::Eq, op(Op::Lt, a, b), c)) == "(a < b) == c");
    CHECK(print(make(Op::Neg, DType::Untyped, {op(Op::Mul, a, b)})) == "-(a*b)");
    CHECK(print(op(Op::Mul, make(Op::Neg, DType::Untyped, {a}), b)) == "-a*b");
    CHECK(print(make(Op::Neg, DType::Untyped, {make(Op::Neg, DType::Untyped, {a})})) == "-(-a)");
    CHECK(print(make(Op::Not, DType::Untyped, {op(Op::Lt, a, b)})) == "not (a < b)");
    CHECK(print(op(Op::Eq, make(Op::Not, DType::Untyped, {a}), b)) == "(not a) == b");
    Expr choice = make(Op::Select, DType::Untyped, {a, b, c});
    CHECK(print(make(Op::Select, DType::Untyped, {choice, choice, choice})) == "(a ? b : c) ? a ? b : c : a ? b : c");
    CHECK(print(op(Op::Shl, a, op(Op::Add, b, c))) == "a << b + c");
    CHECK(print(op(Op::BitAnd, op(Op::Eq, a, b), c)) == "a == b & c");
}

TEST_CASE("Literals are exact", "[print]") {
    CHECK(print(int_literal(-5)) == "-5");
    CHECK(print(make(Op::Neg, DType::Untyped, {int_literal(5)})) == "-(5)");
    CHECK(print(op(Op::Sub, v("a"), int_literal(-5))) == "a - -5");
    CHECK(print(int_literal(-1, DType::U64)) == "18446744073709551615");
    CHECK(print(int_literal(INT64_MIN)) == "-9223372036854775808");
    CHECK(print(float_literal(1)) == "1.0");
    CHECK(print(float_literal(0.1)) == "0.1");
    CHECK(print(float_literal(double(0.1f), DType::F32)) == "0.1");
    CHECK(print(float_literal(-0.0)) == "-0.0");
    CHECK(print(float_literal(5e-324)) == "5e-324");
    CHECK(print(float_literal(1e300)) == "1e+300");
    CHECK(print(float_literal(INFINITY)) == "inf");
    CHECK(print(float_literal(NAN)) == "nan");
    CHECK(print(bool_literal(true)) == "true");
}

TEST_CASE("Elements, calls and names that are words", "[print]") {
    CHECK(print(read("A", {v("i"), op(Op::Add, v("j"), int_literal(1))})) == "A[i, j + 1]");
    CHECK(print(read("sum", {v("i")})) == "`sum`[i]");
    CHECK(print(make(Op::Call, DType::F64, {v("x")}, "sqrt")) == "sqrt(x)");
    CHECK(print(make(Op::Cast, DType::F32, {v("x")})) == "f32(x)");
    CHECK(print(make(Op::Complex, DType::C64, {v("x"), v("y")})) == "c64(x, y)");
    CHECK(print(op(Op::Max, v("x"), v("y"))) == "max(x, y)");
}

TEST_CASE("Quasi-affine forms", "[print]") {
    Affine i = s("i"), j = s("j"), n = s("n");
    CHECK(print(n - i - 1) == "n - i - 1");
    CHECK(print(-i - j) == "-i - j");
    CHECK(print(Affine(10) - 2 * i) == "10 - 2*i");
    CHECK(print(Affine(0)) == "0");
    CHECK(print(32 * s("io") + s("ii")) == "32*io + ii");
    CHECK(print(Affine::floor_div(i + 1, 4)) == "(i + 1) // 4");
    CHECK(print(i - 3 * Affine::floor_div(i + j, 2)) == "i - 3*((i + j) // 2)");
    CHECK(print(i - 4 * Affine::floor_div(i, 4)) == "i % 4");
    CHECK(print(n + 2 * (i + j - 3 * Affine::floor_div(i + j, 3))) == "2*((i + j) % 3) + n");
}

TEST_CASE("Sets are written in chains", "[print]") {
    Affine i = s("i"), j = s("j"), n = s("n"), m = s("m");
    CHECK(print(Domain{{{at_least(i, 0), less(i, n), at_least(j, 0), less(j, m)}}}) == "0 <= i < n and 0 <= j < m");
    CHECK(print(Domain{{{at_least(j, 0), at_least(i, j), less(i, n)}}}) == "0 <= j <= i and i < n");
    CHECK(print(Domain{{{at_least(i, 1), at_least(n - 2, i)}}}) == "1 <= i <= n - 2");
    CHECK(print(Domain{{{at_least(i, 0), less(i, 32)}}}) == "0 <= i < 32");
    CHECK(print(Domain{{{at_least(n, 1)}}}) == "n >= 1");
    CHECK(print(Domain{{{at_least(n, 1), at_least(1000, n)}}}) == "1 <= n <= 1000");
    CHECK(print(Domain{{{less(32 * i + j, n)}}}) == "32*i + j < n");
    CHECK(print(Domain{{{equal(i, 2 * j)}}}) == "i = 2*j");
    CHECK(print(domain_of(equal(i + j - 2 * Affine::floor_div(i + j, 2), 1))) == "(i + j) % 2 = 1");
    CHECK(print(Domain::nothing()) == "1 = 0");
    CHECK(print(Domain::everything()) == "0 = 0");
    CHECK(print(Domain{{{at_least(i, 0), less(i, 5)}, {at_least(i, 0), at_least(i, n), less(i, m)}}}) ==
          "i >= 0 and (i <= 4 or n <= i < m)");
}

TEST_CASE("Long chains cost no stack", "[print]") {
    Expr sum = v("x");
    for (int k = 0; k < 100000; ++k) sum = op(Op::Add, sum, v("x"));
    CHECK(print(sum).size() == 100001 + 3 * 100000);
    Expr deep = v("x");
    for (int k = 0; k < 100000; ++k) deep = op(Op::Add, v("x"), deep);
    CHECK(print(deep).size() == 100001 + 3 * 100000 + 2 * 99999);
}
