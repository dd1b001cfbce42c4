#include <algorithm>
#include <map>

#include "tools/heddle/draw.h"
#include "tools/heddle/layers.h"
#include "tools/heddle/svg.h"

namespace heddle::tools {
namespace {

constexpr std::size_t widest_label = 40;
constexpr double box_height = 28, layer_height = 98, gap = 40, margin_left = 70, margin_top = 36;

double text_width(const std::string& text) { return static_cast<double>(characters(text)) * Svg::character; }

/// A statement's box, and the room that arrows back to itself need at its right.
struct Box {
    std::string title;
    double x = 0, y = 0, width = 0, room = 0;
};

std::vector<Box> boxes_of(const KernelData& kernel, const std::vector<Arrow>& arrows) {
    std::vector<Box> out(kernel.statements.size());
    for (std::size_t k = 0; k < out.size(); ++k) {
        out[k].title = shortened(kernel.statements[k]->label.str(), widest_label);
        out[k].width = text_width(out[k].title) + 16;
    }
    for (const Arrow& a : arrows)
        if (a.source == a.sink)
            out[a.source].room = std::max(out[a.source].room, 40 + text_width(shortened(a.arrays, widest_label)));
    std::vector<double> widths;
    std::vector<std::pair<std::size_t, std::size_t>> edges;
    for (const Box& b : out) widths.push_back(b.width + b.room + gap);
    for (const Arrow& a : arrows)
        if (a.source < a.sink) edges.emplace_back(a.source, a.sink);
    const std::vector<Spot> spots = place_layers(widths, edges);
    double left = spots.empty() ? 0 : spots[0].x;
    for (const Spot& s : spots) left = std::min(left, s.x);
    for (std::size_t k = 0; k < out.size(); ++k) {
        out[k].x = margin_left + spots[k].x - left;
        out[k].y = margin_top + static_cast<double>(spots[k].layer) * layer_height;
    }
    return out;
}

/// Draws arrows; `turn` tells how many have been drawn between the same two boxes, so that they fan out.
class Arrows {
public:
    Arrows(const std::vector<Box>& boxes, Svg& svg) : boxes_(boxes), svg_(svg) {}

    void draw(const Arrow& a, int turn) {
        colour_ = colour_of(a.kind);
        dashed_ = a.kind != DependenceKind::Flow;
        label_ = shortened(a.arrays, widest_label);
        const Box &from = boxes_[a.source], &to = boxes_[a.sink];
        if (a.source == a.sink) return loop(from, turn);
        if (from.y < to.y) return down(from, to, turn);
        back(from, to, turn);
    }

private:
    void loop(const Box& box, int turn) {
        const double right = box.x + box.width, out = right + 28 + 8.0 * turn;
        svg_.arrow(right, box.y + 8, out, box.y - 4, out, box.y + 32, right, box.y + 20, colour_, dashed_);
        label(out - 2, box.y + 18 + 13.0 * turn);
    }
    void down(const Box& from, const Box& to, int turn) {
        const double shift = 14.0 * turn, x0 = from.x + from.width / 2 + shift, x1 = to.x + to.width / 2 + shift;
        const double y0 = from.y + box_height, y1 = to.y, bend = std::min(40.0, (y1 - y0) / 2);
        svg_.arrow(x0, y0, x0, y0 + bend, x1, y1 - bend, x1, y1, colour_, dashed_);
        const double share = 0.3 + 0.18 * turn;  // near the source, where arrows are still apart
        label(x0 + (x1 - x0) * share + 5, y0 + (y1 - y0) * share + 4);
    }
    void back(const Box& from, const Box& to, int turn) {
        const double out = std::min(from.x, to.x) - 40 - 12.0 * turn, y0 = from.y + box_height / 2, y1 = to.y + box_height / 2;
        svg_.arrow(from.x, y0, out, y0, out, y1, to.x, y1, colour_, dashed_);
        label(out - 10, (y0 + y1) / 2 + 4);
    }
    void label(double x, double y) { svg_.text(x, y, label_, colour_, "start", true); }

    const std::vector<Box>& boxes_;
    Svg& svg_;
    const char* colour_ = "";
    bool dashed_ = false;
    std::string label_;
};

void legend(Svg& svg) {
    double x = margin_left;
    for (const DependenceKind kind :
         {DependenceKind::Flow, DependenceKind::Anti, DependenceKind::Output, DependenceKind::Reduction}) {
        const std::string name(name_of(kind));
        svg.text(x, 16, name, colour_of(kind));
        x += text_width(name) + 20;
    }
}

}  // namespace

std::string dependences_svg(const KernelData& kernel, const std::vector<Dependence>& all) {
    Svg svg;
    const std::vector<Arrow> arrows = arrows_of(all);
    const std::vector<Box> boxes = boxes_of(kernel, arrows);
    Arrows painter(boxes, svg);
    std::map<std::pair<std::size_t, std::size_t>, int> turns;
    for (const Arrow& a : arrows) painter.draw(a, turns[std::pair(a.source, a.sink)]++);
    for (const Box& b : boxes) {
        svg.box(b.x, b.y, b.width, box_height, "#e3ecf7", "#557");
        svg.text(b.x + 8, b.y + 18, b.title);
    }
    legend(svg);
    return svg.str();
}

}  // namespace heddle::tools
