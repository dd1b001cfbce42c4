// What frozen functions cost: nanoseconds of CPU time of a call, medians of batches; resident memory of a chain of temporaries.
// usage: bench_freeze calls | opencl | chain
#include "runtime/freeze.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>

#include "runtime/device/opencl_api.h"

using namespace heddle::runtime;

namespace {

const char* text = R"(
void one(long n, double a, const double* x, double* y) { for (long i = 0; i < n; i++) y[i] = a * x[i] + 1.0; }
void two(long n, const double* x, const double* y, double* z) { for (long i = 0; i < n; i++) z[i] = x[i] * y[i]; }
void three(long n, double a, const double* x, double* y) { for (long i = 0; i < n; i++) y[i] = x[i] - a * y[i]; }
void four(long n, const double* x, const double* y, double* z) { for (long i = 0; i < n; i++) z[i] = x[i] + y[i] * y[i]; }
void five(long n, double a, const double* x, double* y) { for (long i = 0; i < n; i++) y[i] = y[i] + a * x[i]; }
)";

using Unary = CKernel<void(std::int64_t, double, const double*, double*)>;
using Binary = CKernel<void(std::int64_t, const double*, const double*, double*)>;
struct Kernels {
    explicit Kernels(const CSource& s) : one(s, "one"), two(s, "two"), three(s, "three"), four(s, "four"), five(s, "five") {}
    Unary one;
    Binary two;
    Unary three;
    Binary four;
    Unary five;
};

/// Nanoseconds that this thread has run.
double thread_time() {
    timespec t{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
}

/// Median and least nanoseconds of a call, over batches of `calls` calls: the thread's CPU time.
void measure(const char* what, int calls, const std::function<void()>& work) {
    std::vector<double> times;
    work();
    for (int batch = 0; batch < 21; ++batch) {
        const double start = thread_time();
        for (int k = 0; k < calls; ++k) work();
        times.push_back((thread_time() - start) / calls);
    }
    std::sort(times.begin(), times.end());
    std::printf("%s\t%.1f\t%.1f\n", what, times[times.size() / 2], times[0]);
}

/// Five kernels with three temporaries, and a result.
Array with_result(const Kernels& k, const Array& x, const Array& y, const Scalar<double>& a) {
    const Size n = x.size(0);
    const Array s = empty<double>({n}), t = empty<double>({n}), u = empty<double>({n}), r = empty<double>({n});
    k.one(n, a, x, s);
    k.two(n, s, y, t);
    k.three(n, a, x, s);
    k.four(n, s, t, u);
    k.one(n, a, u, r);
    return r;
}
/// Five kernels that change an argument, through two temporaries.
void in_place(const Kernels& k, const Array& x, const Array& y, const Scalar<double>& a) {
    const Size n = x.size(0);
    const Array s = empty<double>({n}), t = empty<double>({n});
    k.one(n, a, x, s);
    k.two(n, s, y, t);
    k.three(n, a, x, s);
    k.four(n, s, t, t);
    k.five(n, a, t, y);
}
void single(const Kernels& k, const Array& x, const Array& y, const Scalar<double>& a) { k.one(x.size(0), a, x, y); }

void by_hand(const Module& m, double* x, double* y) {
    using U = void (*)(long, double, const double*, double*);
    using B = void (*)(long, const double*, const double*, double*);
    const auto unary = [&](const char* name) { return reinterpret_cast<U>(m.symbol(name)); };
    const auto binary = [&](const char* name) { return reinterpret_cast<B>(m.symbol(name)); };
    const U one = unary("one"), three = unary("three"), five = unary("five");
    const B two = binary("two"), four = binary("four");
    std::vector<double> s(16), t(16);
    measure("5 kernels, by hand", 20000, [&] {
        one(16, 1e-9, x, s.data());
        two(16, s.data(), y, t.data());
        three(16, 1e-9, x, s.data());
        four(16, s.data(), t.data(), t.data());
        five(16, 1e-9, t.data(), y);
    });
    measure("1 kernel, by hand", 20000, [&] { one(16, 1e-9, x, y); });
}

void calls() {
    const CSource source(text);
    const Kernels kernels(source);
    std::vector<double> xs(16, 1e-3), ys(16, 1e-3);
    const Array x(xs), y(ys);
    by_hand(source.module(), xs.data(), ys.data());
    const auto five = freeze(in_place, kernels), one = freeze(single, kernels);
    const auto five_result = freeze(with_result, kernels);
    measure("5 kernels, frozen, in place", 20000, [&] { five(x, y, 1e-9); });
    measure("5 kernels, frozen, with a result", 20000, [&] { five_result(x, y, 1e-9); });
    measure("1 kernel, frozen", 20000, [&] { one(x, y, 1e-9); });
    measure("1 kernel, not frozen", 20000, [&] { kernels.one(16, 1e-9, x, y); });
    measure("5 kernels, not frozen, in place", 20000, [&] { in_place(kernels, x, y, 1e-9); });
    const auto kernel = std::make_shared<const std::string>(std::string(100000, 'k')),
               schedule = std::make_shared<const std::string>("s");
    const Module module = source.module();
    measure("same kernel and schedule again", 20000, [&] { module_memo().get({kernel, schedule}, [&] { return module; }); });
}

/// Replays on OpenCL beside the same launches by hand.
void opencl() {
    const Device device = opencl_device();
    const DeviceProgram program = device.compile(
        "__kernel void f(long n, double a, __global const double* x, __global double* y) { long i = get_global_id(0); if (i < "
        "n) y[i] = a * "
        "x[i] + y[i]; }\n");
    const DeviceKernel f(program, "f");
    const Array x = empty<double>({16}, device), y = empty<double>({16}, device);
    std::vector<double> values(16, 1.0);
    copy(x, Array(values)), copy(y, Array(values));
    const auto body = [](const DeviceKernel& k, const Array& in, const Array& out, const Scalar<double>& a) {
        for (int step = 0; step < 5; ++step) k({{ceil_div(in.size(0), Size(16)), 1, 1}, {16, 1, 1}}, in.size(0), a, in, out);
    };
    const auto frozen = freeze(+body, f);
    // By hand: the same kernel, its own kernel object and buffers, five launches.
    const OpenClApi& api = opencl_api();
    void *platform = nullptr, *id = nullptr;
    api.GetPlatformIDs(1, &platform, nullptr);
    api.GetDeviceIDs(platform, 0xFFFFFFFF, 1, &id, nullptr);
    std::int32_t status = 0;
    void* context = api.CreateContext(nullptr, 1, &id, nullptr, nullptr, &status);
    void* queue = api.CreateCommandQueue(context, id, 0, &status);
    const char* source = program.text().c_str();
    void* built = api.CreateProgramWithSource(context, 1, &source, nullptr, &status);
    api.BuildProgram(built, 1, &id, "-cl-std=CL1.2", nullptr, nullptr);
    void* kernel = api.CreateKernel(built, "f", &status);
    void *a = api.CreateBuffer(context, 1, 128, nullptr, &status), *b = api.CreateBuffer(context, 1, 128, nullptr, &status);
    const std::int64_t n = 16;
    const double factor = 1e-9;
    const std::size_t global[3] = {16, 1, 1};
    measure("5 launches, by hand", 2000, [&] {
        for (int k = 0; k < 5; ++k) {
            api.SetKernelArg(kernel, 0, 8, &n), api.SetKernelArg(kernel, 1, 8, &factor);
            api.SetKernelArg(kernel, 2, sizeof a, &a), api.SetKernelArg(kernel, 3, sizeof b, &b);
            api.EnqueueNDRangeKernel(queue, kernel, 3, nullptr, global, global, 0, nullptr, nullptr);
        }
        api.Finish(queue);
    });
    measure("5 launches, frozen", 2000, [&] {
        frozen(x, y, factor);
        device.queue().finish();
    });
}

double resident_mib() {
    rusage use{};
    ::getrusage(RUSAGE_SELF, &use);
    return static_cast<double>(use.ru_maxrss) / 1024;
}

/// Peak memory that ten chained temporaries of 8 MiB add, frozen.
void chain() {
    const CSource source(text);
    const Kernels kernels(source);
    const auto body = [](const Kernels& k, const Array& x) {
        const Size n = x.size(0);
        Array t = empty<double>({n});
        k.one(n, 1.0, x, t);
        for (int step = 1; step < 10; ++step) {
            const Array next = empty<double>({n});
            k.one(n, 1.0, t, next);
            t = next;
        }
        k.one(Size(1), 1.0, t, x);
    };
    const auto f = freeze(+body, kernels);
    std::vector<double> small(8, 1.0), big(1 << 20, 1.0);
    f(Array(small));
    const double before = resident_mib();
    for (int k = 0; k < 3; ++k) f(Array(big));
    std::printf("chain\t%.1f\t%llu\n", resident_mib() - before, static_cast<unsigned long long>(f.statistics().recordings));
}

}  // namespace

int main(int argc, char** argv) {
    const std::string what = argc == 2 ? argv[1] : "";
    if (what == "calls") return calls(), 0;
    if (what == "opencl") return opencl(), 0;
    if (what == "chain") return chain(), 0;
    std::fprintf(stderr, "usage: bench_freeze calls | opencl | chain\n");
    return 2;
}
