#include "target/helpers.h"

#include <functional>
#include <map>
#include <vector>

#include "target/dialect.h"
#include "target/helper_table.h"

namespace heddle {
namespace {

std::string limit_of(DType type, bool high, bool as_double) {
    const bool wide = size_of(type) == 8;
    const std::string bits = std::to_string(8 * size_of(type));
    if (as_double && wide) {
        if (!is_signed(type)) return high ? "18446744073709551616.0" : "0.0";
        return high ? "9223372036854775808.0" : "-9223372036854775808.0";
    }
    if (!is_signed(type)) return high ? "UINT" + bits + "_MAX" : "0";
    return "INT" + bits + (high ? "_MAX" : "_MIN");
}

std::string value_of(char token, const std::string& name, DType type, const Dialect& dialect) {
    const DType real = real_of(type);
    switch (token) {
        case 'N':
            return name;
        case 'T':
            return c_type(type);
        case 'U':
            return c_unsigned(type);
        case 'R':
            return c_type(real);
        case 'F':
            return real == DType::F32 && dialect.float_suffix ? "f" : "";
        case 'S':
            return std::string(name_of(type));
        case 'A':
            return size_of(type) == 8 ? "unsigned long long" : "unsigned int";
        case 'C':
            return size_of(type) == 8 ? "atom_cmpxchg" : "atomic_cmpxchg";
        case 'B':
            return std::to_string(8 * size_of(type));
        case 'L':
            return limit_of(type, false, true);
        case 'H':
            return limit_of(type, true, true);
        case 'M':
            return limit_of(type, false, false);
        default:
            return limit_of(type, true, false);
    }
}

Family family_of(const std::string& name, Device device) {
    return name.rfind("atomic", 0) == 0 ? atomic_family(name, device) : helper_families.at(name);
}

std::string filled(const std::string& text, const std::string& name, DType type, const Dialect& dialect) {
    static const std::string inline_c = "static inline ";
    if (text.rfind(inline_c, 0) == 0 && inline_c != dialect.helper)
        return filled(dialect.helper + text.substr(inline_c.size()), name, type, dialect);
    std::string out;
    for (std::size_t k = 0; k < text.size(); ++k)
        if (text[k] == '$' && k + 1 < text.size())
            out += value_of(text[++k], name, type, dialect);
        else
            out += text[k];
    return out;
}

}  // namespace

std::string c_type(DType type) {
    switch (type) {
        case DType::Bool:
            return "bool";
        case DType::F32:
            return "float";
        case DType::F64:
        case DType::Untyped:
            return "double";
        case DType::C64:
        case DType::C128:
            return "heddle_" + std::string(name_of(type));
        default:
            return (is_signed(type) ? "int" : "uint") + std::to_string(8 * size_of(type)) + "_t";
    }
}

std::string memory_type(DType type, Device device) {
    return type == DType::Bool && !dialect_of(device).bool_in_memory ? "uint8_t" : c_type(type);
}

std::string c_unsigned(DType type) { return "uint" + std::to_string(8 * size_of(type)) + "_t"; }

std::string HelperSet::use(const std::string& family) {
    need(family);
    return "heddle_" + family;
}

std::string HelperSet::use(const std::string& family, DType type) {
    need(family + " " + std::string(name_of(type)));
    return "heddle_" + family + "_" + std::string(name_of(type));
}

std::string HelperSet::global(const std::string& base) {
    std::string candidate = base;
    for (int k = 1; !globals_.insert(candidate).second; ++k) candidate = base + "_" + std::to_string(k);
    return candidate;
}

void HelperSet::need(const std::string& key) {
    if (!used_.insert(key).second) return;
    const std::size_t space = key.find(' ');
    const Family family = family_of(key.substr(0, space), device);
    for (const char* other : family.needs) need(other + (space == std::string::npos ? "" : key.substr(space)));
}

std::string HelperSet::text() const {
    std::string out;
    std::set<std::string> done;
    const std::function<void(const std::string&)> write = [&](const std::string& key) {
        if (!done.insert(key).second) return;
        const std::size_t space = key.find(' ');
        const Family family = family_of(key.substr(0, space), device);
        for (const char* other : family.needs) write(other + (space == std::string::npos ? "" : key.substr(space)));
        const auto type = space == std::string::npos ? std::nullopt : dtype_from(key.substr(space + 1));
        std::string name = "heddle_" + key;
        if (type) name[name.find(' ')] = '_';
        const std::string text = filled(family.text, name, type.value_or(DType::I64), dialect_of(device));
        if (!text.empty()) out += text + "\n";
    };
    for (const std::string& key : used_) write(key);
    return out;
}

std::string complex_type_text(DType type) {
    const std::string name = c_type(type), real = c_type(real_of(type));
    const std::string guard = type == DType::C64 ? "HEDDLE_C64_DEFINED" : "HEDDLE_C128_DEFINED";
    return "#ifndef " + guard + "\n#define " + guard + "\ntypedef struct {\n    " + real + " re, im;\n} " + name +
           ";\n#endif\n";
}

}  // namespace heddle
