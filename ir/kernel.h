// The public face of a kernel.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ir/source.h"

namespace heddle {

struct KernelData;

/// A kernel: what runs over which integer points, in which order, and where its data lives. A value: a handle to const data
/// that any number of threads may share. Its meaning is the execution of its statements in written order.
class Kernel {
public:
    explicit Kernel(std::shared_ptr<const KernelData> data) : data_(std::move(data)) {}

    const KernelData& data() const { return *data_; }
    const std::shared_ptr<const KernelData>& share() const { return data_; }
    std::string name() const;
    /// The kernel as text that parses to an equal kernel.
    std::string str() const;
    friend bool operator==(const Kernel& a, const Kernel& b);

private:
    std::shared_ptr<const KernelData> data_;
};

/// A schedule as it stands in a file: its steps are read by `transform/script.h`.
struct ScheduleText {
    struct Line {
        std::string text;
        Loc loc;  ///< of the first character of `text`
    };
    std::string name;
    std::string kernel;
    std::vector<Line> lines;
    Loc loc;
};

/// What a kernel file holds.
struct Unit {
    std::vector<Kernel> kernels;
    std::vector<ScheduleText> schedules;

    /// By name; an empty name takes the only one. Errors (User) list what there is.
    const Kernel& kernel(std::string_view name = {}) const;
    const ScheduleText& schedule(std::string_view name, std::string_view kernel = {}) const;
};

/// Reads a kernel file's text; `name` is used in messages. Throws Error (code "syntax", "type", "name", …) with place and
/// caret.
Unit parse(std::string_view text, std::string_view name = "<text>");
/// Reads a file; "-" is the standard input.
Unit parse_file(const std::string& path);

}  // namespace heddle
