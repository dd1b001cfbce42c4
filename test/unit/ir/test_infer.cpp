#include <catch2/catch.hpp>

#include "ir/error.h"
#include "ir/infer.h"

using namespace heddle;

namespace {

Array array(const char* name, DType type, std::size_t rank = 0, bool is_let = false) {
    Array a;
    a.name = name;
    a.type = type;
    a.is_let = is_let;
    a.role = is_let ? Role::Temp : Role::In;
    a.shape.assign(rank, variable("n"));
    return a;
}

KernelData sample() {
    KernelData k;
    k.name = "k";
    k.parameters = {{"n", {}}};
    k.arrays = {array("x", DType::F32, 1),        array("y", DType::F64, 1), array("a", DType::I32, 1),
                array("b", DType::U8, 1),         array("z", DType::C64, 1), array("m", DType::Bool, 1),
                array("s", DType::F32),           array("w", DType::I64, 1), array("lo", DType::I32, 0, true),
                array("big", DType::I64, 0, true)};
    k.externs = {{"bessel", {DType::I32, DType::F64}, DType::F64, {}}};
    return k;
}

Expr at(const char* name) { return read(name, {variable("i")}); }
Expr lit(int v) { return int_literal(v); }
Expr lit(double v) { return float_literal(v); }
Expr op(Op o, Expr a, Expr b) { return make(o, DType::Untyped, {a, b}); }
Expr call(const char* f, std::vector<Expr> args) { return make(Op::Call, DType::Untyped, std::move(args), f); }
Expr cast(DType t, Expr a) { return make(Op::Cast, t, {a}); }

DType type(const Expr& e, DType wanted = DType::Untyped) { return infer(sample(), e, wanted).type(); }

std::string refusal(const Expr& e) {
    try {
        infer(sample(), e);
    } catch (const Error& error) {
        return error.message();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("Operands meet in the wider type of one kind", "[infer]") {
    CHECK(type(op(Op::Add, at("x"), at("y"))) == DType::F64);
    CHECK(type(op(Op::Mul, at("a"), at("x"))) == DType::F32);
    CHECK(type(op(Op::Add, at("a"), at("b"))) == DType::I32);
    CHECK(type(op(Op::Add, at("b"), at("b"))) == DType::U8);
    CHECK(type(op(Op::Add, at("z"), at("y"))) == DType::C128);
    CHECK(type(op(Op::Lt, at("x"), at("a"))) == DType::Bool);
    CHECK(type(op(Op::Eq, at("z"), at("y"))) == DType::Bool);
    CHECK(type(make(Op::Select, DType::Untyped, {at("m"), at("x"), at("y")})) == DType::F64);
}

TEST_CASE("A literal takes the type of what it meets", "[infer]") {
    Expr e = infer(sample(), op(Op::Mul, lit(2.0), at("x")));
    CHECK(e.type() == DType::F32);
    CHECK(e.arg(0).type() == DType::F32);
    CHECK(infer(sample(), op(Op::Mul, lit(2), at("x"))).arg(0).op() == Op::Float);
    CHECK(infer(sample(), op(Op::Add, op(Op::Add, lit(1), lit(2)), at("a"))).arg(0).arg(1).type() == DType::I32);
    CHECK(infer(sample(), op(Op::Mul, lit(2), at("z"))).arg(0).type() == DType::F32);
    CHECK(infer(sample(), op(Op::Lt, at("b"), lit(200))).arg(1).type() == DType::U8);
    CHECK(type(lit(1)) == DType::I64);
    CHECK(type(lit(1.5)) == DType::F64);
    CHECK(type(lit(1), DType::F32) == DType::F32);
    CHECK(type(lit(1.5), DType::C64) == DType::F32);
    CHECK(type(op(Op::Mul, lit(1.5), at("a"))) == DType::F64);
}

TEST_CASE("A cast of a literal is a literal of that type, rounded", "[infer]") {
    Expr e = infer(sample(), cast(DType::F32, lit(0.1)));
    CHECK(e.op() == Op::Float);
    CHECK(e.type() == DType::F32);
    CHECK(e.real() == double(0.1f));
    CHECK(infer(sample(), cast(DType::I32, lit(2.5))).op() == Op::Cast);
    CHECK(infer(sample(), cast(DType::I32, at("x"))).op() == Op::Cast);
}

TEST_CASE("Inferring twice changes nothing", "[infer]") {
    for (const Expr& e : {op(Op::Mul, lit(2), at("x")), cast(DType::F32, lit(0.1)), call("sqrt", {lit(2)}),
                          read("x", {op(Op::Add, read("lo", {}), lit(1))}), op(Op::Add, variable("lo"), at("a"))}) {
        Expr once = infer(sample(), e);
        CHECK(infer(sample(), once).same(once));
    }
}

TEST_CASE("Functions", "[infer]") {
    CHECK(type(call("sqrt", {at("x")})) == DType::F32);
    CHECK(type(call("sqrt", {at("a")})) == DType::F64);
    CHECK(type(call("sqrt", {at("z")})) == DType::C64);
    CHECK(type(call("abs", {at("z")})) == DType::F32);
    CHECK(type(call("pow", {at("x"), lit(2)})) == DType::F32);
    CHECK(type(call("isnan", {at("x")})) == DType::Bool);
    CHECK(type(call("bessel", {lit(2), at("x")})) == DType::F64);
    CHECK(infer(sample(), call("bessel", {lit(2), at("x")})).arg(0).type() == DType::I32);
    CHECK(refusal(call("sin", {at("z")})) == "sin needs real numbers, but got c64");
    CHECK(refusal(call("sqrt", {at("m")})) == "sqrt needs numbers, but got bool");
    CHECK(refusal(call("sqrt", {})) == "sqrt takes 1 argument, but 0 are given");
    CHECK(refusal(call("sqrtt", {at("x")})) == "there is no function sqrtt");
    CHECK(refusal(call("bessel", {at("x"), at("x")})) == "argument 1 of bessel is f32, but i32 is wanted");
    for (const BuiltIn& f : builtins()) CHECK(find_builtin(f.name) == &f);
    CHECK(find_builtin("zzz") == nullptr);
}

TEST_CASE("Subscripts are 64 bits wide and integers", "[infer]") {
    Expr e = infer(sample(), read("x", {op(Op::Add, at("a"), lit(1))}));
    CHECK(e.arg(0).type() == DType::I64);
    CHECK(e.arg(0).arg(0).type() == DType::I32);
    CHECK(infer(sample(), read("x", {read("lo", {})})).arg(0).op() == Op::Var);
    CHECK(infer(sample(), variable("lo")).op() == Op::Cast);
    CHECK(infer(sample(), variable("big")).op() == Op::Read);
    CHECK(infer(sample(), read("lo", {})).type() == DType::I32);
    CHECK(refusal(read("x", {at("y")})) == "subscript 1 of x is f64; subscripts are integers");
    CHECK(refusal(read("x", {lit(1.5)})) == "subscript 1 of x is a literal with a fraction; subscripts are integers");
    CHECK(refusal(read("x", {lit(1), lit(2)})) == "x has 1 dimension, but 2 subscripts are given");
}

TEST_CASE("Division says which it is", "[infer]") {
    CHECK(type(op(Op::Div, at("x"), lit(2))) == DType::F32);
    CHECK(type(op(Op::FloorDiv, at("a"), lit(2))) == DType::I32);
    CHECK(infer(sample(), call("floor", {op(Op::Div, at("a"), lit(2))})).op() == Op::FloorDiv);
    CHECK(infer(sample(), call("ceil", {op(Op::Div, at("a"), lit(2))})).op() == Op::Neg);
    CHECK(infer(sample(), call("floor", {op(Op::Div, at("x"), lit(2))})).op() == Op::Call);
    CHECK(refusal(op(Op::Div, at("a"), lit(2))) == "'/' is real division, but both sides are integers");
    CHECK(refusal(op(Op::Add, at("x"), op(Op::Div, lit(1), lit(2)))) == "'/' is real division, but both sides are integers");
    CHECK(refusal(op(Op::FloorDiv, at("x"), lit(2))) == "'//' needs integers, but got f32");
}

TEST_CASE("Truth values and numbers do not mix", "[infer]") {
    CHECK(refusal(op(Op::Add, at("m"), at("x"))) == "'+' needs numbers, but got bool");
    CHECK(refusal(op(Op::And, at("m"), at("a"))) == "'and' needs a condition, but got i32");
    CHECK(refusal(op(Op::Lt, at("z"), at("x"))) == "'<' needs real numbers, but got c64");
    CHECK(refusal(op(Op::Eq, at("m"), lit(1))) == "'==' needs numbers, but got bool");
    CHECK(refusal(make(Op::Select, DType::Untyped, {at("m"), at("m"), at("x")})) == "'? :' joins bool and f32");
    CHECK(refusal(op(Op::Add, at("b"), lit(300))) == "300 does not fit u8");
    CHECK(refusal(read("nobody", {})) == "there is no array or value nobody");
}

TEST_CASE("A use of a rule is typed as if it were expanded", "[infer]") {
    KernelData k = sample();
    k.rules = {{"twice", {"v"}, op(Op::Mul, variable("v"), lit(2)), {}},
               {"four",
                {"v"},
                make(Op::Rule, DType::Untyped, {make(Op::Rule, DType::Untyped, {variable("v")}, "twice")}, "twice"),
                {}},
               {"self", {"v"}, make(Op::Rule, DType::Untyped, {variable("v")}, "self"), {}}};
    auto use = [](const char* name, Expr a) { return make(Op::Rule, DType::Untyped, {a}, name); };
    CHECK(infer(k, use("four", at("x"))).type() == DType::F32);
    CHECK(infer(k, use("four", at("a"))).type() == DType::I32);
    CHECK(infer(k, op(Op::Add, use("four", lit(1)), at("x"))).arg(0).type() == DType::F32);
    CHECK_THROWS_WITH(infer(k, use("self", lit(1))), "rule self uses itself");
    CHECK_THROWS_WITH(infer(k, use("none", lit(1))), "there is no rule none");
    CHECK_THROWS_WITH(infer(k, make(Op::Rule, DType::Untyped, {}, "twice")), "rule twice takes 1 arguments, but 0 are given");
}

TEST_CASE("Depth costs no stack: long chains, and rules nested a thousand deep", "[infer]") {
    KernelData k = sample();
    Expr sum = at("x");
    for (int n = 0; n < 100000; ++n) sum = op(Op::Add, sum, lit(1));
    CHECK(infer(k, sum).type() == DType::F32);
    k.rules.push_back({"r0", {"v"}, op(Op::Add, variable("v"), lit(1)), {}});
    for (int n = 1; n <= 1000; ++n) {
        Name before("r" + std::to_string(n - 1)), name("r" + std::to_string(n));
        Expr inner = make(Op::Rule, DType::Untyped, {variable("v")}, before);
        k.rules.push_back({name, {"v"}, op(Op::Mul, inner, inner), {}});
    }
    CHECK(infer(k, make(Op::Rule, DType::Untyped, {at("x")}, "r1000")).type() == DType::F32);
}

TEST_CASE("Statements: values fit their places or are refused", "[infer]") {
    KernelData k = sample();
    Statement s;
    s.places = {{"y", {variable("i")}}};
    s.values = {at("x")};
    CHECK(infer(k, s).values[0].type() == DType::F32);
    s.values = {lit(1)};
    CHECK(infer(k, s).values[0].type() == DType::F64);
    s.places = {{"a", {variable("i")}}};
    s.values = {at("x")};
    CHECK_THROWS_WITH(infer(k, s), "a is i32, but the value is f32: part of it would be lost");
    s.values = {variable("i")};
    CHECK_THROWS_WITH(infer(k, s), "a is i32, but the value is i64: part of it would be lost");
    s.values = {at("a")};
    s.update = Update::And;
    CHECK_THROWS_WITH(infer(k, s), "'and=' has no meaning on a, which is i32");
    s.update = Update::Assign;
    s.predicates = {at("a")};
    CHECK_THROWS_WITH(infer(k, s), "a condition is bool, but this is i32");
}

TEST_CASE("Start values of reductions", "[infer]") {
    CHECK(identity_of(Update::Max, DType::I8).integer() == -128);
    CHECK(identity_of(Update::Min, DType::I8).integer() == 127);
    CHECK(identity_of(Update::Min, DType::U32).integer() == 4294967295);
    CHECK(identity_of(Update::Max, DType::I64).integer() == INT64_MIN);
    CHECK(identity_of(Update::Min, DType::U64).integer() == -1);
    CHECK(identity_of(Update::Max, DType::F32).real() == -INFINITY);
    CHECK(identity_of(Update::Mul, DType::C64).type() == DType::F32);
    CHECK(identity_of(Update::Or, DType::Bool).integer() == 0);
    CHECK_THROWS_WITH(identity_of(Update::Min, DType::C64), "min and max have no start value for c64");
}
