// Text buffers and places in them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace heddle {

/// A text that was read: a kernel file, a schedule, or a C++ call site (then `text` is empty and only the name counts).
struct Source {
    std::string name;
    std::string text;

    /// The text of a line, counted from 1, without its line end; empty when there is none.
    std::string_view line(std::uint32_t number) const;
};

/// A place: file, line and column, both counted from 1. A default Loc is "nowhere".
struct Loc {
    std::shared_ptr<const Source> source;
    std::uint32_t line = 0;
    std::uint32_t column = 0;

    explicit operator bool() const { return source != nullptr; }
    /// "file:line:column", or "" for nowhere.
    std::string str() const;
};

}  // namespace heddle
