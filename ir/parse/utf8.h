// Is a text UTF-8?
#pragma once

#include <cstddef>
#include <string_view>

namespace heddle {

/// The first byte at which no UTF-8 character begins (RFC 3629: shortest form, no surrogates, at most U+10FFFF);
/// `std::string_view::npos` when the whole text is UTF-8.
std::size_t first_no_utf8(std::string_view text);

}  // namespace heddle
