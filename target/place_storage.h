// Decides where each temporary lives.
#pragma once

#include "target/program.h"

namespace heddle {

/// Scalars and arrays of constant size stay in the device function while the sum along every path of the loop tree is under
/// `stack_limit`; all others are allocated by the host part, one instance for each thread where the temporary belongs to an
/// iteration of a parallel loop. Errors (User, "storage"): `in private` of parametric size or too large, naming size, limit,
/// what else is there, and `heap`.
std::map<Name, Storage> place_temporaries(const KernelData& kernel, const TargetOptions& options);
/// Bytes of an array of constant size, with padding; nothing for a parametric one. Errors (User, "storage"): they do not fit 64
/// bits.
std::optional<std::int64_t> constant_bytes(const Array& a);
/// Elements that the memory of an array holds, with padding and strides: an index in the parameters. The axis that is one array
/// for each entry does not count. It may come out negative, for no elements.
Expr memory_elements(const Array& a);

}  // namespace heddle
