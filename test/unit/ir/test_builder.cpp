#include <catch2/catch.hpp>

#include "ir/builder.h"
#include "ir/error.h"
#include "ir/kernel.h"

using namespace heddle;
using namespace heddle::build;

namespace {

/// The kernel that a text gives.
Kernel text(const char* source) { return parse(source).kernel(); }

template <class F>
std::string refusal(F f) {
    try {
        f();
    } catch (const Error& e) {
        CHECK(e.loc().str().find("test_builder.cpp") != std::string::npos);
        return e.message();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("The builder makes the kernel that the text gives", "[builder]") {
    KernelBuilder k("gemm");
    auto n = k.index("n"), m = k.index("m"), l = k.index("l");
    auto alpha = k.value<double>("alpha"), beta = k.value<double>("beta");
    auto A = k.in<double>("A", {n, l}), B = k.in<double>("B", {l, m}), C = k.inout<double>("C", {n, m});
    k.assume(n >= 1 && m >= 1);
    k.loop({range("i", 0, n), range("j", 0, m)}, [&](Index i, Index j) {
        k.label("scale");
        C(i, j) = beta * C(i, j);
        k.loop("p", 0, l, [&](Index p) {
            k.label("update");
            C(i, j) += alpha * A(i, p) * B(p, j);
        });
    });
    CHECK(k.build() == text(R"(
        kernel gemm(n, m, l : index; alpha, beta : f64; A : in f64[n, l], B : in f64[l, m], C : inout f64[n, m])
          where n >= 1 and m >= 1
        {
          for [i, j] : 0 <= i < n and 0 <= j < m {
            scale: C[i, j] = beta * C[i, j]
            for [p] : 0 <= p < l { update: C[i, j] += alpha * A[i, p] * B[p, j] }
          }
        })"));
}

TEST_CASE("Reductions in formulas", "[builder]") {
    KernelBuilder k("norms");
    auto n = k.index("n"), m = k.index("m");
    auto x = k.in<float>("x", {n, m});
    auto y = k.out<float>("y", {n});
    auto z = k.out<float>("z");
    auto at = k.out<std::int64_t>("at", {n});
    k.loop("i", 0, n, [&](Index i) {
        k.label("dot");
        y(i) = sqrt(k.sum("j", 0, m, [&](Index j) { return x(i, j) * x(i, j); }));
        auto best = k.argmax(range("j", 0, m), [&](Index j) { return x(i, j); });
        at(i) = best.at[0];
    });
    z = k.largest({range("i", 0, n), range("j", 0, m)}, [&](Index i, Index j) { return abs(x(i, j)); });
    CHECK(k.build().str() == R"(kernel norms(n, m : index; x : in f32[n, m]; y : out f32[n]; z : out f32; at : out i64[n])
{
  temp value_max : f32
  for [i] : 0 <= i < n {
    temp dot_sum : f32
    temp value_argmax : f32
    temp value_argmax_1 : i64
    dot_sum_init: dot_sum = 0.0
    for [j] : 0 <= j < m {
      dot_sum: dot_sum += x[i, j]*x[i, j]
    }
    dot: y[i] = sqrt(dot_sum)
    value_argmax_init: (value_argmax, value_argmax_1) = (-inf, -1)
    for [j] : 0 <= j < m {
      value_argmax: (value_argmax, value_argmax_1) argmax= (x[i, j], j)
    }
    j_at: let j_at = value_argmax_1
    S0: at[i] = j_at
  }
  value_max_init: value_max = -inf
  for [i, j] : 0 <= i < n and 0 <= j < m {
    value_max: value_max max= abs(x[i, j])
  }
  S1: z = value_max
}
)");
}

TEST_CASE("Conditions narrow where they are about indices and are decided at run time where they are not", "[builder]") {
    KernelBuilder k("clip");
    auto n = k.index("n");
    auto x = k.inout<double>("x", {n});
    k.loop("i", 0, n, [&](Index i) {
        k.when(
            i % 2 == 0 && x(i) > 1.0, [&] { x(i) = 1.0; }, [&] { x(i) = 0.0; });
        k.when(
            i >= 2, [&] { x(i) = x(i) / 2; }, [&] { x(i) *= 2; });
    });
    CHECK(k.build() == text(R"(
        kernel clip(n : index; x : inout f64[n])
        {
          for [i] : 0 <= i < n {
            if i % 2 == 0 and x[i] > 1.0 { x[i] = 1.0 } else { x[i] = 0.0 }
            if i >= 2 { x[i] = x[i] / 2 } else { x[i] *= 2 }
          }
        })"));
}

TEST_CASE("Data bounds loops through a let", "[builder]") {
    KernelBuilder k("spmv");
    auto rows = k.index("rows"), cols = k.index("cols"), nnz = k.index("nnz");
    auto rp = k.in<std::int32_t>("rp", {rows + 1}), ci = k.in<std::int32_t>("ci", {nnz});
    auto v = k.in<double>("v", {nnz}), x = k.in<double>("x", {cols}), y = k.out<double>("y", {rows});
    k.loop(range("r", 0, rows).dynamic_chunks(16), [&](Index r) {
        auto lo = k.let_index("lo", rp(r)), hi = k.let_index("hi", rp(r + 1));
        k.label("dot");
        y(r) = k.sum("p", lo, hi, [&](Index p) { return v(p) * x(ci(p)); });
    });
    CHECK(k.build() == text(R"(
        kernel spmv(rows, cols, nnz : index; rp : in i32[rows + 1], ci : in i32[nnz], v : in f64[nnz], x : in f64[cols],
                    y : out f64[rows])
        {
          for [r] parallel schedule(dynamic, 16) : 0 <= r < rows {
            let lo = rp[r]
            let hi = rp[r + 1]
            dot: y[r] = sum[p : lo <= p < hi](v[p] * x[ci[p]])
          }
        })"));
}

TEST_CASE("Messages name the C++ line", "[builder]") {
    KernelBuilder k("k");
    auto n = k.index("n");
    auto x = k.in<double>("x", {n});
    auto f = k.out<float>("f", {n});
    auto i32 = k.in<std::int32_t>("g", {n});
    CHECK(refusal([&] { k.index("n"); }) == "'n' is already in use");
    CHECK(refusal([&] { f(0) = x(0); }) == "f is f32, but the value is f64: part of it would be lost");
    CHECK(refusal([&] { f(0, 1) = 1; }) == "f has 1 dimension, but 2 subscripts are given");
    CHECK(refusal([&] { k.loop("i", 0, i32(0), [&](Index i) { f(i) = 0; }); }) ==
          "the bounds of loop 'i' must be quasi-affine in loops, sizes and integer lets, but 'g' is data");
    CHECK(refusal([&] { k.loop("i", 0, n, [&](Index i) { k.loop("i", 0, i, [&](Index j) { f(j) = 0; }); }); }) ==
          "a loop cannot be called 'i' here: the name is in use");
    CHECK(refusal([&] { k.loop("x", 0, n, [&](Index i) { f(i) = 0; }); }) ==
          "a loop cannot be called 'x' here: the name is in use");
    CHECK(refusal([&] { k.when(x(0), [&] { f(0) = 1; }); }) == "a condition is bool, but this is f64");
    CHECK(refusal([&] { k.let_index("lo", x(0)); }) == "'lo' is f64; an index is an integer");
    CHECK(refusal([&] { f(0) = i32(0) / 2; }) == "'/' is real division, but both sides are integers");
    CHECK(refusal([&] { range("i", 0, n).step(0); }) == "the step of loop 'i' is 0; it must be positive");
    CHECK(refusal([&] { k.table<double>("w", {2, 2}, {1, 2, 3}); }) == "the shape of table 'w' has 4 entries, but 3 are given");
}
