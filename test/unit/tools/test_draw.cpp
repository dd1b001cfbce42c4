#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "ir/kernel.h"
#include "tools/heddle/draw.h"
#include "tools/heddle/layers.h"
#include "tools/heddle/svg.h"

using namespace heddle;
using namespace heddle::tools;
using Catch::Matchers::Contains;

namespace {

Kernel chain() {
    return parse(
               "kernel chain(n : index; x : in f64[n], y : out f64[n]) {\n  temp t : f64[n]\n"
               "  for [i] : 0 <= i < n { a: t[i] = x[i] < 1.0 ? 2.0 : x[i] }\n"
               "  for [-j] parallel : 0 <= j < n { b: y[j] = t[j] }\n}\n")
        .kernel();
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
    return n;
}

}  // namespace

TEST_CASE("a tree as text, DOT, SVG and JSON") {
    const Kernel k = chain();
    const std::string text = tree_text(k.data());
    CHECK_THAT(text, Contains("chain\n  temp t\n  for i\n    a: t[i] ="));
    CHECK_THAT(text, Contains("for j downwards parallel"));
    CHECK(count(tree_dot(k.data()), " -> ") == 4);
    const std::string svg = tree_svg(k.data());
    CHECK(count(svg, "<rect") == 1 + 5);
    CHECK_THAT(svg, Contains("x[i] &lt; 1.0"));
    const auto json = tree_json(k.data());
    CHECK(json["tree"]["children"].size() == 2);
    CHECK(json["tree"]["children"][1]["tag"] == "parallel");
    CHECK(json["tree"]["children"][0]["children"][0]["statement"] == "a");
}

TEST_CASE("dependences as text, DOT, SVG and JSON") {
    const Kernel k = chain();
    const std::vector<Dependence> all = dependences(k.data());
    CHECK_THAT(dependences_text(k.data(), all), Contains("flow a -> b on t"));
    CHECK_THAT(dependences_dot(k.data(), all), Contains("s0 -> s1") && Contains("style=solid"));
    CHECK(count(dependences_svg(k.data(), all), "<path d=\"M ") == 1 + all.size());
    CHECK(dependences_json(k.data(), all)["dependences"][0]["sink"] == "b");
    CHECK(dependences_text(k.data(), {}) == "no dependences\n");
}

TEST_CASE("boxes of a layer do not overlap, and edges go down") {
    const std::vector<double> widths{10, 20, 30, 10, 5, 50};
    const std::vector<std::pair<std::size_t, std::size_t>> edges{{0, 2}, {0, 3}, {2, 4}, {1, 4}, {4, 5}, {3, 5}};
    const std::vector<Spot> spots = place_layers(widths, edges);
    for (const auto& [from, to] : edges) CHECK(spots[from].layer < spots[to].layer);
    CHECK(spots[1].layer == 1);  // a source stands just above what it leads to
    for (std::size_t a = 0; a < spots.size(); ++a)
        for (std::size_t b = a + 1; b < spots.size(); ++b)
            if (spots[a].layer == spots[b].layer)
                CHECK((spots[a].x + widths[a] <= spots[b].x + 1e-9 || spots[b].x + widths[b] <= spots[a].x + 1e-9));
    CHECK(place_layers({}, {}).empty());
}

TEST_CASE("texts are shortened by characters, not bytes") {
    CHECK(shortened("abc", 3) == "abc");
    CHECK(shortened("abcd", 3) == "ab…");
    CHECK(shortened("äöüß", 3) == "äö…");
    CHECK(characters("äöüß") == 4);
    CHECK(xml_text("a<b & \"c\"") == "a&lt;b &amp; &quot;c&quot;");
    CHECK(dot_quoted("a\"b\\\nc") == "\"a\\\"b\\\\\\nc\"");
}
