// The reader: what kernels become.
#include <filesystem>

#include "parse_help.h"

using namespace heddle;
using namespace heddle::test;

TEST_CASE("The head: parameters, arguments and their order") {
    const auto k =
        read_kernel("kernel k(n, m : index; a : f64, A : in f64[n, 2*m], B, C : inout i32[n]; s : out f32) where n, m >= 1 {}");
    CHECK(k->name == Name("k"));
    CHECK(k->argument_order == std::vector<Name>{"n", "m", "a", "A", "B", "C", "s"});
    REQUIRE(k->arrays.size() == 5);
    CHECK(k->find_array("a")->by_value());
    CHECK(k->find_array("A")->role == Role::In);
    CHECK(k->find_array("A")->shape[1].same(parse_expression(*k, "2*m")));
    CHECK(k->find_array("C")->role == Role::InOut);
    CHECK((k->find_array("s")->role == Role::Out && k->find_array("s")->type == DType::F32));
    CHECK(poly::is_equal(k->assumptions, poly::read("n >= 1 and m >= 1", {"n", "m"})));
    CHECK(k->statements.empty());
}

TEST_CASE("Layouts, spaces and aliasing of arguments and temporaries") {
    const auto k =
        read_kernel(R"(kernel k(n : index; A : in f64[n, n] layout(1, 0) pad(0, 8) may alias, B : out f64[n, 2] separate(1),
        C : in f64[n, n] strides(1, n)) { temp t : f64[n] pad(4) in heap
        B[0, 0] = 1.0 })");
    CHECK(k->find_array("A")->layout.order == std::vector<int>{1, 0});
    CHECK(k->find_array("A")->layout.padding == std::vector<std::int64_t>{0, 8});
    CHECK(k->find_array("A")->may_alias);
    CHECK(k->find_array("B")->layout.separate_axis == 1);
    CHECK(k->find_array("C")->layout.strides[1].same(variable("n")));
    CHECK(k->find_array("t")->space == AddressSpace::Heap);
    CHECK(k->find_array("t")->layout.padding == std::vector<std::int64_t>{4});
}

TEST_CASE("Loops nest in the order of their names; domains gather") {
    const auto k = read_body("for [i, -j] : 0 <= i < n and 0 <= j < i { for [l] : l = i + j { S: x[i] = 1.0 } T: x[j] = 2.0 }");
    CHECK(shape_of(*k) == "{ for i { for -j { for l { S } T } } }");
    CHECK(has_domain(*k, "S", "0 <= i < n and 0 <= j < i and l = i + j", {"i", "j", "l", "n"}));
    CHECK(has_domain(*k, "T", "0 <= i < n and 0 <= j < i", {"i", "j", "n"}));
}

TEST_CASE("Tags of loops") {
    const auto k = read_body(R"(for [i] parallel schedule(dynamic, 4) collapse(2) if(1000) : 0 <= i < n {
        for [j] separate : 0 <= j < m { for [l] vector : 0 <= l < 8 { x[i] = 1.0 } } })");
    const Node& i = *k->root->children[0];
    CHECK(i.tag == LoopTag{LoopTag::Kind::Parallel, true, 4, 2, 1000});
    const Node& j = *i.children[0];
    CHECK((j.separate && j.tag == LoopTag{}));
    CHECK(j.children[0]->tag.kind == LoopTag::Kind::Vector);
}

TEST_CASE("A loop without a formula is bounded by what stands in it") {
    const auto k = read_body("for [i] { if 0 <= i < n { x[i] = 1.0 } }");
    CHECK(has_domain(*k, "S0", "0 <= i < n", {"i", "n"}));
}

TEST_CASE("Labels, flags, origins, and labels that are made") {
    const auto k = read_body(
        "for [io, ii] : 0 <= io < n and 0 <= ii < 4 { u [reassociate, atomic] {i = 4*io + ii}: x[4*io + ii] += 1.0\n"
        "x[io] = 2.0; x[ii] = 3.0\n let t = a\n let S3 = t }");
    CHECK(shape_of(*k) == "{ for io { for ii [t S3] { u S0 S1 t S3 } } }");
    const Statement& u = statement(*k, "u");
    CHECK((u.reassociate && u.atomic && u.update == Update::Add));
    REQUIRE(u.origin.size() == 1);
    CHECK(u.origin[0].first == Name("i"));
    CHECK(u.origin[0].second.same(parse_expression(*k, "4*io + ii")));
}

TEST_CASE("Operators have C's precedence, comparisons chain") {
    const auto k = read_body(
        "for [i] : 0 <= i < n { S: x[i] = -x[i] * 2.0 + (x[i] - 1.0) / a; T: x[i] = 0 <= c < 4 or not b[i] and c != 2 ? 1.0 : "
        "2.0\n"
        "U: y[i] = (c & 3) == 1 << 2 ? x[i] : a > 1.0 ? 2.0 : 3.0 }");
    CHECK(has_value(*k, "S", "((-x[i]) * 2.0) + ((x[i] - 1.0) / a)"));
    CHECK(has_value(*k, "T", "((0 <= c and c < 4) or ((not (b[i])) and (c != 2))) ? 1.0 : 2.0"));
    CHECK(statement(*k, "U").values[0].arg(2).op() == Op::Select);
}

TEST_CASE("Updates, and updates that read what they update") {
    const auto k = read_body(R"(for [i] : 1 <= i < n {
        P: x[i] += 1.0; Q: x[i] *= a; R: x[i] min= a; V: x[i] max= y[i]; M: x[i] -= y[i]
        W: x[i] += x[i - 1]; Z: x[i] -= x[i] * a; N: x[i] min= x[i - 1] })");
    CHECK(statement(*k, "P").update == Update::Add);
    CHECK(statement(*k, "Q").update == Update::Mul);
    CHECK(statement(*k, "R").update == Update::Min);
    CHECK(statement(*k, "V").update == Update::Max);
    CHECK(statement(*k, "M").update == Update::Add);
    CHECK(has_value(*k, "M", "-y[i]"));
    CHECK(statement(*k, "W").update == Update::Assign);
    CHECK(has_value(*k, "W", "x[i] + x[i - 1]"));
    CHECK(has_value(*k, "Z", "x[i] - x[i] * a"));
    CHECK(has_value(*k, "N", "min(x[i], x[i - 1])"));
}

TEST_CASE("An update reads its array through rules, views and subscripts too") {
    const auto k = read_kernel(R"(kernel k(n : index; x : inout f64[n], h : inout i64[n]) {
        def r(i) = x[i] * 2.0
        view v : f64[n] = x
        for [i] : 1 <= i < n { A: x[i] += r(i - 1); B: x[i] += v[i - 1]; C: h[h[i]] += 1; D: x[h[i]] += 1.0 } })");
    for (const char* label : {"A", "B", "C"}) CHECK(statement(*k, label).update == Update::Assign);
    CHECK(statement(*k, "D").update == Update::Add);
}

TEST_CASE("let: type of its value or its own, in the block where it stands, bounds of later loops") {
    const auto k = read_body(
        "for [i] : 0 <= i + 1 < n { let lo = g[i]\n let hi : i64 = g[i + 1]\n for [p] : lo <= p < hi { S: x[i] += f[p] } }");
    CHECK(shape_of(*k) == "{ for i [lo hi] { lo hi for p { S } } }");
    CHECK((k->find_array("lo")->is_let && k->find_array("lo")->type == DType::I32));
    CHECK(k->find_array("hi")->type == DType::I64);
    CHECK(has_domain(*k, "S", "0 <= i + 1 < n and lo <= p < hi", {"i", "n", "lo", "hi", "p"}));
}

TEST_CASE("A name may be used again in another block; the kernel tells them apart") {
    const auto k = read_body(
        "for [i] : 0 <= i < n { let t = x[i]; y[i] = t }\nfor [j] : 0 <= j < n { let t = y[j]; U: x[j] = t }\n{ let j = a; "
        "x[0] = j }");
    CHECK(shape_of(*k) == "{ for i [t] { t S0 } for j [t_1] { t_1 U } [j_1] { j_1 S1 } }");
    CHECK(has_value(*k, "U", "t_1"));
}

TEST_CASE("let without a value is written once below") {
    const auto k = read_body("{ let s : f32\n if n > 3 { S: s = f[0] }\n x[0] = s }");
    CHECK(k->find_array("s")->is_let);
    refuses("{ let s : f32\n s = 1.0\n s = 2.0 }", "'s' is a 'let', which is written once: it cannot be written");
}

TEST_CASE("Temporaries, tables and views") {
    const auto k = read_kernel(R"(kernel k(n : index; x : inout f64[n]) {
        const w : f32[2, 2] = {{1.0/4, -0.0}, {inf, nan}}
        const u : u8[3] = {0, 255, 2*3 - 1}
        const z : c64[1] = {c64(1.0, -2.0)}
        view v : f64[1, n] = x
        for [i] : 0 <= i < n { temp s, t : f64[3]
          s[0] = v[0, i]; x[i] = s[0] } })");
    const auto* w = reinterpret_cast<const float*>(k->find_array("w")->table->bytes.data());
    CHECK((w[0] == 0.25f && w[1] == 0.0f && std::signbit(w[1]) && w[2] == INFINITY && std::isnan(w[3])));
    const auto& u = k->find_array("u")->table->bytes;
    CHECK(u == std::vector<std::byte>{std::byte(0), std::byte(255), std::byte(5)});
    CHECK(k->find_array("z")->table->bytes.size() == 8);
    CHECK((k->find_array("v")->view_of == Name("x") && k->find_array("v")->role == Role::InOut));
    CHECK(shape_of(*k) == "{ for i [s t] { S0 S1 } }");
}

TEST_CASE("Blocks of their own keep their temporaries; empty ones go with them") {
    const auto k = read_body("{ temp t : f64\n t = 1.0 } { temp u : f64\n } for [i] : 0 <= i < n { }");
    CHECK(shape_of(*k) == "{ [t] { S0 } }");
    CHECK(k->find_array("u") == nullptr);
}

TEST_CASE("Names of the language in backticks, words of C as they are") {
    const auto k = read_kernel(
        "kernel `for`(`sum`, int : index; out : out f64[int], in : in f64[`sum`], double : f64) { out[0] = in[0] + double }");
    CHECK(k->name == Name("for"));
    CHECK(k->is_parameter("sum"));
    CHECK(has_value(*k, "S0", "in[0] + double"));
}

TEST_CASE("Several kernels: calls of earlier and later ones, by position and by name") {
    const Unit u = parse(R"(kernel outer(n : index; x : inout f64[n], s : f64) { first: call scale(n, x, 2.0*s)
          call scale(by = s, a = x, n = n) }
        kernel scale(n : index; a : inout f64[n], by : f64) { for [i] : 0 <= i < n { a[i] = a[i] * by } })");
    REQUIRE(u.kernels.size() == 2);
    const KernelData& outer = u.kernel("outer").data();
    const KernelCall& call = *statement(outer, "first").call;
    CHECK(call.callee->name == Name("scale"));
    REQUIRE(call.bindings.size() == 3);
    CHECK((call.bindings[1].first == Name("a") && call.bindings[1].second.name() == Name("x")));
    CHECK(statement(outer, "S0").call->bindings[2].second.same(parse_expression(outer, "s")));
}

TEST_CASE("Rules, externs, operators and assertions") {
    const Unit u = parse(R"(extern fn bessel(i32, f64) -> f64
        extern fn unused(f64) -> f64
        operator worse(p, q) = p < q ? p : q identity inf commutative
        kernel k(n : index; x : inout f64[n], g, h : in i64[n]) { assert injective g
          assert nonaliasing g, h
          def twice(v) = later[0] + bessel(2, v)
          temp later : f64[1]
          later[0] = 1.0
          x[0] = twice(x[1]) + worse[i : 0 <= i < n](x[i]) })");
    const KernelData& k = u.kernel().data();
    REQUIRE(k.externs.size() == 1);
    CHECK(k.externs[0].name == Name("bessel"));
    REQUIRE(k.operators.size() == 1);
    CHECK((k.operators[0].commutative && k.operators[0].left == std::vector<Name>{"p"}));
    CHECK(k.rules.at(0).parameters == std::vector<Name>{"v"});
    CHECK((k.assertions.size() == 2 && k.assertions[1].arrays == std::vector<Name>{"g", "h"}));
}

TEST_CASE("Schedules are kept as lines with their places") {
    const Unit u = parse(
        "kernel k(n : index) {}\nschedule fast for k {\n  split i by 32 into io, ii   # twice\n\n  affine (t, i) -> (t, i + "
        "2*t) @\n}\n"
        "schedule plain { parallel i }\n");
    const ScheduleText& s = u.schedule("fast");
    REQUIRE(s.lines.size() == 2);
    CHECK(s.lines[0].text == "split i by 32 into io, ii");
    CHECK(s.lines[0].loc.str() == "<text>:3:3");
    CHECK(s.lines[1].text == "affine (t, i) -> (t, i + 2*t) @");
    CHECK(u.schedule("plain", "k").lines.at(0).loc.str() == "<text>:7:18");
    CHECK_THROWS_WITH(u.schedule("slow"), Catch::Contains("there is no schedule 'slow'"));
    CHECK_THROWS_WITH(u.schedule(""), Catch::Contains("several schedules"));
}

TEST_CASE("Kernels of a file by name") {
    const Unit u = parse("kernel a() {} kernel b() {}");
    CHECK(u.kernel("b").data().name == Name("b"));
    CHECK_THROWS_WITH(u.kernel(), Catch::Contains("several kernels"));
    CHECK_THROWS_WITH(u.kernel("c"), Catch::Contains("there is no kernel 'c'"));
    CHECK_THROWS_WITH(parse("").kernel(), Catch::Contains("no kernel"));
}

TEST_CASE("Every example file is read") {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(HEDDLE_SOURCE_DIR "/examples")) {
        if (entry.path().extension() != ".heddle") continue;
        INFO(entry.path());
        CHECK(!parse_file(entry.path()).kernels.empty());
        ++count;
    }
    CHECK(count >= 12);
}
