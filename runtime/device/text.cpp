// Compilers' messages, libraries, the cache of device code.
#include <dlfcn.h>
#include <fmt/format.h>

#include <regex>
#include <sstream>

#include "runtime/device/driver.h"

namespace heddle::runtime {
namespace {

/// The line of the text that the first error is about; 0: none is named.
std::size_t line_of_error(const std::string& messages) {
    static const std::regex place(R"(:(\d+):\d+: *(?:fatal )?error|\((\d+)\): *error|error: \S*:(\d+):\d+:)");
    std::smatch found;
    if (!std::regex_search(messages, found, place)) return 0;
    const std::string number = found[1].str() + found[2].str() + found[3].str();
    return number.size() < 9 ? std::stoul(number) : 0;
}

}  // namespace

std::string with_source_line(const std::string& messages, const std::string& text) {
    const std::size_t number = line_of_error(messages);
    std::istringstream in(text);
    std::string line;
    for (std::size_t k = 0; k < number; ++k)
        if (!std::getline(in, line)) return messages;
    return number == 0 ? messages : fmt::format("{}\nline {} is: {}", messages, number, line);
}

void* open_library(const std::vector<std::string>& names) {
    for (const std::string& name : names)
        if (void* found = name.empty() ? nullptr : ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return found;
    return nullptr;
}

std::shared_ptr<const std::string> cached_bytes(const ProgramOptions& options, std::vector<KeyPart> parts,
                                                const std::function<std::string()>& make) {
    Cache* cache = !options.cached ? nullptr : options.cache != nullptr ? options.cache : default_cache();
    if (cache == nullptr) return std::make_shared<const std::string>(make());
    parts.insert(parts.begin(), {"tool", "heddle " HEDDLE_VERSION});
    return cache->bytes(CacheKey(std::move(parts)), make);
}

}  // namespace heddle::runtime
