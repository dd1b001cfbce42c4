// The cache on disk: a folder of this user's with a file for each entry, in 256 subfolders.
//
// An entry appears by rename, complete or not at all. There are no locks: whoever dies leaves at most a temporary file, which a
// later sweep removes. The file `stamp` grows with what is published; who finds it long enough replaces it and sweeps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/cache.h"
#include "runtime/descriptor.h"

namespace heddle::runtime {

/// What stands in a folder.
struct StoredEntry {
    std::string id;
    std::uint64_t bytes = 0;      ///< of the file
    std::int64_t used = 0;        ///< last use: nanoseconds since 1970
    std::optional<CacheKey> key;  ///< none: damaged, or not readable
    std::uint64_t object = 0;     ///< bytes of compiled code
    std::string damage;           ///< what is wrong, for people
    bool removable = false;       ///< it is wrong for good, not only unreadable now
};

class CacheFolder {
public:
    /// Files are made when the first entry is published. Before there are more than `limit` bytes, a sweep removes what was not
    /// used for longest, down to four fifths.
    CacheFolder(std::string path, std::uint64_t limit);

    const std::string& path() const { return path_; }
    std::uint64_t limit() const { return limit_; }
    /// Why the folder may not be used: a link, another owner, others may write into it. Empty: it is safe, or not there yet.
    std::string danger() const;

    /// The object for this key. A damaged entry is removed; one that cannot be read stays.
    std::optional<std::string> find(const CacheKey& key) const;
    /// False when it could not be written: the folder is as it was then.
    bool publish(const CacheKey& key, std::string_view object) const;

    /// All entries, by id; reads and checks each.
    std::vector<StoredEntry> entries() const;
    void remove(const std::string& id) const;
    /// Removes what the cache made, temporary files included; gives the number of entries.
    std::size_t clear() const;
    /// Removes temporary files older than an hour and, near the limit, entries.
    void sweep() const;

private:
    Descriptor open(bool make) const;
    void count(int folder, std::uint64_t bytes) const;

    std::string path_;
    std::uint64_t limit_;
};

}  // namespace heddle::runtime
