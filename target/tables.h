// Constant tables in emitted code: text where they are small, an object file where they are not.
#pragma once

#include "target/helpers.h"
#include "target/program.h"

namespace heddle {

/// Bytes beyond which a table is no text.
constexpr std::size_t table_text_limit = 32 * 1024;
bool is_large_table(const Array& a);

/// A table as a static const array of that name; a large one as an external symbol, which `helpers` then remembers.
std::string table_declaration(const Array& table, const std::string& name, HelperSet& helpers);

/// An object file for the linker of this machine's ELF systems: each table under its symbol, read-only, aligned to 64 bytes.
/// Empty without tables. Format: Tool Interface Standard, Executable and Linking Format 1.2, with 64-bit structures.
std::string object_file(const std::vector<LargeTable>& tables);

}  // namespace heddle
