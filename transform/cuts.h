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

/// For a split by `size` without partial blocks: shifts each loop to begin at 0 and cuts what does not fill a block off.
/// `groups` become the loops over full blocks, the result how many iterations each had before.
std::vector<Affine> cut_to_blocks(Edit& edit, std::vector<Edit::Group>& groups, std::int64_t size);
/// After that split: the bounds of i = size*outer + inner become bounds of `outer` alone.
void bound_by_blocks(Edit& edit, const Edit::Group& group, std::int64_t size, const std::vector<Name>& names,
                     const Affine& count);

}  // namespace heddle
