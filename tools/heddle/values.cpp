#include "tools/heddle/values.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <optional>

#include "ir/error.h"

namespace heddle::tools {
namespace {

Error no_value(const std::string& text, DType type, const std::string& name) {
    return user_error("value", fmt::format("'{}' is no value for {}, which is {}", text, name, name_of(type)));
}

/// The whole text as a number; a leading plus sign is allowed.
template <class T, class... Format>
std::optional<T> number(std::string_view text, Format... format) {
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
    T value{};
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value, format...);
    if (failed != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
    return value;
}

std::optional<double> real(std::string_view text) { return number<double>(text); }

/// Integers also as 0x…, and as a float without fraction.
template <class T>
std::optional<T> integer(std::string_view text) {
    if (text.starts_with("0x") || text.starts_with("0X")) return number<T>(text.substr(2), 16);
    if (const auto v = number<T>(text)) return v;
    const auto v = real(text);
    if (!v || *v != std::floor(*v) || std::abs(*v) > 9e15) return std::nullopt;
    if (*v < static_cast<double>(std::numeric_limits<T>::min()) || *v > static_cast<double>(std::numeric_limits<T>::max()))
        return std::nullopt;
    return static_cast<T>(*v);
}

/// "1.5", "2j", "1+2j", "(1-2e3j)".
std::optional<std::complex<double>> complex_number(std::string_view text) {
    if (text.size() > 2 && text.front() == '(' && text.back() == ')') text = text.substr(1, text.size() - 2);
    if (text.empty() || (text.back() != 'j' && text.back() != 'i')) {
        const auto v = real(text);
        return v ? std::optional<std::complex<double>>(*v) : std::nullopt;
    }
    text.remove_suffix(1);
    std::size_t sign = text.size();
    while (sign-- > 1)
        if ((text[sign] == '+' || text[sign] == '-') && std::tolower(static_cast<unsigned char>(text[sign - 1])) != 'e') break;
    const bool both = sign > 0 && sign < text.size();
    const auto re = both ? real(text.substr(0, sign)) : std::optional(0.0);
    const auto im = real(both ? text.substr(sign) : text);
    if (!re || !im) return std::nullopt;
    return std::complex<double>(*re, *im);
}

std::optional<bool> truth(std::string_view text) {
    if (text == "true" || text == "1") return true;
    if (text == "false" || text == "0") return false;
    return std::nullopt;
}

template <class T>
void store(Buffer& out, const std::optional<T>& value, const std::string& text, const std::string& name) {
    if (!value) throw no_value(text, out.type, name);
    std::memcpy(out.bytes.data(), &*value, sizeof(T));
}

template <class To, class From>
std::optional<To> narrowed(const std::optional<From>& value) {
    return value ? std::optional<To>(static_cast<To>(*value)) : std::nullopt;
}

}  // namespace

std::pair<std::string, std::string> name_and_value(const std::string& text, const char* option) {
    const std::size_t at = text.find('=');
    if (at == std::string::npos || at == 0 || at + 1 == text.size())
        throw Error(ErrorKind::Usage, "usage", fmt::format("{} takes NAME=VALUE, not '{}'", option, text));
    return {text.substr(0, at), text.substr(at + 1)};
}

Buffer scalar_from(const std::string& text, DType type, const std::string& name) {
    Buffer out = Buffer::zeros(type, {});
    switch (type) {
        case DType::Bool:
            store(out, truth(text), text, name);
            break;
        case DType::I8:
            store(out, integer<std::int8_t>(text), text, name);
            break;
        case DType::I16:
            store(out, integer<std::int16_t>(text), text, name);
            break;
        case DType::I32:
            store(out, integer<std::int32_t>(text), text, name);
            break;
        case DType::Untyped:
        case DType::I64:
            store(out, integer<std::int64_t>(text), text, name);
            break;
        case DType::U8:
            store(out, integer<std::uint8_t>(text), text, name);
            break;
        case DType::U16:
            store(out, integer<std::uint16_t>(text), text, name);
            break;
        case DType::U32:
            store(out, integer<std::uint32_t>(text), text, name);
            break;
        case DType::U64:
            store(out, integer<std::uint64_t>(text), text, name);
            break;
        case DType::F32:
            store(out, number<float>(text), text, name);
            break;
        case DType::F64:
            store(out, real(text), text, name);
            break;
        case DType::C64:
            store(out, narrowed<std::complex<float>>(complex_number(text)), text, name);
            break;
        case DType::C128:
            store(out, complex_number(text), text, name);
            break;
    }
    return out;
}

void set_value(const KernelData& kernel, const std::string& text, Arguments& arguments) {
    const auto [name, value] = name_and_value(text, "--set");
    const bool twice = arguments.sizes.count(name) || arguments.arrays.count(name);
    if (twice) throw Error(ErrorKind::Usage, "usage", fmt::format("{} is given twice", name));
    if (kernel.is_parameter(name)) {
        const auto size = integer<std::int64_t>(value);
        if (!size) throw user_error("value", fmt::format("'{}' is no value for {}, which is an index", value, name));
        arguments.sizes[name] = *size;
        return;
    }
    const Array* array = kernel.find_array(name);
    if (array == nullptr || !is_passed(*array))
        throw user_error("name", fmt::format("{} has no size or scalar '{}'", kernel.name.str(), name));
    if (!array->shape.empty())
        throw user_error("value", fmt::format("{} is an array", name))
            .hint(fmt::format("--in {}=FILE.npy gives its elements", name));
    arguments.arrays[name] = scalar_from(value, array->type, name);
}

}  // namespace heddle::tools
