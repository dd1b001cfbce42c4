// What the host part checks, allocates and reports.
#include "test/unit/target/compiled.h"

using namespace heddle;
using namespace heddle::test;

namespace {

std::int32_t call(const runtime::Module& module, const char* name, std::vector<void*> arguments) {
    return reinterpret_cast<std::int32_t (*)(void* const*, const void*)>(module.symbol(name))(arguments.data(), nullptr);
}

runtime::Module module_of(const std::string& text) {
    TargetOptions options;
    options.entry = true;
    runtime::CompileOptions how;
    how.flags = strict_flags();
    return runtime::compile_c(emit_c_single(*lower(parse(text).kernel(), options)), how);
}

}  // namespace

TEST_CASE("sizes that break 'where' are refused by name") {
    const auto module = module_of("kernel k(n, m : index; a : out f64) where n >= 2 and n mod 4 = 0 and m <= n { a = 1.0 }");
    const auto message = reinterpret_cast<const char* (*)()>(module.symbol("k_error"));
    std::int64_t n = 4, m = 4;
    double a = 0;
    CHECK(call(module, "k_entry", {&n, &m, &a}) == 0);
    n = 6;
    CHECK(call(module, "k_entry", {&n, &m, &a}) == 1);
    CHECK(std::string(message()).find("% 4") != std::string::npos);
    n = 0;
    CHECK(call(module, "k_entry", {&n, &m, &a}) == 1);
    n = 4, m = 5;
    CHECK(call(module, "k_entry", {&n, &m, &a}) == 1);
    CHECK(std::string(message()) == "k: 'm <= n' does not hold");
}

TEST_CASE("written arguments that overlap another are refused unless they may") {
    double memory[8] = {};
    std::int64_t n = 4;
    const auto strict =
        module_of("kernel k(n : index; a : in f64[n], b : out f64[n]) { for [i] : 0 <= i < n { b[i] = a[i] } }");
    CHECK(call(strict, "k_entry", {&n, memory, memory + 4}) == 0);
    CHECK(call(strict, "k_entry", {&n, memory, memory + 3}) == 1);
    CHECK(call(strict, "k_entry", {&n, memory + 3, memory}) == 1);
    const auto loose =
        module_of("kernel k(n : index; a : in f64[n] may alias, b : out f64[n]) { for [i] : 0 <= i < n { b[i] = a[i] } }");
    CHECK(call(loose, "k_entry", {&n, memory, memory}) == 0);
}

TEST_CASE("temporaries of size zero or less take nothing") {
    check_equal_runs(R"(kernel k(n : index; x : in f64[n + 5], y : inout f64[n + 5]) {
      temp t : f64[n - 4] in heap
      for [i] : 0 <= i < n - 4 { t[i] = x[i + 4] }
      for [i] : 0 <= i < n - 4 { y[i] = t[i] + x[i] }
    })",
                     {{{"n", 0}}, {{"n", 3}}, {{"n", 4}}, {{"n", 5}}, {{"n", 100}}});
}

TEST_CASE("memory that cannot be had is a status, not a crash") {
    const auto module = module_of(R"(kernel k(n : index; y : inout f64) {
      temp t : f64[n, n, n] in heap
      if n < 0 { t[0, 0, 0] = y; y = t[0, 0, 0] }
    })");
    std::int64_t n = 3000000;
    double y = 0;
    CHECK(call(module, "k_entry", {&n, &y}) == 2);
    n = 2;
    CHECK(call(module, "k_entry", {&n, &y}) == 0);
}

TEST_CASE("each thread has its own instance of a temporary of a parallel loop") {
    check_equal_runs(R"(kernel k(n, m : index; x : in i64[n, m], y : out i64[n]) {
      for [i] parallel schedule(dynamic, 1) : 0 <= i < n {
        temp t : i64[m]
        for [j] : 0 <= j < m { t[j] = x[i, j] * i }
        y[i] = sum[j : 0 <= j < m](t[m - 1 - j])
      }
    })",
                     {{{"n", 200}, {"m", 50}}});
}

TEST_CASE("an allocated temporary that is only written is still passed") {
    check_equal_runs(R"(kernel k(n : index; x : in f64[n], y : out f64[n]) {
      temp t : f64[n] in heap
      for [i] : 0 <= i < n { t[i] = x[i]; y[i] = x[i] }
    })",
                     {{{"n", 3}}});
}

TEST_CASE("overlap among many arrays is found by name") {
    std::string arguments, body;
    for (int k = 0; k < 20; ++k) {
        arguments += ", a" + std::to_string(k) + (k % 4 == 0 ? " : inout f64[n]" : " : in f64[n]");
        body += k % 4 == 0 ? "a" + std::to_string(k) + "[i] += a" + std::to_string(k + 1) + "[i] + a" + std::to_string(k + 2) +
                                 "[i] + a" + std::to_string(k + 3) + "[i]\n"
                           : "";
    }
    const auto module = module_of("kernel k(n : index; " + arguments.substr(2) + ") { for [i] : 0 <= i < n {\n" + body + "} }");
    const auto message = reinterpret_cast<const char* (*)()>(module.symbol("k_error"));
    std::int64_t n = 10;
    std::vector<double> memory(200);
    std::vector<void*> arguments_of(21);
    const auto reset = [&] {
        arguments_of[0] = &n;
        for (std::size_t k = 0; k < 20; ++k) arguments_of[k + 1] = memory.data() + 10 * ((7 * k) % 20);
    };
    reset();
    CHECK(call(module, "k_entry", arguments_of) == 0);
    arguments_of[1 + 6] = arguments_of[1 + 9];  // both only read
    CHECK(call(module, "k_entry", arguments_of) == 0);
    arguments_of[1 + 6] = static_cast<double*>(arguments_of[1 + 8]) + 9;
    CHECK(call(module, "k_entry", arguments_of) == 1);
    CHECK_THAT(message(), Catch::Contains("'a8'") && Catch::Contains("'a6'") && Catch::Contains("overlap"));
    n = 0;
    CHECK(call(module, "k_entry", arguments_of) == 0);
}
