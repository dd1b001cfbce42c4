// Kernel -> Program -> text: the public face of the target room.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "ir/kernel.h"

namespace heddle {

/// How emitted code gets the memory of temporaries that the host allocates. A caller's own buffer is always possible.
enum class Allocation : std::uint8_t {
    Interface,  ///< also from a `heddle_allocator` of the caller's; needs heddle_runtime.h
    Malloc      ///< from the C library only; needs nothing
};

/// What runs device functions.
enum class Device : std::uint8_t {
    C,     ///< the CPU: C with OpenMP
    Cuda,
    OpenCl  ///< OpenCL C 1.2
};

/// How to emit.
struct TargetOptions {
    Device device = Device::C;
    bool openmp = true;    ///< pragmas for parallel and vector loops
    bool checked = false;  ///< test at run time every access that cannot be proved inside its array
    bool entry = false;    ///< also emit `int32_t NAME_entry(void *const *arguments, const void *allocator)`, the uniform face
                           ///< the runtime calls
    bool prove_complete = true;            ///< prove that the emitted loops execute exactly each statement's domain
    std::int64_t stack_limit = 64 * 1024;  ///< bytes of private temporaries a device function may hold
    std::int64_t unroll_limit = 65536;     ///< copies of one statement beyond which unrolling is refused
    Allocation allocation = Allocation::Interface;
    std::int64_t shared_limit = 48 * 1024;  ///< bytes of shared memory that a block may have
    std::int64_t lane_limit = 1024;         ///< lanes of a block
};

struct Program;

/// What will run: device functions and the host part that checks arguments, allocates, calls and frees. Plain data.
std::shared_ptr<const Program> lower(const Kernel& kernel, const TargetOptions& options = {});

/// The first part of `lower`: where temporaries live. No loops yet.
std::shared_ptr<const Program> place(const Kernel& kernel, const TargetOptions& options = {});

/// A file of emitted text.
struct SourceFile {
    std::string name;  ///< "gemm.h", "gemm_host.c", "gemm_device.c"
    std::string text;
};
/// Header, host part, device part, and heddle_runtime.h where they include it: each pair compiles alone as C11 and C++17.
/// NAME_tables.o joins them where constant tables are large.
std::vector<SourceFile> emit_c(const Program& program);
/// What runs on the device, in words: launches with their loops and lanes, the dependence behind each barrier, and where
/// temporaries live and why.
struct LaunchReport {
    std::string function;               ///< "gemm_update"
    std::string blocks;                 ///< "io on block.y, jo on block.x"; empty: one block
    std::array<std::int64_t, 3> lanes{1, 1, 1};
    std::vector<std::string> barriers;  ///< a sentence for each
};
std::vector<LaunchReport> launch_reports(const Program& program);
/// The device functions of a program for a device other than C, as one text; names of functions stand in its launches.
std::string emit_device_text(const Program& program);
/// Header, host part in C, device part ("gemm_device.cl", "gemm_device.cu") and heddle_runtime.h. The host part launches through a
/// `heddle_device`.
std::vector<SourceFile> emit_for_device(const Program& program);
/// The host part of that in one translation unit, for the runtime.
std::string emit_device_host(const Program& program);
/// All in one translation unit, for the runtime and for `heddle show --code`; object files with large tables go to `objects`.
/// Errors (User, "table"): there are large tables, and `objects` is null.
std::string emit_c_single(const Program& program, std::vector<SourceFile>* objects = nullptr);

}  // namespace heddle
