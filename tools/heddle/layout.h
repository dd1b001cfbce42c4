// Row-major elements <-> the memory that a kernel's layout asks for.
#pragma once

#include <cstddef>
#include <vector>

#include "ir/interpret.h"
#include "ir/kernel_data.h"

namespace heddle::tools {

/// Does an argument's memory hold just its elements in row-major order?
bool is_plain(const Array& array);
/// The memory of an argument with these elements, by its layout; entries that no element occupies are zero. `sizes` are the
/// index parameters. Errors (User, "layout"): strides that are negative or have no value, a struct of arrays.
std::vector<std::byte> packed(const Array& array, const Buffer& elements, const Env& sizes);
/// The elements back from such memory.
void unpack(const Array& array, const std::vector<std::byte>& memory, const Env& sizes, Buffer& elements);

}  // namespace heddle::tools
