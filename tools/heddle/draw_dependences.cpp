#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

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

}  // namespace

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

std::vector<Arrow> arrows_of(const std::vector<Dependence>& all) {
    std::vector<Arrow> out;
    std::map<std::tuple<std::size_t, std::size_t, DependenceKind>, std::size_t> known;
    for (const Dependence& d : all) {
        const auto zero = [](const std::string& part) { return part == "0"; };
        const bool carried = !std::all_of(d.distance.begin(), d.distance.end(), zero);
        const std::string text = d.array.str() + (carried ? distance_text(d) : "");
        const auto [it, is_new] = known.emplace(std::tuple(d.source, d.sink, d.kind), out.size());
        if (is_new)
            out.push_back({d.source, d.sink, d.kind, text});
        else if (out[it->second].arrays.find(text) == std::string::npos)
            out[it->second].arrays += " " + text;
    }
    return out;
}

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
    for (const Arrow& a : arrows_of(all))
        out += fmt::format("  s{} -> s{} [label={}, color=\"{}\", style={}];\n", a.source, a.sink, dot_quoted(a.arrays),
                           colour_of(a.kind), a.kind == DependenceKind::Flow ? "solid" : "dashed");
    return out + "}\n";
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
