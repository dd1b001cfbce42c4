// Cutting the iterations of loops apart.
#pragma once

#include "transform/edit.h"

namespace heddle {

/// Makes two loops of one: iterations below `at` and the rest, in the order in which they ran. The main part keeps the labels,
/// the other gets copies. `at` is over parameters and outer loops; one entry for each group, in written order.
enum class MainPart : std::uint8_t { Lower, Upper };
struct Cut {
    Edit::Group group;
    Affine at;
};
void cut_groups(Edit& edit, const std::vector<Cut>& cuts, MainPart main);

/// For a split by `size` without partial blocks: shifts each loop to begin at 0 and cuts what does not fill a block off. Gives
/// the loops over full blocks.
std::vector<Edit::Group> cut_to_blocks(Edit& edit, const std::vector<Edit::Group>& groups, std::int64_t size);

}  // namespace heddle
