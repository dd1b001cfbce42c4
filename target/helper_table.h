// The table behind `helpers.h`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "target/target.h"

namespace heddle {

/// A family of helpers. In the text: $N name, $T type, $U unsigned type of that width, $R real type, $F "f" for single
/// precision, $S type's short name, $B bits, $L lowest value, $H highest value; $A what CUDA's atomics of that width take, $C
/// OpenCL's exchange.
struct Family {
    std::string text;
    std::vector<const char*> needs;  ///< other families, of the same type
};
extern const std::map<std::string, Family> helper_families;
/// "atomic_add", in OpenCL with the place's space: "atomic_fadd_global", "atomic_min_local"; for types of 32 and 64 bits.
Family atomic_family(const std::string& name, Device device);

}  // namespace heddle
