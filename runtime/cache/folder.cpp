#include "runtime/cache/folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <system_error>

#include "runtime/cache/directory.h"
#include "runtime/cache/entry.h"

namespace heddle::runtime {
namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr const char* temporary = ".new-";
constexpr const char* stamp = "stamp";
constexpr std::int64_t stamp_full =
    256;  ///< bytes; each entry adds one and more by its size, so that 1/8 of the limit fills it

bool is_hex(const std::string& text, std::size_t size) {
    return text.size() == size && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}
bool is_temporary(const std::string& name) { return name.rfind(temporary, 0) == 0; }
std::string group_of(const std::string& id) { return id.substr(0, 2); }

std::int64_t nanoseconds(const timespec& t) { return t.tv_sec * second + t.tv_nsec; }

/// A name that no living process of any machine uses, or O_EXCL says so.
std::string temporary_name() {
    static std::atomic<unsigned> counter{0};
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return temporary + std::to_string(::getpid()) + "-" + std::to_string(counter++) + "-" + std::to_string(nanoseconds(now));
}

/// What reading an entry's file gives.
struct Read {
    enum class Kind { Absent, Unreadable, Damaged, Good } kind = Kind::Absent;
    Entry entry;
    std::uint64_t bytes = 0;
    std::int64_t used = 0;
};

Read read_entry(int group, const std::string& id, bool use) {
    Read out;
    const Descriptor file(::openat(group, id.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file) {
        out.kind = errno == ENOENT ? Read::Kind::Absent : errno == ELOOP ? Read::Kind::Damaged : Read::Kind::Unreadable;
        return out;
    }
    out.kind = Read::Kind::Unreadable;
    struct stat about {};
    if (::fstat(file.get(), &about) != 0) return out;
    out.bytes = static_cast<std::uint64_t>(about.st_size);
    out.used = nanoseconds(about.st_mtim);
    const bool ours = S_ISREG(about.st_mode) && danger_of(about).empty();
    const auto bytes = ours ? read_all(file.get(), out.bytes) : std::string();
    if (!bytes) return out;
    auto entry = decode_entry(*bytes);
    out.kind = entry ? Read::Kind::Good : Read::Kind::Damaged;
    if (!entry) return out;
    out.entry = std::move(*entry);
    if (use) ::futimens(file.get(), nullptr);
    return out;
}

/// Writes a file under a temporary name and renames it; leaves nothing when that fails.
bool appear(int group, const std::string& id, std::string_view bytes) {
    const std::string name = temporary_name();
    Descriptor file(::openat(group, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file) return false;
    const bool written = write_all(file.get(), bytes);
    if (file.close() && written && ::renameat(group, name.c_str(), group, id.c_str()) == 0) return true;
    ::unlinkat(group, name.c_str(), 0);
    return false;
}

/// Becomes the one who sweeps: only one process succeeds in removing an old stamp, and only one in making a new one.
bool claim(int folder, bool exists) {
    if (exists && ::unlinkat(folder, stamp, 0) != 0) return false;
    return static_cast<bool>(Descriptor(::openat(folder, stamp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)));
}

/// Calls with each file in the subfolders: the subfolder, its descriptor, the name.
void each_file(int folder, const std::function<void(const std::string&, int, const std::string&)>& visit) {
    each_name(folder, [&](const std::string& name) {
        if (!is_hex(name, 2)) return;
        if (const Descriptor group = open_folder(folder, name, false))
            each_name(group.get(), [&](const std::string& file) { visit(name, group.get(), file); });
    });
}

StoredEntry stored(const std::string& id, const Read& read) {
    StoredEntry out{id, read.bytes, read.used, std::nullopt, read.entry.object.size(), "", false};
    if (read.kind == Read::Kind::Unreadable) out.damage = "it cannot be read";
    if (read.kind == Read::Kind::Damaged) out.damage = "its checksum is wrong, or it is no file of this user's alone";
    if (read.kind == Read::Kind::Good) {
        out.key = decode_key(read.entry.key);
        if (!out.key || out.key->id() != id) {
            out.key.reset();
            out.damage = "it stands under the name of another key";
        }
    }
    out.removable = !out.damage.empty() && read.kind != Read::Kind::Unreadable;
    return out;
}

}  // namespace

CacheFolder::CacheFolder(std::string path, std::uint64_t limit) : limit_(limit) {
    std::error_code failed;
    path_ = std::filesystem::absolute(path, failed).lexically_normal().string();
    if (failed) path_ = std::move(path);
    while (path_.size() > 1 && path_.back() == '/') path_.pop_back();
}

std::string CacheFolder::danger() const {
    struct stat about {};
    if (::lstat(path_.c_str(), &about) != 0) return {};
    const std::string text = danger_of(about);
    return text.empty() && !S_ISDIR(about.st_mode) ? "is no folder" : text;
}

Descriptor CacheFolder::open(bool make) const {
    if (make && ::access(path_.c_str(), F_OK) != 0) make_folders(path_);
    return open_folder(AT_FDCWD, path_, false);
}

std::optional<std::string> CacheFolder::find(const CacheKey& key) const {
    const Descriptor folder = open(false);
    const Descriptor group = folder ? open_folder(folder.get(), group_of(key.id()), false) : Descriptor();
    if (!group) return std::nullopt;
    Read read = read_entry(group.get(), key.id(), true);
    if (read.kind == Read::Kind::Damaged) ::unlinkat(group.get(), key.id().c_str(), 0);
    if (read.kind != Read::Kind::Good || read.entry.key != key.encoded()) return std::nullopt;
    return std::move(read.entry.object);
}

bool CacheFolder::publish(const CacheKey& key, std::string_view object) const {
    const std::string bytes = encode_entry(key.encoded(), object);
    if (bytes.size() > limit_) return false;
    const Descriptor folder = open(true);
    const Descriptor group = folder ? open_folder(folder.get(), group_of(key.id()), true) : Descriptor();
    if (!group || !appear(group.get(), key.id(), bytes)) return false;
    count(folder.get(), bytes.size());
    return true;
}

void CacheFolder::count(int folder, std::uint64_t bytes) const {
    const Descriptor file(::openat(folder, stamp, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC));
    if (file) {
        const double share = static_cast<double>(bytes) / static_cast<double>(limit_) * 8 * stamp_full;
        write_all(file.get(), std::string(1 + static_cast<std::size_t>(std::min<double>(share, stamp_full)), '.'));
        struct stat about {};
        if (::fstat(file.get(), &about) != 0 || about.st_size < stamp_full) return;
    }
    if (claim(folder, static_cast<bool>(file))) sweep();
}

std::vector<StoredEntry> CacheFolder::entries() const {
    std::vector<StoredEntry> out;
    if (const Descriptor folder = open(false))
        each_file(folder.get(), [&](const std::string&, int group, const std::string& name) {
            if (!is_hex(name, 32)) return;
            const Read read = read_entry(group, name, false);
            if (read.kind != Read::Kind::Absent) out.push_back(stored(name, read));
        });
    std::sort(out.begin(), out.end(), [](const StoredEntry& a, const StoredEntry& b) { return a.id < b.id; });
    return out;
}

void CacheFolder::remove(const std::string& id) const {
    const Descriptor folder = open(false);
    if (const Descriptor group = folder ? open_folder(folder.get(), group_of(id), false) : Descriptor())
        ::unlinkat(group.get(), id.c_str(), 0);
}

std::size_t CacheFolder::clear() const {
    std::size_t entries = 0;
    const Descriptor folder = open(false);
    if (!folder) return 0;
    each_file(folder.get(), [&](const std::string&, int group, const std::string& name) {
        if (!is_hex(name, 32) && !is_temporary(name)) return;
        if (::unlinkat(group, name.c_str(), 0) == 0 && is_hex(name, 32)) ++entries;
    });
    each_name(folder.get(), [&](const std::string& name) {
        if (is_hex(name, 2)) ::unlinkat(folder.get(), name.c_str(), AT_REMOVEDIR);
    });
    ::unlinkat(folder.get(), stamp, 0);
    return entries;
}

void CacheFolder::sweep() const {
    struct Aged {
        std::int64_t used;
        std::string id;
        std::uint64_t bytes;
    };
    const Descriptor folder = open(false);
    if (!folder) return;
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    std::vector<Aged> all;
    std::uint64_t total = 0;
    each_file(folder.get(), [&](const std::string&, int group, const std::string& name) {
        struct stat about {};
        if (::fstatat(group, name.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0) return;
        const std::int64_t used = nanoseconds(about.st_mtim);
        if (is_temporary(name) && used < nanoseconds(now) - 3600 * second) ::unlinkat(group, name.c_str(), 0);
        if (!is_hex(name, 32)) return;
        all.push_back({used, name, static_cast<std::uint64_t>(about.st_size)});
        total += all.back().bytes;
    });
    if (total <= limit_ / 8 * 7) return;  // what comes before the next sweep still fits
    std::sort(all.begin(), all.end(),
              [](const Aged& a, const Aged& b) { return std::tie(a.used, a.id) < std::tie(b.used, b.id); });
    for (const Aged& a : all) {
        if (total <= limit_ / 5 * 4) break;
        remove(a.id);
        total -= a.bytes;
    }
}

}  // namespace heddle::runtime
