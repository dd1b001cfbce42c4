#include "runtime/cache/hash.h"

#include <xxhash.h>

namespace heddle::runtime {

std::string hash_bytes(std::string_view bytes) {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
    return {reinterpret_cast<const char*>(canonical.digest), sizeof canonical.digest};
}

std::string hash_text(std::string_view bytes) {
    static const char digits[] = "0123456789abcdef";
    std::string out;
    for (const char c : hash_bytes(bytes)) {
        out += digits[static_cast<unsigned char>(c) >> 4];
        out += digits[static_cast<unsigned char>(c) & 15];
    }
    return out;
}

}  // namespace heddle::runtime
