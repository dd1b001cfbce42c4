#include "ir/types.h"

#include <algorithm>
#include <array>

namespace heddle {
namespace {

enum class Kind : std::uint8_t { None, Bool, Signed, Unsigned, Float, Complex };

struct Row {
    DType type;
    std::string_view name;
    Kind kind;
    int size;
};

constexpr std::array<Row, 14> rows{{{DType::Untyped, "untyped", Kind::None, 0},
                                    {DType::Bool, "bool", Kind::Bool, 1},
                                    {DType::I8, "i8", Kind::Signed, 1},
                                    {DType::I16, "i16", Kind::Signed, 2},
                                    {DType::I32, "i32", Kind::Signed, 4},
                                    {DType::I64, "i64", Kind::Signed, 8},
                                    {DType::U8, "u8", Kind::Unsigned, 1},
                                    {DType::U16, "u16", Kind::Unsigned, 2},
                                    {DType::U32, "u32", Kind::Unsigned, 4},
                                    {DType::U64, "u64", Kind::Unsigned, 8},
                                    {DType::F32, "f32", Kind::Float, 4},
                                    {DType::F64, "f64", Kind::Float, 8},
                                    {DType::C64, "c64", Kind::Complex, 8},
                                    {DType::C128, "c128", Kind::Complex, 16}}};

const Row& row(DType type) { return rows[static_cast<std::size_t>(type)]; }

DType signed_of_size(int bytes) {
    return bytes <= 1 ? DType::I8 : bytes == 2 ? DType::I16 : bytes == 4 ? DType::I32 : DType::I64;
}

DType common_integer(DType a, DType b) {
    const Row &x = row(a), &y = row(b);
    if (x.kind == y.kind) return x.size >= y.size ? a : b;
    const Row& s = x.kind == Kind::Signed ? x : y;
    const Row& u = x.kind == Kind::Signed ? y : x;
    return s.size > u.size ? s.type : signed_of_size(std::min(2 * u.size, 8));
}

DType common_complex(DType a, DType b) {
    const DType real = common_type(real_of(a), real_of(b));
    return real == DType::F32 ? DType::C64 : DType::C128;
}

}  // namespace

std::string_view name_of(DType type) { return row(type).name; }

std::optional<DType> dtype_from(std::string_view name) {
    for (const Row& r : rows)
        if (r.name == name && r.kind != Kind::None) return r.type;
    return std::nullopt;
}

int size_of(DType type) { return row(type).size; }
bool is_integer(DType type) { return row(type).kind == Kind::Signed || row(type).kind == Kind::Unsigned; }
bool is_signed(DType type) { return row(type).kind == Kind::Signed; }
bool is_unsigned(DType type) { return row(type).kind == Kind::Unsigned; }
bool is_float(DType type) { return row(type).kind == Kind::Float; }
bool is_complex(DType type) { return row(type).kind == Kind::Complex; }

DType real_of(DType type) {
    if (type == DType::C64) return DType::F32;
    return type == DType::C128 ? DType::F64 : type;
}

DType complex_of(DType type) { return type == DType::F32 || type == DType::C64 ? DType::C64 : DType::C128; }

DType common_type(DType a, DType b) {
    if (a == b || b == DType::Untyped) return a;
    if (a == DType::Untyped || a == DType::Bool) return b;
    if (b == DType::Bool) return a;
    if (is_complex(a) || is_complex(b)) return common_complex(a, b);
    if (is_float(a) && is_float(b)) return DType::F64;
    if (is_float(a)) return a;
    return is_float(b) ? b : common_integer(a, b);
}

bool converts_silently(DType from, DType to) {
    if (from == to || from == DType::Untyped) return true;
    const Row &f = row(from), &t = row(to);
    if (t.kind == Kind::Bool || f.kind == Kind::Bool) return false;
    if (is_integer(from)) {
        if (!is_integer(to)) return true;
        if (f.kind == t.kind) return t.size >= f.size;
        return f.kind == Kind::Unsigned && t.size > f.size;
    }
    if (is_float(from)) return !is_integer(to) && size_of(real_of(to)) >= f.size;
    return t.kind == Kind::Complex && t.size >= f.size;
}

namespace {
constexpr std::array<std::string_view, 5> space_names{"auto", "private", "shared", "global", "heap"};
}

std::string_view name_of(AddressSpace space) { return space_names[static_cast<std::size_t>(space)]; }

std::optional<AddressSpace> space_from(std::string_view name) {
    for (std::size_t k = 1; k < space_names.size(); ++k)
        if (space_names[k] == name) return static_cast<AddressSpace>(k);
    return std::nullopt;
}

std::string_view symbol_of(Update update) {
    constexpr std::array<std::string_view, 10> symbols{
        "=", "+=", "*=", "min=", "max=", "and=", "or=", "argmin", "argmax", "custom"};
    return symbols[static_cast<std::size_t>(update)];
}

}  // namespace heddle
