// Where the boxes of a layered graph go.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace heddle::tools {

struct Spot {
    std::size_t layer = 0;
    double x = 0;  ///< left edge
};
/// Places nodes of the given widths (with the room to their right) in layers: each below all it comes from, sources just above
/// what they lead to, within a layer near their neighbours. Edges go from lower to higher numbers; others must be left out.
std::vector<Spot> place_layers(const std::vector<double>& widths,
                               const std::vector<std::pair<std::size_t, std::size_t>>& edges);

}  // namespace heddle::tools
