#include "test/support/run.h"

#include <catch2/catch.hpp>
#include <complex>
#include <cstring>
#include <sstream>

#include "ir/error.h"
#include "test/support/compare.h"
#include "transform/step.h"

namespace heddle::test {
namespace {

template <class T>
constexpr DType dtype_of();
template <>
constexpr DType dtype_of<double>() {
    return DType::F64;
}
template <>
constexpr DType dtype_of<float>() {
    return DType::F32;
}
template <>
constexpr DType dtype_of<std::int64_t>() {
    return DType::I64;
}
template <>
constexpr DType dtype_of<std::int32_t>() {
    return DType::I32;
}
template <>
constexpr DType dtype_of<std::int8_t>() {
    return DType::I8;
}
template <>
constexpr DType dtype_of<std::uint8_t>() {
    return DType::U8;
}
template <>
constexpr DType dtype_of<std::uint32_t>() {
    return DType::U32;
}
template <>
constexpr DType dtype_of<bool>() {
    return DType::Bool;
}
template <>
constexpr DType dtype_of<std::complex<double>>() {
    return DType::C128;
}
template <>
constexpr DType dtype_of<std::complex<float>>() {
    return DType::C64;
}

template <class T>
std::vector<double> widened(const Buffer& b) {
    const T* p = b.as<T>();
    return std::vector<double>(p, p + b.count());
}
template <class T>
std::vector<double> pairs(const Buffer& b) {
    const T* p = b.as<T>();
    return std::vector<double>(p, p + 2 * b.count());
}

std::vector<std::string> lines_of(const std::string& steps) {
    std::vector<std::string> lines;
    std::istringstream in(steps);
    for (std::string line; std::getline(in, line);) {
        const std::size_t start = line.find_first_not_of(' ');
        if (start != std::string::npos) lines.push_back(line.substr(start));
    }
    return lines;
}

}  // namespace

template <class T>
Buffer values(std::initializer_list<T> list, std::vector<std::int64_t> shape) {
    if (shape.empty()) shape = {static_cast<std::int64_t>(list.size())};
    Buffer b = Buffer::zeros(dtype_of<T>(), std::move(shape));
    REQUIRE(b.count() == static_cast<std::int64_t>(list.size()));
    std::copy(list.begin(), list.end(), b.as<T>());
    return b;
}

template <class T>
Buffer scalar(T value) {
    Buffer b = Buffer::zeros(dtype_of<T>(), {});
    *b.as<T>() = value;
    return b;
}

#define HEDDLE_TEST_VALUES(T)                                                       \
    template Buffer values<T>(std::initializer_list<T>, std::vector<std::int64_t>); \
    template Buffer scalar<T>(T)
HEDDLE_TEST_VALUES(double);
HEDDLE_TEST_VALUES(float);
HEDDLE_TEST_VALUES(std::int64_t);
HEDDLE_TEST_VALUES(std::int32_t);
HEDDLE_TEST_VALUES(std::int8_t);
HEDDLE_TEST_VALUES(std::uint8_t);
HEDDLE_TEST_VALUES(std::uint32_t);
HEDDLE_TEST_VALUES(bool);
HEDDLE_TEST_VALUES(std::complex<double>);
HEDDLE_TEST_VALUES(std::complex<float>);
#undef HEDDLE_TEST_VALUES

Buffer values_of(const std::vector<double>& list, DType type, std::vector<std::int64_t> shape) {
    if (shape.empty()) shape = {static_cast<std::int64_t>(list.size())};
    Buffer b = Buffer::zeros(type, std::move(shape));
    for (std::size_t k = 0; k < list.size(); ++k) {
        switch (type) {
            case DType::F64:
                b.as<double>()[k] = list[k];
                break;
            case DType::F32:
                b.as<float>()[k] = static_cast<float>(list[k]);
                break;
            case DType::I64:
                b.as<std::int64_t>()[k] = static_cast<std::int64_t>(list[k]);
                break;
            case DType::I32:
                b.as<std::int32_t>()[k] = static_cast<std::int32_t>(list[k]);
                break;
            case DType::I8:
                b.as<std::int8_t>()[k] = static_cast<std::int8_t>(list[k]);
                break;
            case DType::U8:
                b.as<std::uint8_t>()[k] = static_cast<std::uint8_t>(list[k]);
                break;
            case DType::U32:
                b.as<std::uint32_t>()[k] = static_cast<std::uint32_t>(list[k]);
                break;
            default:
                FAIL("values_of: type not listed");
        }
    }
    return b;
}

std::vector<double> doubles(const Buffer& b) {
    switch (b.type) {
        case DType::Bool:
            return widened<bool>(b);
        case DType::I8:
            return widened<std::int8_t>(b);
        case DType::I16:
            return widened<std::int16_t>(b);
        case DType::I32:
            return widened<std::int32_t>(b);
        case DType::I64:
            return widened<std::int64_t>(b);
        case DType::U8:
            return widened<std::uint8_t>(b);
        case DType::U16:
            return widened<std::uint16_t>(b);
        case DType::U32:
            return widened<std::uint32_t>(b);
        case DType::U64:
            return widened<std::uint64_t>(b);
        case DType::F32:
            return widened<float>(b);
        case DType::F64:
            return widened<double>(b);
        case DType::C64:
            return pairs<float>(b);
        case DType::C128:
            return pairs<double>(b);
        default:
            return {};
    }
}

Kernel scheduled(const std::string& text, const std::string& steps, const std::string& kernel) {
    Kernel k = parse(text, "test.heddle").kernel(kernel);
    for (const std::string& line : lines_of(steps)) k = heddle::apply(k, read_step({line, {}}));
    return k;
}

Arguments run(const std::string& text, const std::string& steps, const Arguments& given, const std::string& kernel) {
    const Kernel written = scheduled(text, {}, kernel), changed = scheduled(text, steps, kernel);
    CHECK(parse(changed.str()).kernel(changed.name()) == changed);
    Arguments reference = complete(written, given), interpreted = complete(changed, given);
    const Arguments compiled = Compiled(changed).run(interpreted);
    interpret(written, reference);
    interpret(changed, interpreted);
    CHECK(difference(reference, interpreted).value_or("") == "");
    CHECK(difference(reference, compiled).value_or("") == "");
    return compiled;
}

std::string refusal(const std::string& text, const std::string& steps, const std::string& kernel) {
    try {
        scheduled(text, steps, kernel);
    } catch (const Error& e) {
        CHECK(e.kind() == ErrorKind::User);
        return e.render();
    }
    FAIL("not refused: " << steps);
    return {};
}

}  // namespace heddle::test
