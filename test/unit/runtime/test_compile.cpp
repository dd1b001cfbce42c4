#include <catch2/catch.hpp>
#include <filesystem>

#include "runtime/compile.h"
#include "runtime/spawn.h"
#include "runtime/status.h"
#include "runtime/temporary.h"
#include "test/unit/runtime/setting.h"

using namespace heddle::runtime;
using Catch::Matchers::Contains;

namespace {

/// The code and text of the error that compiling throws.
std::pair<Code, std::string> refusal(const std::string& text, const CompileOptions& options = {}) {
    try {
        compile_c(text, options);
    } catch (const RuntimeError& e) {
        return {e.code(), e.what()};
    }
    return {Code::Ok, ""};
}

bool empty(const std::string& folder) { return std::filesystem::is_empty(folder); }

}  // namespace

TEST_CASE("C text becomes a function, and the temporary folder goes") {
    const TemporaryFolder folder;
    const Setting setting("TMPDIR", folder.path());
    const Module module = compile_c("int twice(int x) { return 2 * x; }\n");
    CHECK(empty(folder.path()));
    CHECK(reinterpret_cast<int (*)(int)>(module.symbol("twice"))(21) == 42);
    CHECK_THROWS_WITH(module.symbol("thrice"), Contains("thrice"));
}

TEST_CASE("OpenMP threads outlive the module that started them") {
    const char* text =
        "int sum(int n) { int s = 0;\n#pragma omp parallel for reduction(+ : s) num_threads(2)\n"
        "for (int i = 0; i < n; i++) s += i; return s; }\n";
    for (int round = 0; round < 3; ++round) CHECK(reinterpret_cast<int (*)(int)>(compile_c(text).symbol("sum"))(100) == 4950);
}

TEST_CASE("a compiler's complaint is in the error, and nothing stays") {
    const TemporaryFolder folder;
    const Setting setting("TMPDIR", folder.path());
    const auto [code, text] = refusal("int f( { return 0; }\n");
    CHECK(code == Code::CompileFailed);
    CHECK_THAT(text, Contains("error:") && Contains("status"));
    CHECK(empty(folder.path()));
}

TEST_CASE("a missing compiler names what was tried") {
    CompileOptions options;
    options.compiler = "no-such-compiler";
    auto [code, text] = refusal("", options);
    CHECK(code == Code::CompilerMissing);
    CHECK_THAT(text, Contains("no-such-compiler"));

    const Setting setting("HEDDLE_CC", "/nowhere/cc");
    CHECK(refusal("").first == Code::CompilerMissing);
    CHECK_THAT(refusal("").second, Contains("/nowhere/cc"));
}

TEST_CASE("without any compiler in the path all the usual names are listed") {
    const Setting path("PATH", "/nowhere"), chosen("HEDDLE_CC", ""), usual("CC", "");
    CHECK_THAT(refusal("").second, Contains("cc, gcc, clang"));
}

TEST_CASE("a compiler with arguments works, and so does one that hangs: it is stopped") {
    const TemporaryFolder folder;
    CompileOptions options;
    options.compiler = "gcc -DTWO=2";
    CHECK(reinterpret_cast<int (*)()>(compile_c("int f(void) { return TWO; }\n", options).symbol("f"))() == 2);
    options.compiler = script(folder, "sleep 60");
    options.time_limit_s = 1;
    const auto [code, text] = refusal("", options);
    CHECK(code == Code::CompileFailed);
    CHECK_THAT(text, Contains("1 s"));
}

TEST_CASE("a compiler that writes nothing leaves nothing to load") {
    const TemporaryFolder folder;
    CompileOptions options;
    options.compiler = script(folder, "exit 0");
    CHECK(refusal("", options).first == Code::LoadFailed);
}

TEST_CASE("a temporary folder that cannot be made is an input-output error") {
    const Setting setting("TMPDIR", "/nowhere/at/all");
    CHECK(refusal("int x;\n").first == Code::Io);
    CHECK_THROWS_WITH(write_text("/dev/full", "x"), Contains("No space left"));
}

TEST_CASE("a program's words reach it unchanged") {
    const Outcome outcome =
        run_program({find_program("sh"), "-c", "printf '%s|' \"$@\" >&2; exit 3", "sh", "a b", "$HOME;", "*"}, 10);
    CHECK(outcome.errors == "a b|$HOME;|*|");
    CHECK(outcome.status == 3);
    CHECK(find_program("no-such-program").empty());
    CHECK(find_program("/dev/null").empty());
}
