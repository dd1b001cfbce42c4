#include "ir/parse/utf8.h"

#include <cstdint>

namespace heddle {
namespace {

/// Bytes of the character that begins with `first`; 0 where none does.
std::size_t length_from(unsigned char first) {
    if (first < 0x80) return 1;
    if (first < 0xC2) return 0;
    if (first < 0xE0) return 2;
    if (first < 0xF0) return 3;
    return first < 0xF5 ? 4 : 0;
}

/// The character of `length` bytes at the start of the text, or a number that is none.
std::uint32_t character(std::string_view text, std::size_t length) {
    constexpr std::uint32_t none = UINT32_MAX;
    std::uint32_t code = static_cast<unsigned char>(text[0]) & (0xFFU >> (length + 1));
    for (std::size_t k = 1; k < length; ++k) {
        const auto next = static_cast<unsigned char>(text[k]);
        if ((next & 0xC0) != 0x80) return none;
        code = code << 6 | (next & 0x3FU);
    }
    return code;
}

bool is_character(std::string_view text, std::size_t length) {
    if (length == 0 || length > text.size()) return false;
    if (length == 1) return true;
    const std::uint32_t code = character(text, length);
    if (length == 3) return (code >= 0x800 && code < 0xD800) || (code >= 0xE000 && code < 0x10000);
    return length == 2 ? code < 0x800 : code >= 0x10000 && code < 0x110000;
}

}  // namespace

std::size_t first_no_utf8(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = length_from(static_cast<unsigned char>(text[at]));
        if (!is_character(text.substr(at), length)) return at;
        at += length;
    }
    return std::string_view::npos;
}

}  // namespace heddle
