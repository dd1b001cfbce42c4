// Public failures of other tools about temporaries: stacks that overflow, sizes of zero and below, blocks, tables, and pools.
#include <pthread.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <mutex>
#include <random>
#include <thread>

#include "ir/builder.h"
#include "ir/error.h"
#include "runtime/compile.h"
#include "runtime/pool.h"
#include "target/target.h"
#include "test/support/run.h"
#include "transform/steps.h"

using namespace heddle;
using namespace heddle::test;

namespace {

runtime::Module module_of(const std::string& text, const std::string& steps = {}) {
    return runtime::compile_c(emit_c_single(*lower(scheduled(text, steps))));
}

template <class F>
F* function(const runtime::Module& module, const char* name) {
    return reinterpret_cast<F*>(module.symbol(name));
}

std::string refused(const std::string& text, const std::string& steps) {
    try {
        lower(scheduled(text, steps));
    } catch (const Error& e) {
        return e.message() + "; " + e.hint_text();
    }
    return "accepted";
}

/// Calls on a thread whose stack has 64 KiB.
void on_small_stack(std::function<void()> work) {
    pthread_attr_t how;
    pthread_t thread;
    REQUIRE(pthread_attr_init(&how) == 0);
    REQUIRE(pthread_attr_setstacksize(&how, 64 * 1024) == 0);
    const auto call = [](void* f) -> void* {
        (*static_cast<std::function<void()>*>(f))();
        return nullptr;
    };
    REQUIRE(pthread_create(&thread, &how, call, &work) == 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&how);
}

const std::string outer_product =
    "kernel k(n : index; u : in f64[n], v : in f64[n], y : inout f64[n])\n{\n  temp t : f64[n, n]\n"
    "  for [i, j] : 0 <= i, j < n { P: t[i, j] = u[i] * v[j] }\n  for [i, j] : 0 <= i, j < n { Q: y[i] += t[j, i] }\n}\n";
const std::string fixed_product = outer_product.substr(0, outer_product.find("temp t : f64[n, n]")) +
                                  "temp t : f64[4096, 4096]" + outer_product.substr(outer_product.find("]\n  for") + 1);

using Product = int(std::int64_t, const double*, const double*, double*);

void check_product(const runtime::Module& module, std::int64_t n) {
    std::vector<double> u, v, y(static_cast<std::size_t>(n)), right;
    for (std::int64_t i = 0; i < n; ++i) {
        u.push_back(static_cast<double>(i));
        v.push_back(static_cast<double>(i));
        right.push_back(static_cast<double>(i * (n * (n - 1) / 2)));
    }
    int status = -1;
    on_small_stack([&] { status = function<Product>(module, "k")(n, u.data(), v.data(), y.data()); });
    CHECK(status == 0);
    CHECK(y == right);
}

}  // namespace

TEST_CASE("a temporary of 134217728 bytes lies on no stack") {
    for (const char* steps : {"place t in heap", "place t in global", "", "place t in heap\nparallel Q.i"}) {
        INFO(steps);
        const auto module = module_of(outer_product, steps);
        CHECK(function<std::int64_t(std::int64_t)>(module, "k_workspace_size")(4096) / 64 == 134217728 / 64);  // and room to align
        check_product(module, 4096);
    }
    CHECK_THAT(refused(fixed_product, "place t in private"), Catch::Contains("'t'") && Catch::Contains("134217728") &&
                                                                 Catch::Contains("65536") &&
                                                                 Catch::Contains("place t in heap"));
    check_product(module_of(fixed_product), 4096);
}

TEST_CASE("each thread has its own of a large temporary in a parallel loop, and two calls never share one") {
    const std::string text =
        "kernel k(n, E : index; u : in f64[n], v : in f64[n], y : inout f64[E, n])\n{\n  for [e] parallel : 0 <= e < E {\n"
        "    temp t : f64[n, n] in heap\n    for [i, j] : 0 <= i, j < n { P: t[i, j] = u[i] * v[j] + e }\n"
        "    for [i, j] : 0 <= i, j < n { Q: y[e, i] += t[j, i] }\n  }\n}\n";
    const auto module = module_of(text);
    function<void(int)>(module, "omp_set_num_threads")(8);
    CHECK(function<std::int64_t(std::int64_t, std::int64_t)>(module, "k_workspace_size")(4096, 8) / 64 == 8 * std::int64_t{134217728} / 64);
    constexpr std::int64_t n = 300;
    std::vector<double> u(n, 2.0), v(n, 3.0);
    std::vector<std::thread> callers;
    std::atomic<int> wrong{0};
    for (int caller = 0; caller < 2; ++caller)
        callers.emplace_back([&] {
            std::vector<double> y(8 * n);
            const auto run = function<int(std::int64_t, std::int64_t, const double*, const double*, double*)>(module, "k");
            wrong += run(n, 8, u.data(), v.data(), y.data()) != 0;
            for (std::size_t k = 0; k < y.size(); ++k) wrong += y[k] != n * (6.0 + static_cast<double>(k / n));
        });
    for (auto& t : callers) t.join();
    CHECK(wrong == 0);
}

TEST_CASE("sizes of zero and below") {
    const std::string text =
        "kernel k(n : index; x : in f64[n], y : inout f64[n])\n{\n  temp t : f64[n - 4]\n"
        "  for [i] : 0 <= i < n - 4 { P: t[i] = x[i + 4] }\n  for [i] : 0 <= i < n - 4 { Q: y[i] = t[i] + x[i] }\n}\n";
    for (const std::int64_t n : {0, 3, 4, 5, 1000}) {
        std::vector<double> x, right(static_cast<std::size_t>(n), 777);
        for (std::int64_t i = 0; i < n; ++i) x.push_back(0.5 + static_cast<double>(i));
        for (std::int64_t i = 0; i + 4 < n; ++i) right[static_cast<std::size_t>(i)] = static_cast<double>(2 * i) + 5.0;
        const std::vector<double> before(static_cast<std::size_t>(n), 777);
        for (const char* steps :
             {"place t in heap", "place t in heap\nsplit P.i by 8\nsplit Q.i by 8", "place t in global\nparallel Q.i", ""})
            CHECK(doubles(run(text, steps, {{}, {{"x", values_of(x, DType::F64)}, {"y", values_of(before, DType::F64)}}})
                              .arrays.at("y")) == right);
    }
    CHECK_THAT(refused(text, "place t in private"), Catch::Contains("depends on parameters") && Catch::Contains("heap"));
    const auto module = module_of(text);
    const auto size = function<std::int64_t(std::int64_t)>(module, "k_workspace_size");
    for (const std::int64_t n : {-5, 0, 3, 4}) CHECK(size(n) == 0);
    CHECK(size(5) > 0);
    CHECK(size(INT64_MAX) == -1);
}

TEST_CASE("shared memory: several tiles, sizes that depend on the block, sizes without a bound") {
    const std::string blocks =
        "kernel k(x : in f64[4], y : out f64[4])\n{\n  for [b] : 0 <= b < 4 { S: y[b] = sum[i : 0 <= i <= b](x[i]) }\n}\n";
    const Kernel staged = scheduled(blocks, "stage x at b in shared into tile\nparallel b");
    CHECK_THAT(staged.str(), Catch::Contains("temp tile : f64[4] in shared"));
    const Arguments given{{}, {{"x", values<double>({1, 2, 3, 4})}}};
    CHECK(doubles(run(blocks, "stage x at b in shared into tile\nparallel b", given).arrays.at("y")) ==
          std::vector<double>{1, 3, 6, 10});
    const std::string tiles =
        "kernel k(x : in f32[2], y : out f32[2])\n{\n  for [b] parallel : 0 <= b < 2 {\n    temp s : f32[2, 6144] in shared\n"
        "    temp r : f32[25600] in shared\n    for [i] : 0 <= i < 6144 { s[0, i] = x[b]; s[1, i] = x[b] + i }\n"
        "    for [i] : 0 <= i < 25600 { r[i] = s[1, i mod 6144] + s[0, 0] }\n    y[b] = r[25599]\n  }\n}\n";
    CHECK(doubles(run(tiles, "", {{}, {{"x", values<float>({1, 2})}}}).arrays.at("y")) == std::vector<double>{1025, 1027});
    const std::string open =
        "kernel k(n : index; y : inout f64[4])\n{\n  for [b] parallel : 0 <= b < 4 {\n    temp tile : f64[n] in shared\n"
        "    for [i] : 0 <= i < n { tile[i] = i + b }\n    for [i] : 0 <= i < n { y[b] += tile[n - 1 - i] }\n  }\n}\n";
    for (const std::int64_t n : {0, 3, 100000}) {
        const double sum = static_cast<double>(n * (n - 1) / 2);
        const auto module = module_of(open);
        std::vector<double> y(4), right;
        for (std::int64_t b = 0; b < 4; ++b) right.push_back(sum + static_cast<double>(b * n));
        CHECK(function<int(std::int64_t, double*)>(module, "k")(n, y.data()) == 0);
        CHECK(y == right);
    }
}

namespace {

Kernel weighted_sum(const std::vector<double>& weights) {
    using namespace heddle::build;
    KernelBuilder k("k");
    const auto extent = static_cast<std::int64_t>(weights.size());
    auto c = k.table("c", {extent}, weights);
    auto x = k.in<double>("x", {extent});
    auto y = k.inout<double>("y", {1});
    k.loop("k", 0, extent, [&](Index i) { y(0) += c(i) * x(i); });
    return k.build();
}

double total(const Kernel& kernel, std::size_t count, std::size_t& text_size) {
    std::vector<SourceFile> objects;
    const std::string text = emit_c_single(*lower(kernel), &objects);
    text_size = text.size();
    runtime::CompileOptions how;
    for (const SourceFile& o : objects) how.objects.emplace_back(o.name, o.text);
    const runtime::Module module = runtime::compile_c(text, how);
    const std::vector<double> x(count, 1.0);
    double y = 0;
    CHECK(function<int(const double*, double*)>(module, "k")(x.data(), &y) == 0);
    return y;
}

}  // namespace

TEST_CASE("a table of 100000 numbers costs no text") {
    std::vector<double> weights;
    for (int k = 0; k < 100000; ++k) weights.push_back(1.0 / (k + 1));
    const Kernel kernel = weighted_sum(weights);
    std::size_t text = 0;
    CHECK(total(kernel, weights.size(), text) == Approx(12.090146129863427).epsilon(1e-12));
    CHECK(text < 10000);
    CHECK(total(kernel | unroll_loop("k", 8), weights.size(), text) == Approx(12.090146129863427).epsilon(1e-12));
    CHECK(text < 20000);
    std::vector<double> other = weights;
    other[77777] = std::nextafter(other[77777], 1.0);
    CHECK_FALSE(weighted_sum(other) == kernel);
    CHECK(weighted_sum(other).str() != kernel.str());
}

TEST_CASE("a limited pool gives unused memory back before it refuses") {
    constexpr std::size_t mib = std::size_t(1) << 20;
    const auto consistent = [](const runtime::Pool& pool) {
        const auto s = pool.statistics();
        CHECK(s.live_bytes + s.padding_bytes + s.cached_bytes == s.reserved_bytes);
        CHECK(s.reserved_bytes <= 1024 * mib);
    };
    runtime::PoolOptions options;
    options.limit = 1024 * mib;
    runtime::Pool pool(options);
    pool.release(pool.allocate(512 * mib));
    consistent(pool);
    void* const large = pool.allocate(768 * mib);
    consistent(pool);
    CHECK_THROWS_WITH(pool.allocate(512 * mib), Catch::Contains(std::to_string(512 * mib)) &&
                                                    Catch::Contains(std::to_string(768 * mib)) &&
                                                    Catch::Contains(std::to_string(1024 * mib)));
    consistent(pool);
    pool.release(large);
    pool.release(pool.allocate(900 * mib));

    options.limit = 8 * mib;
    runtime::Pool small(options);
    void* const a = small.allocate(1 * mib);
    small.release(small.allocate(4 * mib));
    void* const cut = small.allocate(1 * mib);
    small.release(a);
    void* const four = small.allocate(4 * mib);
    consistent(small);
    small.release(four);
    small.release(cut);
    small.trim();
    CHECK(small.statistics().reserved_bytes == 0);
}

namespace {

struct Marked {
    unsigned char* at;
    std::size_t bytes;
    unsigned char mark;
};

/// Blocks that one thread took and any may give back.
class Exchange {
public:
    void put(Marked m) {
        const std::lock_guard lock(mutex_);
        blocks_.push_back(m);
    }
    std::optional<Marked> take(std::mt19937& random, std::size_t keep) {
        const std::lock_guard lock(mutex_);
        if (blocks_.size() <= keep) return std::nullopt;
        std::swap(blocks_[random() % blocks_.size()], blocks_.back());
        const Marked out = blocks_.back();
        blocks_.pop_back();
        return out;
    }

private:
    std::mutex mutex_;
    std::vector<Marked> blocks_;
};

int take_and_give(runtime::Pool& pool, Exchange& exchange, unsigned seed, int calls) {
    std::mt19937 random(seed);
    int wrong = 0;
    for (int k = 0; k < calls; ++k) {
        const std::size_t bytes = 100 + random() % 9901;
        const Marked taken{static_cast<unsigned char*>(pool.allocate(bytes)), bytes,
                           static_cast<unsigned char>(random() % 256)};
        wrong += reinterpret_cast<std::uintptr_t>(taken.at) % 64 != 0;
        std::memset(taken.at, taken.mark, bytes);
        exchange.put(taken);
        if (const auto given = exchange.take(random, 64)) {
            wrong += std::count(given->at, given->at + given->bytes, given->mark) != static_cast<std::ptrdiff_t>(given->bytes);
            pool.release(given->at);
        }
    }
    return wrong;
}

}  // namespace

TEST_CASE("eight threads give back each other's blocks") {
    runtime::Pool pool;
    Exchange exchange;
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 8; ++t) threads.emplace_back([&, t] { wrong += take_and_give(pool, exchange, t, 12500); });
    for (auto& t : threads) t.join();
    CHECK(wrong == 0);
    CHECK_THROWS_WITH(pool.close(), Catch::Contains("64"));
    std::mt19937 random(9);
    while (const auto left = exchange.take(random, 0)) pool.release(left->at);
    CHECK(pool.statistics().live_bytes == 0);
    void* const block = pool.allocate(1);
    CHECK(reinterpret_cast<std::uintptr_t>(block) % 64 == 0);
    pool.release(block);
    int own = 0;
    CHECK_THROWS(pool.release(block));
    CHECK_THROWS(pool.release(&own));
    pool.trim();
    CHECK(pool.statistics().reserved_bytes == 0);
}
