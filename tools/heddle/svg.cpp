#include "tools/heddle/svg.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::tools {
namespace {

constexpr double margin = 12;
bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

std::string xml_text(const std::string& text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '&':
                out += "&amp;";
                break;
            case '"':
                out += "&quot;";
                break;
            default:
                out += c;
        }
    }
    return out;
}

std::size_t characters(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
}

std::string shortened(const std::string& text, std::size_t most) {
    if (characters(text) <= most) return text;
    std::size_t end = 0, count = 0;
    while (count + 1 < most) {
        ++end;
        while (end < text.size() && continues(text[end])) ++end;
        ++count;
    }
    return text.substr(0, end) + "…";
}

void Svg::reach(double x, double y) {
    width_ = std::max(width_, x);
    height_ = std::max(height_, y);
}

void Svg::box(double x, double y, double width, double height, const char* fill, const char* stroke) {
    reach(x + width, y + height);
    body_ +=
        fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"4\" fill=\"{}\" stroke=\"{}\"/>\n",
                    x, y, width, height, fill, stroke);
}

void Svg::text(double x, double baseline, const std::string& text, const char* colour, const char* anchor, bool halo) {
    reach(x + static_cast<double>(characters(text)) * character, baseline + 4);
    body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"{}\" text-anchor=\"{}\" xml:space=\"preserve\"{}>{}</text>\n",
                         x, baseline, colour, anchor, halo ? " paint-order=\"stroke\" stroke=\"white\" stroke-width=\"4\"" : "",
                         xml_text(text));
}

void Svg::arrow(double x0, double y0, double cx0, double cy0, double cx1, double cy1, double x1, double y1, const char* colour,
                bool dashed) {
    reach(std::max({x0, cx0, cx1, x1}), std::max({y0, cy0, cy1, y1}));
    body_ += fmt::format(
        "<path d=\"M {:.1f} {:.1f} C {:.1f} {:.1f}, {:.1f} {:.1f}, {:.1f} {:.1f}\" fill=\"none\" stroke=\"{}\"{} "
        "marker-end=\"url(#arrow)\"/>\n",
        x0, y0, cx0, cy0, cx1, cy1, x1, y1, colour, dashed ? " stroke-dasharray=\"5 3\"" : "");
}

std::string Svg::str() const {
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
               "font-family=\"monospace\" font-size=\"12\">\n"
               "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" "
               "orient=\"auto\">"
               "<path d=\"M 0 0 L 8 4 L 0 8 z\" fill=\"#555\"/></marker></defs>\n"
               "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
               width_ + margin, height_ + margin) +
           body_ + "</svg>\n";
}

}  // namespace heddle::tools
