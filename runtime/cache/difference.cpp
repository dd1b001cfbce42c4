// How two keys differ, as a sentence.
#include <algorithm>

#include "runtime/cache.h"

namespace heddle::runtime {
namespace {

constexpr std::size_t most = 160;  ///< bytes of a value that are shown

/// The line of `text` that begins at `start`, cut to what stands around `at`.
std::string excerpt(std::string_view text, std::size_t start, std::size_t at) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::size_t from = at - start > most / 2 ? at - most / 2 : start, to = std::min(end, from + most);
    if (from >= end) return "nothing";
    return (from > start ? "'…" : "'") + std::string(text.substr(from, to - from)) + (to < end ? "…'" : "'");
}

std::string differing_line(std::string_view a, std::string_view b) {
    const auto at = static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
    const std::size_t start = a.substr(0, at).rfind('\n') + 1;  // npos + 1 is 0
    const auto number = std::count(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
    return "line " + std::to_string(number) + ": " + excerpt(a, start, at) + " and " + excerpt(b, start, at);
}

}  // namespace

std::string difference(const CacheKey& a, const CacheKey& b) {
    const auto &x = a.parts(), &y = b.parts();
    for (std::size_t k = 0; k < std::max(x.size(), y.size()); ++k) {
        const bool both = k < x.size() && k < y.size();
        if (!both || x[k].name != y[k].name) return "they have different parts: they are of different versions of the cache";
        if (x[k].value != y[k].value)
            return "the first difference is in the part '" + x[k].name + "', " + differing_line(x[k].value, y[k].value);
    }
    return {};
}

}  // namespace heddle::runtime
