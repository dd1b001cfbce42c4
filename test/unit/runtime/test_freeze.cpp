// Frozen functions on the host and on every device: what changes between calls, and what may not.
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <thread>

#include "runtime/descriptor.h"
#include "runtime/spawn.h"
#include "runtime/temporary.h"
#include "worlds.h"

using namespace heddle::runtime;
using namespace heddle::test;
using Vector = std::vector<double>;

namespace {

std::string failure(const std::function<void()>& work) {
    try {
        work();
    } catch (const RuntimeError& e) {
        return e.what();
    }
    return "";
}

Vector ramp(int n, double from = 1) {
    Vector out(static_cast<std::size_t>(n));
    std::iota(out.begin(), out.end(), from);
    return out;
}

Array scaled(const World& w, const Array& x, const Scalar<double>& a) {
    Array z = w.empty(x.size(0));
    w.scale(x.size(0), a, x, z);
    return z;
}
Array sum_of(const World& w, const Array& x, const Array& y) {
    Array z = w.empty(x.size(0));
    w.add(x.size(0), x, y, z);
    return z;
}

}  // namespace

TEST_CASE("freeze: other sizes and numbers replay the first recording") {
    for (const World& w : worlds()) {
        INFO(w.name);
        const auto f = freeze(scaled, w);
        for (const int n : {16, 32, 1000, 1, 0, 2})
            for (const double a : {1.5, -2.0}) {
                Vector expected = ramp(n);
                for (double& v : expected) v *= a;
                const Array z = f(w.make(ramp(n)), a);
                CHECK(z.size(0).value() == n);
                CHECK(w.get(z) == expected);
            }
        CHECK(f.statistics().recordings == 1);
        CHECK(f.statistics().replays == 11);
    }
}

TEST_CASE("freeze: sizes n - 1, n / 2 and numbers made of sizes are formulas") {
    const auto body = [](const World& w, const Array& x) {
        const Size n = x.size(0);
        Array less = w.empty(n - 1), half = w.empty(n / 2);
        w.scale(n - 1, n.as<double>(), x, less);
        w.scale(n / 2, 2.0, x.slice(n / 2, n / 2), half);
        return std::vector<Array>{less, half};
    };
    for (const World& w : worlds()) {
        INFO(w.name);
        const auto f = freeze(+body, w);
        for (const int n : {512, 1024, 256, 1536}) {
            const auto out = f(w.make(ramp(n)));
            REQUIRE(out.size() == 2);
            Vector less = ramp(n - 1), half = ramp(n / 2, n / 2 + 1);
            for (double& v : less) v *= n;
            for (double& v : half) v *= 2;
            CHECK(w.get(out[0]) == less);
            CHECK(w.get(out[1]) == half);
        }
        CHECK(f.statistics().recordings == 1);
    }
}

TEST_CASE("freeze: H22, sums with a temporary whose size depends on n, and scalars") {
    struct Result {
        Array p, z, r;
    };
    const auto body = [](const World& w, const Array& y, const Scalar<double>& x) {
        const Size n = y.size(0), parts = ceil_div(n, Size(256));
        Result out{w.empty(n), w.empty(n), w.empty(1)};
        w.scale(n, x, y, out.p);
        w.scale(n, 0.0, y, out.z);
        const Array partial = w.empty(parts);
        w.partial(n, out.p, partial);
        w.total(parts, partial, out.r);
        return out;
    };
    for (const World& w : worlds()) {
        INFO(w.name);
        const auto f = freeze(+body, w);
        const auto run = [&](Vector y, double x) {
            const Result r = f(w.make(y), x);
            CHECK(r.p.size(0).value() == static_cast<std::int64_t>(y.size()));
            CHECK(r.z.size(0).value() == static_cast<std::int64_t>(y.size()));
            CHECK(w.get(r.z) == Vector(y.size(), 0.0));
            return w.get(r.r)[0];
        };
        CHECK(run({10, 20}, 1.5) == 45);
        CHECK(run({10, 20, 30}, 1.5) == 90);
        CHECK(run({10}, 1.5) == 15);
        CHECK(run({}, 1.5) == 0);
        CHECK(run(ramp(1000), 2) == 1001000);
        CHECK(run({10, 20}, 1.5) == 45);
        CHECK(run({10, 20}, 3) == 90);
        CHECK(f.statistics().recordings == 1);
    }
}

TEST_CASE("freeze: sizes that were equal and are not, and arguments that are one array or two") {
    for (const World& w : worlds()) {
        INFO(w.name);
        const auto f = freeze(sum_of, w);
        const Array x = w.make(ramp(8)), y = w.make(ramp(8, 100));
        Vector xy(8), xx(8);
        for (int k = 0; k < 8; ++k) xy[k] = 2 * k + 101, xx[k] = 2 * k + 2;
        CHECK(w.get(f(x, y)) == xy);
        CHECK(w.get(f(x, x)) == xx);
        CHECK(f.statistics().recordings == 2);
        CHECK(f.statistics().reason == "arrays share memory in another way than before");
        CHECK(w.get(f(x, y)) == xy);
        CHECK(w.get(f(y, x)) == xy);
        CHECK(f.statistics().recordings == 2);
        const Array longer = w.make(ramp(9, 100));
        CHECK(w.get(f(x, longer)) == xy);
        CHECK(f.statistics().recordings == 3);
        CHECK_THAT(f.statistics().reason, Catch::Contains("two sizes of arrays that were equal are 8 and 9"));
        const Array both = w.make(ramp(64));
        const auto part = [&](int from) { return both.slice(from, 32); };
        CHECK(w.get(f(part(0), part(32)))[0] == 34);
        CHECK(f.statistics().recordings == 3);
        CHECK(w.get(f(part(0), part(16)))[0] == 18);
        CHECK(f.statistics().recordings == 4);
    }
}

TEST_CASE("freeze: writes to arguments reach the new arguments, and an output may be an argument") {
    const auto body = [](const World& w, const Array& x, const Scalar<double>& a) {
        w.scale(x.size(0), a, x, x);
        return x;
    };
    for (const World& w : worlds()) {
        INFO(w.name);
        const auto f = freeze(+body, w);
        for (const int n : {4, 7}) {
            const Array x = w.make(ramp(n));
            const Array same = f(x, 2.0);
            CHECK(same.generation() == x.generation());
            CHECK(w.get(x)[n - 1] == 2.0 * n);
        }
        CHECK(f.statistics().recordings == 1);
    }
}

TEST_CASE("freeze: type, rank, layout and place are recorded anew, with the reason") {
    const auto body = [](const Array& x) { return x.count() * Size(x.rank()); };
    const auto f = freeze(+body);
    Vector v(12);
    std::vector<float> single(12);
    CHECK(f(v).value() == 12);
    CHECK(f(Array(single)).value() == 12);
    CHECK_THAT(f.statistics().reason, Catch::Contains("elements of float in 1 axes") && Catch::Contains("double"));
    CHECK(f(Array::view(Element::F64, v.data(), {3, 4})).value() == 24);
    CHECK_THAT(f.statistics().reason, Catch::Contains("2 axes"));
    CHECK(f(Array::view(Element::F64, v.data(), {2, 3}, {1, 2})).value() == 12);
    CHECK_THAT(f.statistics().reason, Catch::Contains("with strides"));
    CHECK(f.statistics().recordings == 4);
    CHECK(f(Array::view(Element::F64, v.data(), {2, 3}, {1, 4})).value() == 12);
    CHECK(f.statistics().recordings == 5);
    for (const World& w : worlds())
        if (w.place.device) CHECK(f(w.make(ramp(5))).value() == 5);
    CHECK(f.statistics().recordings == 8);
    CHECK(f(Array::view(Element::F64, v.data(), {4, 3})).value() == 24);
    CHECK(f.statistics().recordings == 8);
}

TEST_CASE("freeze: numbers that the host reads or compares hold for what was seen") {
    const auto body = [](const World& w, const Array& x, const Scalar<double>& a) {
        Array z = w.empty(x.size(0));
        w.scale(x.size(0), a > 0.0 ? 1.0 : -1.0, x, z);
        for (int k = 0; k < a.as<int>().value(); ++k) w.scale(x.size(0), 2.0, z, z);
        return z;
    };
    for (const World& w : worlds()) {
        INFO(w.name);
        const auto f = freeze(+body, w);
        const Array x = w.make({3});
        CHECK(w.get(f(x, 2.0)) == Vector{12});
        CHECK(w.get(f(x, 2.5)) == Vector{12});
        CHECK(f.statistics().recordings == 1);
        CHECK(w.get(f(x, 3.0)) == Vector{24});
        CHECK(w.get(f(x, -1.0)) == Vector{-3});
        CHECK(f.statistics().recordings == 3);
        CHECK(f.statistics().reason == "the host decided by a number that is another now");
        CHECK(w.get(f(x, 2.0)) == Vector{12});
        CHECK(f.statistics().recordings == 3);
    }
}

TEST_CASE("freeze: data-dependent sizes are steps of the sequence") {
    const auto body = [](const World& w, const Array& x) {
        const Array count = empty<std::int64_t>({1}, w.place);
        w.positive(x.size(0), x, count);
        const Size n = fetch<std::int64_t>(count);
        const Array work = w.empty(n * 2), out = w.empty(n);
        w.scale(n, 1.0, x, work);
        w.scale(n, 10.0, work, out);
        return std::pair<Array, Size>(out, n + 1);
    };
    for (const World& w : worlds()) {
        INFO(w.name);
        const auto f = freeze(+body, w);
        for (const Vector& x : {Vector{1, 2, 0, 0}, Vector{1, 2, 3, 0}, Vector{0, 0, 0, 0}, Vector{4}, ramp(300)}) {
            const auto [out, more] = f(w.make(x));
            Vector expected;
            for (const double v : x)
                if (v > 0) expected.push_back(10 * v);
            CHECK(w.get(out) == expected);
            CHECK(more.value() == static_cast<std::int64_t>(expected.size()) + 1);
        }
        CHECK(f.statistics().recordings == 1);
        const auto decides = [](const World& at, const Array& y) {
            const Array c = empty<std::int64_t>({1}, at.place);
            at.positive(y.size(0), y, c);
            if (fetch<std::int64_t>(c) > Size(2)) at.scale(y.size(0), 2.0, y, y);
        };
        const auto g = freeze(+decides, w);
        CHECK(failure([&] {
                  g(w.make({1, 2, 3}));
              }) == "this function cannot be frozen: the host decides by a number that was read from an array");
        CHECK(g.statistics().recordings == 0);
    }
}

TEST_CASE("freeze: n / 2 of the smaller of two arguments") {
    const auto body = [](const World& w, const Array& x, const Array& y) {
        const Size n = min(x.size(0), y.size(0)) / 2;
        Array z = w.empty(n);
        w.add(n, x, y, z);
        return z;
    };
    for (const World& w : worlds()) {
        INFO(w.name);
        const auto f = freeze(+body, w);
        for (const int n : {16, 32, 6, 1, 0}) {
            const Vector z = w.get(f(w.make(ramp(n)), w.make(ramp(3 * n + 1))));
            CHECK(z.size() == static_cast<std::size_t>(n / 2));
            if (!z.empty()) CHECK(z.back() == n / 2 * 2);
        }
        CHECK(f.statistics().recordings == 1);
    }
}

TEST_CASE("freeze: parts and copies that do not fit in a replay are what they are in a plain call") {
    const auto part = [](const World& w, const Array& x) { return scaled(w, x.slice(2, 4), 2.0); };
    const auto counted = [](const World& w, const Array& x, const Array& y) {
        const Array count = empty<std::int64_t>({1}, w.place);
        w.positive(x.size(0), x, count);
        const Size n = fetch<std::int64_t>(count);
        Array z = w.empty(n);
        copy(z, y.slice(0, n));
        return z;
    };
    for (const World& w : worlds()) {
        INFO(w.name);
        const auto f = freeze(+part, w);
        const int least = w.name == "OpenCL" ? 0 : 1;  // there parts begin at multiples of 128 bytes
        if (least == 1) {
            CHECK(w.get(f(w.make(ramp(8)))) == Vector{6, 8, 10, 12});
            CHECK(w.get(f(w.make(ramp(6)))) == Vector{6, 8, 10, 12});
            CHECK(failure([&] { f(w.make(ramp(5))); }) == "elements 2 to 6 of an axis of 5");
            CHECK(f.statistics().recordings == 1);
        }
        const auto g = freeze(+counted, w);
        CHECK(w.get(g(w.make({1, 1, 0}), w.make(ramp(4)))) == Vector{1, 2});
        CHECK(w.get(g(w.make({1, 1, 1, 1}), w.make(ramp(5)))) == Vector{1, 2, 3, 4});
        CHECK_THAT(failure([&] {
                       g(w.make({1, 1, 1, 1, 1}), w.make(ramp(3)));
                   }),
                   Catch::Contains("a part of an array is outside of it"));
        CHECK(g.statistics().recordings == 1);
    }
}

TEST_CASE("freeze: memory of a vector inside the function is refused") {
    for (const World& w : worlds()) {
        INFO(w.name);
        const auto uploads = freeze(
            +[](const World& at, const Array& x) {
                std::vector<double> made(static_cast<std::size_t>(4), 1.0);
                Array t = at.empty(4);
                copy(t, Array(made));
                return sum_of(at, x, t);
            },
            w);
        CHECK_THAT(failure([&] { uploads(w.make(ramp(4))); }), Catch::Contains("cannot be frozen: it uses memory of the host"));
        const auto downloads = freeze(
            +[](const World& at, const Array& x) { return at.get(x)[0] > 0 ? x : scaled(at, x, 2.0); }, w);
        CHECK_THAT(failure([&] { downloads(w.make(ramp(4))); }), Catch::Contains("cannot be frozen: "));
        CHECK(uploads.statistics().kept + downloads.statistics().kept == 0);
    }
}

TEST_CASE("freeze: what could change unseen does not compile") {
    const TemporaryFolder folder;
    const auto compile = [&](const std::string& body) {
        const std::string file = folder.path() + "/test.cpp";
        write_text(file,
                   "#include \"runtime/freeze.h\"\nusing namespace heddle::runtime;\nstruct Plain { Array x; double dt; "
                   "};\nvoid test(double dt) { " +
                       body + " }\n");
        const Outcome done =
            run_program({find_program("g++"), "-std=c++20", "-fsyntax-only", "-I", HEDDLE_SOURCE_DIR, file}, 120);
        return done.status == 0 ? std::string() : done.errors;
    };
    if (find_program("g++").empty()) return;
    CHECK(compile("freeze([](const Array& x, const Scalar<double>& a) { return x; })(Array(), dt);") == "");
    CHECK_THAT(compile("freeze([&](const Array& x) { return Scalar<double>(dt) * Scalar<double>(2); })(Array());"),
               Catch::Contains("a lambda with captures"));
    CHECK_THAT(compile("freeze([](const Array& x, double a) { return x; })(Array(), dt);"),
               Catch::Contains("a plain number or pointer cannot be followed"));
    CHECK_THAT(compile("freeze([](const Plain& p) { return p.x; })({Array(), dt});"),
               Catch::Contains("a plain number or pointer cannot be followed"));
    CHECK_THAT(compile("Array y; freeze([](Array& x) { x = Array(); })(y);"),
               Catch::Contains("by value or constant reference"));
}

TEST_CASE("freeze: structures in and out") {
    struct Inner {
        Array a;
        std::optional<Array> b;
    };
    struct Parameters {
        Scalar<double> dt;
        Static<int> steps;
    };
    struct State {
        std::vector<Inner> parts;
        Parameters with;
    };
    struct Result {
        std::vector<Array> sums;
        std::optional<Array> last;
        Static<std::string> text;
        Scalar<double> twice;
        std::array<Size, 2> sizes;
    };
    const auto body = [](const World& w, const State& s, std::span<const Array> more) {
        Result out{{}, {}, std::string("a text of many bytes"), s.with.dt * 2.0, {s.parts[0].a.size(0), more.size()}};
        for (const Inner& i : s.parts) {
            Array z = scaled(w, i.a, s.with.dt);
            for (int k = 1; k < s.with.steps; ++k) w.scale(z.size(0), s.with.dt, z, z);
            if (i.b) z = sum_of(w, z, *i.b);
            out.sums.push_back(z);
        }
        if (!more.empty()) out.last = scaled(w, more.back(), 1.0);
        return out;
    };
    for (const World& w : worlds()) {
        INFO(w.name);
        const auto f = freeze(+body, w);
        const auto run = [&](int n, int parts, bool optional, double dt, int steps, int more) {
            State s{{}, {dt, steps}};
            for (int k = 0; k < parts; ++k)
                s.parts.push_back({w.make(ramp(n)), optional ? std::optional(w.make(ramp(n, 5))) : std::nullopt});
            std::vector<Array> extra;
            for (int k = 0; k < more; ++k) extra.push_back(w.make(ramp(3, k)));
            const Result r = f(s, extra);
            REQUIRE(r.sums.size() == static_cast<std::size_t>(parts));
            for (const Array& sum : r.sums) CHECK(w.get(sum)[0] == std::pow(dt, steps) + (optional ? 5 : 0));
            CHECK(r.last.has_value() == (more > 0));
            if (more > 0) CHECK(w.get(*r.last)[0] == more - 1);
            CHECK(r.text.value == "a text of many bytes");
            CHECK(r.twice.value() == 2 * dt);
            CHECK(r.sizes[0].value() == n);
        };
        run(4, 2, true, 2.0, 1, 1);
        run(6, 2, true, 3.0, 1, 1);
        CHECK(f.statistics().recordings == 1);
        run(6, 3, true, 3.0, 1, 1);
        CHECK_THAT(f.statistics().reason, Catch::Contains("3 elements in a vector"));
        run(6, 2, false, 3.0, 1, 1);
        CHECK_THAT(f.statistics().reason, Catch::Contains("optional"));
        run(6, 2, true, 3.0, 2, 1);
        CHECK_THAT(f.statistics().reason, Catch::Contains("Static"));
        run(6, 2, true, 3.0, 1, 0);
        CHECK(f.statistics().recordings == 5);
        run(9, 2, true, 0.5, 1, 1);
        CHECK(f.statistics().recordings == 5);
    }
}

TEST_CASE("freeze: memory that was released, replaced at the same address, or kept by the recording") {
    static std::optional<Array> kept;
    const auto body = [](const World& w, const Array& x) { return sum_of(w, x, *kept); };
    for (const World& w : worlds()) {
        INFO(w.name);
        kept = w.make(ramp(4));
        const auto f = freeze(+body, w);
        CHECK(w.get(f(w.make(ramp(4)))) == Vector{2, 4, 6, 8});
        CHECK(w.get(f(w.make(ramp(4, 11)))) == Vector{12, 14, 16, 18});
        CHECK(f.statistics().recordings == 1);
        kept->release();
        CHECK_THAT(failure([&] { f(w.make(ramp(4))); }), Catch::Contains("memory (block") && Catch::Contains("was released"));
        const Array dead = w.make(ramp(4));
        dead.release();
        kept = w.make(ramp(4));
        const auto g = freeze(scaled, w);
        CHECK(w.get(g(*kept, 1.0)) == ramp(4));
        CHECK_THAT(failure([&] { g(dead, 1.0); }), Catch::Contains("was released"));
        const auto first = kept->generation();
        CHECK(w.make(ramp(4)).generation() > first);
        kept.reset();
    }
}

TEST_CASE("freeze: what cannot be frozen is refused, and nothing is kept") {
    static std::optional<Array> escaped;
    for (const World& w : worlds()) {
        INFO(w.name);
        const Array x = w.make(ramp(4));
        const auto reads = freeze(
            +[](const World& at, const Array& a) { return at.get(a)[0] > 0 ? scaled(at, a, 1.0) : a; }, w);
        if (!w.place.device) {
            const auto looks = freeze(
                +[](const World& at, const Array& a) { return a.data<double>()[0] > 0 ? scaled(at, a, 1.0) : a; }, w);
            CHECK_THAT(failure([&] { looks(x); }), Catch::Contains("cannot be frozen: the host looks at the data"));
            CHECK(looks.statistics().kept == 0);
        }
        const auto escapes = freeze(
            +[](const World& at, const Array& a) {
                escaped = scaled(at, a, 1.0);
                return a;
            },
            w);
        CHECK_THAT(failure([&] { escapes(x); }), Catch::Contains("held elsewhere"));
        escaped.reset();
        const auto releases = freeze(
            +[](const World&, const Array& a) { a.release(); }, w);
        CHECK_THAT(failure([&] { releases(w.make(ramp(2))); }), Catch::Contains("releases memory that it did not make"));
        const auto swallowed = freeze(
            +[](const World&, const Array& a) {
                try {
                    a.release();
                } catch (const RuntimeError&) {
                }
            },
            w);
        CHECK_THAT(failure([&] { swallowed(x); }), Catch::Contains("cannot be frozen"));
        CHECK(swallowed.statistics().kept == 0);
    }
}

TEST_CASE("freeze: an exception while recording leaves nothing; the next call records") {
    static bool fails = true;
    for (const World& w : worlds()) {
        INFO(w.name);
        fails = true;
        const auto f = freeze(
            +[](const World& at, const Array& a) {
                const Array z = scaled(at, a, 3.0);
                if (fails) throw std::logic_error("in the function");
                return z;
            },
            w);
        const Array x = w.make({1});
        CHECK_THROWS_AS(f(x), std::logic_error);
        CHECK(recording::current == nullptr);
        CHECK(f.statistics().recordings == 0);
        fails = false;
        CHECK(w.get(f(x)) == Vector{3});
        CHECK(w.get(f(w.make({2}))) == Vector{6});
        CHECK(f.statistics().recordings == 1);
    }
}

TEST_CASE("freeze: a frozen function inside another becomes part of it") {
    using Inner = Frozen<Array(Array, Scalar<double>)>;
    for (const World& w : worlds()) {
        INFO(w.name);
        const Inner inner = freeze(scaled, w);
        const auto outer = freeze(
            +[](const World& at, const Inner& in, const Array& x, const Scalar<double>& a) {
                return sum_of(at, in(x, a), in(x, a * a));
            },
            w, inner);
        CHECK(w.get(outer(w.make({1, 2}), 3.0)) == Vector{12, 24});
        CHECK(w.get(outer(w.make({1, 2, 3}), 1.0)) == Vector{2, 4, 6});
        CHECK(outer.statistics().recordings == 1);
        CHECK(inner.statistics().recordings == 0);
    }
}

TEST_CASE("freeze: two threads replay one sequence; a thread inside a recording is refused") {
    for (const World& w : worlds()) {
        INFO(w.name);
        const auto f = freeze(
            +[](const World& at, const Array& x, const Scalar<double>& a) {
                Array t = scaled(at, x, a);
                for (int k = 0; k < 5; ++k) t = sum_of(at, t, x);
                return t;
            },
            w);
        std::atomic<int> wrong{0};
        const auto work = [&](int seed) {
            for (int k = 0; k < 50; ++k) {
                const int n = 1 + (k * seed) % 97;
                const auto out = w.get(f(w.make(ramp(n)), seed));
                for (int i = 0; i < n; ++i) wrong += out[static_cast<std::size_t>(i)] != (seed + 5) * (i + 1.0);
            }
        };
        std::thread one(work, 3), two(work, 7);
        one.join(), two.join();
        CHECK(wrong == 0);
        CHECK(f.statistics().recordings == 1);
        CHECK(f.statistics().replays == 99);
        const auto g = freeze(
            +[](const World& at, const Array& x) {
                const Array t = scaled(at, x, 1.0);
                std::string seen;
                std::thread([&] { seen = failure([&] { at.scale(1, 2.0, t, t); }); }).join();
                CHECK_THAT(seen, Catch::Contains("used by another thread"));
                return x;
            },
            w);
        CHECK_THAT(failure([&] { g(w.make({1})); }), Catch::Contains("another thread used memory"));
    }
}

TEST_CASE("freeze: the switch, the limit, the history and inspect") {
    const World& w = worlds()[0];
    FreezeOptions few;
    few.limit = 2;
    Frozen<Array(Array, Static<int>)> f([&w](const Array& x, const Static<int>& k) { return scaled(w, x, double(k)); }, few);
    const Array x = w.make({1});
    for (const int k : {1, 2, 1, 3, 1, 2}) CHECK(w.get(f(x, k)) == Vector{double(k)});
    CHECK(f.statistics().kept == 2);
    CHECK(f.statistics().recordings == 4);
    CHECK(f.statistics().evicted == 2);
    CHECK(f.statistics().replays == 2);
    set_freezing(false);
    CHECK(w.get(f(x, 9)) == Vector{9});
    CHECK(f.statistics().recordings == 4);
    set_freezing(true);
    kernel_history(true);
    f(x, 2);
    kernel_history(false);
    const auto runs = kernel_history();
    REQUIRE(runs.size() == 1);
    CHECK((runs[0].name == "scale" && runs[0].replayed));
    CHECK(f.statistics().recordings == 4);
    CHECK_THAT(f.inspect(), Catch::Contains("recording 1, replayed") && Catch::Contains("1. scale(n0, 2, argument1, result1)"));
    f.clear();
    CHECK(f.statistics().kept == 0);
}

TEST_CASE("freeze: a chain of temporaries needs two of them at a time") {
    const auto body = [](const World& w, const Array& x) {
        Array t = scaled(w, x, 1.0);
        for (int k = 1; k < 10; ++k) t = scaled(w, t, 2.0);
        Array r = w.empty(1);
        w.total(x.size(0), t, r);
        return r;
    };
    const World& w = worlds()[0];
    const auto f = freeze(+body, w);
    const Array x = w.make(Vector(1 << 20, 1.0));
    CHECK(w.get(f(x)) == Vector{512.0 * (1 << 20)});
    const auto live = host_pool().statistics().live_bytes;
    host_pool().trim();
    Pool& pool = host_pool();
    const auto before = pool.statistics().reserved_bytes;
    CHECK(w.get(f(x)) == Vector{512.0 * (1 << 20)});
    CHECK(pool.statistics().reserved_bytes - before <= (16u << 20) + (4u << 20));
    CHECK(pool.statistics().live_bytes == live);
}

TEST_CASE("freeze: saved recordings run without functions, code or compilers") {
    const TemporaryFolder folder;
    const std::string path = folder.path() + "/recordings";
    const auto body = [](const World& w, const Array& x, const Scalar<double>& a) {
        const Array count = empty<std::int64_t>({1}, w.place);
        w.positive(x.size(0), x, count);
        const Size n = fetch<std::int64_t>(count);
        Array t = scaled(w, x, a), z = w.empty(n);
        w.add(n, t, x, z);
        return z;
    };
    for (const World& w : worlds()) {
        INFO(w.name);
        std::vector<Device> devices;
        if (w.place.device) devices.push_back(*w.place.device);
        const auto f = freeze(+body, w);
        f(w.make(ramp(4)), 1.0);
        f.save(path);
        const auto loaded = load_frozen<Array(Array, Scalar<double>)>(path, devices);
        CHECK(w.get(loaded(w.make({1, 2, 3, 0, 0}), 2.0)) == Vector{3, 6, 9});
        CHECK(w.get(loaded(w.make({1}), 4.0)) == Vector{5});
        CHECK_THAT(failure([&] { loaded(Array(), 1.0); }), Catch::Contains("no saved recording fits"));
        if (w.place.device)
            CHECK_THAT(failure([&] { load_frozen<Array(Array, Scalar<double>)>(path); }), Catch::Contains("another device"));
        CHECK_THAT(failure([&] { load_frozen<Array(Array)>(path, devices); }), Catch::Contains("other arguments"));
        auto bytes = *read_file(path);
        for (const std::size_t at : {std::size_t{3}, bytes.size() / 2, bytes.size() - 1}) {
            auto wrong = bytes;
            wrong[at] ^= 4;
            write_text(path, wrong);
            CHECK_THAT(failure([&] { load_frozen<Array(Array, Scalar<double>)>(path, devices); }), Catch::Contains("damaged"));
        }
    }
    static const Array kept = worlds()[0].make(ramp(4));
    const auto captured = freeze(+[](const Array& x) { copy(x, kept); });
    Vector four(4);
    captured(four);
    CHECK(four == ramp(4));
    CHECK_THAT(failure([&] { captured.save(path); }), Catch::Contains("an array that is no argument"));
    const CKernel<void(std::int64_t*)> local(
        +[](std::int64_t* p) { *p = 3; }, "local");
    const auto g = freeze(
        +[](const CKernel<void(std::int64_t*)>& k, const Array& x) { k(x); }, local);
    std::vector<std::int64_t> one(1);
    g(one);
    CHECK(one[0] == 3);
    CHECK_THAT(failure([&] { g.save(path); }), Catch::Contains("'local' is in this process only"));
}

TEST_CASE("freeze: failures of kernels name them, in plain calls and replays") {
    const CKernel<int(std::int64_t)> refuse(c_source(), "refuse");
    const auto f = freeze(
        +[](const CKernel<int(std::int64_t)>& k, const Size& n) { k(n); }, refuse);
    f(1);
    CHECK(failure([&] { f(5); }) == "the function 'refuse' ended with status 7");
    CHECK(failure([&] { refuse(4); }) == "the function 'refuse' ended with status 7");
    f(2);
    CHECK(f.statistics().recordings == 1);
}

TEST_CASE("freeze: arguments of kernels are checked") {
    const World &host = worlds()[0], &device = worlds()[1];
    const Array x = host.make(ramp(4)), y = device.make(ramp(4));
    CHECK_THAT(failure([&] { host.scale(4, 1.0, x, y); }), Catch::Contains("'scale' runs on the host"));
    CHECK_THAT(failure([&] { device.scale(4, 1.0, x, y); }), Catch::Contains("argument 3 lies in the host's memory"));
    std::vector<float> single(4);
    CHECK_THAT(failure([&] { host.scale(4, 1.0, Array(single), x); }),
               Catch::Contains("takes elements of double, an array has float"));
    CHECK_THAT(failure([&] { host.scale(2, 1.0, Array::view(Element::F64, x.data<double>(), {2}, {2}), x); }),
               Catch::Contains("not contiguous"));
    CHECK_THAT(failure([&] { x.slice(3, 2); }), Catch::Contains("elements 3 to 5 of an axis of 4"));
    CHECK_THAT(failure([&] { y.data<double>(); }), Catch::Contains("copy it to the host"));
    CHECK_THAT(failure([&] { fetch<double>(x, 4); }), Catch::Contains("element 4 of an array of 4"));
    CHECK_THAT(failure([&] { copy(x, host.make(ramp(3))); }), Catch::Contains("a copy of 3 elements to 4"));
    CHECK_THAT(failure([&] { Size(3) / Size(0); }), Catch::Contains("divided by zero"));
}
