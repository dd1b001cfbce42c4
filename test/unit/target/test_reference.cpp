// Emitted C against the interpreter, bit by bit.
#include <fmt/format.h>

#include <sstream>

#include "test/unit/target/compiled.h"

using namespace heddle;
using namespace heddle::test;

TEST_CASE("loops of every shape run what the interpreter runs") {
    check_equal_runs(
        R"(kernel shapes(n, m : index; a : inout f64[n, m], b : inout i32[n])
      where m >= 1
    {
      for [io, jo, ii, jj] : 0 <= ii, jj < 4 and 0 <= 4*io + ii < n and 0 <= 4*jo + jj < m { a[4*io + ii, 4*jo + jj] += 1.5 }
      for [i, j] : 0 <= i < n and 0 <= j < m and j <= 2*i + 1 { a[i, j] *= 0.5 }
      for [-i] : 0 <= i < n and i mod 3 = 1 { b[i] += b[n - 1 - i] }
      for [i] : 0 <= i < n and (i < 2 or i > n - 3) { b[i] = 7 }
      for [i] : 0 <= 2*i < n { b[2*i] += 1 }
      for [i] : 0 <= i < n {
        if i >= 3 { b[i] += 100 }
        if b[i] > 20 and i < m { a[i, 0] = 2.0 } else { b[i] -= 1 }
      }
    })",
        {{{"n", 0}, {"m", 1}}, {{"n", 1}, {"m", 1}}, {{"n", 7}, {"m", 9}}, {{"n", 8}, {"m", 8}}, {{"n", 13}, {"m", 5}}});
}

TEST_CASE("floor, modulo and ceiling of negative values") {
    check_equal_runs(R"(kernel divisions(q, r, c : out i64[15], s : in i32[15], t : inout i32[15], z : in i32[15])
    {
      for [i] : -7 <= i <= 7 {
        q[i + 7] = i // 3
        r[i + 7] = i % 3
        c[i + 7] = (i + 2) // 3
        t[i + 7] = (s[i + 7] - 11) // (z[i + 7] - 3) + (s[i + 7] - 11) % (z[i + 7] - 4)
      }
    })",
                     {{}});
}

TEST_CASE("integers wrap in their own width") {
    check_equal_runs(R"(kernel wraps(a : inout u8[40], b : inout i32[40], c : inout i64[40], d : out i8[40], e : out u32[40])
    {
      for [i] : 0 <= i < 40 {
        a[i] = a[i] * a[39 - i] + a[i]
        b[i] = (b[i] + 2147483647) * 65537 - b[i] * b[i]
        c[i] = c[i] * 4611686018427387905 + 9223372036854775807
        d[i] = i8(b[i]) - i8(100)
        e[i] = u32(b[i]) * u32(65537)
      }
    })",
                     {{}});
}

TEST_CASE("minima, maxima, casts, selections and functions") {
    check_equal_runs(R"(kernel values(n : index; x : in f64[n], f : in f32[n], y : out f64[n], g : out f32[n], k : out i32[n],
                               b : out bool[n])
    {
      for [i] : 0 <= i < n {
        y[i] = max(x[i], nan) + (i > 0 ? x[i - 1] : 0.0)
        y[i] = min(x[i], -0.0) * floor(x[i]) + abs(x[i])
        g[i] = f[i] * 2.0 + max(f[i], inf) + sqrt(abs(f[i]))
        k[i] = i32(x[i] * 1e9) + i32(nan)
        b[i] = x[i] > 0.0 and not (f[i] < 1.0) or i == 2
      }
    })",
                     {{{"n", 0}}, {{"n", 17}}});
}

TEST_CASE("reductions, lets and argmax") {
    check_equal_runs(R"(kernel reductions(n, m : index; a : in f64[n, m], s : out f64[n], w : out i64[n, 2], p : out f64)
    {
      p = 1.0
      for [i] : 0 <= i < n {
        s[i] = sum[j : 0 <= j < m](a[i, j]) + max[j : 0 <= j < m](a[i, j])
        let (v, at) = argmax[j : 0 <= j < m](a[i, j])
        w[i, 0] = at
        w[i, 1] = at >= 0 ? 1 : 0
        p *= s[i]
      }
    })",
                     {{{"n", 3}, {"m", 0}}, {{"n", 5}, {"m", 7}}});
}

TEST_CASE("temporaries, tables and views") {
    check_equal_runs(R"(kernel storage(n : index; x : in f64[n], y : out f64[n], v : in f64[2*n])
    {
      view B : f64[2, n] = v
      const w : f64[2, 3] = {{0.5, 0.25, 2.0}, {1.0, -1.0, 0.125}}
      temp t : f64[n + 1]
      for [i] : 0 <= i < n { t[i + 1] = x[i] }
      for [i] : 0 <= i < n {
        temp u : f64[2, 3]
        for [a, b] : 0 <= a < 2 and 0 <= b < 3 { u[a, b] = w[a, b] * t[i + 1] }
        y[i] = u[1, 2] + u[0, 1]
        y[i] += u[0, 0] + B[1, i]
      }
    })",
                     {{{"n", 0}}, {{"n", 6}}});
}

TEST_CASE("a tile of a triangle apart from its rim") {
    check_equal_runs(R"(kernel apart(n, k : index; A : in f64[n, k], C : inout f64[n, n])
    {
      for [io] : 0 <= 4*io < n { for [jo] : 0 <= 4*jo < n { for [l] : 0 <= l < k {
        for [ii] separate : 0 <= ii < 4 and 4*io + ii < n {
          for [jj] : 0 <= jj < 4 and 4*jo + jj <= 4*io + ii { C[4*io + ii, 4*jo + jj] += A[4*io + ii, l] * A[4*jo + jj, l] }
        } } } }
    })",
                     {{{"n", 3}, {"k", 2}}, {{"n", 8}, {"k", 3}}, {{"n", 13}, {"k", 1}}});
}

TEST_CASE("unrolled loops keep the order of additions") {
    check_equal_runs(R"(kernel unrolled(n : index; a : in f64[n, 4], y : inout f64[n])
    {
      for [io] : 0 <= 4*io < n { for [ii] unroll : 0 <= ii < 4 and 4*io + ii < n { for [j] unroll : 0 <= j < 4 {
        if j <= ii { y[4*io + ii] += a[4*io + ii, j] * (1.0 + j) }
      } } }
    })",
                     {{{"n", 0}}, {{"n", 4}}, {{"n", 9}}});
}

TEST_CASE("parallel loops with integer reductions and atomics") {
    check_equal_runs(R"(kernel together(n : index; g : in u8[n], c : in i64[n], u : inout i64[256], s : out i64, low : out i64)
    {
      s = 0
      low = 1000
      for [i] parallel : 0 <= i < n {
        scatter: u[g[i]] += c[i]
        total: s += c[i] * c[i]
        least: low min= c[i]
      }
    })",
                     {{{"n", 0}}, {{"n", 1000}}});
}

TEST_CASE("elements that all iterations update are accumulated") {
    check_equal_runs(
        R"(kernel acc(n, k : index; A : in i64[n, k], C : inout i64[n], h : inout i32[4], x : in i32[n], lo : inout f64[n],
                               y : in f64[n, k])
    {
      for [i] : 0 <= i < n { for [l] vector : 0 <= l < k { up: C[i] += A[i, l] * 3 } }
      for [i] parallel : 0 <= i < n {
        for [l] vector : 0 <= l < k { mi [reassociate]: lo[i] min= y[i, l] }
        hs: h[2] += x[i]
        for [l] vector : 0 <= l < 8 { hh: h[3] += x[i] * i32(l) }
      }
      for [l] parallel : 0 <= l < k { edge: h[1] += 1 }
    })",
        {{{"n", 0}, {"k", 0}}, {{"n", 5}, {"k", 0}}, {{"n", 50}, {"k", 9}}});
}

/// The pragmas of the kernel's C, in order, with the loops' variables.
std::string pragmas_and_loops(const std::string& text) {
    std::istringstream lines(emit_c_single(*lower(parse(text).kernel())));
    std::string out;
    for (std::string line; std::getline(lines, line);) {
        const std::size_t pragma = line.find("HEDDLE_OMP("), loop = line.find("for (int64_t ");
        if (pragma != std::string::npos && line.find("#define") == std::string::npos) out += line.substr(pragma + 10) + " ";
        if (loop != std::string::npos) out += line.substr(loop + 13, 1) + " ";
    }
    return out;
}

TEST_CASE("lanes of a vector hold no threads and take no locks") {
    const char* threads = R"(kernel k(n : index; a : inout f64[n, 9]) {
      for [i] vector : 0 <= i < n { for [j] parallel : 0 <= j < 9 { a[i, j] *= 0.5 } }
    })";
    CHECK(pragmas_and_loops(threads) == "(simd) i j ");
    check_equal_runs(threads, {{{"n", 0}}, {{"n", 11}}});
    const char* locks = R"(operator both((a, b), (c, d)) = (max(a, c), min(b, d)) identity (-inf, inf) commutative
    kernel k(n : index; x : in f64[n, 8, n], lo, s, z : inout f64[8], u : inout i64[8])
    {
      for [p] parallel : 0 <= p < n {
        for [a] vector : 0 <= a < 8 { for [k] parallel : 0 <= k < n { lo[a] min= x[p, a, k] } }
        for [b] vector : 0 <= b < 8 { S [reassociate]: (s[b], z[b]) both= (x[p, b, 0], x[p, b, n - 1]) }
        for [c] vector : 0 <= c < 8 { for [k] : 0 <= k < n { lo[c] min= x[p, c, k] } }
        for [d] vector : 0 <= d < 8 { u[d] += d }
      }
    })";
    CHECK(pragmas_and_loops(locks) ==
          "(parallel for) p a k (critical(heddle_update)) b (critical(heddle_update)) c k "
          "(critical(heddle_update)) (simd) d (atomic) ");
    check_equal_runs(locks, {{{"n", 0}}, {{"n", 40}}});
}

TEST_CASE("unrolled loops with values that leave nothing inside") {
    check_equal_runs(R"(kernel gaps(n, m : index; a : inout f64[9, 9]) where 1 <= n <= 9 and 1 <= m <= 9
    {
      for [i] unroll : 0 <= i < 9 { for [j] unroll : 0 <= j < n and j mod 3 = 1 {
        for [k] : 0 <= k < 5 and ((k < m and i <= 2) or (i >= 5 and i < m)) { S: a[i, j] *= f64(k) + 0.5 }
        for [k] : 5 <= k < m and (i <= 2 or (i >= 5 and i < m)) { T: a[i, j] *= f64(k) + 0.25 }
      } }
    })",
                     {{{"n", 1}, {"m", 1}}, {{"n", 9}, {"m", 9}}, {{"n", 6}, {"m", 7}}});
}

TEST_CASE("a kernel calls another, with a temporary of a size that only the call knows") {
    const char* text = R"(kernel smooth(n : index; a : inout f64[n]) {
      temp old : f64[n]
      for [i] : 0 <= i < n { old[i] = a[i] }
      for [i] : 1 <= i < n - 1 { a[i] = 0.25 * (old[i - 1] + 2.0 * old[i] + old[i + 1]) }
    }
    kernel twice(m : index; x : inout f64[m], y : inout f64[m + 2]) {
      for [t] : 0 <= t < 3 { call smooth(m, x) }
      call smooth(n=m + 2, a=y)
    })";
    const Unit unit = parse(text);
    const Kernel kernel = unit.kernel("twice");
    const Compiled compiled(kernel);
    INFO(compiled.text());
    Arguments expected = filled_arguments(kernel, {{"m", 9}}), found = expected;
    interpret(kernel, expected);
    REQUIRE(compiled.run(found) == 0);
    for (const char* name : {"x", "y"}) CHECK(expected.arrays.at(name).bytes == found.arrays.at(name).bytes);
}

TEST_CASE("long integer sums wrap like short ones") {
    std::string sum = "a[i]", narrow = "b[i]";
    for (int k = 1; k < 300; ++k) {
        sum += fmt::format(" {} a[(i + {}) % 7] * {}", k % 3 ? "+" : "-", k, 1000000007LL * k);
        narrow += fmt::format(" + b[(i + {}) % 7] * (b[i] - {})", k, k % 100);
    }
    check_equal_runs(
        "kernel long_sum(a : inout i64[7], b : inout u8[7], c : out i64[7], d : out u8[7]) { for [i] : 0 <= i < 7 { c[i] = " +
            sum + "\n d[i] = " + narrow + " } }",
        {{}});
}
