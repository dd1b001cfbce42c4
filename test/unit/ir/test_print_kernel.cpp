// Whole kernels: what is printed is what was read, and reads as an equal kernel.
#include <catch2/catch.hpp>
#include <filesystem>

#include "ir/kernel.h"
#include "ir/kernel_data.h"
#include "ir/print.h"
#include "ir/tree.h"

using namespace heddle;

namespace {

/// The last kernel of a text that is in printed form already.
void stays(const char* text) {
    Unit unit = parse(text);
    CHECK(unit.kernels.back().str() == text);
    CHECK(parse(unit.kernels.back().str()).kernels.back() == unit.kernels.back());
}

/// The body of a kernel with these arguments that is in printed form already.
void body_stays(const std::string& body, const std::string& arguments = "x : in f64[n]; y : inout f64[n, m]; g : in i32[n]") {
    stays(("kernel k(n, m : index; " + arguments + ")\n{\n" + body + "}\n").c_str());
}

/// A kernel built by hand prints and reads back.
void survives(const KernelData& k) {
    INFO(print(k));
    CHECK(equal(parse(print(k)).kernels.back().data(), k));
}

KernelData copied(const char* text) { return parse(text).kernels.back().data(); }

std::shared_ptr<Statement> edit(KernelData& k, std::size_t s) {
    auto copy = std::make_shared<Statement>(*k.statements[s]);
    k.statements[s] = copy;
    return copy;
}

const char* simple =
    "kernel k(n : index; x : inout f64[n])\n{\n  for [i] : 0 <= i < n {\n    a: x[i] = 1.0\n    b: x[i] += 2.0\n  }\n}\n";

}  // namespace

TEST_CASE("Loops: nests share a line, tags and orders stay", "[print]") {
    body_stays("  for [i, -j] : 0 <= i < n and 0 <= j < m {\n    a: y[i, j] = 0.0\n  }\n");
    body_stays(
        "  for [i] parallel schedule(dynamic, 4) if(1000) : 0 <= i < n {\n    for [j] vector separate : 0 <= j < m {\n"
        "      a: y[i, j] = x[i]\n    }\n  }\n");
    body_stays(
        "  for [i] parallel schedule(static, 8) collapse(2) : 0 <= i < n {\n    for [j] : 0 <= j < m {\n"
        "      a: y[i, j] = x[i]\n    }\n  }\n");
    body_stays("  for [i] unroll : 0 <= i < 4 and i < n {\n    a: y[i, 0] = x[i]\n  }\n");
    body_stays("  for [i, j] : 0 <= i < n and 0 <= j <= i and j < m and (i + j) % 2 = 0 {\n    a: y[i, j] = 0.0\n  }\n");
    body_stays(
        "  for [io, ii] : 0 <= io < (n + 31) // 32 and 0 <= ii < 32 and 32*io + ii < n {\n"
        "    a {i = 32*io + ii}: y[32*io + ii, 0] = 0.0\n  }\n");
}

TEST_CASE("Lines say the bounds that the loops inside imply, and leave out what these make redundant", "[print]") {
    const char* tiled =
        "kernel k(n : index; x : out f64[n])\n{\n  for [io] : 0 = 0 {\n    for [ii] : 0 <= ii < 8 and 8*io + ii >= 0 and 8*io "
        "+ ii < n {\n"
        "      a: x[8*io + ii] = 0.0\n    }\n    for [k] : 0 <= k < 4 and 8*io + k >= 0 and 8*io + k < n {\n      b: x[8*io + "
        "k] = 1.0\n"
        "    }\n  }\n}\n";
    const char* printed =
        "kernel k(n : index; x : out f64[n])\n{\n  for [io] : 0 <= 8*io < n {\n    for [ii] : 0 <= ii < 8 and 8*io + ii < n {\n"
        "      a: x[8*io + ii] = 0.0\n    }\n    for [k] : 0 <= k < 4 and 8*io + k < n {\n      b: x[8*io + k] = 1.0\n    }\n  "
        "}\n}\n";
    CHECK(parse(tiled).kernel().str() == printed);
    stays(printed);
    CHECK(parse(tiled).kernel() == parse(printed).kernel());
    body_stays("  for [j, i] : 2 <= j <= 2*n and 1 <= i <= n and i < j and j <= i + n {\n    a: y[i, j] = 0.0\n  }\n");
}

TEST_CASE("What only some statements say stands in an if around them", "[print]") {
    body_stays(
        "  for [i] : 0 <= i < n {\n    a: y[i, 0] = 0.0\n    if i >= 2 {\n      b: y[i, 1] = 0.0\n      c: y[i, 2] = 0.0\n    "
        "}\n"
        "    for [j] : 0 <= j < m {\n      d: y[i, j] = 0.0\n    }\n  }\n");
    body_stays("  for [i] : i < n and (0 <= i < 3 or 7 <= i <= 8) {\n    a: y[i, 0] = 0.0\n  }\n");
    body_stays(
        "  for [i] : 0 <= i < n {\n    if x[i] > 0.0 {\n      a: y[i, 0] = 0.0\n    }\n    if i % 3 == 1 {\n      if not (x[i] "
        "> 0.0) {\n"
        "        b: y[i, 0] = 1.0\n      }\n    }\n  }\n");
    body_stays("  for [i] : 1 = 0 {\n    a: y[i, 0] = 0.0\n  }\n");
}

TEST_CASE("Lets, temporaries and data-dependent bounds", "[print]") {
    body_stays(
        "  for [i] : 0 <= i < n {\n    temp t : f64[3, n] layout(1, 0) pad(0, 8) in heap\n    lo: let lo = g[i]\n"
        "    half: let half : f32 = 0.5\n    for [p] : lo <= p < m {\n      a: t[0, p] = half*x[p]\n    }\n"
        "    {\n      temp q : f64\n      b: q = 1.0\n      c: y[i, 0] = q\n    }\n  }\n");
    body_stays(
        "  for [i] : 0 <= i < n {\n    let k2 : i64\n    c: y[i, 0] = 1.0\n    if i >= 4 {\n      a: k2 = i*2\n    }\n"
        "    for [j] : 0 <= j < k2 and j < m and i >= 4 {\n      b: y[i, j] = 0.0\n    }\n  }\n");
}

TEST_CASE("Values: types of literals, updates, tuples, flags", "[print]") {
    body_stays(
        "  for [i] : 0 <= i < n {\n    a [reassociate, atomic]: y[g[i], 0] += x[i]\n    b: y[i, 0] max= f64(i64(5)) + x[i]\n"
        "    c: y[i, 0] -= x[i]\n    d: y[i, 0] = f32(0.1)*x[i]\n    e: y[i, 0] = i // 2 + x[i]\n  }\n");
    stays(
        "operator both((a1, a2), (b1, b2)) = (max(a1, b1), a2 + b2) identity (-inf, 0) commutative\n\n"
        "kernel k(n : index; x : in f64[n]; o : out f64)\n{\n  temp t : f64\n  temp c : i64\n  a: (t, c) = (-inf, 0)\n"
        "  for [i] : 0 <= i < n {\n    b: (t, c) both= (x[i], 1)\n  }\n  d: (t, c) = (-inf, -1)\n  for [i] : 0 <= i < n {\n"
        "    e: (t, c) argmax= (x[i], i)\n  }\n  f: o = t\n}\n");
    body_stays(
        "  for [i] : 0 <= i < n {\n    a: z[i] = c64(1.0, 2.0)*2.0 + z[i]\n    b: u[i] = 18446744073709551615\n"
        "    c: t[i] or= u[i] > 3\n  }\n",
        "z : inout c64[n]; u : out u64[n]; t : inout bool[n]");
}

TEST_CASE("Tables are exact", "[print]") {
    body_stays(
        "  const w : f64[2, 2] = {{1.0, 0.1}, {-0.0, inf}}\n  const v : c64[2] = {c64(1.0, 0.1), c64(nan, 1e-45)}\n"
        "  const b : bool[3] = {true, false, true}\n  const u : u64[1] = {18446744073709551615}\n"
        "  const f : f32[2] = {0.1, 3.4028235e+38}\n  a: y[0, 0] = w[0, 1]\n");
}

TEST_CASE("Declarations: names that are words, rules, externs, views, layouts, assertions, calls", "[print]") {
    stays(
        "extern fn bessel(i32, f64) -> f64\n\n"
        "kernel inner(n : index; s : f64; a : inout f64[n])\n{\n  for [i] : 0 <= i < n {\n    scale: a[i] *= s\n  }\n}\n\n"
        "kernel `for`(n : index; `sum` : inout f64[n] layout(0) may alias; y : in f64[n, 2] strides(2, 1); g : in i32[n])\n"
        "  where n >= 1\n{\n  assert injective g\n  assert nonaliasing `sum`, y\n  def u(i, j) = y[i, j] + 2.0*y[i, j + 1]\n"
        "  view v : f64[2, n] = y\n  for [i] : 0 <= i < n {\n    `if`: `sum`[i] = u(i, 0)*bessel(2, v[0, i])\n  }\n"
        "  c: call inner(n=n, s=2.0, a=`sum`)\n}\n");
}

TEST_CASE("The examples print as equal kernels", "[print]") {
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(HEDDLE_SOURCE_DIR) + "/examples")) {
        if (entry.path().extension() != ".heddle") continue;
        ++files;
        for (const Kernel& k : parse_file(entry.path().string()).kernels) {
            INFO(k.str());
            Kernel again = parse(k.str()).kernel(k.name());
            CHECK(again == k);
            CHECK(again.str() == k.str());
        }
    }
    CHECK(files > 5);
}

TEST_CASE("Shapes that only steps make", "[print]") {
    KernelData k = copied(simple);
    Affine i = Affine::symbol("i"), n = Affine::symbol("n");
    SECTION("statements fused from loops with other bounds") {
        edit(k, 1)->domain = Domain{{{at_least(i, 2), less(i, 7)}}};
        survives(k);
        edit(k, 0)->domain = Domain{{{at_least(i, 0), less(i, 3)}, {at_least(i, n), less(i, n + 3)}}};
        survives(k);
    }
    SECTION("nothing to run") {
        edit(k, 1)->domain = Domain::nothing();
        survives(k);
    }
    SECTION("floors") {
        edit(k, 0)->domain.pieces[0].push_back(at_least(Affine::floor_div(i + 3 * n, 4), Affine::floor_div(i, 3)));
        survives(k);
    }
    SECTION("blocks, empty loops, unused temporaries") {
        k.root = make_block({make_block({make_block(k.root->children)})});
        survives(k);
    }
    SECTION("literals with types of their own") {
        edit(k, 0)->values[0] =
            make(Op::Cast, DType::F64, {make(Op::Mul, DType::I32, {int_literal(3, DType::I32), int_literal(4, DType::I32)})});
        survives(k);
        edit(k, 0)->values[0] = make(Op::Neg, DType::F64, {float_literal(0.1, DType::F64)});
        survives(k);
    }
}

TEST_CASE("Kernels that differ are not equal", "[print]") {
    KernelData k = copied(simple);
    auto differs = [&](auto change) {
        KernelData other = copied(simple);
        change(other);
        return !equal(k, other) && !equal(other, k);
    };
    Affine i = Affine::symbol("i"), n = Affine::symbol("n");
    CHECK(differs([](KernelData& o) { o.name = "other"; }));
    CHECK(differs([](KernelData& o) { o.arrays[0].type = DType::F32; }));
    CHECK(differs([](KernelData& o) { o.arrays[0].layout.padding = {1}; }));
    CHECK(differs([](KernelData& o) { edit(o, 0)->label = "c"; }));
    CHECK(differs([](KernelData& o) { edit(o, 0)->reassociate = true; }));
    CHECK(differs([](KernelData& o) { edit(o, 0)->values[0] = float_literal(1.5, DType::F64); }));
    CHECK(differs([&](KernelData& o) { edit(o, 0)->domain.pieces[0].push_back(at_least(i, 1)); }));
    CHECK(differs([](KernelData& o) {
        o.root = make_block({o.root->children[0]->children[0], o.root->children[0]->children[1]});
    }));
    CHECK(differs([](KernelData& o) {
        Node loop = *o.root->children[0];
        loop.tag.kind = LoopTag::Kind::Parallel;
        o.root = make_block({make_loop(loop, loop.children)});
    }));
    CHECK_FALSE(differs([&](KernelData& o) { edit(o, 0)->domain.pieces[0].push_back(at_least(i, -5)); }));
    CHECK_FALSE(differs([&](KernelData& o) {
        edit(o, 0)->domain = Domain{{{at_least(i, 0), less(i, n), less(i, 7)}, {at_least(i, 7), less(i, n)}}};
    }));
    CHECK_FALSE(differs([](KernelData& o) { o.root = make_block({make_block(o.root->children)}); }));
}

TEST_CASE("Ten thousand statements, a sum of a hundred thousand terms", "[print]") {
    std::string text = "kernel k(n : index; x : inout f64[n])\n{\n";
    for (int s = 0; s < 10000; ++s) text += "  for [i] : 0 <= i < n {\n    s" + std::to_string(s) + ": x[i] = 2.0*x[i]\n  }\n";
    stays((text + "}\n").c_str());
    std::string sum = "kernel k(n : index; x : inout f64[n])\n{\n  for [i] : 0 <= i < n {\n    a: x[i] = x[i]";
    for (int t = 0; t < 100000; ++t) sum += " + x[i]";
    stays((sum + "\n  }\n}\n").c_str());
}
