// The code of docs/builder.md, as it stands there, and what it must give.
#include <catch2/catch.hpp>
#include <cctype>
#include <fstream>
#include <limits>
#include <sstream>

#include "ir/builder.h"
#include "ir/error.h"

using namespace heddle::build;

heddle::Kernel make_gemm() {
    heddle::KernelBuilder k("gemm");
    auto n = k.index("n"), m = k.index("m"), l = k.index("l");
    auto alpha = k.value<double>("alpha");
    auto A = k.in<double>("A", {n, l}), B = k.in<double>("B", {l, m}), C = k.inout<double>("C", {n, m});
    k.loop("i", 0, n, [&](Index i) {
        k.loop("j", 0, m, [&](Index j) { k.loop("p", 0, l, [&](Index p) { C(i, j) += alpha * A(i, p) * B(p, j); }); });
    });
    return k.build();
}

heddle::Kernel make_stencil() {
    heddle::KernelBuilder k("stencil");
    auto n = k.index("n"), steps = k.index("steps");
    auto u = k.inout<float>("u", {2, n});
    k.assume(n >= 3);
    k.loop("t", 0, steps, [&](Index t) {
        k.loop("i", 1, n - 1, [&](Index i) {
            auto now = t % 2, next = (t + 1) % 2;
            u(next, i) = 0.25 * u(now, i - 1) + 0.5 * u(now, i) + 0.25 * u(now, i + 1);
        });
    });
    return k.build();
}

heddle::Kernel make_triangle() {
    heddle::KernelBuilder k("triangle");
    auto n = k.index("n");
    auto a = k.inout<double>("a", {n, n});
    k.loop({range("i", 0, n).down(), range("j", 0, n).step(2)}, [&](Index i, Index j) { a(i, j) = 0; });
    k.loop(range("i", 0, n).dynamic_chunks(4),
           [&](Index i) { k.loop(range("j", 0, min(i + 1, 8)).unroll(), [&](Index j) { a(i, j) *= 2; }); });
    return k.build();
}

heddle::Kernel make_spmv() {
    heddle::KernelBuilder k("spmv");
    auto rows = k.index("rows"), cols = k.index("cols"), nnz = k.index("nnz");
    auto first = k.in<std::int32_t>("first", {rows + 1}), column = k.in<std::int32_t>("column", {nnz});
    auto v = k.in<double>("v", {nnz}), x = k.in<double>("x", {cols}), y = k.out<double>("y", {rows});
    k.loop("r", 0, rows, [&](Index r) {
        auto low = k.let_index("low", first(r)), high = k.let_index("high", first(r + 1));
        y(r) = k.sum("p", low, high, [&](Index p) { return v(p) * x(column(p)); });
    });
    return k.build();
}

heddle::Kernel make_softmax() {
    heddle::KernelBuilder k("softmax");
    auto n = k.index("n"), m = k.index("m");
    auto s = k.in<double>("s", {n, m}), o = k.out<double>("o", {n, m});
    auto peak = k.out<std::int64_t>("peak", {n});
    auto online = k.operation("online",
                              [](auto a, auto b) {
                                  Value top = max(a[0], b[0]);
                                  return std::vector<Value>{top, a[1] * exp(a[0] - top) + b[1] * exp(b[0] - top)};
                              },
                              {-std::numeric_limits<double>::infinity(), 0.0});
    k.loop("i", 0, n, [&](Index i) {
        auto r = k.reduce(online, range("j", 0, m), [&](Index j) { return std::vector<Value>{s(i, j), 1.0}; });
        k.loop("j", 0, m, [&](Index j) { o(i, j) = exp(s(i, j) - r[0]) / r[1]; });
        peak(i) = k.argmax(range("j", 0, m), [&](Index j) { return s(i, j); }).at[0];
    });
    return k.build();
}

heddle::Kernel make_smooth() {
    heddle::KernelBuilder k("smooth");
    auto n = k.index("n"), m = k.index("m");
    auto a = k.in<double>("a", {n, m}), b = k.out<double>("b", {n, m});
    auto w = k.table<double>("w", {3}, {0.25, 0.5, 0.25});
    k.assume(m >= 1);
    k.loop("i", 0, n, [&](Index i) {
        auto line = k.temp<double>("line", {m});
        k.loop("j", 0, m, [&](Index j) {
            k.when(
                j >= 1 && j < m - 1, [&] { line(j) = w(0) * a(i, j - 1) + w(1) * a(i, j) + w(2) * a(i, j + 1); },
                [&] { line(j) = a(i, j); });
        });
        k.loop("j", 0, m, [&](Index j) {
            auto value = k.let("value", line(j) * line(j));
            k.when(
                value > 1.0, [&] { b(i, j) = 1.0; }, [&] { b(i, j) = value; });
        });
    });
    return k.build();
}

heddle::Kernel make_flux() {
    heddle::KernelBuilder k("flux");
    auto n = k.index("n");
    auto a = k.in<double>("a", {n + 1}), f = k.out<double>("f", {n});
    auto bessel = k.external<double(int, double)>("bessel");
    auto difference = k.rule("difference", {"i"}, [&](Index i) { return a(i + 1) - a(i); });
    k.loop("i", 0, n, [&](Index i) { f(i) = bessel(0, difference(i)); });
    return k.build();
}

heddle::Kernel make_twice() {
    heddle::Kernel flux = make_flux();
    heddle::KernelBuilder k("twice");
    auto n = k.index("n");
    auto a = k.in<double>("a", {n + 1}), f = k.out<double>("f", {n});
    k.call(flux, {{"n", n}, {"a", a}, {"f", f}});
    k.loop("i", 0, n, [&](Index i) { f(i) *= 2; });
    return k.build();
}

heddle::Kernel make_pattern(const std::vector<std::pair<int, int>>& entries, int rows, int cols) {
    heddle::KernelBuilder k("pattern");
    auto batch = k.index("batch");
    auto v = k.in<double>("v", {int(entries.size())});
    auto x = k.in<double>("x", {batch, cols}), y = k.inout<double>("y", {batch, rows});
    k.loop("b", 0, batch, [&](Index b) {
        int at = 0;
        for (auto [row, column] : entries) {
            k.label("entry_" + std::to_string(row) + "_" + std::to_string(column));
            y(b, row) += v(at++) * x(b, column);
        }
    });
    return k.build();
}

std::string what_is_wrong() {
    heddle::KernelBuilder k("wrong");
    auto n = k.index("n");
    auto x = k.in<double>("x", {n});
    auto y = k.out<float>("y", {n});
    try {
        k.loop("i", 0, n, [&](Index i) { y(i) = x(i); });
    } catch (const heddle::Error& e) {
        return e.render();  // tutorial.cpp:9:…: error: y is f32, but the value is f64: part of it would be lost …
    }
    return "";
}

namespace {

std::string read_file(const std::string& name) {
    std::ifstream in(std::string(HEDDLE_SOURCE_DIR) + "/" + name);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

/// The text without white space: line breaks are a matter of the page's width.
std::string flat(std::string text) {
    std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
    return text;
}

}  // namespace

TEST_CASE("The tutorial shows the code of this file", "[builder][docs]") {
    std::string page = read_file("docs/builder.md"), here = flat(read_file("test/unit/ir/test_builder_tutorial.cpp"));
    std::size_t blocks = 0;
    for (std::size_t at = page.find("```cpp\n"); at != std::string::npos; at = page.find("```cpp\n", at), ++blocks) {
        at += 7;
        std::string code = flat(page.substr(at, page.find("```", at) - at));
        INFO(code);
        CHECK(here.find(code) != std::string::npos);
    }
    CHECK(blocks > 8);
}

TEST_CASE("The tutorial's kernels", "[builder][docs]") {
    heddle::Kernel gemm = make_gemm();
    std::string text = gemm.str();  // kernel gemm(n, m, l : index; alpha : f64; A : in f64[n, l]; …
    CHECK(text.find("kernel gemm(n, m, l : index; alpha : f64; A : in f64[n, l]; B : in f64[l, m]; C : inout f64[n, m])") == 0);
    for (const heddle::Kernel& k : {gemm, make_stencil(), make_triangle(), make_spmv(), make_softmax(), make_smooth(),
                                    make_flux(), make_twice(), make_pattern({{0, 0}, {0, 2}, {1, 1}}, 2, 3)}) {
        INFO(k.str());
        CHECK(heddle::parse(k.str()).kernel(k.name()) == k);
    }
    CHECK(make_pattern({{0, 2}}, 1, 3).str().find("entry_0_2: y[b, 0] += v[0]*x[b, 2]") != std::string::npos);
    CHECK(what_is_wrong().find("test_builder_tutorial.cpp") != std::string::npos);
    CHECK(what_is_wrong().find("error: y is f32, but the value is f64: part of it would be lost") != std::string::npos);
}
