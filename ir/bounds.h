// Is every access inside its array, is every read written before?
#pragma once

#include <string>
#include <vector>

#include "ir/kernel_data.h"

namespace heddle {

/// A finding of `heddle check`.
struct Finding {
    enum class Kind : std::uint8_t { OutOfBounds, Unproved, ReadBeforeWrite, Race, NegativeShape } kind;
    std::size_t statement = 0;
    Name array;
    int dimension = -1;
    Env parameters, point;  ///< the counterexample, where there is one
    std::int64_t index = 0, extent = 0;
    std::string text;  ///< the sentence
    Loc loc;
    bool is_error() const { return kind != Kind::Unproved; }
};
/// Bounds of every access, for all parameter values that `where` allows: proved, refuted with a point, or named as unproved
/// (then a checked build tests it).
std::vector<Finding> check_bounds(const KernelData& kernel);
/// Races of the loops tagged Parallel or Vector.
std::vector<Finding> check_races(const KernelData& kernel);
/// Reads of temporaries and `out` arguments that are never written before, where this can be proved.
std::vector<Finding> check_defined(const KernelData& kernel);

}  // namespace heddle
