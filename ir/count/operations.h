// The operations of a statement: what one instance computes.
#pragma once

#include <string>
#include <vector>

#include "ir/access_rules.h"
#include "ir/kernel_data.h"

namespace heddle {

enum class OperationKind : std::uint8_t {
    Arithmetic,  ///< on values
    Call,        ///< of a built-in or extern function
    Index,       ///< inside subscripts
    FmaPair,     ///< an addition or subtraction that takes a product: one machine instruction where the target has it
};

/// One operation, once for each instance of its statement with `when`.
struct Operation {
    OperationKind kind = OperationKind::Arithmetic;
    DType type = DType::Untyped;  ///< of the result; of the operands for comparisons
    std::string name;             ///< "add", "compare", …, or the function's
    Domain when;                  ///< affine conditions under which it is evaluated
    bool conditional = false;     ///< other conditions stand around it: it happens at most that often
};

/// All operations of a statement: its predicates, values, subscripts and the update itself. Rules are expanded; equal
/// expressions count once, as accesses do; the branches of a select count where its condition says so. A custom operator counts
/// what it is made of. Calls of kernels count nothing here.
std::vector<Operation> operations_of(const KernelData& kernel, RuleExpander& rules, const Statement& s);

}  // namespace heddle
