// Row-major elements <-> the memory that a kernel's layout asks for.
#pragma once

#include <cstddef>
#include <vector>

#include "ir/interpret.h"
#include "ir/kernel_data.h"

namespace heddle::tools {

/// Does an argument's memory hold just its elements in row-major order?
bool is_plain(const Array& array);
/// How many arrays an argument is passed as: one, or one for each entry of a separate axis.
std::int64_t parts_of(const Array& array, const std::vector<std::int64_t>& shape);
/// The memory of an argument with these elements, by its layout; entries that no element occupies are zero, and the arrays of a
/// separate axis follow each other. `sizes` are the index parameters. Errors (User, "layout"): strides that are negative,
/// have no value, or put elements with different values in one place; (Runtime, "memory"): too large.
std::vector<std::byte> packed(const Array& array, const Buffer& elements, const Env& sizes);
/// The elements back from such memory.
void unpack(const Array& array, const std::vector<std::byte>& memory, const Env& sizes, Buffer& elements);

}  // namespace heddle::tools
