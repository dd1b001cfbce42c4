#include <catch2/catch.hpp>
#include <cstring>
#include <numeric>

#include "ir/error.h"
#include "tools/heddle/layout.h"

using namespace heddle;
using namespace heddle::tools;
using Catch::Matchers::Contains;

namespace {

Buffer counted(std::vector<std::int64_t> shape) {
    Buffer b = Buffer::zeros(DType::I32, std::move(shape));
    std::iota(b.as<std::int32_t>(), b.as<std::int32_t>() + b.count(), 1);
    return b;
}

Array array_of(Layout layout) {
    Array a;
    a.name = "A";
    a.type = DType::I32;
    a.layout = std::move(layout);
    return a;
}

std::vector<std::int32_t> memory_of(const Array& a, const Buffer& b, const Env& sizes = {}) {
    const std::vector<std::byte> bytes = packed(a, b, sizes);
    std::vector<std::int32_t> out(bytes.size() / 4);
    if (!bytes.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
    Buffer back = Buffer::zeros(b.type, b.shape);
    unpack(a, bytes, sizes, back);
    CHECK(back.bytes == b.bytes);
    return out;
}

}  // namespace

TEST_CASE("layouts put elements where they belong, and unpacking is the inverse") {
    Layout columns;
    columns.order = {1, 0};
    CHECK(memory_of(array_of(columns), counted({2, 3})) == std::vector<std::int32_t>{1, 4, 2, 5, 3, 6});
    Layout padded;
    padded.padding = {0, 1};
    CHECK(memory_of(array_of(padded), counted({2, 2})) == std::vector<std::int32_t>{1, 2, 0, 3, 4, 0});
    Layout strided;
    strided.strides = {int_literal(1, index_type), variable("n")};
    CHECK(memory_of(array_of(strided), counted({2, 2}), {{"n", 3}}) == std::vector<std::int32_t>{1, 3, 0, 2, 4});
    CHECK(memory_of(array_of(strided), counted({0, 2}), {{"n", 3}}).empty());
    Layout separate;
    separate.separate_axis = 1;
    CHECK(memory_of(array_of(separate), counted({2, 3})) == std::vector<std::int32_t>{1, 4, 2, 5, 3, 6});
    CHECK(parts_of(array_of(separate), {2, 3}) == 3);
    CHECK(parts_of(array_of(padded), {2, 2}) == 1);
    Layout turned;
    turned.order = {2, 0, 1};
    const std::vector<std::int32_t> wanted{1, 3, 5, 7, 9, 11, 2, 4, 6, 8, 10, 12};
    CHECK(memory_of(array_of(turned), counted({2, 3, 2})) == wanted);
}

TEST_CASE("layouts that cannot be passed are refused") {
    Layout strided;
    strided.strides = {variable("n")};
    CHECK_THROWS_WITH(packed(array_of(strided), counted({2}), {}), Contains("stride 1 of A"));
    CHECK_THROWS_WITH(packed(array_of(strided), counted({2}), {{"n", -1}}), Contains("stride 1 of A"));
    CHECK_THROWS_WITH(packed(array_of(strided), counted({2}), {{"n", 0}}), Contains("two elements"));
    CHECK_THROWS_WITH(packed(array_of(strided), counted({3}), {{"n", INT64_MAX}}), Contains("64 bits"));
    CHECK_THROWS_WITH(packed(array_of(strided), counted({2}), {{"n", INT64_MAX / 8}}), Contains("no memory"));
    Buffer equal = counted({2});
    equal.as<std::int32_t>()[1] = equal.as<std::int32_t>()[0];
    CHECK(packed(array_of(strided), equal, {{"n", 0}}).size() == 4);
}
