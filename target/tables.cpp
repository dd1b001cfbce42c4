#include "target/tables.h"

#include <algorithm>
#include <cstring>

#include "target/dialect.h"
#include "target/expression.h"

namespace heddle {
namespace {

std::string element_text(DType type, const std::byte* at) {
    const auto get = [&](auto value) {
        std::copy(at, at + sizeof value, reinterpret_cast<std::byte*>(&value));
        return value;
    };
    switch (type) {
        case DType::F32:
            return float_text(get(float()), type);
        case DType::F64:
            return float_text(get(double()), type);
        case DType::C64:
            return "{" + float_text(get(float()), DType::F32) + ", " + element_text(DType::F32, at + 4) + "}";
        case DType::C128:
            return "{" + float_text(get(double()), DType::F64) + ", " + element_text(DType::F64, at + 8) + "}";
        case DType::Bool:
            return get(std::uint8_t()) ? "true" : "false";
        case DType::I8:
            return integer_text(get(std::int8_t()), type);
        case DType::I16:
            return integer_text(get(std::int16_t()), type);
        case DType::I32:
            return integer_text(get(std::int32_t()), type);
        case DType::U8:
            return integer_text(get(std::uint8_t()), type);
        case DType::U16:
            return integer_text(get(std::uint16_t()), type);
        case DType::U32:
            return integer_text(get(std::uint32_t()), type);
        default:
            return integer_text(get(std::int64_t()), type);
    }
}

/// Elements from `at` on, nested in braces by axis.
void nested_elements(const Array& a, std::size_t axis, std::size_t& at, std::string& out, std::size_t& column) {
    if (axis == a.shape.size()) {
        const auto size = static_cast<std::size_t>(size_of(a.type));
        const std::string text = element_text(a.type, a.table->bytes.data() + at++ * size);
        out += text;
        column += text.size() + 2;
        return;
    }
    const std::int64_t extent = affine_of(a.shape[axis])->constant;
    out += '{';
    for (std::int64_t k = 0; k < extent; ++k) {
        if (k) out += ", ";
        if (k && column > 100) {
            out.back() = '\n';
            out += "    ";
            column = 4;
        }
        nested_elements(a, axis + 1, at, out, column);
    }
    out += '}';
}

std::string extents(const Array& table) {
    std::string out;
    for (const Expr& e : table.shape) out += "[" + std::to_string(affine_of(e)->constant) + "]";
    return out;
}

}  // namespace

bool is_large_table(const Array& a) { return a.role == Role::Table && a.table->bytes.size() > table_text_limit; }

std::string table_declaration(const Array& table, const std::string& name, HelperSet& helpers) {
    if (is_large_table(table) && helpers.device == Device::C) {
        helpers.large_tables.push_back({name, &table});
        return "#ifdef __cplusplus\nextern \"C\"\n#else\nextern\n#endif\nconst " + c_type(table.type) + " " + name +
               extents(table) + ";\n";
    }
    std::string out = dialect_of(helpers.device).table + memory_type(table.type, helpers.device) + " " + name + extents(table) + " = ";
    std::size_t at = 0, column = out.size();
    nested_elements(table, 0, at, out, column);
    return out + ";\n";
}

}  // namespace heddle
