// Small inline functions that emitted C uses, written out only where used.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ir/types.h"
#include "target/target.h"

namespace heddle {

std::string c_type(DType type);      ///< "double", "int32_t", "heddle_c128", …
std::string memory_type(DType type, Device device);  ///< of elements of arrays: a byte for a bool where memory has none
std::string c_unsigned(DType type);  ///< "uint32_t" for I32 and U32

struct Array;

/// A table that is not text, under the symbol that the text names.
struct LargeTable {
    std::string symbol;
    const Array* table;
};

/// The helpers a text has used. Names are heddle_<family>_<type>, or heddle_<family> for those of one type.
class HelperSet {
public:
    /// "heddle_add_i32"; remembered as used, with all that it needs.
    std::string use(const std::string& family, DType type);
    std::string use(const std::string& family);
    /// An identifier at file level that nothing before it has.
    std::string global(const std::string& base);
    /// Definitions, needed ones first; the same set gives the same text. With `complex` the types c64 and c128 are written,
    /// too.
    std::string text() const;
    const std::set<std::string>& used() const { return used_; }

    Device device = Device::C;             ///< the language of the text
    std::string owner;                     ///< what symbols that other files see start with
    std::vector<LargeTable> large_tables;  ///< declared in the text

private:
    void need(const std::string& key);
    std::set<std::string> used_;  ///< "add i32", "floordiv"
    std::set<std::string> globals_;
};
/// typedef of a complex type, guarded against a second definition.
std::string complex_type_text(DType type);

}  // namespace heddle
