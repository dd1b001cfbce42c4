// Temporaries that shrink when a kernel is lowered: how far, why, and that nothing else changes.
#include "ir/error.h"
#include "target/program.h"
#include "target/storage_report.h"
#include "test/unit/target/compiled.h"

using namespace heddle;
using namespace heddle::test;

namespace {

/// "extent: reason" of the temporary of that name.
std::string stored(const std::string& text, Name name, const TargetOptions& options = {}) {
    for (const TemporaryReport& r : report_storage(*place(parse(text).kernels.back(), options)))
        if (r.name == name) return r.extent + ": " + r.reason;
    return "unused";
}
const std::string parametric = "its size depends on parameters";
const std::vector<std::map<std::string, std::int64_t>> sizes{{{"n", 1}}, {{"n", 2}}, {{"n", 3}}, {{"n", 7}}, {{"n", 16}}};

}  // namespace

TEST_CASE("a value that is used in the iteration that makes it is a scalar") {
    const std::string text =
        "kernel k(n : index; x : in f64[n], y : out f64[n]) {\n  temp t : f64[n]\n"
        "  for [i] : 0 <= i < n {\n    S: t[i] = 2.0*x[i]\n    T: y[i] = t[i] + 1.0\n  }\n}\n";
    CHECK(stored(text, "t") == ": it is a scalar; one entry along axis 0 holds a value at a time");
    CHECK(place(parse(text).kernels[0])->memory.empty());
    check_equal_runs(text, sizes);
}

TEST_CASE("a running sum is a scalar") {
    const std::string text =
        "kernel k(n : index; x : in f64[n], y : out f64[n]) {\n  temp s : f64[n + 1]\n  Z: s[0] = 0.0\n"
        "  for [i] : 0 <= i < n {\n    S: s[i + 1] = s[i] + x[i]\n    T: y[i] = s[i + 1]\n  }\n}\n";
    CHECK(stored(text, "s") == ": it is a scalar; one entry along axis 0 holds a value at a time");
    check_equal_runs(text, sizes);
}

TEST_CASE("a time loop keeps two planes, also with threads inside") {
    for (const char* tag : {"", " parallel", " vector"}) {
        const std::string text = std::string(
                                     "kernel k(n : index; x : in f64[n], y : out f64[n]) {\n  temp u : f64[n + 1, n]\n"
                                     "  for [i] : 0 <= i < n { A: u[0, i] = x[i] }\n  for [t] : 0 <= t < n {\n    for [i]") +
                                 tag +
                                 " : 0 <= i < n { B: u[t + 1, i] = 0.5*u[t, n - 1 - i] + u[t, i] }\n  }\n  for [i] : 0 <= i < "
                                 "n { C: y[i] = u[n, i] }\n}\n";
        CHECK(stored(text, "u") == "[2, n]: " + parametric + "; at most 2 entries along axis 0 hold values at a time");
        check_equal_runs(text, sizes);
    }
}

TEST_CASE("a chain of stencils keeps a few rows") {
    const std::string text =
        "kernel k(n : index; A : in f64[n, n], B : inout f64[n, n]) {\n  temp t : f64[n, n]\n"
        "  for [i] : 0 <= i < n {\n    for [j] : 0 <= j < n { R: t[i, j] = 0.5*A[i, j] }\n"
        "    if i >= 2 {\n      for [j] : 0 <= j < n { C: B[i - 1, j] = t[i - 2, j] + t[i - 1, j] + t[i, j] }\n    }\n  }\n}\n";
    CHECK(stored(text, "t") == "[4, n]: " + parametric + "; at most 4 entries along axis 0 hold values at a time");
    check_equal_runs(text, sizes);
}

TEST_CASE("every axis shrinks") {
    const std::string text =
        "kernel k(n : index; A : in f64[n, n], B : out f64[n, n]) {\n  temp t : f64[n, n]\n"
        "  for [i, j] : 0 <= i < n and 0 <= j < n {\n    S: t[i, j] = 2.0*A[i, j]\n    T: B[i, j] = t[i, j]\n  }\n}\n";
    CHECK(stored(text, "t") ==
          ": it is a scalar; one entry along axis 0 holds a value at a time, one entry along axis 1 holds a value at a time");
    check_equal_runs(text, sizes);
}

TEST_CASE("what threads or lanes would share stays apart") {
    for (const char* tag : {" parallel", " vector"}) {
        const std::string text =
            std::string("kernel k(n : index; x : in f64[n], y : out f64[n]) {\n  temp t : f64[n]\n  for [i]") + tag +
            " : 0 <= i < n {\n    S: t[i] = 2.0*x[i]\n    T: y[i] = t[i]\n  }\n}\n";
        CHECK(stored(text, "t") == "[n]: " + parametric);
        check_equal_runs(text, sizes);
    }
}

TEST_CASE("what is all needed, asked for, or unknown stays as it is") {
    const auto body = [](const std::string& declared, const std::string& rest) {
        return "kernel k(n : index; g : in i32[n], x : in f64[n], y : inout f64[n]) {\n  temp t : f64[n]" + declared + "\n" +
               rest + "\n}\n";
    };
    const std::string both = "  for [i] : 0 <= i < n {\n    S: t[i] = 2.0*x[i]\n    T: y[i] = t[i]\n  }";
    CHECK(stored(body("", "  for [i] : 0 <= i < n { S: t[i] = x[i] }\n  for [i] : 0 <= i < n { T: y[i] = t[n - 1 - i] }"),
                 "t") == "[n]: " + parametric);
    CHECK(stored(body(" in heap", both), "t") == "[n]: as asked");
    CHECK(stored(body(" pad(1)", both), "t") == "[n]: " + parametric);
    CHECK(stored(body("", "  for [i] : 0 <= i < n {\n    S: t[g[i]] = x[i]\n    T: y[i] = t[g[i]]\n  }"), "t") ==
          "[n]: " + parametric);
    TargetOptions checked;
    checked.checked = true;
    CHECK(stored(body("", both), "t", checked) == "[n]: " + parametric);
}

TEST_CASE("no innermost loop computes remainders") {
    CHECK(stored("kernel k(n : index; x : in f64[n], y : inout f64[n]) {\n  temp t : f64[n]\n  for [i] : 0 <= i < n {\n    S: "
                 "t[i] = x[i]\n"
                 "    if i >= 1 { T: y[i] = t[i] - t[i - 1] }\n  }\n}\n",
                 "t") == "[n]: " + parametric);
}
