// NumPy's .npy files.
#pragma once

#include <string>
#include <string_view>

#include "ir/interpret.h"

namespace heddle::tools {

/// Reads the bytes of a .npy file (versions 1 to 3, C or Fortran order, little endian); the result is row-major. Errors (User,
/// "npy") start with `name` and say what is wrong: no .npy at all, cut off, big endian, objects, a type that kernels do not
/// have.
Buffer parse_npy(std::string_view bytes, const std::string& name);
Buffer read_npy(const std::string& path);

/// The bytes of a version 1 file in C order.
std::string npy_bytes(const Buffer& buffer);

}  // namespace heddle::tools
