#include "tools/heddle/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "ir/error.h"

namespace heddle::tools {
namespace {

Error failure(ErrorKind kind, const std::string& what, const std::string& name) {
    return Error(kind, "file", "cannot " + what + " " + name + ": " + std::strerror(errno));
}

/// The file behind a symbolic link, so that renaming replaces the file and not the link.
std::string resolved(const std::string& path) {
    char real[PATH_MAX];
    return ::realpath(path.c_str(), real) != nullptr ? std::string(real) : path;
}

bool is_special(const std::string& path) {
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

void write_special(const std::string& path, std::string_view bytes) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) throw failure(ErrorKind::Runtime, "write", path);
    try {
        write_all(fd, bytes, path);
    } catch (...) {
        ::close(fd);
        throw;
    }
    ::close(fd);
}

/// What a new file's permissions are for this process.
mode_t usual_mode() {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return 0666 & ~mask;
}

std::string write_temporary(const std::string& path, std::string_view bytes) {
    std::string temporary = path + ".XXXXXX";
    const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
    if (fd < 0) throw failure(ErrorKind::Runtime, "write", path);
    try {
        write_all(fd, bytes, path);
        struct stat old {};
        ::fchmod(fd, ::stat(path.c_str(), &old) == 0 ? old.st_mode & 07777 : usual_mode());
        if (::close(fd) != 0) throw failure(ErrorKind::Runtime, "write", path);
    } catch (...) {
        ::unlink(temporary.c_str());
        throw;
    }
    return temporary;
}

}  // namespace

void write_all(int fd, std::string_view bytes, const std::string& name) {
    while (!bytes.empty()) {
        const ssize_t put = ::write(fd, bytes.data(), bytes.size());
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) throw failure(ErrorKind::Runtime, "write", name);
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
}

std::string read_file(const std::string& path) {
    const bool standard = path == "-";
    const int fd = standard ? 0 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) throw failure(ErrorKind::User, "read", path);
    std::string out;
    struct stat info {};
    if (::fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) out.reserve(static_cast<std::size_t>(info.st_size));
    char block[1 << 16];
    for (;;) {
        const ssize_t got = ::read(fd, block, sizeof block);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            const Error error = failure(ErrorKind::User, "read", standard ? "the standard input" : path);
            if (!standard) ::close(fd);
            throw error;
        }
        if (got == 0) break;
        out.append(block, static_cast<std::size_t>(got));
    }
    if (!standard) ::close(fd);
    return out;
}

void Outputs::folder(const std::string& path) {
    std::vector<std::filesystem::path> missing;
    std::error_code failed;
    for (std::filesystem::path p = std::filesystem::absolute(path); !p.empty() && !std::filesystem::exists(p, failed);
         p = p.parent_path())
        missing.push_back(p);
    for (auto p = missing.rbegin(); p != missing.rend(); ++p) {
        if (p->filename().empty()) continue;
        if (::mkdir(p->c_str(), 0777) != 0) throw failure(ErrorKind::Runtime, "make the folder", p->string());
        folders_.push_back(p->string());
    }
    if (!std::filesystem::is_directory(path, failed)) throw Error(ErrorKind::Runtime, "file", path + " is no folder");
}

void Outputs::add(const std::string& path, std::string_view bytes) {
    if (path == "-") {
        standard_output_ += bytes;
        return;
    }
    if (is_special(path)) return write_special(path, bytes);
    const std::string real = resolved(path);
    staged_.push_back({write_temporary(real, bytes), real});
}

void Outputs::commit() {
    for (const Staged& s : staged_)
        if (::rename(s.temporary.c_str(), s.path.c_str()) != 0) throw failure(ErrorKind::Runtime, "write", s.path);
    staged_.clear();
    folders_.clear();
    write_all(1, standard_output_, "the standard output");
    standard_output_.clear();
}

Outputs::~Outputs() {
    for (const Staged& s : staged_) ::unlink(s.temporary.c_str());
    for (auto f = folders_.rbegin(); f != folders_.rend(); ++f) ::rmdir(f->c_str());
}

}  // namespace heddle::tools
