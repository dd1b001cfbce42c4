// Signatures, arrays, tables, rules, operators: everything of a printed kernel but its loops.
#include <fmt/core.h>

#include <cstring>

#include "ir/parse/lexer.h"
#include "ir/print/parts.h"

namespace heddle {
namespace {

constexpr std::size_t widest_line = 120;

std::string joined(const std::vector<Name>& names, const char* separator = ", ") {
    std::string out;
    for (Name name : names) out += (out.empty() ? "" : separator) + quoted(name.str());
    return out;
}

std::string layout_text(const KernelData& kernel, const Layout& l) {
    std::string out;
    auto list = [&](const char* word, const auto& values) {
        if (values.empty()) return;
        out += fmt::format(" {}(", word);
        for (std::size_t k = 0; k < values.size(); ++k) out += fmt::format("{}{}", k == 0 ? "" : ", ", values[k]);
        out += ")";
    };
    list("layout", l.order);
    list("pad", l.padding);
    if (!l.strides.empty()) {
        out += " strides(";
        append_index_list(out, kernel, l.strides);
        out += ")";
    }
    if (l.separate_axis >= 0) out += fmt::format(" separate({})", l.separate_axis);
    return out;
}

/// "f64[n, m] layout(1, 0) in heap".
std::string type_text(const KernelData& kernel, const Array& a) {
    std::string out(name_of(a.type));
    if (!a.shape.empty()) {
        out += "[";
        append_index_list(out, kernel, a.shape);
        out += "]";
    }
    out += layout_text(kernel, a.layout);
    if (a.space != AddressSpace::Auto) out += fmt::format(" in {}", name_of(a.space));
    if (a.may_alias) out += " may alias";
    return out;
}

std::string argument_text(const KernelData& kernel, const Array& a) {
    const char* role = a.by_value() ? "" : a.role == Role::In ? "in " : a.role == Role::Out ? "out " : "inout ";
    return role + type_text(kernel, a);
}

template <class T>
T element(const TableData& table, std::size_t k) {
    T value;
    std::memcpy(&value, table.bytes.data() + k * sizeof(T), sizeof(T));
    return value;
}

template <class T>
std::string complex_text(const TableData& table, std::size_t k, DType type) {
    return fmt::format("{}({}, {})", name_of(type), literal_text(double(element<T>(table, 2 * k)), real_of(type)),
                       literal_text(double(element<T>(table, 2 * k + 1)), real_of(type)));
}

std::string entry_text(const Array& a, std::size_t k) {
    const TableData& t = *a.table;
    switch (a.type) {
        case DType::Bool:
            return element<std::uint8_t>(t, k) != 0 ? "true" : "false";
        case DType::I8:
            return std::to_string(element<std::int8_t>(t, k));
        case DType::I16:
            return std::to_string(element<std::int16_t>(t, k));
        case DType::I32:
            return std::to_string(element<std::int32_t>(t, k));
        case DType::I64:
            return std::to_string(element<std::int64_t>(t, k));
        case DType::U8:
            return std::to_string(element<std::uint8_t>(t, k));
        case DType::U16:
            return std::to_string(element<std::uint16_t>(t, k));
        case DType::U32:
            return std::to_string(element<std::uint32_t>(t, k));
        case DType::U64:
            return std::to_string(element<std::uint64_t>(t, k));
        case DType::F32:
            return literal_text(double(element<float>(t, k)), a.type);
        case DType::C64:
            return complex_text<float>(t, k, a.type);
        case DType::C128:
            return complex_text<double>(t, k, a.type);
        default:
            return literal_text(element<double>(t, k), a.type);
    }
}

/// Entries in nested braces. Lines are broken between entries.
class TableWriter {
public:
    TableWriter(std::string& out, const Array& a, const std::string& indent)
        : out_(out), array_(a), indent_(indent), line_start_(out.rfind('\n') + 1) {
        for (const auto& entry : a.shape) extents_.push_back(affine_of(entry)->constant);
    }

    void run(std::size_t axis) {
        if (axis == extents_.size()) return add(entry_text(array_, next_++));
        add("{");
        for (std::int64_t k = 0; k < extents_[axis]; ++k) {
            if (k > 0) separate();
            run(axis + 1);
        }
        out_ += "}";
    }

private:
    void add(const std::string& text) { out_ += text; }

    void separate() {
        bool full = out_.size() - line_start_ > widest_line - 24;
        out_ += full ? "," : ", ";
        if (!full) return;
        out_ += "\n";
        line_start_ = out_.size();
        out_ += indent_;
    }

    std::string& out_;
    const Array& array_;
    std::string indent_;
    std::size_t line_start_, next_ = 0;
    std::vector<std::int64_t> extents_;
};

void append_operator(std::string& out, const OperatorDef& op) {
    auto list = [&](const std::vector<Expr>& values) {
        out += "(";
        for (std::size_t k = 0; k < values.size(); ++k) {
            if (k > 0) out += ", ";
            append(out, printable_body(values[k]));
        }
        out += ")";
    };
    out += fmt::format("operator {}(({}), ({})) = ", quoted(op.name.str()), joined(op.left), joined(op.right));
    list(op.results);
    out += " identity ";
    list(op.identity);
    out += op.commutative ? " commutative\n" : "\n";
}

void append_extern(std::string& out, const ExternDef& e) {
    out += fmt::format("extern fn {}(", quoted(e.name.str()));
    for (std::size_t k = 0; k < e.arguments.size(); ++k)
        out += fmt::format("{}{}", k == 0 ? "" : ", ", name_of(e.arguments[k]));
    out += fmt::format(") -> {}\n", name_of(e.result));
}

/// Arguments in order; those next to each other that are declared alike share one type.
std::vector<std::string> argument_groups(const KernelData& kernel) {
    std::vector<std::string> groups;
    std::string names, type;
    auto flush = [&] {
        if (!names.empty()) groups.push_back(names + " : " + type);
        names.clear();
    };
    for (Name name : kernel.argument_order) {
        const Array* a = kernel.find_array(name);
        std::string own = a == nullptr ? "index" : argument_text(kernel, *a);
        bool shared = !names.empty() && own == type && (a == nullptr || a->by_value());
        if (!shared) flush();
        names += (shared ? ", " : "") + quoted(name.str());
        type = own;
    }
    flush();
    return groups;
}

}  // namespace

void append_signature(std::string& out, const KernelData& kernel) {
    std::size_t start = out.size();
    out += fmt::format("kernel {}(", quoted(kernel.name.str()));
    std::string indent(out.size() - start, ' ');
    bool first = true;
    for (const auto& group : argument_groups(kernel)) {
        if (!first) out += ";";
        bool wrap = !first && out.size() - start + group.size() > widest_line;
        if (wrap) {
            out += "\n";
            start = out.size();
            out += indent;
        } else if (!first) {
            out += " ";
        }
        out += group;
        first = false;
    }
    out += ")\n";
    if (!kernel.assumptions.is_everything()) out += "  where " + formula(kernel.assumptions, {}) + "\n";
}

void append_array(std::string& out, const KernelData& kernel, const Array& array) {
    out += quoted(array.name.str()) + " : " + type_text(kernel, array);
}

void append_table(std::string& out, const KernelData& kernel, const Array& array, const std::string& indent) {
    out += indent + "const ";
    append_array(out, kernel, array);
    out += " = ";
    TableWriter(out, array, indent + "  ").run(0);
    out += "\n";
}

void append_file_level(std::string& out, const KernelData& kernel, std::set<Name>& done) {
    for (const auto& op : kernel.operators)
        if (done.insert(op.name).second) append_operator(out, op);
    for (const auto& e : kernel.externs)
        if (done.insert(e.name).second) append_extern(out, e);
}

void append_head(std::string& out, const KernelData& kernel) {
    for (const auto& a : kernel.assertions)
        out += fmt::format("  assert {} {}\n", a.kind == Assertion::Kind::Injective ? "injective" : "nonaliasing",
                           joined(a.arrays));
    for (const auto& rule : kernel.rules) {
        out += fmt::format("  def {}({}) = ", quoted(rule.name.str()), joined(rule.parameters));
        append(out, printable_body(rule.body));
        out += "\n";
    }
}

}  // namespace heddle
