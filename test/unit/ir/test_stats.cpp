#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "ir/error.h"
#include "ir/kernel.h"
#include "ir/parse.h"
#include "ir/stats.h"
#include "ir/tree.h"

using namespace heddle;

namespace {

Stats stats_of(const std::string& text) { return stats(parse(text).kernels.back().data()); }

std::string instances(const Stats& s, const char* label) {
    for (const InstanceCount& i : s.instances)
        if (i.statement == Name(label)) return i.count.str();
    return "none";
}

std::string operation(const Stats& s, DType type, const char* name, OperationKind kind = OperationKind::Arithmetic) {
    for (const OperationCount& op : s.operations)
        if (op.kind == kind && op.type == type && op.name == name) return op.count.str();
    return "none";
}

/// "load 1: m*n" for each entry of an array.
std::vector<std::string> accesses(const Stats& s, const char* array) {
    std::vector<std::string> out;
    for (const AccessCount& a : s.accesses)
        if (a.array == Name(array)) out.push_back((a.store ? "store " : "load ") + a.stride.str() + ": " + a.count.str());
    return out;
}

std::string touched(const Stats& s, const char* array) {
    for (const FootprintCount& f : s.footprints)
        if (f.array == Name(array)) return f.elements.str();
    return "none";
}

using Lines = std::vector<std::string>;

const char* gemm = R"(
kernel gemm(n, m, k : index; alpha, beta : f64; A : in f64[n, k], B : in f64[k, m], C : inout f64[n, m])
  where n, m, k >= 1
{
  for [i, j] : 0 <= i < n and 0 <= j < m {
    scale: C[i, j] = beta * C[i, j]
    for [l] : 0 <= l < k {
      update: C[i, j] += alpha * A[i, l] * B[l, j]
    }
  }
})";

}  // namespace

TEST_CASE("matrix multiplication") {
    const Stats s = stats_of(gemm);
    CHECK(instances(s, "scale") == "m*n");
    CHECK(instances(s, "update") == "k*m*n");
    CHECK(operation(s, DType::F64, "mul") == "m*n*(2*k + 1)");
    CHECK(operation(s, DType::F64, "add") == "k*m*n");
    CHECK(operation(s, DType::F64, "fma pair", OperationKind::FmaPair) == "k*m*n");
    CHECK(s.flops.str() == "m*n*(3*k + 1)");
    CHECK(accesses(s, "A") == Lines{"load 1: k*m*n"});
    CHECK(accesses(s, "B") == Lines{"load m: k*m*n"});
    CHECK(accesses(s, "C") == Lines{"load 0: k*m*n", "load 1: m*n", "store 0: k*m*n", "store 1: m*n"});
    CHECK(touched(s, "A") == "k*n");
    CHECK(touched(s, "C") == "m*n");
    CHECK(s.stored_bytes.str() == "8*m*n*(k + 1)");
    CHECK(s.flops.at({{"n", 3}, {"m", 5}, {"k", 7}}).value() == 330);
    CHECK(accesses(s, "alpha").empty());
}

TEST_CASE("a triangle of 12 has 78 points, a tiled one too") {
    const Stats s = stats_of(R"(
kernel tri(a : out f64[12, 12]) { for [i, j] : 0 <= j <= i < 12 { s: a[i, j] = 1.0 } })");
    CHECK(instances(s, "s") == "78");
    CHECK(touched(s, "a") == "78");
    const Stats tiled = stats_of(R"(
kernel tri(n : index; a : out f64[n, n]) where n >= 0 {
  for [io, jo, ii, ji] : 0 <= 32*jo + ji <= 32*io + ii < n and 0 <= ii < 32 and 0 <= ji < 32 {
    s: a[32*io + ii, 32*jo + ji] = 1.0 } })");
    CHECK(instances(tiled, "s") == "n*(n + 1)/2");
    CHECK(touched(tiled, "a") == "n*(n + 1)/2");
    CHECK(operation(tiled, DType::I64, "mul", OperationKind::Index) == "n*(n + 1)");
    CHECK(tiled.flops.str() == "0");
}

TEST_CASE("a stencil touches its halo once") {
    const Stats s = stats_of(R"(
kernel blur(n : index; x : in f32[n + 2], y : out f32[n]) where n >= 1 {
  for [i] : 0 <= i < n { s: y[i] = 0.25*x[i] + 0.5*x[i + 1] + 0.25*x[i + 2] } })");
    CHECK(touched(s, "x") == "n + 2");
    CHECK(accesses(s, "x") == Lines{"load 1: 3*n"});
    CHECK(s.touched_bytes.str() == "8*n + 8");
    CHECK(operation(s, DType::F32, "fma pair", OperationKind::FmaPair) == "2*n");
}

TEST_CASE("strides follow layouts, steps and directions") {
    const Stats s = stats_of(R"(
kernel strides(n, m : index; a : in f64[n, m] layout(1, 0), b : in f64[n, m] pad(0, 8), c : in f64[2*n*m], d : in f64[m, n, 3], g : in i32[m],
               y : out f64[n, m])
  where n, m >= 1
{
  for [i] : 0 <= i < n { for [-j] : 0 <= j < m {
    s: y[i, j] = a[i, j] + b[i, j] + b[j % n, i % m] + c[2*j] + d[j, i, 1] + a[i, g[j]] + c[5] } }
  for [k] : 0 <= k < m and k % 4 = 0 { t: y[0, k] = 0.0 }
})");
    CHECK(accesses(s, "a") == Lines{"load -n: m*n", "load unknown: m*n"});
    CHECK(accesses(s, "b") == Lines{"load -1: m*n", "load unknown: m*n"});
    CHECK(accesses(s, "c") == Lines{"load -2: m*n", "load 0: m*n"});
    CHECK(accesses(s, "d") == Lines{"load -3*n: m*n"});
    CHECK(accesses(s, "y") == Lines{"store -1: m*n", "store 4: floor((m + 3)/4)"});
}

TEST_CASE("scalar temporaries are registers, arrays are not") {
    const Stats s = stats_of(R"(
kernel dots(n : index; x : in f64[n, n], y : out f64[n], z : out f64) where n >= 1 {
  for [i] : 0 <= i < n {
    temp acc : f64
    start: acc = 0.0
    for [j] : 0 <= j < n { add: acc += x[i, j] }
    write: y[i] = acc
  }
  for [i] : 0 <= i < n { total: z += y[i] }
})");
    CHECK(accesses(s, "acc").empty());
    CHECK(touched(s, "acc") == "none");
    CHECK(accesses(s, "z") == Lines{"load 0: n", "store 0: n"});
    CHECK(touched(s, "z") == "1");
    CHECK(operation(s, DType::F64, "add") == "n*(n + 1)");
}

TEST_CASE("what depends on data is named") {
    const Stats s = stats_of(R"(
kernel spmv(m, nnz : index; rp : in i32[m + 1], ci : in i32[nnz], v : in f64[nnz], x : in f64[m], y : out f64[m]) where m >= 0 {
  for [i] : 0 <= i < m {
    let lo = rp[i]
    let hi = rp[i + 1]
    y[i] = 0.0
    for [p] : lo <= p < hi { row: y[i] += v[p] * x[ci[p]] }
  }
})");
    CHECK(instances(s, "row") == "sum over i of (hi - lo if hi >= lo + 1)");
    CHECK_FALSE(s.flops.at({{"m", 3}, {"nnz", 5}}));
    CHECK(touched(s, "x") == "at most m");
    CHECK(s.flops.str() == "2*(sum over i of (hi - lo if hi >= lo + 1))");
    CHECK(touched(s, "rp") == "m + 1 if m >= 1");
    REQUIRE_FALSE(s.notes.empty());
    CHECK(s.notes[0] == "how often 'row' runs depends on what is read at run time: lo, hi");
}

TEST_CASE("conditions: affine ones narrow, others give upper bounds") {
    const Stats s = stats_of(R"(
kernel some(n : index; x : in f64[n], y : out f64[n]) where n >= 4 {
  for [i] : 0 <= i < n { if i >= 2 { a: y[i] = sqrt(x[i]) } }
  for [i] : 0 <= i < n { if x[i] > 0.0 { b: y[i] = exp(x[i]) } }
  for [i] : 0 <= i < n { c: y[i] = i < 3 ? x[i] * x[i] : 1.0 }
})");
    CHECK(instances(s, "a") == "n - 2");
    CHECK(instances(s, "b") == "at most n");
    CHECK(operation(s, DType::F64, "sqrt", OperationKind::Call) == "n - 2");
    CHECK(operation(s, DType::F64, "exp", OperationKind::Call) == "at most n");
    CHECK(operation(s, DType::F64, "mul") == "3");
    CHECK(operation(s, DType::F64, "compare") == "n");
}

TEST_CASE("rules and equal expressions") {
    const Stats s = stats_of(R"(
kernel rules(n : index; x : in f64[n], y : out f64[n]) where n >= 1 {
  def d(i) = x[i] - 1.0
  for [i] : 0 <= i < n { s: y[i] = d(i) * d(i) + d(i) }
})");
    CHECK(operation(s, DType::F64, "sub") == "n");
    CHECK(operation(s, DType::F64, "mul") == "n");
    CHECK(accesses(s, "x") == Lines{"load 1: n"});
}

TEST_CASE("statements of called kernels count where they are called") {
    const Stats s = stats_of(R"(
kernel inner(n : index; x : in f64[n], y : out f64[n]) { for [i] : 0 <= i < n { w: y[i] = 2.0 * x[i] } }
kernel outer(m : index; a : in f64[2*m], b : out f64[2*m]) where m >= 1 {
  for [t] : 0 <= t < 3 { c: call inner(2*m, a, b) }
})");
    CHECK(instances(s, "c.w") == "6*m");
    CHECK(touched(s, "b") == "2*m");
    CHECK(accesses(s, "a") == Lines{"load 1: 6*m"});
    CHECK(operation(s, DType::F64, "mul") == "6*m");
}

TEST_CASE("tables show formulas, and numbers for given parameters") {
    const Stats s = stats_of(gemm);
    CHECK(s.str().find("  update  [i, j, l]  k*m*n\n") != std::string::npos);
    const Env values{{"n", 2}, {"m", 3}, {"k", 1000000000000}};
    CHECK(s.str(values).find("  update  [i, j, l]  6000000000000  k*m*n\n") != std::string::npos);
    try {
        s.str(Env{{"n", 2}, {"m", 3}});
        FAIL("no error");
    } catch (const Error& e) {
        CHECK(e.message() == "no value for the parameter 'k' of kernel 'gemm'");
    }
    CHECK_THROWS_AS(s.str(Env{{"n", 2}, {"m", 3}, {"k", 0}}), Error);
    const Stats open = stats_of("kernel fill(n : index; x : out f64[n]) { for [i] : 0 <= i < n { s: x[i] = 1.0 } }");
    CHECK(instances(open, "s") == "n");
    CHECK_THROWS_AS(open.str(Env{{"n", -1}}), Error);
}

TEST_CASE("footprints agree with marking elements") {
    std::mt19937 rng(23);
    const auto pick = [&](int low, int high) { return low + static_cast<int>(rng() % static_cast<unsigned>(high - low + 1)); };
    for (int round = 0; round < 15; ++round) {
        std::string text = "kernel k(n : index; a : out f64[100, 100], b : in f64[100]) where n >= 0 {\n";
        std::vector<std::array<int, 8>> subscripts;
        for (int s = 0; s < 2; ++s) {
            subscripts.push_back(
                {pick(0, 2), pick(-1, 1), pick(5, 9), pick(-1, 2), pick(-1, 2), pick(5, 9), pick(0, 3), pick(1, 3)});
            const auto& c = subscripts.back();
            text += "for [i, j] : 0 <= i < n and " + std::to_string(c[6]) + " <= " + std::to_string(c[7]) + "*j <= i { s" +
                    std::to_string(s) + ": a[" + std::to_string(c[0]) + "*i + " + std::to_string(c[1]) + "*j + " +
                    std::to_string(c[2]) + ", (" + std::to_string(c[3]) + "*i + " + std::to_string(c[4]) + "*j) // 2 + " +
                    std::to_string(c[5]) + "] = 1.0 }\n";
        }
        const Stats s = stats_of(text + "}");
        INFO(text);
        for (const int n : {0, 1, 4, 7}) {
            std::set<std::pair<int, int>> elements;
            for (const auto& c : subscripts)
                for (int i = 0; i < n; ++i)
                    for (int j = 0; c[7] * j <= i; ++j)
                        if (c[6] <= c[7] * j)
                            elements.emplace(c[0] * i + c[1] * j + c[2], (c[3] * i + c[4] * j + 20) / 2 - 10 + c[5]);
            INFO("n = " << n << ", formula " << s.footprints.at(0).elements.str());
            CHECK(static_cast<std::size_t>(s.footprints.at(0).elements.at({{"n", n}}).value()) == elements.size());
        }
    }
}
