// One kernel, run by the interpreter and as compiled C, on the same pseudo-random data.
#pragma once

#include <optional>
#include <string>

#include "ir/interpret.h"
#include "ir/kernel.h"

namespace heddle::test {

/// Arguments of a kernel with all sizes as given and arrays filled from a seed: floats in [-2, 2) that are no round numbers,
/// integers small, index arrays (`g`) inside every array.
Arguments random_arguments(const Kernel& kernel, const std::map<std::string, std::int64_t>& sizes, unsigned seed);

/// Where two runs differ: "B[3, 4]: 0.25 and 0.5", or nothing. Bit for bit, but that any NaN equals any NaN. `tolerance`: of
/// floats, relative where they are large; for sums that were put into another order.
std::optional<std::string> difference(const Arguments& a, const Arguments& b, double tolerance = 0);

/// Runs the kernel as compiled C (entry function) on a copy of the arguments.
class Compiled {
public:
    explicit Compiled(const Kernel& kernel);
    Arguments run(Arguments arguments) const;

private:
    Kernel kernel_;
    struct Code;
    std::shared_ptr<Code> code_;
};

}  // namespace heddle::test
