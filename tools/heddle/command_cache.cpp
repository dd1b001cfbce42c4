// heddle cache
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ir/error.h"
#include "runtime/cache/folder.h"
#include "tools/heddle/commands.h"

namespace heddle::tools {
namespace {

using Json = nlohmann::ordered_json;
using runtime::StoredEntry;

constexpr std::size_t shown_digits = 12;

runtime::CacheFolder open_cache() {
    const runtime::CacheOptions options = runtime::cache_options_of_environment();
    if (options.folder.empty())
        throw user_error("cache", "there is no cache folder: neither HEDDLE_CACHE_DIR nor HOME is set")
            .hint("HEDDLE_CACHE_DIR=FOLDER names one");
    runtime::CacheFolder folder(options.folder, options.limit);
    if (const std::string danger = folder.danger(); !danger.empty())
        throw Error(ErrorKind::Runtime, "file", fmt::format("the cache folder {} {}, so it is not used", folder.path(), danger))
            .hint("it has to be a folder of yours that nobody else can write: chmod go-w, or another one in HEDDLE_CACHE_DIR");
    return folder;
}

/// The value of a part of an entry's key; empty when there is none.
std::string part(const StoredEntry& entry, std::string_view name) {
    if (!entry.key) return {};
    for (const runtime::KeyPart& p : entry.key->parts())
        if (p.name == name) return p.value;
    return {};
}

/// What an entry is, in a few words: the function that is called, else the first line of the text.
std::string title(const StoredEntry& entry) {
    const std::string text = part(entry, "text");
    const std::size_t end = text.find("_entry(");
    if (end == std::string::npos) return text.substr(0, std::min<std::size_t>(text.find('\n'), 60));
    const std::size_t before = text.find_last_of(" *\n", end);
    return text.substr(before + 1, end - before - 1);
}

std::string options_line(const StoredEntry& entry) {
    std::string out = part(entry, "options");
    std::replace(out.begin(), out.end(), '\n', ' ');
    return out;
}

std::string when(const StoredEntry& entry) {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(entry.used / 1'000'000'000)));
}

Json as_json(const StoredEntry& e) {
    Json out{{"id", e.id}, {"bytes", e.bytes}, {"object_bytes", e.object}, {"used", when(e)}, {"title", title(e)}};
    if (!e.damage.empty()) out["damage"] = e.damage;
    Json parts = Json::object();
    if (e.key)
        for (const runtime::KeyPart& p : e.key->parts()) parts[p.name] = p.value;
    out["key"] = std::move(parts);
    return out;
}

std::string dumped(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

std::uint64_t bytes_of(const std::vector<StoredEntry>& entries) {
    std::uint64_t out = 0;
    for (const StoredEntry& e : entries) out += e.bytes;
    return out;
}

/// The one entry whose name begins so. Damaged ones have no key to explain.
const StoredEntry& chosen(const std::vector<StoredEntry>& entries, const std::string& id) {
    const StoredEntry* found = nullptr;
    for (const StoredEntry& e : entries) {
        if (e.id.rfind(id, 0) != 0) continue;
        if (found != nullptr)
            throw user_error("cache", fmt::format("several entries of the cache begin with '{}'", id)).hint("give more digits");
        found = &e;
    }
    if (found == nullptr)
        throw user_error("cache", fmt::format("the cache has no entry '{}'", id)).hint("'heddle cache list' names all");
    if (!found->key)
        throw user_error("cache", fmt::format("entry '{}' is damaged: {}", id, found->damage))
            .hint("'heddle cache verify' removes it");
    return *found;
}

std::string parts_text(const StoredEntry& entry) {
    std::string out;
    for (const runtime::KeyPart& p : entry.key->parts()) {
        out += fmt::format("{}\n", p.name);
        for (std::size_t at = 0; at < p.value.size();) {
            const std::size_t end = std::min(p.value.find('\n', at), p.value.size());
            out += fmt::format("    {}\n", std::string_view(p.value).substr(at, end - at));
            at = end + 1;
        }
    }
    return out;
}

}  // namespace

void cache_list_command(const CacheOptions& options, Report& report) {
    const runtime::CacheFolder folder = open_cache();
    std::vector<StoredEntry> entries = folder.entries();
    std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.used > b.used; });
    if (options.json) {
        Json rows = Json::array();
        for (const StoredEntry& e : entries) rows.push_back(as_json(e));
        report.out = dumped(
            {{"folder", folder.path()}, {"limit", folder.limit()}, {"bytes", bytes_of(entries)}, {"entries", std::move(rows)}});
        return;
    }
    report.out = fmt::format("{}: {} entries, {} bytes of at most {}\n", folder.path(), entries.size(), bytes_of(entries),
                             folder.limit());
    for (const StoredEntry& e : entries)
        report.out += fmt::format("{}  {:>8}  {}  {}\n", e.id.substr(0, shown_digits), e.bytes, when(e),
                                  e.damage.empty() ? title(e) + "  " + options_line(e) : "damaged: " + e.damage);
}

void cache_explain_command(const CacheOptions& options, Report& report) {
    const std::vector<StoredEntry> entries = open_cache().entries();
    const StoredEntry& one = chosen(entries, options.first);
    if (options.second.empty()) {
        report.out = options.json ? dumped(as_json(one)) : parts_text(one);
        return;
    }
    const StoredEntry& other = chosen(entries, options.second);
    const std::string text = runtime::difference(*one.key, *other.key);
    if (options.json)
        report.out = dumped({{"first", one.id}, {"second", other.id}, {"difference", text}});
    else
        report.out = fmt::format("{} and {}: {}\n", one.id.substr(0, shown_digits), other.id.substr(0, shown_digits),
                                 text.empty() ? "the same entry" : text);
}

void cache_verify_command(const CacheOptions& options, Report& report) {
    const runtime::CacheFolder folder = open_cache();
    const std::vector<StoredEntry> entries = folder.entries();
    Json damaged = Json::array();
    for (const StoredEntry& e : entries) {
        if (e.damage.empty()) continue;
        if (e.removable) folder.remove(e.id);
        damaged.push_back({{"id", e.id}, {"damage", e.damage}, {"removed", e.removable}});
        report.err += fmt::format("{}: {}{}\n", e.id, e.damage, e.removable ? "; removed" : "");
    }
    report.status = damaged.empty() ? 0 : 1;
    const std::size_t sound = entries.size() - damaged.size();
    if (options.json)
        report.out = dumped({{"sound", sound}, {"damaged", std::move(damaged)}});
    else
        report.out = fmt::format("{}: {} entries sound, {} damaged\n", folder.path(), sound, damaged.size());
}

void cache_clear_command(const CacheOptions& options, Report& report) {
    const runtime::CacheFolder folder = open_cache();
    const std::size_t removed = folder.clear();
    report.out =
        options.json ? dumped({{"removed", removed}}) : fmt::format("{}: {} entries removed\n", folder.path(), removed);
}

}  // namespace heddle::tools
