// An entry as one file: a checksum, the key it is for, the object.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/cache.h"

namespace heddle::runtime {

struct Entry {
    std::string key;  ///< CacheKey::encoded
    std::string object;
};

std::string encode_entry(const std::string& key, std::string_view object);
/// None when a byte is missing, added or changed.
std::optional<Entry> decode_entry(std::string_view file);
/// The parts of CacheKey::encoded; none when it was not made so.
std::optional<CacheKey> decode_key(std::string_view encoded);

}  // namespace heddle::runtime
