// The reference meaning of a kernel: runs it instance by instance, in written order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ir/kernel.h"
#include "ir/types.h"

namespace heddle {

struct Array;

/// An array's elements, row-major over `shape` (logical order, whatever the kernel's layout).
struct Buffer {
    DType type = DType::F64;
    std::vector<std::int64_t> shape;
    std::vector<std::byte> bytes;

    /// Negative extents count as 0. Throws Error (Runtime, "memory") naming the size when it does not fit.
    static Buffer zeros(DType type, std::vector<std::int64_t> shape);
    std::int64_t count() const;
    template <class T>
    T* as() {
        return reinterpret_cast<T*>(bytes.data());
    }
    template <class T>
    const T* as() const {
        return reinterpret_cast<const T*>(bytes.data());
    }
};

/// Arguments of a run by name: index parameters in `sizes`, scalars and arrays in `arrays` (scalars have an empty shape).
struct Arguments {
    std::map<std::string, std::int64_t> sizes;
    std::map<std::string, Buffer> arrays;
};

/// Is it an argument that a caller gives, and no view of another one?
bool is_passed(const Array& array);
/// What the caller left out, filled in: sizes deduced from array shapes (linear shape entries solved), missing outputs
/// allocated as zeros. Errors (User): a size that is not determined or contradicts, a missing input, wrong type or shape,
/// `where` broken, a name that the kernel does not have, naming each.
Arguments complete(const Kernel& kernel, Arguments given);
/// The same in place; when it throws, `arguments` may hold some of what was deduced.
void complete_in_place(const KernelData& kernel, Arguments& arguments);

/// Runs the kernel; outputs are changed in place. Reads of undefined elements and accesses out of bounds are errors (Runtime)
/// naming statement and instance. `trace` is called for each executed instance with its statement index and loop values.
using Trace = std::function<void(std::size_t statement, const std::vector<std::int64_t>& loops)>;
/// Extern functions by name: each gets pointers to its arguments and to its result, in the types of its declaration.
using ExternFunction = std::function<void(const void* const* arguments, void* result)>;
using ExternTable = std::map<std::string, ExternFunction>;
void interpret(const Kernel& kernel, Arguments& arguments, const Trace& trace = {}, const ExternTable& externs = {});

}  // namespace heddle
