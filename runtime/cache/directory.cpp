#include "runtime/cache/directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <vector>

namespace heddle::runtime {

std::string danger_of(const struct stat& about) {
    if (S_ISLNK(about.st_mode)) return "is a symbolic link";
    if (about.st_uid != ::geteuid()) return "belongs to another user";
    if ((about.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "can be written by others";
    return {};
}

Descriptor open_folder(int parent, const std::string& name, bool make) {
    if (make) ::mkdirat(parent, name.c_str(), 0700);
    Descriptor folder(::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat about {};
    if (!folder || ::fstat(folder.get(), &about) != 0 || !danger_of(about).empty()) return Descriptor();
    return folder;
}

void make_folders(const std::string& path) {
    for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1))
        ::mkdir(path.substr(0, at).c_str(), 0700);
    ::mkdir(path.c_str(), 0700);
}

void each_name(int folder, const std::function<void(const std::string&)>& visit) {
    const int copy = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* stream = copy < 0 ? nullptr : ::fdopendir(copy);
    if (stream == nullptr) {
        if (copy >= 0) ::close(copy);
        return;
    }
    std::vector<std::string> names;
    while (const dirent* entry = ::readdir(stream)) names.emplace_back(entry->d_name);
    ::closedir(stream);
    for (const std::string& name : names)
        if (name != "." && name != "..") visit(name);
}

}  // namespace heddle::runtime
