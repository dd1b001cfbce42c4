// Sizes that leave 64 bits, at any place of a shape: refused by the emitted host part, without undefined arithmetic.
#include <limits>

#include "test/unit/target/compiled.h"

using namespace heddle;
using namespace heddle::test;

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(), least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t big = 4'000'000'000;

class Loaded {
public:
    explicit Loaded(const std::string& text) {
        TargetOptions options;
        options.entry = true;
        runtime::CompileOptions how;
        how.flags = strict_flags();
        module_.emplace(runtime::compile_c(emit_c_single(*lower(parse(text).kernel(), options)), how));
    }
    std::int32_t call(std::vector<void*> arguments) const {
        return symbol<std::int32_t (*)(void* const*, const void*)>("k_entry")(arguments.data(), nullptr);
    }
    std::string message() const { return symbol<const char* (*)()>("k_error")(); }
    template <class F>
    F symbol(const char* name) const {
        return reinterpret_cast<F>(module_->symbol(name));
    }

private:
    std::optional<runtime::Module> module_;
};

/// A kernel with a temporary of the shape that runs nothing unless n or m is 1.
std::string kernel_with(const std::string& temporary) {
    return "kernel k(n, m : index; y : inout f64) {\n  temp t : " + temporary +
           " in heap\n  for [i] : 0 <= i < 1 and n = 1 { t[0] = y + 1.0; y = t[0] }\n}";
}

/// n*m - n + m, where all parts fit.
std::optional<std::int64_t> expected_elements(std::int64_t n, std::int64_t m) {
    std::int64_t product, difference, sum;
    if (__builtin_mul_overflow(n, m, &product) || __builtin_sub_overflow(product, n, &difference) ||
        __builtin_add_overflow(difference, m, &sum))
        return std::nullopt;
    return sum;
}

}  // namespace

TEST_CASE("a product or sum inside one extent of a temporary is refused where it leaves 64 bits") {
    for (const char* shape : {"f64[n*m]", "f64[n*m//4]", "f64[min(n*m, 10)]", "f64[(n*m) % 7]", "f64[n*m - m*n]"}) {
        INFO(shape);
        const Loaded k(kernel_with(shape));
        std::int64_t n = big, m = big;
        double y = 2;
        CHECK(k.call({&n, &m, &y}) == 2);
        CHECK(k.message() == "k: out of memory: the size of its temporaries does not fit 64 bits");
        CHECK(k.symbol<std::int64_t (*)(std::int64_t, std::int64_t)>("k_workspace_size")(n, m) == -1);
        alignas(64) char memory[128];
        const auto in_buffer = k.symbol<int (*)(std::int64_t, std::int64_t, double*, void*, std::int64_t)>("k_with_workspace");
        CHECK(in_buffer(n, m, &y, memory, sizeof memory) == 1);
        CHECK(in_buffer(n, m, &y, nullptr, most) == 1);
        CHECK(y == 2);
    }
    for (const char* shape : {"f64[n + m]", "f64[n - (0 - m)]", "f64[ceil((n + m)/8)]", "f64[max(n + m, 3)]"}) {
        INFO(shape);
        const Loaded k(kernel_with(shape));
        std::int64_t n = most, m = 1;
        double y = 2;
        CHECK(k.call({&n, &m, &y}) == 2);
        n = 1, m = 3;
        CHECK(k.call({&n, &m, &y}) == 0);
        CHECK(y == 3);
    }
}

TEST_CASE("sizes are exact up to the last number that fits") {
    const Loaded k(
        "kernel k(n, m : index; y : inout u8) {\n  temp t : u8[n*m - n + m] in heap\n"
        "  if n = 1 { t[0] = y; y = t[0] }\n}");
    const auto size = k.symbol<std::int64_t (*)(std::int64_t, std::int64_t)>("k_workspace_size");
    const std::vector<std::int64_t> edges{least, least + 1,  -big,       -3,  -1,       0,        1,   2,
                                          7,     3037000499, 3037000500, big, most / 2, most - 1, most};
    for (const std::int64_t n : edges)
        for (const std::int64_t m : edges) {
            INFO(n << " " << m);
            const auto count = expected_elements(n, m);
            const bool fits = count && *count <= most - 126;
            CHECK(size(n, m) == (!fits ? -1 : *count <= 0 ? 0 : (*count + 63) / 64 * 64 + 63));
        }
}

TEST_CASE("extents that cannot leave 64 bits are written as they are") {
    const auto text = [](const char* where) {
        return emit_c_single(*lower(parse("kernel k(n, m : index; A : out f64[2*n + m, n - 3])" + std::string(where) +
                                          " { for [i] : 0 <= i < n - 3 { A[i, 0] = 1.0 } }")
                                        .kernel(),
                                    {}));
    };
    CHECK(text("").find("heddle_sum(heddle_product(2, n, &fits), m, &fits)") != std::string::npos);
    const std::string known = text(" where 0 <= n <= 1000 and -5 <= m <= 1000");
    CHECK(known.find("heddle_times(n - 3, heddle_times(2 * n + m, 8))") != std::string::npos);
    CHECK(known.find("fits = true") == std::string::npos);
}

TEST_CASE("arguments whose size leaves 64 bits are refused by name") {
    const std::vector<std::pair<const char*, std::vector<std::int64_t>>> cases{
        {"A : out f64[n*n]", {big, 0}},
        {"A : out f64[n, n]", {big, 0}},
        {"A : out f64[n, m]", {big, big}},
        {"A : out f64[n + m]", {most, most}},
        {"A : out f64[n]", {most / 4, 0}},
        {"A : out f64[n, m] pad(8, 0)", {most, 1}},
        {"A : out f64[n, m] strides(n*n, 1)", {big, 2}},
        {"A : out f64[n, m] strides(n, 1)", {big, 2}},
        {"A : out f64[n*m, 2] strides(2, 1)", {big, big}},
    };
    for (const auto& [argument, sizes] : cases) {
        INFO(argument);
        const Loaded k("kernel k(n, m : index; " + std::string(argument) + ") { for [i] : 0 <= i < 0 { } }");
        std::int64_t n = sizes[0], m = sizes[1];
        double a[16] = {};
        CHECK(k.call({&n, &m, a}) == 1);
        CHECK(k.message() == "k: the size of 'A' does not fit 64 bits");
        n = m = 1;
        CHECK(k.call({&n, &m, a}) == 0);
    }
}

TEST_CASE("strides of temporaries whose extents leave 64 bits are refused") {
    const Loaded k(
        "kernel k(n, m : index; y : inout f64) {\n  temp t : f64[n*m, 2] in heap strides(2, 1)\n"
        "  if n = 1 { t[0, 1] = y; y = t[0, 1] }\n}");
    std::int64_t n = big, m = big;
    double y = 1;
    CHECK(k.call({&n, &m, &y}) == 1);
    CHECK(k.message() == "k: the size of 't' does not fit 64 bits");
    CHECK(k.symbol<std::int64_t (*)(std::int64_t, std::int64_t)>("k_workspace_size")(n, m) == -1);
    n = m = 1;
    CHECK(k.call({&n, &m, &y}) == 0);
}
