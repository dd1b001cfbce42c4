// Frozen functions on CUDA: graphs, call by call, on the recording driver.
#include <catch2/catch.hpp>
#include <map>
#include <thread>

#include "worlds.h"

using namespace heddle::runtime;
using namespace heddle::test;

namespace {

const World& cuda() { return worlds().back(); }

/// z = (a * x) + x, twice, through a temporary.
void body(const World& w, const Array& x, const Array& z, const Scalar<double>& a) {
    const Size n = x.size(0);
    const Array t = w.empty(n);
    w.scale(n, a, x, t);
    w.add(n, t, x, z);
    w.scale(Size(1), 1.0, x, z);
}

/// How often each call about graphs came since the last question.
std::map<std::string, std::size_t> graph_calls() {
    std::map<std::string, std::size_t> out;
    for (const CudaCall& c : RecordingCuda::get().calls())
        if (c.name.find("Graph") != std::string::npos || c.name == "cuLaunchKernel") ++out[c.name];
    RecordingCuda::get().clear();
    return out;
}
using Calls = std::map<std::string, std::size_t>;

}  // namespace

TEST_CASE("frozen CUDA: one graph, patched where something changes") {
    auto& fake = RecordingCuda::get();
    const World& w = cuda();
    const auto executables = fake.live("executable graphs");
    {
        const auto f = freeze(body, w);
        const Array x = w.make({1, 2, 3}), z = w.empty(3), y = w.make({5, 6});
        fake.clear();
        f(x, z, 2.0);
        CHECK(graph_calls() == Calls{{"cuLaunchKernel", 3}});
        f(x, z, 2.0);
        const auto added = fake.calls("cuGraphAddKernelNode");
        REQUIRE(added.size() == 3);
        CHECK(added[0] == "scale grid 1 1 1 block 64 1 1 shared 0 after 0");
        CHECK(added[1] == "add grid 1 1 1 block 64 1 1 shared 0 after 1");
        CHECK(graph_calls() ==
              Calls{{"cuGraphAddKernelNode", 3}, {"cuGraphCreate", 1}, {"cuGraphInstantiate", 1}, {"cuGraphLaunch", 1}});
        CHECK(w.get(z) == std::vector<double>{1, 6, 9});
        fake.clear();
        f(x, z, 2.0);
        CHECK(graph_calls() == Calls{{"cuGraphLaunch", 1}});
        f(x, z, 3.0);
        CHECK(graph_calls() == Calls{{"cuGraphExecKernelNodeSetParams", 1}, {"cuGraphLaunch", 1}});
        CHECK(w.get(z) == std::vector<double>{1, 8, 12});
        fake.clear();
        const Array long_x = w.make(std::vector<double>(1000, 1.0)), long_z = w.empty(1000);
        fake.clear();
        f(long_x, long_z, 3.0);
        CHECK(fake.calls("cuGraphExecKernelNodeSetParams")[0] == "scale grid 16 1 1 block 64 1 1 shared 0");
        CHECK(graph_calls() == Calls{{"cuGraphExecKernelNodeSetParams", 3}, {"cuGraphLaunch", 1}});
        CHECK(w.get(long_z) == [] {
            std::vector<double> out(1000, 4.0);
            out[0] = 1;
            return out;
        }());
        CHECK(f.statistics().recordings == 1);
        CHECK(fake.live("executable graphs") == executables + 1);
    }
    CHECK(fake.live("executable graphs") == executables);
    CHECK(fake.live("graphs") == executables);
    CHECK(fake.misuses().empty());
}

TEST_CASE("frozen CUDA: a launch without blocks is a node that is off") {
    auto& fake = RecordingCuda::get();
    const World& w = cuda();
    const auto f = freeze(
        +[](const World& at, const Array& x, const Size& n, const Array& z) {
            at.scale(n, 2.0, x, z), at.scale(Size(1), 3.0, x, z);
        },
        w);
    const Array x = w.make({1, 2}), z = w.make({0, 0});
    fake.clear();
    f(x, 2, z), f(x, 0, z), f(x, 0, z);
    CHECK(fake.calls("cuGraphNodeSetEnabled") == std::vector<std::string>{"0"});
    CHECK(w.get(z) == std::vector<double>{3, 4});
    f(x, 2, z), f(x, 0, z);
    CHECK(fake.calls("cuGraphNodeSetEnabled") == std::vector<std::string>{"0", "1", "0"});
    CHECK(fake.misuses().empty());
    CHECK(f.statistics().recordings == 1);
}

TEST_CASE("frozen CUDA: a graph call that fails is an error, and the next call is right") {
    auto& fake = RecordingCuda::get();
    const World& w = cuda();
    for (const char* name : {"cuGraphCreate", "cuGraphAddKernelNode", "cuGraphInstantiate", "cuGraphExecKernelNodeSetParams",
                             "cuGraphLaunch", "cuLaunchKernel"}) {
        INFO(name);
        const auto graphs = fake.live("graphs"), executables = fake.live("executable graphs");
        {
            const auto f = freeze(body, w);
            const Array x = w.make({1, 2, 3}), z = w.empty(3);
            fake.clear();
            fake.fail(name, 1, 1);
            int failures = 0;
            for (const double a : {1.0, 2.0, 3.0, 4.0}) try {
                    f(x, z, a);
                    CHECK(w.get(z) == std::vector<double>{1, 2 * (a + 1), 3 * (a + 1)});
                } catch (const RuntimeError& e) {
                    ++failures;
                    CHECK(e.code() == Code::DeviceFailed);
                    CHECK_THAT(e.what(), Catch::Contains(std::string(name).substr(0, 12)));
                }
            CHECK(failures == 1);
        }
        CHECK(fake.live("graphs") == graphs);
        CHECK(fake.live("executable graphs") == executables);
        CHECK(fake.misuses().empty());
    }
    fake.clear();
}

TEST_CASE("frozen CUDA: threads borrow graphs, one each") {
    auto& fake = RecordingCuda::get();
    const World& w = cuda();
    const auto before = fake.live("executable graphs");
    const auto f = freeze(body, w);
    const auto work = [&](double a) {
        const Array x = w.make({1, 2, 3}), z = w.empty(3);
        for (int k = 0; k < 30; ++k) {
            f(x, z, a + k);
            if (w.get(z) != std::vector<double>{1, 2 * (a + k + 1), 3 * (a + k + 1)}) throw std::logic_error("wrong");
        }
    };
    std::thread one(work, 1.0), two(work, 100.0);
    one.join(), two.join();
    CHECK(fake.live("executable graphs") - before <= 2);
    CHECK(f.statistics().recordings == 1);
    CHECK(fake.misuses().empty());
}
