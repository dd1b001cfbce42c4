// Hashes of bytes.
#pragma once

#include <string>
#include <string_view>

namespace heddle::runtime {

/// The 128-bit XXH3 hash, as 16 bytes.
std::string hash_bytes(std::string_view bytes);
/// The same as 32 hexadecimal digits.
std::string hash_text(std::string_view bytes);

}  // namespace heddle::runtime
