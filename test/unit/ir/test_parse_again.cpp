// What was read prints as text that is read back as an equal kernel.
#include <filesystem>

#include "ir/print.h"
#include "parse_help.h"

using namespace heddle;
using namespace heddle::test;

namespace {

void check_round_trip(const KernelData& kernel) {
    const std::string text = print(kernel);
    INFO(text);
    const Unit again = parse(text, "again");
    CHECK(equal(again.kernel(kernel.name.str()).data(), kernel));
    CHECK(print(again.kernel(kernel.name.str()).data()) == text);
}

void round_trip(const std::string& text) {
    INFO(text);
    const Unit unit = parse(text);
    for (const Kernel& k : unit.kernels) check_round_trip(k.data());
}
void round_trip_body(const std::string& body) { round_trip(around(body)); }

}  // namespace

TEST_CASE("Examples are read back") {
    for (const auto& entry : std::filesystem::directory_iterator(HEDDLE_SOURCE_DIR "/examples")) {
        if (entry.path().extension() != ".heddle") continue;
        INFO(entry.path());
        const Unit unit = parse_file(entry.path());
        for (const Kernel& k : unit.kernels) check_round_trip(k.data());
    }
}

TEST_CASE("Loops, tags, conditions and domains are read back") {
    round_trip_body("for [i, -j] : 0 <= i < n and 0 <= j < i { x[i] = 1.0; for [l] vector : l = i + j { y[i] = x[j] } }");
    round_trip_body(
        "for [i] parallel schedule(dynamic, 4) collapse(2) if(10) : 0 <= i < n { for [j] separate : 0 <= j < m { x[i] = a } }");
    round_trip_body("for [i] parallel schedule(static) : 0 <= i < n { for [j] unroll : 0 <= j < 4 { x[i] = a } }");
    round_trip_body("for [i] : 0 <= i < n and i mod 3 != 1 or i = n + 2 { x[i] = 1.0 }");
    round_trip_body("for [i] : exists e : i = 3*e + 1 and 0 <= e < n { x[i] = 1.0 }");
    round_trip_body("for [i, j] : 0 <= i < n and max(0, i - 3) <= j < min(m, 2*i) // 2 { x[i] = A[i, j] }");
    round_trip_body(
        "for [i] : 0 <= i < n { if i > 3 { x[i] = 1.0 } else if x[i] > a { x[i] = 2.0 } else { x[i] = 3.0; y[i] = x[i] } }");
    round_trip_body("for [i] { if 0 <= i < n and b[i] { x[i] = 1.0 }\n if 2 <= i < 7 { y[i] = 1.0 } }");
    round_trip_body("for [i] : false { x[i] = 1.0 }");
    round_trip_body("{ temp t : f64\n t = 1.0\n { let u = t; x[0] = u } }");
    round_trip_body("if c > 3 and n > 2 { x[0] = 1.0 }");
}

TEST_CASE("Statements are read back") {
    round_trip_body(
        "l [reassociate, atomic] {i = 4*n}: x[0] += 1.0\n x[0] -= 5.0; x[0] *= -2.5; x[1] min= -inf; x[2] max= nan; x[3] = "
        "-0.0");
    round_trip_body("x[0] = -x[1] - -2.0 - (a - 1.0) * -(3.0); x[1] = a / (a / 2.0); x[2] = (a - 1.0) - (2.0 - a)");
    round_trip_body("(x[0], x[1]) = (x[1], x[0])");
    round_trip_body("x[0] = n > 2 ? m > 3 ? 1.0 : 2.0 : 3.0; x[1] = (b[0] and not b[1] or n != 3) ? a : f64(f[0])");
    round_trip_body(
        "temp t : i32\n t = (c & 3 | c << 2 ^ ~c) // 7 % 3; temp u : u8\n u = u8(c) + 1; temp w : i64\n w = "
        "-9223372036854775808");
    round_trip_body("temp t : u64\n t = 18446744073709551615; temp z : c64\n z = c64(1.0, -2.0) * z + 2.0");
    round_trip_body("x[g[0] + n // 2] = sqrt(abs(a)) + pow(a, 2.0) + min(a, 2.0, x[0]) + floor(a / 3.0)");
    round_trip_body("for [i] : 0 <= i < n { let lo = g[i]; let hi : i64 = g[i] + 1; for [p] : lo <= p < hi { x[p] = f[lo] } }");
    round_trip_body("let s : f32 = 0.1\n let t = 3\n x[0] = s; x[t] = 2.0");
}

TEST_CASE("Reductions are read back") {
    round_trip_body(
        "x[0] = sum[i : 0 <= i < n if i != 3 and b[i]](x[i] * max[j : 0 <= j < m](A[i, j])) + product[i : 0 <= i < n](2.0)");
    round_trip_body(
        "let t = sum[i : 0 <= i < n](b[i] ? 1 : 0)\n let s = min[i : 0 <= i < n](f[i])\n for [j] : 0 <= j < t { y[j] = s }");
    round_trip_body(
        "let q = any[i : 0 <= i < n](b[i])\n let (v, p, j) = argmin[i, j : 0 <= i < n and 0 <= j < m](A[i, j])\n if q { x[p] = "
        "v + j }");
    round_trip(
        R"(operator online((m1, z1), (m2, z2)) = (max(m1, m2), z1*exp(m1 - max(m1, m2)) + z2*exp(m2 - max(m1, m2))) identity (-inf, 0.0)
        operator worse(p, q) = p < q ? p : q identity inf commutative
        kernel k(n : index; s : in f32[n], o : out f32[2]) { let (m, z) = online[j : 0 <= j < n](s[j], 1.0)
          o[0] = m + z; o[1] = worse[j : 0 <= j < n](s[j])
          (o[0], o[1]) online= (s[0], 1.0) })");
}

TEST_CASE("Declarations are read back") {
    round_trip(R"(extern fn bessel(i32, f64) -> f64
        kernel `for`(`sum`, n : index; A : in f64[`sum`, n] layout(1, 0) pad(0, 8) may alias, B : out f64[n, 2] separate(1),
                     C : inout f32[n, n] strides(1, n), s : out i8, v, w : in i64[n]) where `sum` >= 1 and n mod 4 = 0 and n < 100 {
          assert injective v
          assert nonaliasing v, w
          const t : f32[2, 2] = {{0.1, -0.0}, {inf, nan}}
          const u : u64[2] = {0, 18446744073709551615}
          const z : c128[1] = {c128(1.0/3, -inf)}
          const y : bool[2] = {true, false}
          view D : f32[n * n] = C
          view t4 : f32[4] = t
          def r(i, q) = A[i, i] * q + bessel(2, later[0, 0])
          temp later : f64[2, n] pad(0, 3) in heap
          view late : f64[2*n] = later
          later[0, 0] = 1.0; B[0, 0] = late[1] + t4[3]
          s = i8(3); C[0, 0] = t[0, 1]
          B[v[w[0]], 1] = A[0, 0] + D[3] })");
}

TEST_CASE("Calls are read back with their callees") {
    round_trip(R"(kernel outer(n : index; x : inout f64[n], s : f64) { temp y : f64[n]
          call scale(n, x, 2.0*s); call scale(by = s, a = y, n = n - 1) }
        operator worse(p, q) = p < q ? p : q identity inf commutative
        kernel scale(n : index; a : inout f64[n], by : f64) { for [i] : 0 <= i < n { a[i] = a[i] * by + worse[j : 0 <= j < n](by) } })");
}

TEST_CASE("Nested and long expressions are read back") {
    std::string deep = "a", chain = "a";
    for (int k = 0; k < 60; ++k) deep = "(" + deep + " + 1.0) * 2.0";
    for (int k = 0; k < 2000; ++k) chain += k % 2 ? " + x[0]" : " - 2.0 * y[1]";
    round_trip_body("x[0] = " + deep);
    round_trip_body("x[0] = " + chain);
}
