// The header of an emitted kernel: what it computes on, in the user's own names.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "ir/print.h"
#include "target/host.h"

namespace heddle {
namespace {

std::string joined(const std::vector<Expr>& items) {
    std::string out;
    for (const Expr& e : items) out += (out.empty() ? "" : ", ") + print(e);
    return out;
}

std::string role_text(Role role) { return role == Role::In ? "read" : role == Role::Out ? "written" : "read and written"; }

std::string layout_text(const Array& a) {
    const Layout& l = a.layout;
    std::string out;
    if (a.shape.empty()) return out;
    if (l.is_default()) return a.shape.size() > 1 ? ", row-major" : "";
    if (!l.order.empty()) {
        out += ", axes from slowest to fastest:";
        for (const int axis : l.order) out += " " + std::to_string(axis);
    }
    if (!l.padding.empty()) {
        out += ", padding:";
        for (const std::int64_t p : l.padding) out += " " + std::to_string(p);
    }
    if (!l.strides.empty()) out += ", strides in elements: " + joined(l.strides);
    if (l.separate_axis >= 0) out += ", one array for each entry of axis " + std::to_string(l.separate_axis);
    return out;
}

std::string argument_text(const Array& a) {
    const std::string type(name_of(a.type));
    if (a.by_value()) return type;
    std::string out = role_text(a.role) + ", " + type;
    if (!a.shape.empty()) out += "[" + joined(a.shape) + "]";
    if (!a.view_of.empty()) out += ", the memory of " + a.view_of.str();
    return out + layout_text(a) + (a.may_alias ? ", may overlap others" : "");
}

std::string assertion_text(const Assertion& a) {
    std::string names;
    for (Name n : a.arrays) names += (names.empty() ? "" : ", ") + n.str();
    return "asserted by the user, not proved: " + names +
           (a.kind == Assertion::Kind::Injective ? " is injective" : " do not overlap");
}

}  // namespace

std::string HostEmitter::documentation() const {
    std::size_t width = 0;
    for (Name n : kernel_.argument_order) width = std::max(width, pointers_of(n).front().size());
    std::string out = "/*\n * " + kernel_.name.str() + "\n *\n";
    for (Name n : kernel_.argument_order) {
        const Array* a = kernel_.find_array(n);
        std::string text = a ? argument_text(*a) : "index";
        const auto pointers = pointers_of(n);
        if (names_(n) != n.str()) text += "; in the kernel: " + n.str();
        if (pointers.size() > 1) text += ", to " + pointers.back();
        out += fmt::format(" * {:{}}  {}\n", pointers.front(), width, text);
    }
    if (!kernel_.assumptions.is_everything()) out += " *\n * where " + print(kernel_.assumptions) + "\n";
    for (const Assertion& a : kernel_.assertions) out += " * " + assertion_text(a) + "\n";
    for (const auto& s : kernel_.statements)
        if (s->reassociate) out += " * the sum of '" + s->label.str() + "' may be taken in any order, as the user allowed\n";
    out += " *\n * Returns 0; 1 where an argument is wrong, 2 where memory is out";
    if (program_.options.checked) out += ", 7 where an access leaves its array";
    out += ".\n * " + name_ + "_error() then says what, for this thread.\n */\n";
    std::string::size_type at = out.find("*/");
    while (at + 3 < out.size()) {  // a user's name cannot end the comment
        out.replace(at, 2, "* /");
        at = out.find("*/", at);
    }
    return out;
}

std::string HostEmitter::memory_declarations() const {
    std::string out =
        "/* " + name_ + "() gets memory for its temporaries from the C library and returns it. These use yours. */\n";
    if (has_allocator()) out += prototype("_with_allocator", {"const heddle_allocator *" + allocator_}) + ";\n";
    return out +
           "/* `bytes` at least what the size function says for these sizes and for as many threads; -1 there: it does not fit "
           "64 bits. */\n" +
           prototype("_with_workspace", {"void *" + memory_, "int64_t " + bytes_}) + ";\nint64_t " + name_ +
           "_workspace_size(" + size_parameters() + ");\n";
}

std::string HostEmitter::declarations() const {
    std::string out = "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n" + documentation();
    if (launches()) {
        out += "/* Arrays are memory of the device. Work is put on the stream; memory for temporaries comes from the device's allocator. "
               "*/\n" +
               prototype({}, {device_parameters()}) + ";\nconst char *" + name_ + "_error(void);\n";
        if (needs_memory()) out += "int64_t " + name_ + "_workspace_size(" + size_parameters() + ");\n";
        out += "/* The same with pointers to all arguments, in that order. */\nint32_t " + name_ +
               "_entry(void *const *arguments, const heddle_device *device, void *stream);\n";
        return out + "\n#ifdef __cplusplus\n}\n#endif\n";
    }
    out += prototype() + ";\nconst char *" + name_ + "_error(void);\n";
    if (needs_memory()) out += memory_declarations();
    if (program_.options.entry)
        out +=
            "/* The same with pointers to all arguments, in that order; `allocator` is a heddle_allocator, or null. "
            "*/\nint32_t " +
            name_ + "_entry(void *const *arguments, const void *allocator);\n";
    return out + "\n#ifdef __cplusplus\n}\n#endif\n";
}

std::string HostEmitter::header() const {
    std::string guard = name_ + "_H";
    std::transform(guard.begin(), guard.end(), guard.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    const std::string body = declarations();
    std::string types;
    for (const DType type : {DType::C64, DType::C128})
        if (body.find(c_type(type)) != std::string::npos) types += complex_type_text(type);
    return "#ifndef HEDDLE_" + guard + "\n#define HEDDLE_" + guard + "\n\n#include <stdbool.h>\n#include <stdint.h>\n\n" +
           (has_allocator() || launches() ? "#include \"heddle_runtime.h\"\n\n" : "") + (types.empty() ? "" : types + "\n") + body +
           "\n#endif\n";
}

}  // namespace heddle
