#include "tools/heddle/npy.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cstring>
#include <optional>
#include <utility>

#include "ir/error.h"
#include "tools/heddle/files.h"

namespace heddle::tools {
namespace {

using namespace std::string_view_literals;
constexpr std::string_view magic = "\x93NUMPY"sv;

struct Header {
    std::string descr;
    std::optional<bool> fortran_order;
    std::optional<std::vector<std::int64_t>> shape;
};

[[noreturn]] void refuse(const std::string& name, const std::string& what) { throw user_error("npy", name + ": " + what); }

/// Reads the header's dictionary: a Python literal with three known keys.
class HeaderReader {
public:
    HeaderReader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

    Header read() {
        expect('{');
        while (!take('}')) {
            const std::string key = quoted();
            expect(':');
            member(key);
            if (!take(',') && peek() != '}') bad();
        }
        if (out_.descr.empty() || !out_.fortran_order || !out_.shape) bad();
        return out_;
    }

private:
    void member(const std::string& key) {
        if (key == "descr") {
            if (peek() == '[') refuse(name_, "holds records; kernels take arrays of numbers");
            out_.descr = quoted();
        } else if (key == "fortran_order") {
            out_.fortran_order = truth();
        } else if (key == "shape") {
            out_.shape = numbers();
        } else {
            bad();
        }
    }
    void blanks() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    }
    char peek() {
        blanks();
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    bool take(char c) {
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    void expect(char c) {
        if (!take(c)) bad();
    }
    std::string quoted() {
        const char quote = peek();
        if (quote != '\'' && quote != '"') bad();
        const std::size_t end = text_.find(quote, ++at_);
        if (end == std::string_view::npos) bad();
        const std::string out(text_.substr(at_, end - at_));
        at_ = end + 1;
        return out;
    }
    bool truth() {
        blanks();
        for (const auto& [word, value] : {std::pair("True"sv, true), std::pair("False"sv, false)})
            if (text_.substr(at_, word.size()) == word) {
                at_ += word.size();
                return value;
            }
        bad();
    }
    std::vector<std::int64_t> numbers() {
        std::vector<std::int64_t> out;
        expect('(');
        while (!take(')')) {
            out.push_back(number());
            if (!take(',') && peek() != ')') bad();
        }
        return out;
    }
    std::int64_t number() {
        if (!std::isdigit(static_cast<unsigned char>(peek()))) bad();
        std::int64_t value = 0;
        for (; at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])); ++at_)
            if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, text_[at_] - '0', &value)) bad();
        if (at_ < text_.size() && text_[at_] == 'L') ++at_;
        return value;
    }
    [[noreturn]] void bad() const { refuse(name_, "its header is not that of a .npy file"); }

    std::string_view text_;
    const std::string& name_;
    std::size_t at_ = 0;
    Header out_;
};

constexpr std::array<std::pair<std::string_view, DType>, 13> codes{{{"b1", DType::Bool},
                                                                    {"i1", DType::I8},
                                                                    {"i2", DType::I16},
                                                                    {"i4", DType::I32},
                                                                    {"i8", DType::I64},
                                                                    {"u1", DType::U8},
                                                                    {"u2", DType::U16},
                                                                    {"u4", DType::U32},
                                                                    {"u8", DType::U64},
                                                                    {"f4", DType::F32},
                                                                    {"f8", DType::F64},
                                                                    {"c8", DType::C64},
                                                                    {"c16", DType::C128}}};

DType type_of(const std::string& descr, const std::string& name) {
    const std::string_view code = std::string_view(descr).substr(1);
    if (code[0] == 'O') refuse(name, "holds Python objects; save it with a number type, for example astype('f8')");
    for (const auto& [known, type] : codes) {
        if (code != known) continue;
        if (descr[0] == '>' && size_of(type) > 1)
            refuse(name, "is big endian; save it with astype('<" + std::string(code) + "')");
        return type;
    }
    refuse(name, "holds elements of type '" + descr + "', which kernels do not have");
}

/// Where the header's text stands: its first byte and one past its last.
std::pair<std::size_t, std::size_t> header_span(std::string_view bytes, const std::string& name) {
    if (bytes.size() < magic.size() || bytes.substr(0, magic.size()) != magic) refuse(name, "is no .npy file");
    if (bytes.size() < 10) refuse(name, "is cut off in its header");
    const auto byte = [&](std::size_t k) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[k])); };
    const std::size_t version = byte(6), width = version == 1 ? 2 : 4;
    if (version < 1 || version > 3) refuse(name, fmt::format("is of .npy version {}; 1 to 3 are known", version));
    if (bytes.size() < 8 + width) refuse(name, "is cut off in its header");
    std::size_t length = 0;
    for (std::size_t k = 0; k < width; ++k) length |= byte(8 + k) << (8 * k);
    if (bytes.size() - 8 - width < length) refuse(name, "is cut off in its header");
    return {8 + width, 8 + width + length};
}

/// First axis fastest -> last axis fastest.
void to_row_major(const char* from, Buffer& to) {
    const auto size = static_cast<std::size_t>(size_of(to.type));
    const std::size_t rank = to.shape.size();
    std::vector<std::int64_t> index(rank, 0), stride(rank, 1);
    for (std::size_t k = 1; k < rank; ++k) stride[k] = stride[k - 1] * to.shape[k - 1];
    std::int64_t source = 0;
    for (std::int64_t n = 0, count = to.count(); n < count; ++n) {
        std::memcpy(to.bytes.data() + static_cast<std::size_t>(n) * size, from + static_cast<std::size_t>(source) * size, size);
        for (std::size_t k = rank; k-- > 0;) {
            source += stride[k];
            if (++index[k] < to.shape[k]) break;
            source -= stride[k] * to.shape[k];
            index[k] = 0;
        }
    }
}

void fill(Buffer& out, std::string_view data, bool fortran_order) {
    if (fortran_order && out.shape.size() > 1)
        to_row_major(data.data(), out);
    else if (!data.empty())
        std::memcpy(out.bytes.data(), data.data(), data.size());
    if (out.type == DType::Bool)
        for (std::byte& b : out.bytes) b = b == std::byte{0} ? std::byte{0} : std::byte{1};
}

}  // namespace

Buffer parse_npy(std::string_view bytes, const std::string& name) {
    const auto [begin, end] = header_span(bytes, name);
    const Header header = HeaderReader(bytes.substr(begin, end - begin), name).read();
    if (header.descr.size() < 2) refuse(name, "its header is not that of a .npy file");
    const DType type = type_of(header.descr, name);
    Buffer shape_only{type, *header.shape, {}};
    const std::int64_t count = shape_only.count();
    std::int64_t size = 0;
    const bool overflow = count < 0 || __builtin_mul_overflow(count, static_cast<std::int64_t>(size_of(type)), &size);
    const std::size_t there = bytes.size() - end;
    if (overflow || there < static_cast<std::size_t>(size))
        refuse(name, fmt::format("is cut off: its shape ({}) of {} needs more than the {} bytes that are there",
                                 fmt::join(*header.shape, ", "), name_of(type), there));
    if (there > static_cast<std::size_t>(size))
        refuse(name, fmt::format("holds {} bytes more than its shape says", there - static_cast<std::size_t>(size)));
    Buffer out = Buffer::zeros(type, *header.shape);
    fill(out, bytes.substr(end), *header.fortran_order);
    return out;
}

Buffer read_npy(const std::string& path) { return parse_npy(read_file(path), path == "-" ? "the standard input" : path); }

std::string npy_bytes(const Buffer& buffer) {
    std::string_view code;
    for (const auto& [known, type] : codes)
        if (type == buffer.type) code = known;
    std::string shape;
    for (const std::int64_t extent : buffer.shape) shape += fmt::format("{},{}", extent, buffer.shape.size() == 1 ? "" : " ");
    if (buffer.shape.size() > 1) shape.resize(shape.size() - 2);
    std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}",
                                     size_of(buffer.type) == 1 ? '|' : '<', code, shape);
    header.append(63 - (10 + header.size()) % 64, ' ').push_back('\n');
    std::string out(magic);
    out += {'\x01', '\x00', static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
    out += header;
    return out.append(reinterpret_cast<const char*>(buffer.bytes.data()), buffer.bytes.size());
}

}  // namespace heddle::tools
