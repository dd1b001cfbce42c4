// The host part: checks arguments, allocates, calls the device function, frees.
#pragma once

#include "target/emit.h"

namespace heddle {

/// The host function and its helpers as text, and the header that declares it.
class HostEmitter {
public:
    HostEmitter(const Program& program, const NameTable& names, const DeviceText& device, HelperSet& helpers);
    std::string prototype() const;     ///< "int gemm(int64_t n, …)"
    std::string function();            ///< with what it needs
    std::string entry() const;         ///< the uniform face
    std::string declarations() const;  ///< of all of these, with documentation
    std::string header() const;        ///< a file of declarations

private:
    void check_where(Lines& out);
    void sizes(Lines& out);
    void check_strides(Lines& out);
    void check_pointers(Lines& out);
    void check_overlap(Lines& out);
    void allocate(Lines& out);
    void call(Lines& out);
    std::string bytes_text(const Array& a);
    std::string axes_text(const Array& a) const;
    bool must_not_overlap(const Array& a, const Array& b) const;
    std::string refuse(int code, const std::string& message) const;
    std::string documentation() const;
    std::vector<const Array*> allocated() const;
    /// A memory that the caller gives: an argument, or one array of its separate axis.
    struct Memory {
        const Array* array;
        std::string pointer;
        std::string bytes;  ///< its size: a number, or the constant that holds it
    };
    /// The function's own constants for an array.
    struct Locals {
        std::string bytes, extents, strides;
    };
    std::vector<Memory> memories() const;
    std::vector<std::string> pointers_of(Name argument) const;

    const Program& program_;
    const KernelData& kernel_;
    const NameTable& names_;
    const DeviceText& device_;
    HelperSet& helpers_;
    ExpressionWriter writer_;
    std::string name_, status_, failure_;
    std::unordered_map<Name, Locals> locals_;
};

}  // namespace heddle
