// Builds that test accesses at run time.
#include "test/unit/target/compiled.h"

using namespace heddle;
using namespace heddle::test;

namespace {

const char* const gather = R"(kernel gather(n, m : index; k : in i32[n], x : in f64[m], y : inout f64[m], s : out f64)
{
  s = 0.0
  for [i] : 0 <= i < n {
    total: s += x[k[i]]
    store: y[k[i]] = 1.0
  }
})";

TargetOptions checked() {
    TargetOptions options;
    options.checked = true;
    return options;
}

}  // namespace

TEST_CASE("an index outside is reported and nothing else is touched") {
    const Compiled compiled(parse(gather).kernel(), checked());
    INFO(compiled.text());
    Arguments a = filled_arguments(parse(gather).kernel(), {{"n", 3}, {"m", 4}});
    auto* k = a.arrays.at("k").as<std::int32_t>();
    k[0] = 3, k[1] = -7, k[2] = 0;
    CHECK(compiled.run(a) == 7);
    CHECK(compiled.message() == "gather: 'total' at x, dimension 1: index -7 is outside 0 <= index < 4");
    CHECK(a.arrays.at("y").as<double>()[0] == 1.0);
    k[1] = 4;
    CHECK(compiled.run(a) == 7);
    k[1] = 1;
    CHECK(compiled.run(a) == 0);
}

TEST_CASE("proved accesses are not tested") {
    const std::string text = emit_c_single(*lower(parse(R"(kernel plain(n : index; a : inout f64[n]) {
      for [i] : 0 <= i < n - 1 { a[i] = a[i + 1] }
    })")
                                                      .kernel(),
                                                  checked()));
    CHECK(text.find("heddle_inside") == std::string::npos);
    CHECK(text.find("failure") == std::string::npos);
}

TEST_CASE("a test fails in a called kernel") {
    const char* text = R"(kernel inner(n : index; k : in i32[n], x : inout f64[n]) { for [i] : 0 <= i < n { x[k[i]] = 2.0 } }
    kernel outer(n : index; k : in i32[n], x : inout f64[n]) { call inner(n, k, x) })";
    const Kernel kernel = parse(text).kernel("outer");
    const Compiled compiled(kernel, checked());
    Arguments a = filled_arguments(kernel, {{"n", 2}});
    a.arrays.at("k").as<std::int32_t>()[1] = 2;
    CHECK(compiled.run(a) == 7);
}
