// The table behind `helpers.h`.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace heddle {

/// A family of helpers. In the text: $N name, $T type, $U unsigned type of that width, $R real type, $F "f" for single
/// precision, $S type's short name, $B bits, $L lowest value, $H highest value.
struct Family {
    const char* text;
    std::vector<const char*> needs;  ///< other families, of the same type
};
extern const std::map<std::string, Family> helper_families;

}  // namespace heddle
