#include "runtime/cache/entry.h"

#include <cstring>

#include "runtime/cache/hash.h"

namespace heddle::runtime {
namespace {

constexpr std::string_view magic{"heddle\x01\n", 8};
constexpr std::size_t head = magic.size() + 16;  ///< then the hash of all that follows

void put(std::string& out, std::string_view bytes) {
    const std::uint64_t size = bytes.size();
    out.append(reinterpret_cast<const char*>(&size), sizeof size);
    out.append(bytes);
}

/// Takes what `put` wrote from the front.
std::optional<std::string_view> take(std::string_view& from) {
    std::uint64_t size = 0;
    if (from.size() < sizeof size) return std::nullopt;
    std::memcpy(&size, from.data(), sizeof size);
    from.remove_prefix(sizeof size);
    if (from.size() < size) return std::nullopt;
    const std::string_view out = from.substr(0, size);
    from.remove_prefix(size);
    return out;
}

std::string encode_parts(const std::vector<KeyPart>& parts) {
    std::string out;
    for (const KeyPart& p : parts) {
        put(out, p.name);
        put(out, p.value);
    }
    return out;
}

}  // namespace

CacheKey::CacheKey(std::vector<KeyPart> parts)
    : parts_(std::move(parts)), encoded_(encode_parts(parts_)), id_(hash_text(encoded_)) {}

std::optional<CacheKey> decode_key(std::string_view encoded) {
    std::vector<KeyPart> parts;
    while (!encoded.empty()) {
        const auto name = take(encoded), value = name ? take(encoded) : std::nullopt;
        if (!value) return std::nullopt;
        parts.push_back({std::string(*name), std::string(*value)});
    }
    return CacheKey(std::move(parts));
}

std::string encode_entry(const std::string& key, std::string_view object) {
    std::string rest;
    rest.reserve(key.size() + object.size() + 16);
    put(rest, key);
    put(rest, object);
    return std::string(magic) + hash_bytes(rest) + rest;
}

std::optional<Entry> decode_entry(std::string_view file) {
    if (file.size() < head || file.substr(0, magic.size()) != magic) return std::nullopt;
    std::string_view rest = file.substr(head);
    if (hash_bytes(rest) != file.substr(magic.size(), head - magic.size())) return std::nullopt;
    const auto key = take(rest), object = key ? take(rest) : std::nullopt;
    if (!object || !rest.empty()) return std::nullopt;
    return Entry{std::string(*key), std::string(*object)};
}

}  // namespace heddle::runtime
