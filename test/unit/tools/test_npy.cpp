#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "ir/error.h"
#include "tools/heddle/npy.h"

using namespace heddle;
using namespace heddle::tools;
using Catch::Matchers::Contains;

namespace {

std::string file(const std::string& header, const std::string& data, int version = 1) {
    std::string out = "\x93NUMPY";
    out += static_cast<char>(version);
    out += '\0';
    out += static_cast<char>(header.size());
    out.append(version == 1 ? 1 : 3, '\0');
    return out + header + data;
}

std::string header(const std::string& descr, const std::string& shape, const std::string& order = "False") {
    return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

std::string refusal(const std::string& bytes) {
    try {
        parse_npy(bytes, "x.npy");
    } catch (const Error& e) {
        CHECK(e.kind() == ErrorKind::User);
        CHECK(e.code() == "npy");
        return e.message();
    }
    return "";
}

}  // namespace

TEST_CASE("arrays of every type and rank come back from .npy as they were") {
    for (int t = int(DType::Bool); t <= int(DType::C128); ++t)
        for (const std::vector<std::int64_t>& shape :
             {std::vector<std::int64_t>{}, {5}, {0}, {2, 3}, {3, 0, 2}, {1, 2, 3, 4}}) {
            Buffer a = Buffer::zeros(DType(t), shape);
            for (std::size_t k = 0; k < a.bytes.size(); ++k) a.bytes[k] = std::byte(t == int(DType::Bool) ? k % 2 : 7 * k + 1);
            const std::string bytes = npy_bytes(a);
            CHECK((bytes.size() - a.bytes.size()) % 64 == 0);
            const Buffer b = parse_npy(bytes, "x");
            CHECK(b.type == a.type);
            CHECK(b.shape == a.shape);
            CHECK(b.bytes == a.bytes);
        }
}

TEST_CASE("Fortran order is turned into C order") {
    const std::string data("\1\2\3\4\5\6", 6);
    const Buffer a = parse_npy(file(header("|i1", "(2, 3)", "True"), data), "x");
    const std::vector<std::int8_t> wanted{1, 3, 5, 2, 4, 6};
    CHECK(std::vector<std::int8_t>(a.as<std::int8_t>(), a.as<std::int8_t>() + 6) == wanted);
}

TEST_CASE("versions 2 and 3, other key orders and quotes are read") {
    const std::string data(8, '\0');
    CHECK(parse_npy(file(header("<f8", "(1,)"), data, 2), "x").shape == std::vector<std::int64_t>{1});
    CHECK(parse_npy(file(header("<f8", "()"), data, 3), "x").shape.empty());
    CHECK(parse_npy(file("{\"shape\":(2,),\"descr\":\"<i4\",\"fortran_order\":False}", data), "x").type == DType::I32);
}

TEST_CASE("bytes of a bool array become 0 and 1") {
    const Buffer a = parse_npy(file(header("|b1", "(3,)"), std::string("\0\1\7", 3)), "x");
    CHECK(a.bytes == std::vector<std::byte>{std::byte{0}, std::byte{1}, std::byte{1}});
}

TEST_CASE("what is no usable .npy is refused by name") {
    const std::string eight(8, '\0');
    CHECK_THAT(refusal(""), Contains("x.npy") && Contains("no .npy file"));
    CHECK_THAT(refusal("PK\3\4 a zip archive"), Contains("no .npy file"));
    CHECK_THAT(refusal("\x93NUMPY"), Contains("cut off"));
    CHECK_THAT(refusal(file(header("<f8", "(1,)"), eight, 4)), Contains("version 4"));
    CHECK_THAT(refusal(file(header("<f8", "(1,)"), "").substr(0, 30)), Contains("cut off"));
    CHECK_THAT(refusal(file(header("<f8", "(2,)"), eight)), Contains("cut off") && Contains("(2)"));
    CHECK_THAT(refusal(file(header("<f8", "(0,)"), eight)), Contains("8 bytes more"));
    CHECK_THAT(refusal(file(header(">f8", "(1,)"), eight)), Contains("big endian"));
    CHECK_THAT(refusal(file(header("|O", "(1,)"), eight)), Contains("objects"));
    CHECK_THAT(refusal(file(header("<U4", "(1,)"), eight)), Contains("<U4"));
    CHECK_THAT(refusal(file(header("<f2", "(4,)"), eight)), Contains("<f2"));
    CHECK_THAT(refusal(file("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }", eight)), Contains("records"));
    CHECK_THAT(refusal(file("{'descr': '<f8', 'shape': (1,), }", eight)), Contains("header"));
    CHECK_THAT(refusal(file(header("<f8", "(-1,)"), eight)), Contains("header"));
    CHECK_THAT(refusal(file(header("<f8", "(99999999999999999999,)"), eight)), Contains("header"));
    CHECK_THAT(refusal(file(header("<f8", "(4294967296, 4294967296)"), eight)), Contains("cut off"));
    CHECK_THAT(refusal(file("rubbish", eight)), Contains("header"));
}

TEST_CASE("no prefix of a good file crashes the reader") {
    const std::string good = file(header("<f8", "(1,)"), std::string(8, '\0'));
    for (std::size_t k = 0; k < good.size(); ++k) CHECK_FALSE(refusal(good.substr(0, k)).empty());
}
