// The cache's folder when things go wrong: damage, strangers, no room, no right to write.
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "runtime/descriptor.h"
#include "test/unit/runtime/cached.h"
#include "test/unit/runtime/setting.h"

using namespace heddle::runtime;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

CacheKey key_of(int number) { return CacheKey({KeyPart{"number", std::to_string(number)}}); }

void flip(const std::string& path, std::size_t byte, int bit) {
    std::string bytes = *read_file(path);
    bytes[byte] = static_cast<char>(bytes[byte] ^ (1 << bit));
    write_text(path, bytes);
}

/// Sets the time of an entry's last use.
void age(const std::string& path, std::int64_t seconds_ago) {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    const timespec times[2] = {{now.tv_sec - seconds_ago, 0}, {now.tv_sec - seconds_ago, 0}};
    REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
}

std::size_t files_in(const std::string& folder) {
    std::size_t out = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) out += entry.is_regular_file();
    return out;
}

/// A file system of its own in memory. `good()` is false where mounting is not permitted.
class SmallDisk {
public:
    explicit SmallDisk(const char* options) : good_(::mount("none", path().c_str(), "tmpfs", 0, options) == 0) {
        if (!good_) WARN("not tested: file systems may not be mounted here");
    }
    ~SmallDisk() {
        if (good_) ::umount(path().c_str());
    }
    bool good() const { return good_; }
    const std::string& path() const { return folder_.path(); }
    void read_only() const { REQUIRE(::mount("none", path().c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr) == 0); }

private:
    TemporaryFolder folder_;
    bool good_;
};

/// Compiles with a cache in a folder that cannot be used; gives the warnings.
std::vector<std::string> warnings(const std::string& folder) {
    std::vector<std::string> out;
    CacheOptions options;
    options.folder = folder;
    options.warn = [&](const std::string& text) { out.push_back(text); };
    Cache cache(options);
    CompileOptions how = CachePlace::fast();
    how.cache = &cache;
    for (int k = 0; k < 2; ++k) CHECK(value_of(compile_c(text_of(k), how)) == k);
    CHECK(value_of(compile_c(text_of(1), how)) == 1);
    CHECK(cache.statistics().memory_hits == 1);
    CHECK(cache.statistics().disk_hits == 0);
    CHECK(cache.statistics().unpublished == 2);
    return out;
}

}  // namespace

TEST_CASE("what was published is found, by its key only") {
    const CachePlace place;
    const CacheFolder disk = place.disk();
    CHECK_FALSE(disk.find(key_of(1)));
    CHECK(disk.publish(key_of(1), "object"));
    CHECK(disk.find(key_of(1)) == "object");
    CHECK_FALSE(disk.find(key_of(2)));
    CHECK(disk.publish(key_of(1), "another"));
    CHECK(disk.find(key_of(1)) == "another");
    CHECK(disk.publish(key_of(2), ""));
    CHECK(disk.find(key_of(2)) == "");
    struct stat about {};
    REQUIRE(::stat(place.path().c_str(), &about) == 0);
    CHECK((about.st_mode & 07777) == 0700);
    REQUIRE(::stat(place.file(key_of(1).id()).c_str(), &about) == 0);
    CHECK((about.st_mode & 07777) == 0600);
}

TEST_CASE("an entry under another key's name is not taken for it") {
    const CachePlace place;
    const CacheFolder disk = place.disk();
    CHECK(disk.publish(key_of(1), "one"));
    fs::create_directories(fs::path(place.file(key_of(2).id())).parent_path());
    fs::copy_file(place.file(key_of(1).id()), place.file(key_of(2).id()));
    CHECK_FALSE(disk.find(key_of(2)));
    CHECK(disk.publish(key_of(2), "two"));
    CHECK(disk.find(key_of(2)) == "two");
}

TEST_CASE("every flipped bit and every truncation is a miss, and the file goes") {
    const CachePlace place;
    const CacheFolder disk = place.disk();
    const std::string path = place.file(key_of(1).id());
    CHECK(disk.publish(key_of(1), "object"));
    const std::size_t size = read_file(path)->size();
    const auto damaged = [&](const auto& damage) {
        disk.publish(key_of(1), "object");
        damage();
        return !disk.find(key_of(1)) && !fs::exists(path);
    };
    for (std::size_t byte = 0; byte < size; ++byte) {
        CHECK(damaged([&] { flip(path, byte, static_cast<int>(byte % 8)); }));
        CHECK(damaged([&] { fs::resize_file(path, byte); }));
    }
    CHECK(damaged([&] { fs::resize_file(path, size + 1); }));
    CHECK(damaged([&] { ::chmod(path.c_str(), 0622); }));
    CHECK(damaged([&] { fs::remove(path), fs::create_symlink("/dev/null", path); }));
    CHECK(damaged([&] { fs::remove(path), ::mkfifo(path.c_str(), 0666); }));
}

TEST_CASE("damage costs a compile and nothing else") {
    const CachePlace place;
    place.compile(text_of(3), 3);
    const std::string path = place.file(place.disk().entries().at(0).id);
    flip(path, read_file(path)->size() / 2, 3);
    CHECK(place.compile(text_of(3), 3).compiles == 1);
    CHECK(place.compile(text_of(3), 3).disk_hits == 1);
}

TEST_CASE("a sound entry that cannot be loaded is compiled again") {
    const CachePlace place;
    place.compile(text_of(3), 3);
    place.disk().publish(*place.disk().entries().at(0).key, "no code at all");
    CHECK(place.compile(text_of(3), 3).compiles == 1);
    CHECK(place.compile(text_of(3), 3).disk_hits == 1);
}

TEST_CASE("what cannot be read is a miss and stays") {
    const CachePlace place;
    CHECK(place.disk().publish(key_of(1), "object"));
    const std::string path = place.file(key_of(1).id());
    if (::geteuid() == 0) {  // permissions do not bind the superuser: a folder in its place cannot be read either
        fs::remove(path);
        fs::create_directory(path);
        CHECK_FALSE(place.disk().find(key_of(1)));
        return;
    }
    ::chmod(path.c_str(), 0);
    CHECK_FALSE(place.disk().find(key_of(1)));
    CHECK(fs::exists(path));
}

TEST_CASE("a folder that others could have written is not used, with one warning") {
    const CachePlace place;
    const std::string& around = place.around().path();
    fs::create_directory(around + "/open");
    ::chmod((around + "/open").c_str(), 0777);
    fs::create_directory(around + "/real");
    fs::create_directory_symlink(around + "/real", around + "/link");
    write_text(around + "/file", "");
    const auto one = [&](const std::string& name, const std::string& reason) {
        const auto said = warnings(around + "/" + name);
        REQUIRE(said.size() == 1);
        CHECK_THAT(said[0], Contains(around + "/" + name) && Contains(reason));
    };
    one("open", "written by others");
    one("link", "symbolic link");
    one("file", "no folder");
    CHECK(files_in(around + "/open") + files_in(around + "/real") == 0);
    if (::geteuid() != 0) return;
    fs::create_directory(around + "/foreign");
    REQUIRE(::chown((around + "/foreign").c_str(), 12345, 12345) == 0);
    one("foreign", "another user");
    place.disk().publish(key_of(1), "object");
    REQUIRE(::chown(place.file(key_of(1).id()).c_str(), 12345, 12345) == 0);
    CHECK_FALSE(place.disk().find(key_of(1)));
}

TEST_CASE("a folder that cannot be made is no error") {
    CHECK(warnings("/proc/nowhere/cache").empty());
    const CachePlace place;
    CHECK(place.compile(text_of(1), 1).compiles == 1);
    fs::remove_all(place.path());
    CHECK(place.compile(text_of(1), 1).published == 1);
}

TEST_CASE("a read-only folder is read") {
    const SmallDisk disk("size=4m");
    if (!disk.good()) return;
    const CacheFolder folder(disk.path() + "/cache", 1 << 30);
    CHECK(folder.publish(key_of(1), "object"));
    disk.read_only();
    CHECK(folder.find(key_of(1)) == "object");
    CHECK_FALSE(folder.publish(key_of(2), "object"));
    CHECK(warnings(disk.path() + "/cache").empty());
}

TEST_CASE("a full disk is no error and leaves nothing partial") {
    const SmallDisk disk("size=64k");
    if (!disk.good()) return;
    const CacheFolder folder(disk.path() + "/cache", 1 << 30);
    CHECK(folder.publish(key_of(1), "object"));
    CHECK_FALSE(folder.publish(key_of(2), std::string(100000, 'x')));
    CHECK(folder.find(key_of(1)) == "object");
    CHECK(files_in(disk.path()) == 2);  // the entry and the stamp
    write_text(disk.path() + "/fill", std::string(fs::space(disk.path()).available, 'x'));
    CHECK(warnings(disk.path() + "/cache").empty());
    CHECK(files_in(disk.path()) == 3);
    CHECK(folder.find(key_of(1)) == "object");
}

TEST_CASE("above the limit the least recently used go first") {
    const CachePlace place;
    const CacheFolder disk = place.disk(10000);
    for (int k = 0; k < 9; ++k) {
        CHECK(place.disk().publish(key_of(k), std::string(1000, 'x')));  // the other limit: no sweep
        age(place.file(key_of(k).id()), 1000 - k);
    }
    CHECK(disk.find(key_of(0)));  // used: now the youngest
    CHECK(disk.publish(key_of(9), std::string(1000, 'x')));
    disk.sweep();
    std::string left;
    for (int k = 0; k < 10; ++k)
        if (fs::exists(place.file(key_of(k).id()))) left += std::to_string(k);
    CHECK(left == "0456789");  // 10 entries of some 1080 bytes; seven are the most that fit in 8000
}

TEST_CASE("publishing sweeps often enough to hold the limit") {
    const CachePlace place;
    const CacheFolder disk = place.disk(200000);
    std::uintmax_t most = 0;
    for (int k = 0; k < 400; ++k) {
        CHECK(disk.publish(key_of(k), std::string(static_cast<std::size_t>(500 + 37 * k % 5000), 'x')));
        std::uintmax_t bytes = 0;
        for (const auto& entry : disk.entries()) bytes += entry.bytes;
        most = std::max(most, bytes);
    }
    CHECK(most <= 200000);
    CHECK(most > 100000);
    CHECK_FALSE(disk.publish(key_of(0), std::string(200001, 'x')));
}

TEST_CASE("temporary files of the dead go, those of the living stay") {
    const CachePlace place;
    CHECK(place.disk().publish(key_of(1), "object"));
    const std::string group = fs::path(place.file(key_of(1).id())).parent_path().string();
    write_text(group + "/.new-1-0-0", "partial");
    write_text(group + "/.new-2-0-0", "partial");
    age(group + "/.new-1-0-0", 7200);
    write_text(group + "/foreign", "");
    place.disk().sweep();
    CHECK_FALSE(fs::exists(group + "/.new-1-0-0"));
    CHECK(fs::exists(group + "/.new-2-0-0"));
    CHECK(place.disk().find(key_of(1)));
}

TEST_CASE("entries are listed with what is wrong with them, and cleared without touching other files") {
    const CachePlace place;
    const CacheFolder disk = place.disk();
    CHECK(disk.entries().empty());
    CHECK(disk.clear() == 0);
    for (int k = 0; k < 3; ++k) CHECK(disk.publish(key_of(k), std::string(static_cast<std::size_t>(k), 'x')));
    flip(place.file(key_of(1).id()), 50, 1);
    write_text(place.path() + "/note", "mine");
    const auto entries = disk.entries();
    REQUIRE(entries.size() == 3);
    for (const StoredEntry& e : entries) {
        const bool bad = e.id == key_of(1).id();
        CHECK(e.damage.empty() != bad);
        CHECK(e.key.has_value() != bad);
    }
    CHECK(disk.clear() == 3);
    CHECK(files_in(place.path()) == 1);
    CHECK(*read_file(place.path() + "/note") == "mine");
}
