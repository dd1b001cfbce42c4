#include <catch2/catch.hpp>
#include <set>

#include "runtime/status.h"
#include "test/unit/runtime/cached.h"
#include "test/unit/runtime/setting.h"

using namespace heddle::runtime;

namespace {

std::vector<CompileJob> jobs_of(int count, Cache* cache = nullptr) {
    std::vector<CompileJob> out;
    for (int k = 0; k < count; ++k) out.push_back({text_of(k), CachePlace::fast()});
    for (CompileJob& job : out) job.options.cache = cache;
    return out;
}

}  // namespace

TEST_CASE("many texts compile in parallel, in order, with progress") {
    std::vector<std::size_t> done;
    std::set<std::size_t> jobs;
    CompileManyOptions options;
    options.threads = 3;
    options.progress = [&](const CompileProgress& p) {
        done.push_back(p.done);
        jobs.insert(p.job);
        CHECK(p.total == 7);
        CHECK(p.result.module.has_value());
    };
    const auto results = compile_many(jobs_of(7), options);
    REQUIRE(results.size() == 7);
    for (int k = 0; k < 7; ++k) CHECK(value_of(results[static_cast<std::size_t>(k)].get()) == k);
    CHECK(done == std::vector<std::size_t>{1, 2, 3, 4, 5, 6, 7});
    CHECK(jobs.size() == 7);
    CHECK(compile_many({}).empty());
}

TEST_CASE("one that fails leaves the others alone") {
    auto jobs = jobs_of(3);
    jobs[1].text = "int f( {\n";
    const auto results = compile_many(jobs);
    CHECK(value_of(results[0].get()) == 0);
    CHECK(value_of(results[2].get()) == 2);
    CHECK_FALSE(results[1].module.has_value());
    CHECK_THROWS_AS(results[1].get(), RuntimeError);
}

TEST_CASE("equal texts are compiled once") {
    Cache cache(CacheOptions{});
    auto jobs = jobs_of(2, &cache);
    jobs.insert(jobs.end(), 6, jobs[0]);
    CompileManyOptions options;
    options.threads = 4;
    const auto results = compile_many(jobs, options);
    CHECK(results[7].get() == results[0].get());
    CHECK(cache.statistics().compiles == 2);
}

TEST_CASE("progress that throws stops the rest") {
    CompileManyOptions options;
    options.threads = 1;
    std::size_t calls = 0;
    options.progress = [&](const CompileProgress& p) {
        ++calls;
        if (p.done == 2) throw std::runtime_error("enough");
    };
    CHECK_THROWS_WITH(compile_many(jobs_of(50), options), "enough");
    CHECK(calls == 2);
}

TEST_CASE("compiling goes on while the caller does other things") {
    auto one = compile_c_async(text_of(3), CachePlace::fast());
    auto many = compile_many_async(jobs_of(3));
    auto bad = compile_c_async("int f( {\n", CachePlace::fast());
    CHECK(value_of(one.get()) == 3);
    CHECK(many.get().size() == 3);
    CHECK_THROWS_AS(bad.get(), RuntimeError);
}
