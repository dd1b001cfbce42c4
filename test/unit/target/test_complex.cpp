// Complex numbers: known values.
#include <complex>

#include "test/unit/target/compiled.h"

using namespace heddle;
using namespace heddle::test;

TEST_CASE("operations on complex numbers") {
    const Kernel kernel =
        parse(R"(kernel k(z : in c128[3], w : in c64[3], r : in f64[3], a, re, im, g : out f64[3], p, q, c, d, e : out c128[3],
                                           m : out f32[3], s : out c128, same : out bool[3])
    {
      s = 0.0
      for [i] : 0 <= i < 3 {
        a[i] = abs(z[i])
        re[i] = real(z[i])
        im[i] = imag(z[i])
        g[i] = arg(z[i])
        p[i] = z[i] * z[i]
        q[i] = z[i] * conj(z[i])
        c[i] = z[i] * 2 + r[i]
        d[i] = sqrt(z[i]) * sqrt(z[i]) + w[i]
        e[i] = exp(z[i] / c128(1.0, 2.0))
        m[i] = abs(w[i])
        same[i] = z[i] == z[0]
        s += z[i]
      }
    })")
            .kernel();
    const Compiled compiled(kernel);
    INFO(compiled.text());
    Arguments x = filled_arguments(kernel, {});
    using C = std::complex<double>;
    auto* z = x.arrays.at("z").as<C>();
    z[0] = {3, 4}, z[1] = {0, -1}, z[2] = 0;
    auto* w = x.arrays.at("w").as<std::complex<float>>();
    w[0] = {3, 4}, w[1] = {0, -1}, w[2] = 0;
    Arguments expected = x;
    REQUIRE(compiled.run(x) == 0);
    interpret(kernel, expected);
    const auto real = [&](const char* name, int k) { return x.arrays.at(name).as<double>()[k]; };
    const auto full = [&](const char* name, int k) { return x.arrays.at(name).as<C>()[k]; };
    CHECK((real("a", 0) == 5 && real("a", 1) == 1 && real("a", 2) == 0));
    CHECK((full("p", 0) == C(-7, 24) && full("p", 1) == C(-1, 0) && full("p", 2) == C(0, 0)));
    CHECK((full("q", 0) == C(25, 0) && full("q", 1) == C(1, 0)));
    CHECK(real("g", 0) == Approx(0.92729522));
    CHECK(real("g", 1) == Approx(-1.57079633));
    CHECK(full("s", 0) == C(3, 3));
    CHECK(x.arrays.at("m").as<float>()[0] == 5.0f);
    CHECK((x.arrays.at("same").as<bool>()[0] && !x.arrays.at("same").as<bool>()[1]));
    for (const char* name : {"c", "d", "e"})
        for (int k = 0; k < 3; ++k) CHECK(std::abs(full(name, k) - expected.arrays.at(name).as<C>()[k]) < 1e-14);
}
