// A line is fitted to points by gradient descent: five kernels a step, frozen. Prints what the first call, a plain call, a
// frozen call and the same step by hand take.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

#include "runtime/freeze.h"

using namespace heddle::runtime;

namespace {

// Points (x, y) and a line w[0] * x + w[1]. r: residuals; g: gradient of their mean square.
const char* text = R"(
#include <stdint.h>
void residual(int64_t n, const double* x, const double* y, const double* w, double* r) {
    for (int64_t i = 0; i < n; i++) r[i] = w[0] * x[i] + w[1] - y[i];
}
void slope(int64_t n, const double* x, const double* r, double* g) {
    double s = 0;
    for (int64_t i = 0; i < n; i++) s += x[i] * r[i];
    g[0] = 2 * s / n;
}
void offset(int64_t n, const double* r, double* g) {
    double s = 0;
    for (int64_t i = 0; i < n; i++) s += r[i];
    g[1] = 2 * s / n;
}
void update(double rate, const double* g, double* w) { w[0] -= rate * g[0], w[1] -= rate * g[1]; }
void loss(int64_t n, const double* r, double* l) {
    double s = 0;
    for (int64_t i = 0; i < n; i++) s += r[i] * r[i];
    l[0] = s / n;
}
)";

using OneArray = CKernel<void(std::int64_t, const double*, double*)>;
struct Kernels {
    explicit Kernels(const CSource& s)
        : residual(s, "residual"), slope(s, "slope"), offset(s, "offset"), update(s, "update"), loss(s, "loss") {}
    CKernel<void(std::int64_t, const double*, const double*, const double*, double*)> residual;
    CKernel<void(std::int64_t, const double*, const double*, double*)> slope;
    OneArray offset;
    CKernel<void(double, const double*, double*)> update;
    OneArray loss;
};

struct Points {
    Array x, y;
};

/// One step: changes w, gives the loss before it.
Array step(const Kernels& k, const Points& p, const Array& w, const Scalar<double>& rate) {
    const Size n = p.x.size(0);
    const Array r = empty<double>({n}), g = empty<double>({2}), l = empty<double>({1});
    k.residual(n, p.x, p.y, w, r);
    k.loss(n, r, l);
    k.slope(n, p.x, r, g);
    k.offset(n, r, g);
    k.update(rate, g, w);
    return l;
}

/// The same with functions, pointers and memory of one's own.
void step_by_hand(const Module& m, std::int64_t n, double* x, double* y, double* w, double* r, double* g, double* l,
                  int times) {
    const auto find = [&](auto f, const char* name) { return reinterpret_cast<decltype(f)>(m.symbol(name)); };
    using One = void (*)(std::int64_t, const double*, double*);
    const auto residual =
        find((void (*)(std::int64_t, const double*, const double*, const double*, double*)) nullptr, "residual");
    const auto slope = find((void (*)(std::int64_t, const double*, const double*, double*)) nullptr, "slope");
    const auto update = find((void (*)(double, const double*, double*)) nullptr, "update");
    const One offset = find(One(), "offset"), loss = find(One(), "loss");
    for (int k = 0; k < times; ++k) {
        residual(n, x, y, w, r);
        loss(n, r, l);
        slope(n, x, r, g);
        offset(n, r, g);
        update(0.05, g, w);
    }
}

double microseconds(const std::chrono::steady_clock::time_point& since) {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - since).count();
}

template <class Work>
void time(const char* what, int times, Work work) {
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < times; ++k) work();
    std::printf("%-28s %10.3f us a step\n", what, microseconds(start) / times);
}

void progress(int done, int all) {
    std::fprintf(stderr, "\rfitting [%-40.*s] %3d %%%s", 40 * done / all, "########################################",
                 100 * done / all, done == all ? "\n" : "");
}

}  // namespace

int main() {
    const int n = 64;
    std::vector<double> x(n), y(n), w(2), r(n), g(2), l(1);
    for (int k = 0; k < n; ++k) x[k] = k / 32.0 - 1, y[k] = 3 * x[k] + 0.5;
    const Points points{x, y};

    const auto begin = std::chrono::steady_clock::now();
    const Kernels kernels{CSource(text)};
    const auto frozen = freeze(step, kernels);
    frozen(points, w, 0.05);
    std::printf("%-28s %10.0f us: compiles (or finds in the cache) and records\n", "first call", microseconds(begin));

    time("plain call", 20000, [&] { step(kernels, points, w, 0.05); });
    time("frozen call", 20000, [&] { frozen(points, w, 0.05); });
    const Module module = CSource(text).module();
    const auto start = std::chrono::steady_clock::now();
    step_by_hand(module, n, x.data(), y.data(), w.data(), r.data(), g.data(), l.data(), 20000);
    std::printf("%-28s %10.3f us a step\n", "by hand", microseconds(start) / 20000);

    // The long part: other points, many steps, a rate that falls; still the first recording.
    const int many = 4096, steps = 400;
    std::vector<double> xs(many), ys(many), line(2);
    for (int k = 0; k < many; ++k) xs[k] = k / 2048.0 - 1, ys[k] = -2 * xs[k] + 1 + 0.01 * std::sin(k);
    double last = 0;
    for (int k = 0; k < steps; ++k) {
        last = fetch<double>(frozen(Points{xs, ys}, line, 0.5 / (1 + 0.001 * k))).value();
        if (k % 4 == 3) progress(k + 1, steps);
    }
    std::printf("fitted %.3f x + %.3f, mean square %.1e; %llu recording, %llu replays\n", line[0], line[1], last,
                static_cast<unsigned long long>(frozen.statistics().recordings),
                static_cast<unsigned long long>(frozen.statistics().replays));
    return std::fabs(line[0] + 2) < 1e-2 && std::fabs(line[1] - 1) < 1e-2 && frozen.statistics().recordings == 1 ? 0 : 1;
}
