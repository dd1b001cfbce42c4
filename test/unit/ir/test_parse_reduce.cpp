// Reductions, argmax, operators on tuples and conditions: what the reader makes of them.
#include "parse_help.h"

using namespace heddle;
using namespace heddle::test;

TEST_CASE("A reduction in an expression: a temporary, its start, an update under the loops") {
    const auto k = read_body("for [i] : 0 <= i < n { dot: x[i] = a * sum[j : 0 <= j < m](A[i, j]) }");
    CHECK(shape_of(*k) == "{ for i [dot_sum] { dot_sum_init for j { dot_sum } dot } }");
    CHECK(statement(*k, "dot_sum").update == Update::Add);
    CHECK(has_domain(*k, "dot_sum", "0 <= i < n and 0 <= j < m", {"i", "j", "n", "m"}));
    CHECK(has_value(*k, "dot_sum_init", "0.0"));
    CHECK(has_value(*k, "dot", "a * dot_sum"));
    CHECK(k->find_array("dot_sum")->type == DType::F64);
}

TEST_CASE("Statements are numbered in the order of the tree") {
    const auto k = read_body("x[0] = sum[i : 0 <= i < n](x[i] * max[j : 0 <= j < m](A[i, j]))");
    CHECK(shape_of(*k) == "[S0_sum] { S0_sum_init for i [S0_max] { S0_max_init for j { S0_max } S0_sum } S0 }");
    for (std::size_t s = 0; s + 1 < k->statements.size(); ++s) CHECK(k->statements[s]->label != k->statements[s + 1]->label);
    CHECK(k->statements[0]->label == Name("S0_sum_init"));
    CHECK(k->statements.back()->label == Name("S0"));
}

TEST_CASE("Each kind of reduction has its start") {
    const auto k = read_body(R"(let p = product[i : 0 <= i < n](x[i])
        let lo = min[i : 0 <= i < n](x[i])
        let some = any[i : 0 <= i < n](x[i] > 0.0)
        let each = all[i : 0 <= i < n](b[i])
        let small = max[i : 0 <= i < n](f[i]))");
    CHECK(has_value(*k, "p_init", "1.0"));
    CHECK(has_value(*k, "lo_init", "inf"));
    CHECK(has_value(*k, "some_init", "false"));
    CHECK(has_value(*k, "each_init", "true"));
    CHECK(statement(*k, "some").update == Update::Or);
    CHECK(statement(*k, "each").update == Update::And);
    CHECK(k->find_array("small")->type == DType::F32);
}

TEST_CASE("A let of a reduction is its variable; an integer one can bound loops") {
    const auto k = read_body(
        "let s = sum[i : 0 <= i < n](x[i])\n let t = sum[i : 0 <= i < n](b[i] ? 1 : 0)\n for [j] : 0 <= j < t { y[j] = s }");
    CHECK(shape_of(*k) == "[s t_sum t] { s_init for i { s } t_sum_init for i { t_sum } t for j { S0 } }");
    CHECK(!k->find_array("s")->is_let);
    CHECK((k->find_array("t")->is_let && k->find_array("t")->type == DType::I64));
    CHECK(has_domain(*k, "S0", "0 <= j < t", {"j", "t"}));
}

TEST_CASE("A let whose value goes on behind a reduction is a let") {
    const auto k = read_body("let s = sum[i : 0 <= i < n](x[i])\n  + 1.0\n y[0] = s");
    CHECK(has_value(*k, "s", "s_sum + 1.0"));
    CHECK(k->find_array("s")->is_let);
}

TEST_CASE("if in a reduction: formulas narrow, data is a predicate of the update") {
    const auto k = read_body("x[0] = sum[i : 0 <= i < n if i != 3 and b[i]](y[i])");
    CHECK(has_domain(*k, "S0_sum", "0 <= i < n and i != 3", {"i", "n"}));
    REQUIRE(statement(*k, "S0_sum").predicates.size() == 1);
    CHECK(statement(*k, "S0_sum").predicates[0].same(parse_expression(*k, "b[i]")));
    CHECK(statement(*k, "S0_sum_init").predicates.empty());
}

TEST_CASE("argmax gives the value and the indices; a let that shares a loop's name is renamed") {
    const auto k = read_body("let (v, p, j) = argmax[i, j : 0 <= i < n and 0 <= j < m](A[i, j])\n x[p] = v + f64(j)");
    const Statement& u = statement(*k, "v");
    CHECK(u.update == Update::ArgMax);
    CHECK((u.places.size() == 3 && u.values[1].same(variable("i")) && u.values[2].same(variable("j"))));
    CHECK(statement(*k, "v_init").values[1].integer() == -1);
    CHECK(has_value(*k, "v_init", "-inf"));
    CHECK(k->find_array("j_1")->is_let);
    CHECK(has_value(*k, "S0", "v + f64(j_1)"));
}

TEST_CASE("argmax over loops that may visit -1 keeps twice the first index") {
    const auto k = read_body("let (v, p, j) = argmax[i, j : -2 <= i < n and -1 <= j < m](A[i, j])\n x[p] = v + f64(j)");
    CHECK(statement(*k, "v").values[1].same(parse_expression(*k, "2*i")));
    CHECK(statement(*k, "v").values[2].same(variable("j")));
    const auto never = read_body("for [i] : 0 <= i < n { let (v, p) = argmax[j : i <= j < m](A[i, j])\n x[p] = v }");
    CHECK(statement(*never, "v").values[1].same(variable("j")));
}

TEST_CASE("An operator on tuples: parts typed by what they get, start at the identity") {
    const auto k =
        read_kernel(R"(operator online((m1, z1), (m2, z2)) = (max(m1, m2), z1*exp(m1 - max(m1, m2)) + z2*exp(m2 - max(m1, m2)))
          identity (-inf, 0.0)
        kernel k(n : index; s : in f32[n], o : out f32[2]) { let (m, z) = online[j : 0 <= j < n](s[j], 1.0)
          o[0] = m; o[1] = z
          (o[0], o[1]) = online[j : 0 <= j < n](s[j], 1.0)
          (o[0], o[1]) online= (s[0], 1.0) })");
    CHECK(statement(*k, "m").update == Update::Custom);
    CHECK(statement(*k, "m").op == Name("online"));
    CHECK((k->find_array("m")->type == DType::F32 && k->find_array("z")->type == DType::F32));
    CHECK(has_value(*k, "m_init", "f32(-inf)"));
    CHECK(statement(*k, "S2").places.size() == 2);
    CHECK(statement(*k, "S3").update == Update::Custom);
}

TEST_CASE("if and else of a formula narrow the domain") {
    const auto k = read_body(
        "for [i] : 0 <= i < n { if 2 <= i < 5 { T: x[i] = 1.0 } else if i mod 2 = 0 { U: x[i] = 2.0 } else { V: x[i] = 3.0 } "
        "}");
    CHECK(has_domain(*k, "T", "0 <= i < n and 2 <= i < 5", {"i", "n"}));
    CHECK(has_domain(*k, "U", "0 <= i < n and (i < 2 or i >= 5) and i mod 2 = 0", {"i", "n"}));
    CHECK(has_domain(*k, "V", "0 <= i < n and (i < 2 or i >= 5) and i mod 2 = 1", {"i", "n"}));
    CHECK(statement(*k, "V").predicates.empty());
}

TEST_CASE("A condition on data is a predicate") {
    const auto k = read_body("for [i] : 0 <= i < n { if x[i] > a { T: y[i] = 1.0 } else { U: y[i] = 2.0 } }");
    CHECK(statement(*k, "T").predicates.at(0).same(parse_expression(*k, "x[i] > a")));
    CHECK(statement(*k, "U").predicates.at(0).same(parse_expression(*k, "not (x[i] > a)")));
    CHECK(shape_of(*k) == "{ for i { T U } }");
}

TEST_CASE("A condition that a branch changes is kept in a bool let in front") {
    const auto k =
        read_body("for [i] : 0 <= i < n { if x[i] > a { T: x[i] = 0.0 } else if y[i] > a { U: y[i] = 2.0; V: y[i] = 3.0 } }");
    CHECK(shape_of(*k) == "{ for i [condition condition_1] { condition_1 T condition U V } }");
    CHECK(has_value(*k, "condition_1", "x[i] > a"));
    CHECK(statement(*k, "T").predicates.at(0).same(parse_expression(*k, "condition_1")));
    REQUIRE(statement(*k, "U").predicates.size() == 2);
    CHECK(statement(*k, "U").predicates[0].same(parse_expression(*k, "not condition_1")));
    CHECK(statement(*k, "U").predicates[1].same(parse_expression(*k, "condition")));
    CHECK(statement(*k, "condition").predicates.size() == 1);
}

TEST_CASE("A condition on one statement alone is tested right before it, also where the statement changes it") {
    const auto k = read_body("for [i] : 0 <= i < n { if i > 0 and x[i] > a { if x[i - 1] > a { T: x[i] = 0.0 } } }");
    CHECK(shape_of(*k) == "{ for i { T } }");
    REQUIRE(statement(*k, "T").predicates.size() == 2);
    CHECK(statement(*k, "T").predicates[0].same(parse_expression(*k, "x[i] > a")));
    const auto two = read_body("for [i] : 0 <= i < n { if x[i] > a { for [j] : 0 <= j < n { T: x[j] = 0.0 } } }");
    CHECK(shape_of(*two) == "{ for i [condition] { condition for j { T } } }");
}

TEST_CASE("A mixed condition: the formula narrows, the rest is tested") {
    const auto k = read_body("for [i] : 0 <= i < n { if i > 0 and x[i - 1] > a { T: y[i] = 1.0 } }");
    CHECK(has_domain(*k, "T", "0 < i < n", {"i", "n"}));
    CHECK(statement(*k, "T").predicates.at(0).same(parse_expression(*k, "x[i - 1] > a")));
}

TEST_CASE("Refused reductions") {
    refuses("x[0] = argmax[i : 0 <= i < n](x[i])", "'argmax' gives 2 values here, where one is wanted");
    refuses("x[0] = sum[i : 0 <= i < n](x[i], 1.0)", "'sum' takes 1 value, not 2");
    refuses("x[0] = sum[i](x[i])", "expected ':' and the formula of the reduction");
    refuses("x[0] = sum[i : 0 <= i](x[i])", "loop 'i' has no upper bound");
    refuses("x[0] = sum[i : 0 <= i < g[0]](x[i])", "the formula of the reduction must be quasi-affine");
    refuses("for [i] : 0 <= i < n { x[i] = sum[i : 0 <= i < m](1.0) }", "'i' is already a loop");
    refuses("let v = any[i : 0 <= i < n](x[i])", "'any' takes conditions, but this is f64");
    refuses("let v = sum[i : 0 <= i < n](b[i])", "'sum' takes numbers, but this is bool");
    refuses("let (v, i) = sum[j : 0 <= j < n](x[j])", "gives 1 values, but 2 names stand here");
    refuses("let (v, i) = 3", "expected a reduction on tuples");
    refuses("def r(i) = sum[j : 0 <= j < n](x[j])", "a reduction by 'sum' cannot stand here");
    refuses("let s = sum[i : 0 <= i < n](x[i])\n s = 1.0", "'s' is a 'let'");
}
