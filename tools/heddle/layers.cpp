#include "tools/heddle/layers.h"

#include <algorithm>
#include <numeric>

namespace heddle::tools {
namespace {

using Edges = std::vector<std::pair<std::size_t, std::size_t>>;
constexpr int sweeps = 4;

/// Longest path from above; then nodes that nothing leads to come down to just above their first successor.
std::vector<std::size_t> layers_of(std::size_t nodes, Edges edges) {
    std::vector<std::size_t> layer(nodes, 0), nearest(nodes, nodes);
    std::vector<bool> is_source(nodes, true);
    std::sort(edges.begin(), edges.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    for (const auto& [from, to] : edges) {
        layer[to] = std::max(layer[to], layer[from] + 1);
        is_source[to] = false;
    }
    for (const auto& [from, to] : edges) nearest[from] = std::min(nearest[from], layer[to]);
    for (std::size_t k = 0; k < nodes; ++k)
        if (is_source[k] && nearest[k] < nodes) layer[k] = nearest[k] - 1;
    return layer;
}

/// The middle of a node's neighbours on the other end of edges; its own where it has none.
std::vector<double> wanted_middles(const std::vector<double>& middle, const Edges& edges, bool from_above) {
    std::vector<double> sum(middle.size(), 0);
    std::vector<int> count(middle.size(), 0);
    for (const auto& [from, to] : edges) {
        const std::size_t at = from_above ? to : from, other = from_above ? from : to;
        sum[at] += middle[other];
        ++count[at];
    }
    for (std::size_t k = 0; k < middle.size(); ++k) sum[k] = count[k] > 0 ? sum[k] / count[k] : middle[k];
    return sum;
}

/// Sets a layer's nodes from left to right in the order of where they would like to be, without overlap.
void settle(std::vector<std::size_t> row, const std::vector<double>& widths, const std::vector<double>& wanted,
            std::vector<double>& middle) {
    std::stable_sort(row.begin(), row.end(), [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
    double cursor = 0;
    for (const std::size_t k : row) {
        middle[k] = std::max(cursor + widths[k] / 2, wanted[k]);
        cursor = middle[k] + widths[k] / 2;
    }
}

}  // namespace

std::vector<Spot> place_layers(const std::vector<double>& widths, const Edges& edges) {
    const std::vector<std::size_t> layer = layers_of(widths.size(), edges);
    std::vector<std::vector<std::size_t>> rows;
    for (std::size_t k = 0; k < layer.size(); ++k) {
        if (rows.size() <= layer[k]) rows.resize(layer[k] + 1);
        rows[layer[k]].push_back(k);
    }
    std::vector<double> middle(widths.size(), 0);
    for (const auto& row : rows) settle(row, widths, middle, middle);
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        const std::vector<double> wanted = wanted_middles(middle, edges, sweep % 2 == 0);
        for (const auto& row : rows) settle(row, widths, wanted, middle);
    }
    std::vector<Spot> out(widths.size());
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = {layer[k], middle[k] - widths[k] / 2};
    return out;
}

}  // namespace heddle::tools
