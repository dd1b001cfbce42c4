// Small drawings as SVG text.
#pragma once

#include <string>

namespace heddle::tools {

/// Collects shapes and keeps track of the size they need. Units are pixels; the text is monospaced, 12 pixels high.
class Svg {
public:
    static constexpr double character = 7.3;  ///< width of a character
    static constexpr double line = 16;        ///< height of a line

    void box(double x, double y, double width, double height, const char* fill, const char* stroke);
    void text(double x, double baseline, const std::string& text, const char* colour = "#222", const char* anchor = "start",
              bool halo = false);
    /// A cubic curve with an arrow at its end.
    void arrow(double x0, double y0, double cx0, double cy0, double cx1, double cy1, double x1, double y1, const char* colour,
               bool dashed = false);
    std::string str() const;

private:
    void reach(double x, double y);
    std::string body_;
    double width_ = 0, height_ = 0;
};

/// Text with the characters that XML keeps for itself replaced.
std::string xml_text(const std::string& text);
/// The first `most` characters of a text, with … where it goes on. Whole UTF-8 characters are kept.
std::string shortened(const std::string& text, std::size_t most);
/// The number of characters of UTF-8 text.
std::size_t characters(const std::string& text);

}  // namespace heddle::tools
