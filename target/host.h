// The host part: checks arguments, gets memory for temporaries, calls the device function, gives the memory back.
#pragma once

#include "target/device.h"

namespace heddle {

/// Text as a literal of C.
std::string quoted_text(const std::string& text);

/// The host function and its helpers as text, and the header that declares it.
class HostEmitter {
public:
    HostEmitter(const Program& program, const NameTable& names, const std::vector<DeviceText>& functions,
                HelperSet& helpers);
    std::string functions();           ///< with what they need
    std::string entry();               ///< the uniform face
    std::string declarations() const;  ///< of all of these, with documentation
    std::string header() const;        ///< a file of declarations
    /// Does the kernel take an allocator of the caller's? Then declarations need heddle_runtime.h.
    bool has_allocator() const { return needs_memory() && program_.options.allocation == Allocation::Interface; }

private:
    /// A face of the kernel: NAME, NAME_with_allocator, …: the kernel's arguments, then its own.
    std::string prototype(const std::string& suffix = {}, const std::vector<std::string>& extra = {}) const;
    std::string call_of(const std::string& suffix, const std::string& extra = {}) const;
    // checks (host.cpp)
    void checks(Lines& out);
    void check_where(Lines& out);
    void check_strides(Lines& out);
    void check_pointers(Lines& out);
    void check_overlap(Lines& out);
    void ignore_unused(Lines& out, const std::unordered_set<Name>& used);
    std::unordered_set<Name> passed() const;
    void call_device(Lines& out);
    std::string one_function();
    std::string helper_functions(const std::string& text) const;
    bool must_not_overlap(const Array& a, const Array& b) const;
    std::string refuse(int code, const std::string& message) const;
    // sizes (host_sizes.cpp)
    class SizeWriter;
    std::string size_text(const Expr& e);
    std::string bytes_text(const Array& a);
    std::string axes_text(const Array& a) const;
    void declare_strides(const Array& a, Lines& out);
    void declare_size(const Array& a, Lines& out);
    // memory (host_memory.cpp)
    bool needs_memory() const { return !program_.memory.empty(); }
    std::string block_text(const Slot& slot);
    std::vector<std::string> place_blocks(Lines& out, std::string& total);
    std::string plan_function();
    std::string plan_call() const;
    std::string size_parameters() const;
    std::string size_function() const;
    std::string check_function();
    std::string run_function();
    std::string own_memory_function();
    std::string buffer_function();
    std::string allocation_helpers() const;
    std::string no_memory_function(bool ask) const;
    std::string memory_functions();
    // launches on a device (launches.cpp)
    bool launches() const { return program_.options.device != Device::C; }
    void launch(DeviceEmitter& writer, const Code& code, Lines& out);
    std::string launches_function();
    std::string on_device_function();
    std::string device_helpers() const;
    std::string device_functions();
    std::string device_parameters() const;
    // documentation (document.cpp)
    std::string documentation() const;
    std::string memory_declarations() const;

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
    void check_many_overlap(const std::vector<Memory>& all, Lines& out);
    std::vector<std::string> pointers_of(Name argument) const;

    const Program& program_;
    const KernelData& kernel_;
    NameTable names_;
    const std::vector<DeviceText>& functions_;  ///< one for C, else one for each launch
    HelperSet& helpers_;
    ExpressionWriter writer_;
    std::string name_;
    /// Identifiers of our own, which no argument has.
    std::string allocator_, memory_, plan_, bytes_, status_, fits_, failure_, device_, stream_;
    bool may_not_fit_ = false;  ///< does the function being written note in `fits` that a size leaves 64 bits?
    bool sizes_fit_ = false;    ///< or have they been checked before?
    std::unordered_map<Name, Locals> locals_;
};

}  // namespace heddle
