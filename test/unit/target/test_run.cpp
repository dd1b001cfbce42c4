// Emitted C, compiled and run.
#include <catch2/catch.hpp>

#include "runtime/compile.h"
#include "target/target.h"
#include "test/unit/ir/kernels.h"

using namespace heddle;
using namespace heddle::test;

namespace {

using Entry = std::int32_t (*)(void* const*, const void*);

std::string text_of(const KernelData& k) {
    TargetOptions options;
    options.entry = true;
    return emit_c_single(*lower(Kernel(std::make_shared<KernelData>(k)), options));
}

Expr row() { return make(Op::Add, index_type, {make(Op::Mul, index_type, {num(4), v("io")}), v("ii")}); }

}  // namespace

TEST_CASE("a split loop with a partial last tile runs every point once") {
    Maker m({"n"});
    m.array("a", {v("n")}, Role::InOut);
    m.kernel.argument_order = {"n", "a"};
    const Domain tile =
        Domain{{{ge(4 * s("io") + s("ii"), 0), lt(4 * s("io") + s("ii"), s("n")), ge(s("ii"), 0), lt(s("ii"), 4)}}};
    const NodePtr leaf = m.leaf(assign("S", tile, {"a", {row()}}, float_literal(1, DType::F64), Update::Add));
    const KernelData k = m.done({Maker::loop("io", {Maker::loop("ii", {leaf})})});
    const runtime::Module module = runtime::compile_c(text_of(k));
    const auto entry = reinterpret_cast<Entry>(module.symbol("k_entry"));
    for (std::int64_t n : {0, 1, 3, 4, 5, 8, 11}) {
        std::vector<double> a(static_cast<std::size_t>(n) + 2, 5.0);
        void* const arguments[] = {&n, a.data()};
        REQUIRE(entry(arguments, nullptr) == 0);
        for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == (static_cast<std::int64_t>(i) < n ? 6.0 : 5.0));
    }
}

TEST_CASE("a null array is refused, an empty one may be null") {
    Maker m({"n"});
    m.array("a", {v("n")}, Role::Out);
    m.kernel.argument_order = {"n", "a"};
    const NodePtr leaf = m.leaf(assign("S", range("i", 0, s("n")), {"a", {v("i")}}, float_literal(2, DType::F64)));
    const KernelData k = m.done({Maker::loop("i", {leaf})});
    const runtime::Module module = runtime::compile_c(text_of(k));
    const auto entry = reinterpret_cast<Entry>(module.symbol("k_entry"));
    std::int64_t n = 3;
    void* const arguments[] = {&n, nullptr};
    CHECK(entry(arguments, nullptr) == 1);
    const auto message = reinterpret_cast<const char* (*)()>(module.symbol("k_error"));
    CHECK(std::string(message()) == "k: 'a' is a null pointer");
    n = 0;
    CHECK(entry(arguments, nullptr) == 0);
}
