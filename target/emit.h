// Program -> C text: the device function and the pieces that the host part shares with it.
#pragma once

#include <string>
#include <vector>

#include "target/expression.h"
#include "target/program.h"

namespace heddle {

/// Lines of text with an indent.
class Lines {
public:
    explicit Lines(int depth = 0) : depth_(depth) {}
    void line(const std::string& text);
    void open(const std::string& text) { line(text), ++depth_; }
    /// `reopens`: as "} else {" does.
    void close(const std::string& text = "}", bool reopens = false) {
        --depth_;
        line(text);
        if (reopens) ++depth_;
    }
    void raw(const std::string& text) { text_ += text; }
    int depth() const { return depth_; }
    const std::string& text() const { return text_; }

private:
    std::string text_;
    int depth_;
};

/// A parameter of the device function: what the host passes.
struct DeviceParameter {
    Name name;                ///< of the kernel's parameter, argument or allocated temporary
    std::string declaration;  ///< "const double *HEDDLE_RESTRICT A"
    int part = -1;            ///< entry of a separate axis
};
/// Are there run-time tests in the program or in what it calls? Then the last parameter, without a name, takes note of a
/// failure.
bool needs_failure_note(const Program& program);

/// A device function as text.
struct DeviceText {
    std::string start = "void ";
    std::string name;
    std::vector<DeviceParameter> parameters;
    std::string body;     ///< with braces
    std::string tables;   ///< static const arrays it reads
    std::string callees;  ///< functions of the kernels it calls
    std::string signature() const;
};
DeviceText emit_device(const Program& program, const NameTable& names, HelperSet& helpers);
/// What the function of a launch wants to be called.
std::string launch_name(const Program& program, std::size_t launch);
/// The function of one launch of a device program.
DeviceText emit_launch(const Program& program, std::size_t launch, const NameTable& names, HelperSet& helpers);

/// Text that starts every file: includes and macros.
std::string prelude(bool openmp, const std::string& body);
/// Extents of the memory of an array, with padding; without the separate axis of an argument.
std::vector<Expr> occupied_extents(const Array& a);

}  // namespace heddle
