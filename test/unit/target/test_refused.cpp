// What code generation refuses, and why.
#include <catch2/catch.hpp>

#include "ir/error.h"
#include "ir/kernel_data.h"
#include "target/target.h"

using namespace heddle;
using Catch::Matchers::Contains;

namespace {

Error refusal(const std::string& text, TargetOptions options = {}) {
    try {
        emit_c_single(*lower(parse(text).kernel(), options));
    } catch (const Error& e) {
        CHECK(e.kind() == ErrorKind::User);
        return e;
    }
    FAIL("it was accepted");
    throw 0;
}

}  // namespace

TEST_CASE("a parallel loop that carries a dependence is refused with two instances") {
    const Error e = refusal("kernel k(n : index; a : inout f64[n]) { for [i] parallel : 1 <= i < n { S: a[i] = a[i - 1] } }");
    CHECK(e.code() == "race");
    CHECK_THAT(e.message(), Contains("loop 'i' cannot run in parallel") && Contains("S("));
}

TEST_CASE("without OpenMP the same loop is plain") {
    TargetOptions options;
    options.openmp = false;
    const std::string text = "kernel k(n : index; a : inout f64[n]) { for [i] parallel : 1 <= i < n { S: a[i] = a[i - 1] } }";
    CHECK(emit_c_single(*lower(parse(text).kernel(), options)).find("parallel") == std::string::npos);
}

TEST_CASE("a float sum is not reassociated unasked") {
    CHECK(refusal("kernel k(n : index; a : in f64[n], s : inout f64) { for [i] vector : 0 <= i < n { s += a[i] } }").code() ==
          "race");
}

TEST_CASE("vector lanes do not scatter into one array") {
    const Error e =
        refusal("kernel k(n : index; g : in i32[n], u : inout i64[n]) { for [i] vector : 0 <= i < n { S: u[g[i]] += 1 } }");
    CHECK(e.code() == "reduction");
    CHECK(!e.hint_text().empty());
}

TEST_CASE("private temporaries have a limit, and heap is the way out") {
    const Error big = refusal("kernel k(y : inout f64) { temp t : f64[4096, 4096] in private\n t[0, 0] = y\n y = t[0, 0] }");
    CHECK(big.code() == "storage");
    CHECK_THAT(big.message(), Contains("'t'") && Contains("134217728 bytes") && Contains("65536"));
    CHECK_THAT(big.hint_text(), Contains("heap"));
    const Error open = refusal("kernel k(n : index; y : inout f64) { temp t : f64[n] in private\n t[0] = y\n y = t[0] }");
    CHECK_THAT(open.message(), Contains("depends on parameters"));
}

TEST_CASE("unrolling is limited by the number of copies, and needs one") {
    const Error many = refusal(
        "kernel k(a : in f64[1024, 1024], y : inout f64[1024]) { for [i] unroll : 0 <= i < 1024 { for [j] unroll : 0 <= j < "
        "1024 "
        "{ y[i] += a[i, j] } } }");
    CHECK(many.code() == "unroll");
    CHECK_THAT(many.message(), Contains("1048576") && Contains("65536"));
    TargetOptions small;
    small.unroll_limit = 7;
    CHECK(refusal("kernel k(y : inout f64[8]) { for [i] unroll : 0 <= i < 8 { y[i] = 0.0 } }", small).code() == "unroll");
}

TEST_CASE("an extern function that C cannot name is refused") {
    CHECK(refusal("extern fn printf(f64) -> f64\nkernel k(y : inout f64) { y = printf(y) }").code() == "name");
}
