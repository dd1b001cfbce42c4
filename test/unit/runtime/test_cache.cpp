// What is a hit and what is not, in memory and between processes.
#include <atomic>
#include <catch2/catch.hpp>
#include <fstream>
#include <set>
#include <thread>

#include "runtime/cache/identity.h"
#include "runtime/descriptor.h"
#include "runtime/spawn.h"
#include "runtime/status.h"
#include "test/unit/runtime/cached.h"
#include "test/unit/runtime/setting.h"

using namespace heddle::runtime;
using Catch::Matchers::Contains;

namespace {

/// The part in which the key of a compile differs from that of the plain one; "" when it is the same.
std::string changed_part(const std::string& text, const CompileOptions& how) {
    const CachePlace place;
    place.compile(text_of(1), 1);
    const auto plain = place.disk().entries();
    place.compile(text, 1, how);
    REQUIRE(plain.size() == 1);
    for (const StoredEntry& e : place.disk().entries())
        if (e.id != plain[0].id) {
            const std::string text = difference(*plain[0].key, *e.key);
            return text.substr(text.find('\'') + 1, text.find("',") - text.find('\'') - 1);
        }
    return "";
}

std::string object_bytes(const TemporaryFolder& folder, const std::string& text) {
    write_text(folder.path() + "/o.c", text);
    REQUIRE(
        run_program({find_program("gcc"), "-c", "-fPIC", folder.path() + "/o.c", "-o", folder.path() + "/o.o"}, 60).status ==
        0);
    return *read_file(folder.path() + "/o.o");
}

/// Whether a compile is answered from disk the second time.
bool is_cached(const std::string& text, const CompileOptions& how = CachePlace::fast()) {
    const CachePlace place;
    place.compile(text, 1, how);
    return place.compile(text, 1, how).disk_hits == 1;
}

CompileOptions with_extra(const std::vector<std::string>& words) {
    CompileOptions out = CachePlace::fast();
    out.extra = words;
    return out;
}

}  // namespace

TEST_CASE("the second call is answered from memory, the second process from disk") {
    const CachePlace place;
    Cache cache(place.options());
    CompileOptions how = CachePlace::fast();
    how.cache = &cache;
    const Module first = compile_c(text_of(5), how);
    CHECK(compile_c(text_of(5), how) == first);
    CHECK(value_of(compile_c(text_of(6), how)) == 6);
    CHECK(cache.statistics().memory_hits == 1);
    CHECK(cache.statistics().compiles == 2);
    CHECK(cache.statistics().published == 2);
    cache.forget();
    CHECK_FALSE(compile_c(text_of(5), how) == first);
    CHECK(cache.statistics().disk_hits == 1);
    CHECK(place.compile(text_of(6), 6).disk_hits == 1);
    how.cached = false;
    CHECK_FALSE(compile_c(text_of(5), how) == compile_c(text_of(5), how));
    CHECK(cache.statistics().compiles == 2);
}

TEST_CASE("a cache without a folder works in memory, and keeps so many modules") {
    CacheOptions options;
    options.modules = 2;
    Cache cache(options);
    CompileOptions how = CachePlace::fast();
    how.cache = &cache;
    for (const int value : {1, 2, 1, 3, 1, 2}) CHECK(value_of(compile_c(text_of(value), how)) == value);
    CHECK(cache.statistics().memory_hits == 2);  // 1 and 1; 3 drove 2 out
    CHECK(cache.statistics().compiles == 4);
}

TEST_CASE("each thing that code depends on is in the key") {
    const TemporaryFolder folder;
    CompileOptions how = CachePlace::fast();
    CHECK(changed_part(text_of(1), how).empty());
    CHECK(changed_part("\n" + text_of(1), how) == "text");
    how.flags = {"-O1"};
    CHECK(changed_part(text_of(1), how) == "options");
    CHECK(changed_part(text_of(1), with_extra({"-DX=1"})) == "options");
    how = CachePlace::fast();
    how.objects = {{"o.o", object_bytes(folder, "int g(void) { return 1; }")}};
    CHECK(changed_part(text_of(1), how) == "objects");
    how = CachePlace::fast();
    how.compiler = script(folder, "exec gcc \"$@\"");
    CHECK(changed_part(text_of(1), how) == "compiler");
    const Setting paths("CPATH", folder.path());
    CHECK(changed_part(text_of(1), CachePlace::fast()).empty());
}

TEST_CASE("a key names its parts, and among them the processor, the version and the environment") {
    const CachePlace place;
    place.compile(text_of(1), 1);
    const Setting paths("CPATH", place.around().path());
    place.compile(text_of(1), 1);
    const auto entries = place.disk().entries();
    REQUIRE(entries.size() == 2);
    CHECK_THAT(difference(*entries[0].key, *entries[1].key),
               Contains("'environment'") && Contains("CPATH=" + place.around().path()));
    std::vector<std::string> names;
    for (const KeyPart& p : entries[0].key->parts()) names.push_back(p.name);
    CHECK(names ==
          std::vector<std::string>{"tool", "compiler", "processor", "environment", "options", "files", "objects", "text"});
    CHECK_THAT(entries[0].key->parts()[0].value, Contains("heddle 0"));
    CHECK(entries[0].key->parts()[2].value == processor_identity());
    CHECK(processor_identity().size() > 20);
}

TEST_CASE("keys are equal only part by part") {
    const CacheKey a({{"x", "ab"}, {"y", "c"}}), b({{"x", "a"}, {"y", "bc"}}), c({{"x", "ab"}, {"y", "c"}});
    CHECK(a.id() != b.id());
    CHECK(a.id() == c.id());
    CHECK(a.id().size() == 32);
    CHECK(difference(a, c).empty());
    CHECK_THAT(difference(a, b), Contains("'x', line 1: 'ab' and 'a'"));
    const CacheKey three({KeyPart{"t", "one\ntwo\nthree"}}), two({KeyPart{"t", "one\ntwo\nfour"}});
    CHECK_THAT(difference(three, two), Contains("'t', line 3: 'three' and 'four'"));
    CHECK_THAT(difference(three, a), Contains("different parts"));
    CHECK(lines_of({"a\nb"}) != lines_of({"a", "b"}));
    CHECK(lines_of({"a\\nb"}) != lines_of({"a\nb"}));
}

TEST_CASE("a compiler is known by what it is, not by where it lies") {
    const TemporaryFolder one, two;
    CompileOptions how = CachePlace::fast();
    const CachePlace place;
    how.compiler = script(one, "exec gcc \"$@\"");
    CHECK(place.compile(text_of(1), 1, how).compiles == 1);
    how.compiler = script(two, "exec gcc \"$@\"");
    CHECK(place.compile(text_of(1), 1, how).disk_hits == 1);
    script(two, "exec gcc -DOTHER \"$@\"");
    CHECK(place.compile(text_of(1), 1, how).compiles == 1);
    how.compiler = "gcc -DTWO=2";
    CHECK(place.compile(text_of(1), 1, how).compiles == 1);
    CHECK(place.compile(text_of(1), 1, how).disk_hits == 1);
    how.compiler = script(one, "exec \"$@\"", "wrapper") + " gcc";
    CHECK(place.compile(text_of(1), 1, how).compiles == 1);
    CHECK(place.compile(text_of(1), 1, how).disk_hits == 1);
}

TEST_CASE("an object file named in the options counts by its content") {
    const TemporaryFolder folder;
    const CachePlace place;
    const std::string text = "int g(void);\nint f(void) { return g(); }\n";
    object_bytes(folder, "int g(void) { return 1; }");
    CHECK(place.compile(text, 1, with_extra({folder.path() + "/o.o"})).compiles == 1);
    CHECK(place.compile(text, 1, with_extra({folder.path() + "/o.o"})).disk_hits == 1);
    object_bytes(folder, "int g(void) { return 2; }");
    CHECK(place.compile(text, 2, with_extra({folder.path() + "/o.o"})).compiles == 1);
}

TEST_CASE("a compile that may read other files is not kept") {
    const TemporaryFolder folder;
    write_text(folder.path() + "/one.h", "#define ONE 1\n");
    CHECK(is_cached("#include <math.h>\n#include <omp.h>\n" + text_of(1)));
    CHECK(is_cached("/* it may include much */\n" + text_of(1)));
    CHECK_FALSE(is_cached("#include \"" + folder.path() + "/one.h\"\n" + text_of(1)));
    CHECK_FALSE(is_cached(text_of(1), with_extra({"-include", folder.path() + "/one.h"})));
    CHECK_FALSE(is_cached(text_of(1), with_extra({"-I" + folder.path()})));
    CHECK_FALSE(is_cached(text_of(1), with_extra({"-L" + folder.path()})));
    CHECK_FALSE(is_cached(text_of(1), with_extra({"-Wl,-O1"})));
    CHECK(is_cached(text_of(1), with_extra({"-lm", "-Wall", "-fno-math-errno"})));
}

TEST_CASE("texts that bring in files or the time of day in unusual ways are seen") {
    for (const char* text :
         {"# include \"x\"", "#include MACRO", "%:include \"x\"", "#inc\\\nlude \"x\"", "#/* */include \"x\"",
          "#include <sys/x.h>", "__asm__(\".incbin \\\"x\\\"\")", "char* t = __TIME__;", "__has_include(<x>)",
          "#\\\ninclude \"x\"", "#include <math.h>\n#include \"x\"", "\?\?=include \"x\"", "#include_next <math.h>"})
        CHECK_FALSE(self_contained(text));
    for (const char* text :
         {"include", "", "#include <stdint.h>\nint x;", "int includes;", "// what they include\n", "x\ninclude"})
        CHECK(self_contained(text));
}

TEST_CASE("one compile for all threads that ask at once") {
    const CachePlace place;
    const std::string log = place.around().path() + "/log";
    CompileOptions how = CachePlace::fast();
    how.compiler =
        script(place.around(), "case \"$*\" in *kernel.c*) echo run >> " + log + "; sleep 0.3;; esac\nexec gcc \"$@\"");
    Cache cache(place.options());
    how.cache = &cache;
    std::atomic<int> right{0};
    {
        std::vector<std::jthread> threads;
        for (int k = 0; k < 8; ++k) threads.emplace_back([&] { right += value_of(compile_c(text_of(7), how)) == 7; });
    }
    CHECK(right == 8);
    CHECK(*read_file(log) == "run\n");
    CHECK(cache.statistics().compiles == 1);
    CHECK(cache.statistics().memory_hits == 7);
}

TEST_CASE("a failed compile reaches all that wait, and the next call tries again") {
    const CachePlace place;
    const std::string fixed = place.around().path() + "/fixed";
    CompileOptions how = CachePlace::fast();
    how.compiler = script(place.around(), "case \"$*\" in *kernel.c*) sleep 0.3; [ -e " + fixed +
                                              " ] || { echo broken; exit 1; };; esac\nexec gcc \"$@\"");
    Cache cache(place.options());
    how.cache = &cache;
    std::atomic<int> told{0};
    {
        std::vector<std::jthread> threads;
        for (int k = 0; k < 6; ++k)
            threads.emplace_back([&] {
                try {
                    compile_c(text_of(7), how);
                } catch (const RuntimeError& e) {
                    told += e.code() == Code::CompileFailed && std::string(e.what()).find("broken") != std::string::npos;
                }
            });
    }
    CHECK(told == 6);
    CHECK(cache.statistics().failures >= 1);
    CHECK(place.disk().entries().empty());
    write_text(fixed, "");
    CHECK(value_of(compile_c(text_of(7), how)) == 7);
}

TEST_CASE("loaded modules are distinct however their descriptors are numbered") {
    std::vector<Module> modules;
    CompileOptions how = CachePlace::fast();
    how.cached = false;
    for (int k = 0; k < 5; ++k) modules.push_back(compile_c(text_of(k), how));
    for (int k = 0; k < 5; ++k) CHECK(value_of(modules[static_cast<std::size_t>(k)]) == k);
}

TEST_CASE("the environment says where the cache lies") {
    const Setting dir("HEDDLE_CACHE_DIR", ""), xdg("XDG_CACHE_HOME", "/x"), home("HOME", "/h"),
        limit("HEDDLE_CACHE_LIMIT", "1000");
    CHECK(cache_options_of_environment().folder == "/x/heddle");
    CHECK(cache_options_of_environment().limit == 1000);
    const Setting none("XDG_CACHE_HOME", "relative"), bad("HEDDLE_CACHE_LIMIT", "12 apples");
    CHECK(cache_options_of_environment().folder == "/h/.cache/heddle");
    CHECK(cache_options_of_environment().limit == CacheOptions().limit);
    const Setting chosen("HEDDLE_CACHE_DIR", "/c");
    CHECK(cache_options_of_environment().folder == "/c");
    CHECK(default_cache() == nullptr);  // HEDDLE_CACHE=off in all tests
}
