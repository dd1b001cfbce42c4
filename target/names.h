// Identifiers of emitted C for the names of a kernel.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/kernel_data.h"

namespace heddle {

/// Gives every name of a kernel an identifier that C11, C++17 and their headers leave free: words, macros and library functions
/// get a suffix, other characters become '_', long names are cut and marked with a hash. Distinct names get distinct
/// identifiers; the same kernel gives the same ones in every run.
class NameTable {
public:
    explicit NameTable(const KernelData& kernel);
    const std::string& operator()(Name name) const;
    /// The array that holds entry k of the separate axis of an argument.
    const std::string& part(Name array, std::size_t k) const { return parts_.at(array).at(k); }
    std::size_t parts(Name array) const { return parts_.count(array) ? parts_.at(array).size() : 0; }
    /// An identifier that nothing else in the kernel has; reserved from then on.
    std::string fresh(const std::string& base);
    /// Gives a name that is not the kernel's an identifier like `base`.
    void introduce(Name name, const std::string& base) { given_.emplace(name, fresh(base)); }

private:
    void give(Name name);
    void give_parts(const Array& a);
    std::unordered_map<Name, std::string> given_;
    std::unordered_map<Name, std::vector<std::string>> parts_;
    std::unordered_set<std::string> taken_;
};
/// A free identifier for text, not looking at collisions.
std::string c_identifier(const std::string& text);

}  // namespace heddle
