// Where the temporaries of a kernel live, and why, for people.
#pragma once

#include "target/program.h"

namespace heddle {

/// One temporary.
struct TemporaryReport {
    Name name;
    DType type = DType::F64;
    std::string extent;       ///< "[n, m]"; empty for a scalar
    std::string space;        ///< "register", "stack" or "heap"; on a device "lane", "shared" or "device"
    std::string bytes;        ///< a formula in the parameters, with "threads" where each thread has an instance
    std::string first, last;  ///< labels of the statements between which it holds values
    std::string reason;       ///< the end of a sentence
    bool for_each_thread = false;
};
/// Every temporary that is used, in the order of the kernel.
std::vector<TemporaryReport> report_storage(const Program& program);

/// The memory of a call: who lies on whom, "max(a, c) + b", each name standing for its bytes in whole lines of 64, and for all
/// others of its size; "0" where nothing is allocated.
std::string workspace_formula(const Program& program);

/// Bytes that a call takes, with the memory plan and if every temporary had its own.
struct WorkspaceBytes {
    std::int64_t planned = 0, separate = 0;
};
/// Nothing where it does not fit 64 bits.
std::optional<WorkspaceBytes> workspace_bytes(const Program& program, const Env& parameters, std::int64_t threads);

}  // namespace heddle
