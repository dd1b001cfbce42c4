// The examples with schedules for devices, as kernels and arguments.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/kernel_data.h"
#include "test/support/compare.h"
#include "tools/heddle/input.h"

namespace heddle::test {

struct Example {
    const char *file, *kernel, *schedule;
    std::map<std::string, std::int64_t> sizes;
};

inline const std::vector<Example>& device_examples() {
    static const std::vector<Example> all{
        {"axpy", "axpy", "gpu", {{"n", 300}}},
        {"gemm", "gemm", "gpu", {{"n", 18}, {"m", 33}, {"k", 35}}},
        {"fe_matrix", "fe_matrix", "gpu", {{"n", 2}}},
        {"fe_action", "fe_action", "gpu", {{"n", 5}, {"E", 2}}},
        {"dg_advection", "dg_advection", "gpu", {{"E", 17}, {"n", 10}}},
        {"lbm_d3q19", "lbm_d3q19", "gpu", {{"N", 3}, {"T", 2}}},
        {"heat3d", "heat3d", "gpu", {{"N", 12}, {"T", 2}}},
        {"heat3d", "heat3d_pairs", "gpu", {{"N", 11}, {"P", 2}}},
        {"nbody", "nbody", "gpu", {{"n", 140}}},
        {"histogram_scratch", "histogram_scratch", "gpu", {{"T", 9}, {"m", 3}, {"nb", 16}, {"K", 2}}},
        {"histogram_scratch", "histogram_scratch", "gpu_shared", {{"T", 9}, {"m", 3}, {"nb", 16}, {"K", 2}}},
        {"histogram_scratch", "histogram_scratch", "gpu_global", {{"T", 9}, {"m", 3}, {"nb", 5}, {"K", 2}}},
        {"block_reduce_submit", "block_reduce_submit", "gpu", {{"G", 3}, {"L", 99}, {"K", 2}}},
        {"scan", "scan", "gpu", {{"n", 140}}},
        {"spmv", "spmv", "gpu", {{"rows", 5}, {"cols", 4}, {"nnz", 7}}},
        {"spmv", "spmv_complex", "gpu", {{"rows", 5}, {"cols", 4}, {"nnz", 7}}},
        {"batched_matmul", "batched_matmul", "gpu", {{"nb", 5}, {"m", 9}, {"k", 7}, {"n", 5}}},
        {"cholesky_solve", "cholesky_solve", "gpu", {{"n", 9}}},
        {"harris", "harris", "gpu", {{"H", 25}, {"W", 40}}}};
    return all;
}

inline tools::Selection selected(const Example& e) {
    tools::Selection out;
    out.file = std::string(HEDDLE_SOURCE_DIR) + "/examples/" + e.file + ".heddle";
    out.kernel = e.kernel;
    out.schedule = e.schedule;
    out.scheduled = true;
    return out;
}

/// Arguments of an example; subscripts that are data are zero.
inline Arguments arguments_of(const Example& e) {
    const Kernel kernel = tools::load(selected(e)).written;
    Arguments out = random_arguments(kernel, e.sizes, 1);
    for (const Array& a : kernel.data().arrays)
        if (a.is_argument() && a.role == Role::In && (a.type == DType::I64 || a.type == DType::I32))
            for (std::byte& b : out.arrays.at(a.name.str()).bytes) b = std::byte{0};
    return out;
}

}  // namespace heddle::test
