// Folders that only this user may change, reached by descriptors.
#pragma once

#include <sys/stat.h>

#include <functional>
#include <string>

#include "runtime/descriptor.h"

namespace heddle::runtime {

/// Why a file or folder is not this user's alone to write; empty when it is.
std::string danger_of(const struct stat& about);
/// Opens a folder below `parent` (AT_FDCWD for a path), not through a link. `make`: makes it with mode 0700 when it is missing.
/// Empty when there is none or `danger_of` says something.
Descriptor open_folder(int parent, const std::string& name, bool make);
/// Makes a folder and those above it, with mode 0700 each.
void make_folders(const std::string& path);
/// Calls with each name in a folder but "." and "..". The names are collected first, so files may go meanwhile.
void each_name(int folder, const std::function<void(const std::string&)>& visit);

}  // namespace heddle::runtime
