// Which elements the instances of statements touch while some loops stand still: the exact set, and a box around it.
//
// The set is the image of the statements' domains under the subscripts (isl projects the moving loops out). The box has, for each
// axis, an origin that is affine in the fixed symbols and an extent that is a number or affine in the parameters.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/kernel_data.h"

namespace heddle {

/// Instances of a statement that touch the element `subscripts`.
struct Touch {
    std::size_t statement = 0;
    Domain domain;                   ///< over the loops around the statement and other symbols
    std::vector<Affine> subscripts;  ///< over the same
    bool conditional = false;        ///< a run-time condition decides
    Loc loc;
};

struct Axis {
    Affine origin;        ///< over fixed symbols
    Affine extent;        ///< over parameters; at least 1 wherever the set is not empty
    bool single = false;  ///< the set has one value along this axis: the origin
};

struct ElementBox {
    Domain image;            ///< over the axes' names and fixed symbols
    std::vector<Name> axes;  ///< a name for each subscript
    std::vector<Axis> box;
    bool conditional = false;  ///< some elements are touched under run-time conditions only
};

/// What `touches` touch together. `fixed`: symbols that keep their values; all others move. `axes`: unused names, one for each
/// subscript. Errors (User, "footprint"): an axis without affine bounds; `what` names the array or rule.
ElementBox element_box(const KernelData& kernel, const std::vector<Touch>& touches, const std::set<Name>& fixed,
                    const std::vector<Name>& axes, const std::string& what);

/// The elements one access touches, over `axes` and fixed symbols: exact.
Domain image_of(const KernelData& kernel, const Touch& touch, const std::set<Name>& fixed, const std::vector<Name>& axes);

/// The set in one piece where it is convex, as its pieces otherwise.
Domain merged(const Domain& d);
/// The points that satisfy every constraint of the pieces that holds for all of them: a convex set around `d`.
Domain hull_of(const Domain& d);

/// The same, for exactly the same values of all symbols but `axes`.
Domain hull_over(const Domain& d, const std::vector<Name>& axes);

/// The tightest box axis of a symbol over a set, or nothing when there is none.
std::optional<Axis> axis_of(const KernelData& kernel, const Domain& set, Name symbol, const std::set<Name>& fixed);

/// A form over parameters that is at least `form` everywhere in `set`; nothing when there is none.
std::optional<Affine> parametric_maximum(const KernelData& kernel, const Affine& form, const Domain& set);

/// The shape entry for an extent: the larger of it and 0 where parameters may make it negative.
Expr shape_of(const KernelData& kernel, const Affine& extent);

}  // namespace heddle
