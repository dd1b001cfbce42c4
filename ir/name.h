// Interned identifiers: loops, parameters, arrays, statement labels.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace heddle {

/// An identifier. Two names of equal text share one address, so equality costs one comparison. Ordering is by text, which keeps
/// every listing the same from run to run. Creation is thread-safe; the texts live until the process ends.
class Name {
public:
    Name() = default;
    Name(std::string_view text);
    Name(const std::string& text) : Name(std::string_view(text)) {}
    Name(const char* text) : Name(std::string_view(text)) {}

    const std::string& str() const { return text_ ? *text_ : empty_text(); }
    const char* c_str() const { return str().c_str(); }
    bool empty() const { return text_ == nullptr; }
    std::size_t hash() const { return std::hash<const void*>()(text_); }

    friend bool operator==(Name a, Name b) { return a.text_ == b.text_; }
    friend bool operator!=(Name a, Name b) { return a.text_ != b.text_; }
    friend bool operator<(Name a, Name b) { return a.text_ != b.text_ && a.str() < b.str(); }

private:
    static const std::string& empty_text();
    const std::string* text_ = nullptr;
};

}  // namespace heddle

template <>
struct std::hash<heddle::Name> {
    std::size_t operator()(heddle::Name name) const { return name.hash(); }
};
