// What every device does alike.
#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <numeric>

#include "cached.h"
#include "devices.h"

using namespace heddle::runtime;
using namespace heddle::test;

namespace {

const char* text = R"(
KERNEL axpy(int n, double a, GLOBAL const double* x, GLOBAL double* y) {
    if (INDEX < n) y[INDEX] = a * x[INDEX] + y[INDEX];
}
KERNEL reversed(int n, GLOBAL const int* x, GLOBAL int* y SHARED(line)) {
    BEGIN(line)
    line[LANE] = INDEX < n ? x[INDEX] : 0;
    BARRIER;
    const int other = LANES - 1 - LANE;
    y[INDEX] = line[other];
}
KERNEL nothing(GLOBAL int* x) {}
)";

struct Refusal {
    Code code = Code::Ok;
    std::string text;
};
template <class Work>
Refusal refusal(Work work) {
    try {
        work();
    } catch (const RuntimeError& e) {
        return {e.code(), e.what()};
    }
    return {};
}

/// Arguments of a launch, kept together.
class Launch {
public:
    Launch(const char* function, std::int64_t blocks, std::int32_t lanes, std::size_t shared = 0)
        : launch_{function, {blocks, 1, 1}, {lanes, 1, 1}, shared, 0, nullptr} {}
    Launch& memory(void* p) {
        values_.push_back({reinterpret_cast<std::uint64_t>(p), sizeof p, 1});
        return *this;
    }
    template <class T>
    Launch& value(T v) {
        values_.push_back({0, sizeof v, 0});
        std::memcpy(&values_.back().bits, &v, sizeof v);
        return *this;
    }
    heddle_launch get() {
        arguments_.clear();
        for (const Value& v : values_) arguments_.push_back({&v.bits, v.size, v.memory});
        launch_.count = static_cast<std::int32_t>(arguments_.size());
        launch_.arguments = arguments_.data();
        return launch_;
    }

private:
    struct Value {
        std::uint64_t bits;
        std::size_t size;
        std::int32_t memory;
    };
    heddle_launch launch_;
    std::vector<Value> values_;
    std::vector<heddle_argument> arguments_;
};

/// A block of device memory with values.
template <class T>
class OnDevice {
public:
    OnDevice(const Device& device, const std::vector<T>& values)
        : device_(device),
          memory_(device.memory()),
          request_{values.size() * sizeof(T), 256, heddle_space_device, nullptr},
          block_(memory_.allocate(request_)),
          count_(values.size()) {
        device.queue().copy(block_, values.data(), request_.bytes, heddle_copy_to_device);
        device.queue().finish();
    }
    ~OnDevice() { memory_.release(block_, request_); }
    T* at(std::size_t k = 0) const { return static_cast<T*>(block_) + k; }
    std::vector<T> get() const {
        std::vector<T> out(count_);
        device_.queue().copy(out.data(), block_, request_.bytes, heddle_copy_from_device);
        device_.queue().finish();
        return out;
    }

private:
    Device device_;
    Allocator memory_;
    Request request_;
    void* block_;
    std::size_t count_;
};

const DeviceProgram& program(const TestDevice& d) {
    static std::map<std::string, DeviceProgram>* all = new std::map<std::string, DeviceProgram>;
    const auto found = all->find(d.name);
    if (found != all->end()) return found->second;
    return all->emplace(d.name, d.device.compile(dialect(d, text))).first->second;
}

}  // namespace

TEST_CASE("device: launches, copies and results, through values and through the C interface") {
    for (const TestDevice& d : test_devices()) {
        INFO(d.name);
        const int n = 1000;
        std::vector<double> x(n), y(n, 1.0), expected(n);
        std::iota(x.begin(), x.end(), 0.0);
        for (int i = 0; i < n; ++i) expected[i] = 2.5 * x[i] + 1.0;
        const OnDevice<double> dx(d.device, x), dy(d.device, y);
        Launch axpy("axpy", 4, 256);
        axpy.value(n).value(2.5).memory(dx.at()).memory(dy.at());
        program(d).launch(axpy.get(), d.device.queue());
        CHECK(dy.get() == expected);

        const heddle_device* c = program(d).raw();
        CHECK(c->size == sizeof(heddle_device));
        const auto launch = axpy.get();
        std::vector<double> host(n, -1.0);
        REQUIRE(c->copy(c->user, dy.at(), y.data(), n * sizeof(double), heddle_copy_to_device, nullptr) == 0);
        REQUIRE(c->launch(c->user, &launch, nullptr) == 0);
        REQUIRE(c->copy(c->user, host.data(), dy.at(), n * sizeof(double), heddle_copy_from_device, nullptr) == 0);
        REQUIRE(c->finish(c->user, nullptr) == 0);
        CHECK(host == expected);
        CHECK(RecordingCuda::get().misuses().empty());
    }
}

TEST_CASE("device: pointers into a block, null pointers, copies within, no blocks") {
    for (const TestDevice& d : test_devices()) {
        INFO(d.name);
        std::vector<double> values(512, 1.0);
        const OnDevice<double> block(d.device, values);
        const int n = 128;
        program(d).launch(Launch("axpy", 1, n).value(n).value(3.0).memory(block.at(0)).memory(block.at(256)).get(),
                          d.device.queue());
        d.device.queue().copy(block.at(0), block.at(256), 64 * sizeof(double), heddle_copy_within);
        for (int k = 0; k < n; ++k) values[256 + k] = 4.0;
        for (int k = 0; k < 64; ++k) values[k] = 4.0;
        CHECK(block.get() == values);
        program(d).launch(Launch("nothing", 1, 1).memory(nullptr).get(), d.device.queue());
        for (const std::int64_t none : {0, -3})
            program(d).launch(Launch("axpy", none, n).value(n).value(3.0).memory(block.at(0)).memory(block.at(256)).get(),
                              d.device.queue());
        CHECK(block.get() == values);
    }
}

TEST_CASE("device: dynamic shared memory") {
    for (const TestDevice& d : test_devices()) {
        INFO(d.name);
        std::vector<int> x(256), expected(256);
        std::iota(x.begin(), x.end(), 0);
        for (int k = 0; k < 256; ++k) expected[k] = k / 64 * 64 + 63 - k % 64;
        const OnDevice<int> dx(d.device, x), dy(d.device, std::vector<int>(256));
        program(d).launch(Launch("reversed", 4, 64, 64 * sizeof(int)).value(256).memory(dx.at()).memory(dy.at()).get(),
                          d.device.queue());
        CHECK(dy.get() == expected);
    }
}

TEST_CASE("device: queues wait for events of each other, and memory crosses queues") {
    for (const TestDevice& d : test_devices()) {
        INFO(d.name);
        const int n = 1 << 16;
        const OnDevice<double> x(d.device, std::vector<double>(n, 1.0)), y(d.device, std::vector<double>(n, 0.0));
        const Queue other = d.device.new_queue();
        CHECK(other.raw() != d.device.queue().raw());
        for (int k = 0; k < 8; ++k) {
            const Queue &one = k % 2 == 0 ? other : d.device.queue(), &two = k % 2 == 0 ? d.device.queue() : other;
            program(d).launch(Launch("axpy", n / 256, 256).value(n).value(1.0).memory(x.at()).memory(y.at()).get(), one);
            two.wait(one.record());
        }
        const Event last = other.record();
        last.wait();
        CHECK(last.done());
        CHECK(y.get() == std::vector<double>(n, 8.0));
        const Allocator memory = d.device.memory();
        const Request on_other{1 << 20, 256, heddle_space_device, other.raw()},
            on_first{1 << 20, 256, heddle_space_device, nullptr};
        void* block = memory.allocate(on_other);
        memory.release(block, on_other);
        void* again = memory.allocate(on_first);
        memory.release(again, on_first);
        other.finish();
    }
}

TEST_CASE("device: what is refused names function, shape and numbers") {
    for (const TestDevice& d : test_devices()) {
        INFO(d.name);
        const OnDevice<double> x(d.device, std::vector<double>(64));
        const auto& limits = d.device.limits();
        const auto launch = [&](Launch l) { return refusal([&] { program(d).launch(l.get(), d.device.queue()); }); };
        const auto axpy = [&](std::int64_t blocks, std::int32_t lanes) {
            return Launch("axpy", blocks, lanes).value(1).value(1.0).memory(x.at()).memory(x.at());
        };
        auto r = launch(axpy(1, static_cast<std::int32_t>(limits.lanes_of_block + 1)));
        CHECK(r.code == Code::BadArgument);
        CHECK_THAT(r.text, Catch::Contains("launch of 'axpy' with 1 x 1 x 1 blocks of " +
                                           std::to_string(limits.lanes_of_block + 1) + " x 1 x 1 lanes") &&
                               Catch::Contains(std::to_string(limits.lanes_of_block) + " lanes"));
        CHECK(launch(axpy(1, 0)).code == Code::BadArgument);
        r = launch(axpy(std::int64_t{1} << 31, 1));
        CHECK_THAT(r.text, Catch::Contains("2147483648 x 1 x 1 blocks") && Catch::Contains("at most 2147483647"));
        r = launch(Launch("reversed", 1, 1, limits.shared_bytes + 1).value(1).memory(x.at()).memory(x.at()));
        CHECK(r.code == Code::BadArgument);
        CHECK_THAT(r.text, Catch::Contains(std::to_string(limits.shared_bytes) + " bytes of shared memory for a block"));
        r = launch(Launch("axpy", 1, 1).value(1));
        CHECK(r.code == Code::BadArgument);
        CHECK_THAT(r.text, Catch::Contains("1 arguments for 4 parameters"));
        r = launch(Launch("axpy", 1, 1).value(1).value(1.0f).memory(x.at()).memory(x.at()));
        CHECK(r.code != Code::Ok);
        CHECK_THAT(r.text, Catch::Contains("argument 2") && Catch::Contains("4 bytes"));
        r = launch(Launch("absent", 1, 1));
        CHECK(r.code == Code::LoadFailed);
        CHECK_THAT(r.text, Catch::Contains("no kernel 'absent'"));
        const heddle_device* c = program(d).raw();
        const auto wrong = Launch("absent", 1, 1).get();
        CHECK(c->launch(c->user, &wrong, nullptr) == heddle_load_failed);
        CHECK_THAT(c->error(c->user), Catch::Contains("absent"));
    }
}

TEST_CASE("device: errors of compilers quote the line") {
    for (const TestDevice& d : test_devices()) {
        INFO(d.name);
        const auto r = refusal([&] {
            d.device.compile(dialect(d, "KERNEL fine(GLOBAL int* x) {}\nKERNEL wrong(GLOBAL int* x) { *x = missing; }\n"));
        });
        CHECK(r.code == Code::CompileFailed);
        CHECK_THAT(r.text, Catch::Contains("missing") && Catch::Contains("line 2 is: "));
    }
}

TEST_CASE("device: programs come from the cache, and binaries load elsewhere") {
    for (const TestDevice& d : test_devices()) {
        INFO(d.name);
        const CachePlace place;
        ProgramOptions options;
        const auto compile = [&](const std::string& body) {
            Cache cache(place.options());
            options.cache = &cache;
            d.device.compile(dialect(d, body), options);
            d.device.compile(dialect(d, body), options);
            return cache.statistics();
        };
        const std::string a = "KERNEL f(GLOBAL int* x) { *x = 1; }\n", b = "KERNEL f(GLOBAL int* x) { *x = 2; }\n";
        auto s = compile(a);
        CHECK((s.compiles == 1 && s.published == 1 && s.memory_hits == 1));
        s = compile(a);
        CHECK((s.compiles == 0 && s.disk_hits == 1));
        CHECK(compile(b).compiles == 1);
        options.flags = {"-DX=1"};
        CHECK(compile(a).compiles == 1);

        const DeviceProgram loaded = d.device.load(program(d).binary());
        const OnDevice<double> x(d.device, {1.0}), y(d.device, {2.0});
        loaded.launch(Launch("axpy", 1, 1).value(1).value(10.0).memory(x.at()).memory(y.at()).get(), d.device.queue());
        CHECK(y.get() == std::vector<double>{12.0});
    }
}

TEST_CASE("device: memory is counted and goes back") {
    for (const TestDevice& d : test_devices()) {
        INFO(d.name);
        const auto before = d.device.memory_statistics().live_bytes;
        {
            const OnDevice<double> x(d.device, std::vector<double>(100000));
            CHECK(d.device.memory_statistics().live_bytes == before + 800000);
        }
        CHECK(d.device.memory_statistics().live_bytes == before);
        d.device.trim();
        if (before == 0) CHECK(d.device.memory_statistics().reserved_bytes == 0);
    }
}

TEST_CASE("device: those that are not there are named") {
    const auto r = refusal([] { opencl_device("no such platform"); });
    CHECK(r.code == Code::NoDevice);
    CHECK_THAT(r.text, Catch::Contains("'no such platform'") && Catch::Contains("there are:"));
    CHECK(device_report().size() >= 2);
}
