// Parentheses where an expression of C needs them.
#pragma once

#include <string>

namespace heddle {

inline void open(bool needed, std::string& out) {
    if (needed) out += '(';
}
inline void close(bool needed, std::string& out) {
    if (needed) out += ')';
}

}  // namespace heddle
