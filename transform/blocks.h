// What several steps do to loops: splitting into blocks, permuting, bounds.
#pragma once

#include "transform/edit.h"

namespace heddle {

/// Refuses a size of blocks below 1.
void require_size(std::int64_t size);
/// Refuses loops that run as lanes or written out: their tag would mean something else afterwards.
void require_plain(const Node& loop);

/// i = size*outer + inner with 0 <= inner < size. The outer loop keeps a Parallel tag. Order of instances stays; gives outer
/// and inner loop.
std::pair<NodePtr, NodePtr> split_group(Edit& edit, const Edit::Group& group, std::int64_t size, Name outer, Name inner,
                                        bool separate = false);

/// For each reference the loops it names that stand together with one of every other reference around some statement. Never
/// empty lists.
std::vector<std::vector<Edit::Group>> nest_groups(const Edit& edit, const std::vector<LoopRef>& refs);
/// Around every statement, lets the loops of the given kinds that are there take each other's places in the order of the kinds.
void permute(Edit& edit, const std::vector<std::vector<NodePtr>>& kinds);

/// The first and the last value of a loop, when each is one form in parameters and outer loops for all statements under it, and
/// all values between are there.
struct LoopBounds {
    Affine first, last;
};
std::optional<LoopBounds> bounds_of(const Edit& edit, const Edit::Group& group);

}  // namespace heddle
