#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "ir/error.h"
#include "runtime/temporary.h"
#include "tools/heddle/files.h"

using namespace heddle;
using namespace heddle::tools;
using Catch::Matchers::Contains;

namespace {

std::size_t entries(const std::string& folder) {
    const std::filesystem::directory_iterator all(folder);
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

}  // namespace

TEST_CASE("files appear together, at commit") {
    const runtime::TemporaryFolder folder;
    Outputs out;
    out.folder(folder.path() + "/a/b");
    out.add(folder.path() + "/a/b/one", "1");
    out.add(folder.path() + "/two", "22");
    CHECK_FALSE(std::filesystem::exists(folder.path() + "/a/b/one"));
    out.commit();
    CHECK(read_file(folder.path() + "/a/b/one") == "1");
    CHECK(read_file(folder.path() + "/two") == "22");
    CHECK(entries(folder.path()) == 2);
}

TEST_CASE("without commit nothing stays, and the old file is as it was") {
    const runtime::TemporaryFolder folder;
    std::ofstream(folder.path() + "/old") << "old";
    {
        Outputs out;
        out.folder(folder.path() + "/new/deep");
        out.add(folder.path() + "/new/deep/x", "x");
        out.add(folder.path() + "/old", "new");
    }
    CHECK(entries(folder.path()) == 1);
    CHECK(read_file(folder.path() + "/old") == "old");
}

TEST_CASE("permissions and symbolic links survive a rewrite") {
    const runtime::TemporaryFolder folder;
    const std::string file = folder.path() + "/file", link = folder.path() + "/link";
    std::ofstream(file) << "old";
    ::chmod(file.c_str(), 0640);
    std::filesystem::create_symlink(file, link);
    Outputs out;
    out.add(link, "new");
    out.commit();
    CHECK(read_file(file) == "new");
    CHECK(std::filesystem::is_symlink(link));
    struct stat info {};
    REQUIRE(::stat(file.c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0640);
}

TEST_CASE("a full disk, a missing file and a missing folder are named") {
    Outputs out;
    CHECK_THROWS_WITH(out.add("/dev/full", "x"), Contains("/dev/full") && Contains("No space left"));
    CHECK_THROWS_WITH(out.add("/nowhere/x", "x"), Contains("/nowhere/x"));
    CHECK_THROWS_WITH(read_file("/nowhere/y"), Contains("/nowhere/y"));
    CHECK_THROWS_WITH(read_file("/"), Contains("directory"));
    const runtime::TemporaryFolder folder;
    std::ofstream(folder.path() + "/file") << "x";
    CHECK_THROWS_AS(out.folder(folder.path() + "/file/sub"), Error);
}
