#include <catch2/catch.hpp>

#include "ir/error.h"
#include "ir/kernel.h"
#include "ir/parse/utf8.h"

using namespace heddle;
using Catch::Matchers::Contains;

TEST_CASE("the first byte that is no UTF-8 is found") {
    const auto npos = std::string_view::npos;
    for (const char* good :
         {"", "abc\n", "\x7f", "é", "€", "\xF0\x9F\xA7\xB5", "\xED\x9F\xBF", "\xEE\x80\x80", "\xF4\x8F\xBF\xBF"})
        CHECK(first_no_utf8(good) == npos);
    const std::vector<std::pair<std::string_view, std::size_t>> bad{
        {"\x80", 0},     {"ab\xff", 2},           {"\xC0\x80", 0},         {"\xC1\xBF", 0},         {"é\xC3", 2},
        {"\xC3(", 0},    {"\xE0\x9F\xBF", 0},     {"\xED\xA0\x80", 0},     {"\xE2\x82", 0},         {"\xF0\x8F\xBF\xBF", 0},
        {"\xF0\x9F", 0}, {"\xF4\x90\x80\x80", 0}, {"\xF5\x80\x80\x80", 0}, {"x\xE2\x82\xAC\xAC", 4}};
    for (const auto& [text, at] : bad) CHECK(first_no_utf8(text) == at);
}

TEST_CASE("a kernel file that is no UTF-8 is refused at the byte, in comments too") {
    CHECK_THROWS_WITH(parse("# fine\n# caf\xe9\nkernel k() { }"), Contains("0xe9") && Contains("UTF-8"));
    try {
        parse("# fine\n# caf\xe9\nkernel k() { }");
    } catch (const Error& e) {
        CHECK(e.loc().line == 2);
        CHECK(e.loc().column == 6);
    }
    CHECK(parse("# café\nkernel k() { }").kernels.size() == 1);
}
