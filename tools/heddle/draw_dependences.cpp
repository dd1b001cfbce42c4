#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ir/print.h"
#include "tools/heddle/draw.h"
#include "tools/heddle/svg.h"

namespace heddle::tools {
namespace {

using Json = nlohmann::ordered_json;

std::string label(const KernelData& kernel, std::size_t statement) { return kernel.statements[statement]->label.str(); }

std::string distance_text(const Dependence& d) {
    return d.distance.empty() ? "" : fmt::format("({})", fmt::join(d.distance, ", "));
}

const char* colour_of(DependenceKind kind) {
    switch (kind) {
        case DependenceKind::Flow:
            return "#1f5fa8";
        case DependenceKind::Anti:
            return "#b05a00";
        case DependenceKind::Output:
            return "#9a2a6a";
        case DependenceKind::Reduction:
            break;
    }
    return "#3b7d3b";
}

/// All dependences of one kind between two statements, drawn as one arrow.
struct Arrow {
    std::size_t source, sink;
    DependenceKind kind;
    std::string arrays;
};

std::vector<Arrow> arrows(const std::vector<Dependence>& all) {
    std::vector<Arrow> out;
    for (const Dependence& d : all) {
        const auto same = [&](const Arrow& a) { return a.source == d.source && a.sink == d.sink && a.kind == d.kind; };
        const auto it = std::find_if(out.begin(), out.end(), same);
        const std::string text = d.array.str() + distance_text(d);
        if (it == out.end())
            out.push_back({d.source, d.sink, d.kind, text});
        else if (it->arrays.find(text) == std::string::npos)
            it->arrays += " " + text;
    }
    return out;
}

/// A statement's layer: one below every earlier statement it depends on.
std::vector<int> layers(std::size_t statements, const std::vector<Arrow>& all) {
    std::vector<int> out(statements, 0);
    std::vector<Arrow> sorted = all;
    std::stable_sort(sorted.begin(), sorted.end(), [](const Arrow& a, const Arrow& b) { return a.sink < b.sink; });
    for (const Arrow& a : sorted)
        if (a.source < a.sink) out[a.sink] = std::max(out[a.sink], out[a.source] + 1);
    return out;
}

struct Spot {
    double x = 0, y = 0, width = 0;
};
constexpr double box_height = 28, layer_gap = 70, column_gap = 60;

std::vector<Spot> spots(const KernelData& kernel, const std::vector<int>& layer, Svg& svg) {
    std::vector<Spot> out(layer.size());
    std::map<int, double> next;
    for (std::size_t k = 0; k < layer.size(); ++k) {
        const std::string title = shortened(label(kernel, k), 40);
        Spot& s = out[k];
        s.width = static_cast<double>(characters(title)) * Svg::character + 16;
        s.x = next.try_emplace(layer[k], 90).first->second;
        s.y = 20 + layer[k] * (box_height + layer_gap);
        next[layer[k]] = s.x + s.width + column_gap;
        svg.box(s.x, s.y, s.width, box_height, "#e3ecf7", "#557");
        svg.text(s.x + 8, s.y + 18, title);
    }
    return out;
}

void draw(const Arrow& a, const std::vector<Spot>& at, int offset, Svg& svg) {
    const Spot &from = at[a.source], &to = at[a.sink];
    const char* colour = colour_of(a.kind);
    const bool dashed = a.kind != DependenceKind::Flow;
    const double shift = 10.0 * offset;
    if (a.source == a.sink) {
        const double right = from.x + from.width, y = from.y;
        svg.arrow(right, y + 8, right + 30 + shift, y - 6, right + 30 + shift, y + 34, right, y + 20, colour, dashed);
        svg.text(right + 26 + shift, y + 12 + shift, shortened(a.arrays, 40), colour);
        return;
    }
    if (a.source < a.sink) {
        const double x0 = from.x + from.width / 2 + shift, x1 = to.x + to.width / 2 + shift;
        const double y0 = from.y + box_height, y1 = to.y;
        svg.arrow(x0, y0, x0, y0 + 30, x1, y1 - 30, x1, y1, colour, dashed);
        svg.text((x0 + x1) / 2 + 6, (y0 + y1) / 2 + shift, shortened(a.arrays, 40), colour);
        return;
    }
    const double x0 = from.x, x1 = to.x, y0 = from.y + box_height / 2, y1 = to.y + box_height / 2;
    svg.arrow(x0, y0, x0 - 50 - shift, y0, x1 - 50 - shift, y1, x1, y1, colour, dashed);
    svg.text(std::min(x0, x1) - 60 - shift, (y0 + y1) / 2, shortened(a.arrays, 40), colour);
}

}  // namespace

std::string dependences_text(const KernelData& kernel, const std::vector<Dependence>& all) {
    if (all.empty()) return "no dependences\n";
    std::string out;
    for (const Dependence& d : all) {
        out += fmt::format("{} {} -> {} on {}", name_of(d.kind), label(kernel, d.source), label(kernel, d.sink), d.array.str());
        if (!d.distance.empty()) out += "  distance " + distance_text(d);
        out += d.exact ? "\n" : "  (assumed: the subscripts are not known)\n";
    }
    return out;
}

std::string dependences_dot(const KernelData& kernel, const std::vector<Dependence>& all) {
    std::string out =
        fmt::format("digraph {} {{\n  node [shape=box, fontname=\"monospace\"];\n", dot_quoted(kernel.name.str()));
    for (std::size_t k = 0; k < kernel.statements.size(); ++k) {
        const Statement& s = *kernel.statements[k];
        out +=
            fmt::format("  s{} [label={}];\n", k, dot_quoted(shortened(s.label.str() + ": " + print_statement(kernel, s), 90)));
    }
    for (const Arrow& a : arrows(all))
        out += fmt::format("  s{} -> s{} [label={}, color=\"{}\", style={}];\n", a.source, a.sink, dot_quoted(a.arrays),
                           colour_of(a.kind), a.kind == DependenceKind::Flow ? "solid" : "dashed");
    return out + "}\n";
}

std::string dependences_svg(const KernelData& kernel, const std::vector<Dependence>& all) {
    Svg svg;
    const std::vector<Arrow> drawn = arrows(all);
    const std::vector<Spot> at = spots(kernel, layers(kernel.statements.size(), drawn), svg);
    std::map<std::pair<std::size_t, std::size_t>, int> seen;
    for (const Arrow& a : drawn) draw(a, at, seen[std::pair(a.source, a.sink)]++, svg);
    return svg.str();
}

Json dependences_json(const KernelData& kernel, const std::vector<Dependence>& all) {
    Json rows = Json::array();
    for (const Dependence& d : all)
        rows.push_back({{"kind", name_of(d.kind)},
                        {"source", label(kernel, d.source)},
                        {"sink", label(kernel, d.sink)},
                        {"array", d.array.str()},
                        {"distance", d.distance},
                        {"exact", d.exact},
                        {"relation", d.relation}});
    return {{"kernel", kernel.name.str()}, {"dependences", std::move(rows)}};
}

}  // namespace heddle::tools
