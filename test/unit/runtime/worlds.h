// The same kernels as C functions and on every kind of device, for tests of arrays and frozen functions.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "devices.h"
#include "runtime/freeze.h"

namespace heddle::test {

using runtime::Array;
using runtime::Scalar;
using runtime::Size;

inline const char* c_text = R"(
#include <stdint.h>
void scale(int64_t n, double a, const double* x, double* z) { for (int64_t i = 0; i < n; i++) z[i] = a * x[i]; }
void add(int64_t n, const double* x, const double* y, double* z) { for (int64_t i = 0; i < n; i++) z[i] = x[i] + y[i]; }
void partial(int64_t n, const double* x, double* p) {
    for (int64_t b = 0; b < (n + 255) / 256; b++) {
        double s = 0;
        for (int64_t i = 256 * b; i < n && i < 256 * (b + 1); i++) s += x[i];
        p[b] = s;
    }
}
void total(int64_t m, const double* p, double* r) { double s = 0; for (int64_t i = 0; i < m; i++) s += p[i]; r[0] = s; }
void positive(int64_t n, const double* x, int64_t* count) {
    int64_t c = 0;
    for (int64_t i = 0; i < n; i++) c += x[i] > 0;
    count[0] = c;
}
int refuse(int64_t n) { return n > 3 ? 7 : 0; }
)";

inline const char* device_text = R"(
KERNEL scale(long n, double a, GLOBAL const double* x, GLOBAL double* z) { if (INDEX < n) z[INDEX] = a * x[INDEX]; }
KERNEL add(long n, GLOBAL const double* x, GLOBAL const double* y, GLOBAL double* z) { if (INDEX < n) z[INDEX] = x[INDEX] + y[INDEX]; }
KERNEL partial(long n, GLOBAL const double* x, GLOBAL double* p) {
    double s = 0;
    if (LANE != 0) return;
    for (long i = 256 * (long)GROUP; i < n && i < 256 * ((long)GROUP + 1); i++) s += x[i];
    p[GROUP] = s;
}
KERNEL total(long m, GLOBAL const double* p, GLOBAL double* r) {
    double s = 0;
    if (INDEX != 0) return;
    for (long i = 0; i < m; i++) s += p[i];
    r[0] = s;
}
KERNEL positive(long n, GLOBAL const double* x, GLOBAL long* count) {
    long c = 0;
    if (INDEX != 0) return;
    for (long i = 0; i < n; i++) c += x[i] > 0;
    count[0] = c;
}
)";

/// One kernel, wherever it runs: `parts` elements of a block each.
template <class Signature>
class Kernel {
public:
    Kernel(const runtime::CSource& source, const std::string& name) : host_(std::in_place, source, name) {}
    Kernel(const runtime::DeviceProgram& program, const std::string& name) : device_(std::in_place, program, name) {}
    template <class... Given>
    void operator()(const Size& blocks, std::int32_t lanes, const Given&... given) const {
        if (host_) return (*host_)(given...);
        (*device_)({{blocks, 1, 1}, {lanes, 1, 1}}, given...);
    }

private:
    std::optional<runtime::CKernel<Signature>> host_;
    std::optional<runtime::DeviceKernel> device_;
};

struct World {
    template <class Code>
    World(std::string n, runtime::Place p, const Code& code)
        : name(std::move(n)),
          place(std::move(p)),
          scale_(code, "scale"),
          add_(code, "add"),
          partial_(code, "partial"),
          total_(code, "total"),
          positive_(code, "positive") {}
    std::string name;
    runtime::Place place;

    void scale(const Size& n, const Scalar<double>& a, const Array& x, const Array& z) const {
        scale_(ceil_div(n, Size(64)), 64, n, a, x, z);
    }
    void add(const Size& n, const Array& x, const Array& y, const Array& z) const {
        add_(ceil_div(n, Size(64)), 64, n, x, y, z);
    }
    void partial(const Size& n, const Array& x, const Array& p) const { partial_(ceil_div(n, Size(256)), 1, n, x, p); }
    void total(const Size& m, const Array& p, const Array& r) const { total_(1, 1, m, p, r); }
    void positive(const Size& n, const Array& x, const Array& c) const { positive_(1, 1, n, x, c); }
    Array empty(const Size& n) const { return runtime::empty<double>({n}, place); }
    /// New memory with values.
    template <class T = double>
    Array make(std::vector<T> values) const {
        Array out = runtime::empty<T>({static_cast<std::int64_t>(values.size())}, place);
        runtime::copy(out, Array(values));
        return out;
    }
    template <class T = double>
    std::vector<T> get(const Array& a) const {
        std::vector<T> out(static_cast<std::size_t>(a.count().value()));
        runtime::copy(Array(out), a);
        return out;
    }

private:
    Kernel<void(std::int64_t, double, const double*, double*)> scale_;
    Kernel<void(std::int64_t, const double*, const double*, double*)> add_;
    Kernel<void(std::int64_t, const double*, double*)> partial_, total_;
    Kernel<void(std::int64_t, const double*, std::int64_t*)> positive_;
};

inline const runtime::CSource& c_source() {
    static auto* source = new runtime::CSource(c_text);
    return *source;
}

/// The host, and all devices; made once.
inline const std::vector<World>& worlds() {
    static const auto* all = [] {
        auto* out = new std::vector<World>;
        out->emplace_back("C functions", runtime::Place(), c_source());
        for (const TestDevice& d : test_devices())
            out->emplace_back(d.name, runtime::Place(d.device), d.device.compile(dialect(d, device_text)));
        return out;
    }();
    return *all;
}

}  // namespace heddle::test
