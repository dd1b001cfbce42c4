// The memory of temporaries: who shares bytes with whom, and how emitted code gets and returns them.
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <thread>

#include "ir/error.h"
#include "runtime/heddle_runtime.h"
#include "target/memory_plan.h"
#include "target/storage_report.h"
#include "test/unit/target/compiled.h"

using namespace heddle;
using namespace heddle::test;

namespace {

std::vector<Tenant> random_tenants(std::mt19937& rng, std::size_t count) {
    std::vector<Tenant> out;
    for (std::size_t k = 0; k < count; ++k) {
        const std::size_t first = rng() % 20;
        out.push_back({Name("t" + std::to_string(k)),
                       {first, first + rng() % 6},
                       rng() % 8 ? DType::F64 : DType::I32,
                       static_cast<double>(64 * (1 + rng() % 9))});
    }
    return out;
}

/// Sizes that the plan did not know.
std::vector<std::int64_t> other_sizes(std::size_t count, std::mt19937& rng) {
    std::vector<std::int64_t> out;
    for (std::size_t k = 0; k < count; ++k) out.push_back(static_cast<std::int64_t>(1 + rng() % 100));
    return out;
}

/// An allocator that counts, and fails at the n-th request.
struct Counting {
    int asked = 0, live = 0, fail_at = 0;
    heddle_allocator face() {
        heddle_allocator a{};
        a.size = sizeof a;
        a.user = this;
        a.allocate = [](void* user, std::size_t bytes, std::size_t alignment, int, void*) -> void* {
            auto& self = *static_cast<Counting*>(user);
            if (++self.asked == self.fail_at) return nullptr;
            ++self.live;
            return std::aligned_alloc(alignment, bytes);
        };
        a.release = [](void* user, void* block, std::size_t, std::size_t, int, void*) {
            --static_cast<Counting*>(user)->live;
            std::free(block);
        };
        a.message = [](void*) { return "the counter said no"; };
        return a;
    }
};

const char* const reversed_twice = R"(kernel k(n : index; x : in f64[n], y : out f64[n]) {
  temp a : f64[n] in heap
  temp b : f64[n] in heap
  temp c : f64[n] in heap
  for [i] : 0 <= i < n { a[i] = x[n - 1 - i] * 2.0 }
  for [i] : 0 <= i < n { b[i] = a[n - 1 - i] + 1.0 }
  for [i] : 0 <= i < n { c[i] = b[n - 1 - i] * 0.5 }
  for [i] : 0 <= i < n { y[i] = c[n - 1 - i] }
})";

runtime::Module module_of(const std::string& text, TargetOptions options = {}) {
    options.entry = true;
    runtime::CompileOptions how;
    how.flags = strict_flags();
    return runtime::compile_c(emit_c_single(*lower(parse(text).kernel(), options)), how);
}

template <class F>
F symbol(const runtime::Module& module, const char* name) {
    return reinterpret_cast<F>(module.symbol(name));
}

std::string chain_of(int count) {
    std::string text = "kernel k(n : index; x : in f64[n], y : out f64[n]) {\n";
    for (int k = 0; k < count; ++k) text += "temp t" + std::to_string(k) + " : f64[n] in heap\n";
    for (int k = 0; k <= count; ++k) {
        const std::string from = k == 0 ? "x" : "t" + std::to_string(k - 1), to = k == count ? "y" : "t" + std::to_string(k);
        text += "for [i] : 0 <= i < n { " + to + "[i] = " + from + "[n - 1 - i] + 1.0 }\n";
    }
    return text + "}\n";
}

}  // namespace

TEST_CASE("blocks that are needed at the same time never meet, whatever their sizes") {
    std::mt19937 rng(5);
    for (int round = 0; round < 300; ++round) {
        const std::vector<Tenant> tenants = random_tenants(rng, 1 + rng() % 14);
        const std::vector<Slot> plan = plan_memory(tenants);
        REQUIRE(plan.size() == tenants.size());
        std::map<Name, Tenant> by_name;
        for (const Tenant& t : tenants) by_name.emplace(t.name, t);
        const auto places = lay_out(plan, other_sizes(plan.size(), rng)).value();
        for (std::size_t a = 0; a < plan.size(); ++a)
            for (std::size_t b = 0; b < a; ++b) {
                const Tenant &s = by_name.at(plan[a].name), &t = by_name.at(plan[b].name);
                const bool meet = places[a].first < places[b].second && places[b].first < places[a].second;
                const bool together = s.live.overlaps(t.live) || s.type != t.type;
                CHECK_FALSE((meet && together));
                if (meet) CHECK((plan[a].shares && plan[b].shares));
            }
    }
}

TEST_CASE("a plan is close to what is needed at the fullest moment") {
    std::mt19937 rng(11);
    double planned = 0, needed = 0;
    for (int round = 0; round < 200; ++round) {
        std::vector<Tenant> tenants = random_tenants(rng, 12);
        for (Tenant& t : tenants) t.type = DType::F64;
        const std::vector<Slot> plan = plan_memory(tenants);
        std::map<Name, double> sizes;
        for (const Tenant& t : tenants) sizes[t.name] = t.size;
        std::vector<std::int64_t> ordered;
        for (const Slot& s : plan) ordered.push_back(static_cast<std::int64_t>(sizes[s.name]));
        double peak = 0;
        const auto places = lay_out(plan, ordered).value();
        for (const auto& [start, end] : places) peak = std::max(peak, static_cast<double>(end));
        double fullest = 0;
        for (std::size_t moment = 0; moment < 30; ++moment) {
            double now = 0;
            for (const Tenant& t : tenants)
                if (t.live.first <= moment && moment <= t.live.last) now += t.size;
            fullest = std::max(fullest, now);
        }
        CHECK(peak >= fullest);
        planned += peak;
        needed += fullest;
    }
    CHECK(planned <= 1.1 * needed);
}

TEST_CASE("a chain of ten temporaries takes the memory of two") {
    const auto module = module_of(chain_of(10));
    const auto size = symbol<std::int64_t (*)(std::int64_t)>(module, "k_workspace_size");
    CHECK(size(1 << 20) == 2 * (8 << 20) + 63);
    CHECK(size(0) == 0);
    CHECK(size(-5) == 0);
    CHECK(size(INT64_MAX / 4) == -1);
    const Kernel kernel = parse(chain_of(10)).kernel();
    CHECK(workspace_formula(*place(kernel)) == "t0 + t1");
    const auto bytes = workspace_bytes(*place(kernel), {{Name("n"), 1 << 20}}, 2);
    REQUIRE(bytes);
    CHECK(bytes->planned == 16 << 20);
    CHECK(bytes->separate == 80 << 20);
}

TEST_CASE("temporaries that share bytes keep their values") {
    check_equal_runs(reversed_twice, {{{"n", 0}}, {{"n", 1}}, {{"n", 7}}, {{"n", 64}}, {{"n", 1000}}});
    check_equal_runs(chain_of(7), {{{"n", 0}}, {{"n", 1}}, {{"n", 9}}, {{"n", 513}}});
    check_equal_runs(R"(kernel k(n, m : index; x : in f64[n, m], y : out f64[n, m], z : out i32[n]) {
      temp whole : f64[n, m] in heap
      for [i, j] : 0 <= i < n and 0 <= j < m { whole[i, j] = x[i, j] + 1.0 }
      for [i] parallel : 0 <= i < n {
        temp row : f64[m]
        for [j] : 0 <= j < m { row[j] = whole[i, m - 1 - j] }
        temp twice : f64[m, 2]
        for [j] : 0 <= j < m { twice[j, j mod 2] = row[j] * 2.0 }
        for [j] : 0 <= j < m { y[i, j] = twice[j, j mod 2] }
      }
      temp count : i32[n]
      for [i] : 0 <= i < n { count[i] = i32(i) }
      for [i] : 0 <= i < n { z[i] = count[n - 1 - i] }
    })",
                     {{{"n", 1}, {"m", 1}}, {{"n", 5}, {"m", 3}}, {{"n", 33}, {"m", 70}}});
}

TEST_CASE("the caller's allocator gives the memory and gets it back") {
    const auto module = module_of(reversed_twice);
    const auto run = symbol<int (*)(std::int64_t, const double*, double*, const heddle_allocator*)>(module, "k_with_allocator");
    const auto message = symbol<const char* (*)()>(module, "k_error");
    Counting counter;
    heddle_allocator face = counter.face();
    const double x[4] = {1, 2, 3, 4};
    double y[4] = {};
    CHECK(run(4, x, y, &face) == heddle_ok);
    CHECK(y[0] == 1.5);
    CHECK(y[3] == 4.5);
    CHECK(counter.asked == 1);
    CHECK(counter.live == 0);
    counter.fail_at = 2;
    CHECK(run(4, x, y, &face) == heddle_out_of_memory);
    CHECK_THAT(message(), Catch::Contains("out of memory: 128 bytes") && Catch::Contains("the counter said no"));
    CHECK(counter.live == 0);
    CHECK(run(4, x, y, &face) == heddle_ok);
    CHECK(run(0, x, y, &face) == heddle_ok);
    CHECK(counter.asked == 3);  // nothing is asked for nothing
    CHECK(run(4, x, y, nullptr) == heddle_ok);
    face.size = 8;
    CHECK(run(4, x, y, &face) == heddle_bad_argument);
}

TEST_CASE(
    "the one allocation of every kernel of the examples and pairs fails once: a status, nothing kept, the next call works") {
    namespace fs = std::filesystem;
    std::set<fs::path> files;
    for (const char* folder : {"examples", "test/emit/c", "test/steps/stage", "test/steps/precompute", "test/steps/buffer",
                               "test/steps/expand", "test/steps/rfactor"})
        for (const auto& entry : fs::recursive_directory_iterator(fs::path(HEDDLE_SOURCE_DIR) / folder))
            if (entry.path().extension() == ".heddle" && entry.path().filename() != "kernel.heddle") files.insert(entry.path());
    int tried = 0;
    for (const fs::path& file : files) {
        std::ifstream in(file);
        const std::string text{std::istreambuf_iterator<char>(in), {}};
        for (const Kernel& kernel : parse(text, file.string()).kernels) {
            TargetOptions options;
            const auto& arrays = kernel.data().arrays;
            if (std::none_of(arrays.begin(), arrays.end(), [](const Array& a) { return a.space == AddressSpace::Private; }))
                options.stack_limit = 0;
            options.entry = true;
            std::map<std::string, std::int64_t> sizes;
            Env env;
            for (const Parameter& p : kernel.data().parameters) env[p.name] = sizes[p.name.str()] = 4;
            if (!kernel.data().externs.empty() || !contains(kernel.data().assumptions, env)) continue;
            const auto program = lower(kernel, options);
            if (program->memory.empty()) continue;
            INFO(file.string());
            runtime::CompileOptions how;
            how.flags = {"-std=c11", "-O0", "-fopenmp"};
            const auto module = runtime::compile_c(emit_c_single(*program), how);
            Arguments arguments = filled_arguments(kernel, sizes);
            for (auto& [name, buffer] : arguments.arrays)  // indices that are read, or computed from values, stay inside: zero
                std::fill(buffer.bytes.begin(), buffer.bytes.end(), std::byte{});
            std::vector<void*> pointers;
            for (Name name : kernel.data().argument_order) {
                const auto size = arguments.sizes.find(name.str());
                pointers.push_back(size != arguments.sizes.end() ? static_cast<void*>(&size->second)
                                                                 : arguments.arrays.at(name.str()).bytes.data());
            }
            Counting counter;
            counter.fail_at = 1;
            const heddle_allocator face = counter.face();
            const auto entry = symbol<std::int32_t (*)(void* const*, const void*)>(module, (kernel.name() + "_entry").c_str());
            CHECK(entry(pointers.data(), &face) == heddle_out_of_memory);
            CHECK(counter.live == 0);
            CHECK(entry(pointers.data(), &face) == heddle_ok);
            CHECK(counter.asked == 2);
            CHECK(counter.live == 0);
            ++tried;
        }
    }
    CHECK(tried >= 20);
}

TEST_CASE("a buffer of the caller's is enough") {
    const auto module = module_of(reversed_twice);
    const auto size = symbol<std::int64_t (*)(std::int64_t)>(module, "k_workspace_size");
    const auto run = symbol<int (*)(std::int64_t, const double*, double*, void*, std::int64_t)>(module, "k_with_workspace");
    std::vector<double> x(100, 1.0), y(100);
    const std::int64_t bytes = size(100);
    std::vector<char> memory(static_cast<std::size_t>(bytes) + 1);
    for (int shift = 0; shift < 2; ++shift) {
        CHECK(run(100, x.data(), y.data(), memory.data() + shift, bytes) == heddle_ok);
        CHECK(y[99] == 1.5);
    }
    CHECK(run(100, x.data(), y.data(), memory.data(), bytes - 64) == heddle_bad_argument);
    CHECK(run(100, x.data(), y.data(), nullptr, bytes) == heddle_bad_argument);
    CHECK(run(0, x.data(), y.data(), nullptr, 0) == heddle_ok);
    std::vector<double> both(1000);
    CHECK(run(100, both.data() + 3, y.data(), both.data(), 8000) == heddle_bad_argument);
}

TEST_CASE("calls at once never share memory") {
    const auto module = module_of(chain_of(5));
    const auto run = symbol<int (*)(std::int64_t, const double*, double*)>(module, "k");
    std::vector<int> wrong(4);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            std::vector<double> x(2000, t), y(2000);
            for (int round = 0; round < 50; ++round) {
                wrong[static_cast<std::size_t>(t)] += run(2000, x.data(), y.data());
                for (const double v : y) wrong[static_cast<std::size_t>(t)] += v != t + 6;
            }
        });
    for (auto& t : threads) t.join();
    CHECK(wrong == std::vector<int>(4));
}

TEST_CASE("code that takes memory from the C library alone includes nothing of ours") {
    TargetOptions options;
    options.allocation = Allocation::Malloc;
    const auto program = lower(parse(reversed_twice).kernel(), options);
    CHECK(emit_c(*program).size() == 3);
    CHECK(emit_c_single(*program).find("heddle_allocator") == std::string::npos);
    CHECK(emit_c(*lower(parse(reversed_twice).kernel())).size() == 4);
    const auto module = module_of(reversed_twice, options);
    const auto run = symbol<int (*)(std::int64_t, const double*, double*)>(module, "k");
    const double x[2] = {1, 2};
    double y[2] = {};
    CHECK(run(2, x, y) == 0);
    CHECK(y[1] == 2.5);
}

TEST_CASE("a private temporary that does not fit is refused with the numbers") {
    const auto refused = [](const std::string& body) {
        try {
            lower(parse("kernel k(n : index; x : out f64) {\n" + body + "}\n").kernel());
        } catch (const Error& e) {
            return e.message() + "; " + e.hint_text();
        }
        return std::string("accepted");
    };
    CHECK_THAT(refused("temp a : f64[8000] in private\ntemp b : f64[1000] in private\na[1] = 1.0\nb[1] = a[1]\nx = b[1]\n"),
               Catch::Contains("takes 8000 bytes of a stack that may hold 65536; 'a' takes 64000") &&
                   Catch::Contains("place b in heap"));
    CHECK_THAT(refused("temp a : f64[n] in private\nif n > 1 { a[1] = 1.0\nx = a[1] }\n"),
               Catch::Contains("its size depends on parameters"));
    CHECK_THAT(refused("temp a : f64[4000000000, 4000000000] in heap\na[0, 0] = 1.0\nx = a[0, 0]\n"),
               Catch::Contains("does not fit 64 bits"));
}

TEST_CASE("names of arguments do not collide with those of the host part") {
    check_equal_runs(R"(kernel k(bytes, status : index; workspace : in f64[bytes], allocator : out f64[bytes], at : in f64) {
      temp failure : f64[bytes] in heap
      for [i] : 0 <= i < bytes { failure[i] = workspace[bytes - 1 - i] + at }
      for [i] : 0 <= i < bytes { allocator[i] = failure[bytes - 1 - i] }
    })",
                     {{{"bytes", 5}, {"status", 1}}});
}

TEST_CASE("a called kernel's threads have instances of its temporaries") {
    check_equal_runs(R"(kernel inner(n, m : index; x : in f64[n, m], y : out f64[n, m]) {
      for [i] parallel : 0 <= i < n {
        temp row : f64[m]
        for [j] : 0 <= j < m { row[j] = x[i, j] * 2.0 }
        for [j] : 0 <= j < m { y[i, j] = row[m - 1 - j] }
      }
    }
    kernel k(n, m : index; x : in f64[n, m], y : out f64[n, m]) {
      call inner(n = n, m = m, x = x, y = y)
    })",
                     {{{"n", 40}, {"m", 30}}});
}
