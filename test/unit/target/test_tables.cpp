// Constant tables: text where small, an object file where large; one copy, exact to the last bit.
#include <cmath>
#include <limits>

#include "ir/builder.h"
#include "test/unit/target/compiled.h"

using namespace heddle;
using namespace heddle::test;

namespace {

/// y[i] = w[i] for a table of `count` values of which some are no ordinary numbers.
std::vector<double> table_values(std::size_t count) {
    std::vector<double> out(count);
    for (std::size_t k = 0; k < count; ++k) out[k] = std::sin(static_cast<double>(k)) / 3.0;
    out[0] = -0.0;
    out[1] = std::numeric_limits<double>::infinity();
    out[2] = -std::numeric_limits<double>::infinity();
    out[3] = std::nan("");
    out[4] = std::numeric_limits<double>::denorm_min();
    return out;
}

Kernel reading_table(std::size_t count) {
    using namespace heddle::build;
    KernelBuilder k("k");
    const auto extent = static_cast<std::int64_t>(count);
    auto w = k.table("w", {extent}, table_values(count));
    auto y = k.out<double>("y", {extent});
    k.loop("i", 0, extent, [&](Index i) { y(i) = w(i); });
    return k.build();
}

/// What y is after a run, and the text that was compiled.
std::pair<std::vector<double>, std::string> values_through(const Kernel& kernel, std::size_t count) {
    TargetOptions options;
    options.entry = true;
    std::vector<SourceFile> objects;
    const std::string text = emit_c_single(*lower(kernel, options), &objects);
    runtime::CompileOptions how;
    how.flags = strict_flags();
    for (const SourceFile& o : objects) how.objects.emplace_back(o.name, o.text);
    const runtime::Module module = runtime::compile_c(text, how);
    std::vector<double> y(count, 7.0);
    void* pointers[] = {y.data()};
    const auto entry = reinterpret_cast<std::int32_t (*)(void* const*, const void*)>(module.symbol("k_entry"));
    CHECK(entry(pointers, nullptr) == 0);
    return {y, text};
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

}  // namespace

TEST_CASE("a small table is text, exact to the last bit") {
    const auto [y, text] = values_through(reading_table(100), 100);
    auto expected = table_values(100);
    CHECK(std::isnan(y[3]));
    auto found = y;
    found[3] = expected[3] = 0;  // the text does not keep which NaN it is
    CHECK(same_bits(found, expected));
    CHECK_THAT(text, Catch::Contains("static const double w[100] = {-0.0, INFINITY, -INFINITY, NAN,"));
    CHECK(emit_c(*lower(reading_table(100))).size() == 3);
}

TEST_CASE("a table of 8 MB is an object file beside a short text") {
    constexpr std::size_t count = 1 << 20;
    const Kernel kernel = reading_table(count);
    const auto [y, text] = values_through(kernel, count);
    CHECK(same_bits(y, table_values(count)));
    CHECK(text.size() < 10000);
    const std::vector<SourceFile> files = emit_c(*lower(kernel));
    REQUIRE(files.size() == 4);
    CHECK(files[3].name == "k_tables.o");
    CHECK(files[3].text.size() < count * sizeof(double) + 2000);
    CHECK_THAT(files[2].text, Catch::Contains("k_table_w[1048576];"));
    CHECK_THROWS_WITH(emit_c_single(*lower(kernel)), Catch::Contains("8388608 bytes, too many for one text"));
}

TEST_CASE("a called kernel's large table has the caller's name, so that both may be linked") {
    using namespace heddle::build;
    const Kernel inner = reading_table(5000);
    KernelBuilder k("outer");
    auto z = k.out<double>("z", {5000});
    k.call(inner, {{"y", z}});
    const std::vector<SourceFile> files = emit_c(*lower(k.build()));
    REQUIRE(files.size() == 4);
    CHECK_THAT(files[2].text, Catch::Contains("outer_table_w[5000];") && Catch::Contains("k_device"));
    CHECK(files[3].text.find("outer_table_w") != std::string::npos);
}
