#include <catch2/catch.hpp>
#include <numeric>

#include "cuda_texts.h"
#include "runtime/cuda_emulated.h"
#include "runtime/status.h"

using namespace heddle::runtime;
using Catch::Matchers::Contains;

namespace {

const CudaModule& wrong(bool checked) {
    const auto compiled = [](bool with_checks) {
        CudaTextOptions options;
        options.checked = with_checks;
        return compile_cuda_emulated(heddle::test::cuda_wrong, options);
    };
    static const CudaModule plain = compiled(false), with_checks = compiled(true);
    return checked ? with_checks : plain;
}

/// What a launch of one block says is wrong.
std::string said(bool checked, const char* kernel, unsigned threads, CudaOptions options = {}, int by = -1000) {
    std::vector<int> y(threads);
    int* const out = y.data();
    std::vector<CudaArgument> arguments{out};
    if (by != -1000) arguments.emplace_back(by);
    try {
        wrong(checked).kernel(kernel).launch({1}, {threads}, threads * sizeof(int), arguments, options);
    } catch (const RuntimeError& e) {
        CHECK(e.code() == Code::Check);
        return e.what();
    }
    return "nothing";
}

CudaOptions ordered(CudaOrder order, std::uint64_t seed = 0) {
    CudaOptions o;
    o.threads = order, o.seed = seed;
    return o;
}

}  // namespace

TEST_CASE("emulated CUDA: a missing barrier gives wrong values in every order, and is a race") {
    std::vector<int> x(64), right(64);
    std::iota(x.begin(), x.end(), 0);
    std::iota(right.rbegin(), right.rend(), 0);
    for (const CudaOrder order : {CudaOrder::Ascending, CudaOrder::Descending, CudaOrder::Random}) {
        std::vector<int> y(64);
        wrong(false).kernel("no_barrier").launch({1}, {64}, 0, {x.data(), y.data()}, ordered(order));
        CHECK(y != right);
        CHECK_THROWS_AS(wrong(true).kernel("no_barrier").launch({1}, {64}, 0, {x.data(), y.data()}, ordered(order)),
                        RuntimeError);
    }
}

TEST_CASE("emulated CUDA: races name both threads and lines") {
    CHECK(said(true, "no_second_barrier", 32, ordered(CudaOrder::Descending)) ==
          "kernel 'no_second_barrier', block (0, 0, 0): thread (0, 0, 0): race on shared memory: writes in line 11 what thread "
          "(1, 0, 0) reads in line 13, and no barrier is between them");
    CHECK(said(false, "no_second_barrier", 32) == "nothing");
    CHECK_THAT(said(true, "not_atomic", 32),
               Contains("thread (9, 0, 0): race on shared memory: reads in line 57 what thread (0, 0, 0) "
                        "updates atomically in line 59"));
    CHECK_THAT(said(true, "across_warps", 64),
               Contains("thread (31, 0, 0): race on shared memory: reads in line 67 what thread "
                        "(32, 0, 0) writes in line 65"));
}

TEST_CASE("emulated CUDA: divergent barriers say who waits where") {
    for (bool checked : {false, true}) {
        CHECK(said(checked, "half_barrier", 64) ==
              "kernel 'half_barrier', block (0, 0, 0): divergent barrier: 48 of 64 threads, the first (16, 0, 0), have ended; "
              "16 of 64 threads, the first (0, 0, 0), wait at __syncthreads in line 17");
        CHECK_THAT(said(checked, "two_barriers", 32),
                   Contains("wait at __syncthreads in line 22; ") &&
                       Contains("16 of 32 threads, the first (16, 0, 0), wait at __syncthreads in line 24"));
        CHECK_THAT(said(checked, "half_shuffle", 32),
                   Contains("16 of 32 threads, the first (0, 0, 0), wait at __syncthreads in line 31") &&
                       Contains("16 of 32 threads, the first (1, 0, 0), wait at a shuffle of lanes 0xffffffff in line 30"));
        CHECK_THAT(said(checked, "forever", 2), Contains("no progress: threads wait by atomics"));
    }
}

TEST_CASE("emulated CUDA: shuffles with lanes that are not there") {
    for (bool checked : {false, true}) {
        CHECK(said(checked, "absent_lanes", 32) == "nothing");
        CHECK_THAT(said(checked, "absent_lanes", 20),
                   Contains("thread (12, 0, 0) reads lane 20 by the shuffle in line 28, and that lane "
                            "takes no part (lanes 0x000fffff do)"));
        CHECK_THAT(said(checked, "wrong_mask", 32),
                   Contains("thread (8, 0, 0): lane 8 is not in the mask 0x000000ff that it gives in line 33"));
    }
}

TEST_CASE("emulated CUDA: shared memory out of bounds") {
    CHECK(said(true, "outside_static", 32, {}, 0) == "nothing");
    CHECK_THAT(said(true, "outside_static", 32, {}, 1),
               Contains("thread (7, 0, 0): index 8 is outside an array of type 'int [8]', in line 36"));
    CHECK_THAT(said(true, "outside_static", 32, {}, -1),
               Contains("thread (0, 0, 0): index -1 is outside an array of type 'int [8]'"));
    CHECK(said(true, "outside_dynamic", 32, {}, 0) == "nothing");
    CHECK_THAT(
        said(true, "outside_dynamic", 32, {}, 1),
        Contains("thread (31, 0, 0): writes 4 bytes at byte 128 of dynamic shared memory, which has 128 bytes, in line 42"));
    CHECK_THAT(said(true, "outside_dynamic", 32, {}, -2),
               Contains("thread (0, 0, 0): writes 4 bytes at byte -8 of dynamic shared memory"));
    CHECK_THAT(said(false, "outside_dynamic", 32, {}, 1),
               Contains("dynamic shared memory of 128 bytes was written at byte 128"));
    CHECK_THAT(said(false, "outside_dynamic", 32, {}, -2),
               Contains("dynamic shared memory of 128 bytes was written at byte -8"));
}

TEST_CASE("emulated CUDA: reads of what nobody wrote") {
    CHECK_THAT(said(true, "unwritten", 64),
               Contains("thread (31, 0, 0): reads shared memory that no thread of the block has written, in line 50"));
    CHECK(said(false, "unwritten", 64) == "nothing");
}

TEST_CASE("emulated CUDA: of several blocks that fail the first in the order is reported") {
    std::vector<int> y(64);
    CudaOptions options;
    options.os_threads = 4;
    for (int i = 0; i < 5; i++)
        CHECK_THROWS_WITH(wrong(true).kernel("half_barrier").launch({100}, {64}, 0, {y.data()}, options),
                          Contains("kernel 'half_barrier', block (0, 0, 0)"));
    options.blocks = CudaOrder::Descending;
    CHECK_THROWS_WITH(wrong(true).kernel("half_barrier").launch({100}, {64}, 0, {y.data()}, options),
                      Contains("block (99, 0, 0)"));
}
