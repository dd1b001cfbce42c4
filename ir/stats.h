// What a kernel does, counted: instances, operations, accesses, elements touched. Exact formulas in the parameters;
// docs/stats.md says what is counted and how.
#pragma once

#include <string>
#include <vector>

#include "ir/count/operations.h"
#include "ir/count/quantity.h"
#include "ir/count/stride.h"
#include "ir/kernel_data.h"

namespace heddle {

struct InstanceCount {
    Name statement;
    std::vector<Name> loops;
    Quantity count;
};

struct OperationCount {
    OperationKind kind = OperationKind::Arithmetic;
    DType type = DType::Untyped;
    std::string name;
    Quantity count;
};

/// Loads or stores of an array that move alike in the innermost loop around them.
struct AccessCount {
    Name array;
    DType type = DType::Untyped;
    bool store = false;
    Stride stride;
    Quantity count;
};

/// Distinct elements of an array that are touched.
struct FootprintCount {
    Name array;
    DType type = DType::Untyped;
    Quantity elements, bytes;
};

struct Stats {
    std::string kernel;
    std::vector<Name> parameters;  ///< and scalar arguments that stand in bounds: what the formulas may mention
    Domain assumptions;            ///< the kernel's `where`
    Domain context;                ///< the formulas hold where this does: `where`, and no argument has a negative extent
    std::vector<InstanceCount> instances;
    std::vector<OperationCount> operations;
    std::vector<AccessCount> accesses;
    std::vector<FootprintCount> footprints;
    Quantity flops;  ///< add, sub, mul, div and negations of f32 and f64
    Quantity loaded_bytes, stored_bytes, touched_bytes;
    std::vector<std::string> notes;  ///< what depends on data, by name

    /// A table of the formulas.
    std::string str() const;
    /// A table of numbers for these parameters beside the formulas. Errors (User, "parameter"): a value missing, or outside
    /// `context`.
    std::string str(const Env& values) const;
    /// Throws these errors.
    void require_values(const Env& values) const;
};

/// Counts everything. Scalar temporaries are registers: they cost no access; an update of anything else is a load, the
/// operation and a store. Equal expressions and accesses of one statement count once. Calls of kernels count as their
/// statements would in place.
Stats stats(const KernelData& kernel);

}  // namespace heddle
