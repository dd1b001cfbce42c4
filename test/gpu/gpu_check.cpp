// A CUDA device for real: launches, shared memory, queues, frozen functions as graphs; what a launch and a replay take. Ends
// with 77, and the reason, where there is no GPU. Takes seconds.
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

#include "runtime/freeze.h"
#include "runtime/status.h"

using namespace heddle::runtime;

namespace {

const char* text = R"(
extern "C" __global__ void scale(long n, double a, const double* x, double* z) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) z[i] = a * x[i];
}
extern "C" __global__ void add(long n, const double* x, const double* y, double* z) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}
extern "C" __global__ void reversed(int n, const double* x, double* z) {
    extern __shared__ double line[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) line[i] = x[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) z[i] = line[n - 1 - i];
}
)";

int failures = 0;
void check(bool right, const char* what) {
    std::printf("%-60s %s\n", what, right ? "right" : "WRONG");
    failures += right ? 0 : 1;
}

struct Kernels {
    explicit Kernels(const DeviceProgram& p) : scale(p, "scale"), add(p, "add"), reversed(p, "reversed"), place(p.device()) {}
    DeviceKernel scale, add, reversed;
    Place place;
};

Grid grid(const Size& n) { return {{ceil_div(n, Size(256)), 1, 1}, {256, 1, 1}}; }

/// Five launches through two temporaries: z = 4 (a x + x).
void five(const Kernels& k, const Array& x, const Array& z, const Scalar<double>& a) {
    const Size n = x.size(0);
    const Array s = empty<double>({n}, k.place), t = empty<double>({n}, k.place);
    k.scale(grid(n), n, a, x, s);
    k.add(grid(n), n, s, x, t);
    k.add(grid(n), n, t, t, s);
    k.scale(grid(n), n, 1.0, s, t);
    k.add(grid(n), n, t, t, z);
}

Array upload(const Device& device, std::vector<double> values) {
    Array out = empty<double>({static_cast<std::int64_t>(values.size())}, device);
    copy(out, Array(values));
    return out;
}
std::vector<double> download(const Array& a) {
    std::vector<double> out(static_cast<std::size_t>(a.count().value()));
    copy(Array(out), a);
    return out;
}

void frozen_calls(const Device& device, const Kernels& kernels) {
    const auto f = freeze(five, kernels);
    bool right = true;
    for (const int n : {16, 1000, 0, 1, 100000, 16})
        for (const double a : {2.0, -1.5}) {
            const Array x = upload(device, std::vector<double>(static_cast<std::size_t>(n), 3.0)),
                        z = empty<double>({n}, device);
            f(x, z, a);
            right = right && download(z) == std::vector<double>(static_cast<std::size_t>(n), 4 * (a * 3 + 3));
        }
    check(right && f.statistics().recordings == 1, "frozen: sizes and numbers change, one recording, one graph");
    const Array x = upload(device, std::vector<double>(16, 1.0)), z = empty<double>({16}, device);
    const auto time = [&](const char* what, const std::function<void()>& work) {
        work();
        device.queue().finish();
        const auto start = std::chrono::steady_clock::now();
        for (int k = 0; k < 2000; ++k) work();
        device.queue().finish();
        const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - start;
        std::printf("%-60s %.2f us\n", what, taken.count() / 2000);
    };
    time("5 launches", [&] { five(kernels, x, z, 2.0); });
    time("5 launches, frozen, same arguments", [&] { f(x, z, 2.0); });
    double a = 0;
    time("5 launches, frozen, one number changes", [&] { f(x, z, a += 1); });
}

void all(const Device& device) {
    std::printf("%s, %s\n", device.name().c_str(), device.architecture().c_str());
    const Kernels kernels(device.compile(text));
    const Array x = upload(device, {1, 2, 3}), z = empty<double>({3}, device);
    kernels.scale(grid(3), Size(3), 2.0, x, z);
    check(download(z) == std::vector<double>{2, 4, 6}, "a launch");
    const int many = 8000;  // 64,000 bytes: has to be asked for
    std::vector<double> line(many), back(many);
    for (int k = 0; k < many; ++k) line[static_cast<std::size_t>(k)] = k, back[static_cast<std::size_t>(many - 1 - k)] = k;
    const Array l = upload(device, line), b = empty<double>({many}, device);
    kernels.reversed({{1, 1, 1}, {256, 1, 1}, many * 8}, many, l, b);
    check(download(b) == back, "64,000 bytes of dynamic shared memory");
    try {
        kernels.scale({{1, 1, 1}, {2048, 1, 1}}, Size(3), 2.0, x, z);
        check(false, "a block of 2048 threads is refused");
    } catch (const RuntimeError& e) {
        check(e.code() == Code::BadArgument, "a block of 2048 threads is refused");
    }
    const Queue other = device.new_queue();
    other.wait(device.queue().record());
    const Event event = other.record();
    event.wait();
    check(event.done(), "a queue waits for another");
    frozen_calls(device, kernels);
    check(device.memory_statistics().live_bytes > 0 && device.memory_statistics().misuses == 0, "memory comes from the pool");
}

}  // namespace

int main() {
    try {
        all(cuda_device());
    } catch (const RuntimeError& e) {
        std::printf("%s: %s\n", e.code() == Code::NoDevice ? "skipped" : "failed", e.what());
        return e.code() == Code::NoDevice ? 77 : 1;
    }
    return failures == 0 ? 0 : 1;
}
