// Loop ranges for the interpreter: which values a loop takes, and which statements run at each.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "ir/interpret_machine.h"

namespace heddle::interp {

/// "No bound known": beyond every value a loop can have.
inline constexpr std::int64_t infinite = std::numeric_limits<std::int64_t>::max() / 2;

struct Range {
    std::int64_t low = -infinite, high = infinite;
    bool empty() const { return low > high; }
    bool bounded() const { return low > -infinite && high < infinite; }
};

/// An affine form over registers.
struct Form {
    struct Floor;
    std::int64_t constant = 0;
    std::vector<std::pair<std::uint32_t, std::int64_t>> terms;
    std::vector<Floor> floors;
};
struct Form::Floor {
    std::int64_t coefficient = 1, denominator = 1;
    Form numerator;
};
/// The value for the registers' present contents; throws Error(Runtime, "overflow").
std::int64_t value_of(const Form& form, const Machine& machine);

struct Test {
    Form form;
    bool equality = false;
};
bool holds(const Test& test, const Machine& machine);

/// coefficient * loop + rest >= 0, or == 0.
struct Bound {
    std::int64_t coefficient = 1;
    Form rest;
    bool equality = false;
};

/// A scalar that stands in a domain: its view, and the register into which it is read.
struct DataSymbol {
    std::uint32_t view = 0, reg = 0;
};

/// What a loop means to one unit: bounds (necessary; together with `tests` exact), a box that holds for every value of the
/// loops around, and the data that the bounds use.
struct Level {
    std::vector<Bound> bounds;
    std::vector<Test> tests;
    std::vector<DataSymbol> data;
    Range box;
};

/// A piece of a statement's domain. Constraints are tested at the outermost loop where all they mention is known.
struct Unit {
    std::size_t statement = 0;
    std::vector<Test> fixed;    ///< on parameters only
    std::vector<Level> levels;  ///< for each loop around the statement
    std::vector<Test> late;     ///< on data: tested at the statement
    std::vector<DataSymbol> data;
    std::size_t dead_at = 0;  ///< the outermost loop (from 1) at which a constraint fails now; `alive` when none does
    static constexpr std::size_t alive = std::numeric_limits<std::size_t>::max();
};

/// How symbols become registers.
struct SymbolTable {
    std::function<std::uint32_t(Name)> slot;  ///< of a parameter, loop or data symbol
    std::function<std::optional<std::uint32_t>(Name)>
        data_view;                           ///< the view of a scalar of the kernel that is no parameter or loop
    std::function<std::size_t(Name)> depth;  ///< of a scalar: how many loops are around its declaration
};

/// The units of a statement, one for each piece of its domain.
std::vector<Unit> units_of(const Statement& s, std::size_t index, const std::vector<Name>& loops, const SymbolTable& symbols);
/// Fills in the boxes of loops that lack a direct bound, for these parameter values: by interval propagation, then by isl.
void find_boxes(Unit& unit, const Conjunct& piece, const std::vector<Name>& loops, const Env& parameters);
/// The values that `level` leaves, for the registers' present contents.
Range range_of(const Level& level, const Machine& machine);

/// The same constraint with every floor whose numerator is `unwanted` replaced by its bounds: inequalities that follow from it.
Conjunct without_floors(const Constraint& c, const std::function<bool(const Affine&)>& unwanted);

}  // namespace heddle::interp
