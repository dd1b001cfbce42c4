// Modules of one process do not see each other's functions.
#include <catch2/catch.hpp>

#include "runtime/cuda_emulated.h"

using namespace heddle::runtime;

TEST_CASE("two texts may have a kernel of one name and different parameters") {
    const CudaModule one = compile_cuda_emulated("extern \"C\" __global__ void work(int n, int *a) { a[0] = n; }");
    const CudaModule two =
        compile_cuda_emulated("extern \"C\" __global__ void work(int *a, double x, int n) { a[0] = n + (int)x; }");
    int a = 0;
    one.kernel("work").launch({1}, {1}, 0, {3, &a});
    CHECK(a == 3);
    two.kernel("work").launch({1}, {1}, 0, {&a, 2.0, 5});
    CHECK(a == 7);
}
