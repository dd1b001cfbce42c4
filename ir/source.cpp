#include "ir/source.h"

namespace heddle {

std::string_view Source::line(std::uint32_t number) const {
    std::string_view rest = text;
    for (std::uint32_t k = 1; k < number; ++k) {
        const std::size_t end = rest.find('\n');
        if (end == std::string_view::npos) return {};
        rest.remove_prefix(end + 1);
    }
    const std::string_view line = rest.substr(0, rest.find('\n'));
    return !line.empty() && line.back() == '\r' ? line.substr(0, line.size() - 1) : line;
}

std::string Loc::str() const {
    if (!source) return {};
    return source->name + ":" + std::to_string(line) + ":" + std::to_string(column);
}

}  // namespace heddle
