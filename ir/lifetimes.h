// Which elements of temporaries hold values at the same time: what may be stored in one place.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/error.h"
#include "ir/kernel_data.h"

namespace heddle {

/// Why two elements cannot share a place: a value of the one is still to be read when the other is written.
struct Clash {
    /// An access of an instance of a statement.
    struct Instance {
        std::size_t statement = 0;
        Env point;  ///< its loops
    };
    std::optional<Instance> writer;  ///< of the value; nothing where the read may find none
    Instance other, reader;          ///< who writes the other element, and who reads the value after that
    Name array, other_array;
    std::vector<std::int64_t> element, other_element;
    Env parameters;
    /// "S(i=0) writes t[0], S(i=2) writes t[2], and T(i=3) reads t[0] after that (n=4)" in the names of the user's own loops.
    std::string text(const KernelData& kernel) const;
};

/// The elements of one temporary, or of two with equally many axes, and from when to when each holds a value that is read: from
/// a write to the last read that it may reach, by exact dataflow (as in ir/depend/flow.h). Instances of a scoped temporary are
/// elements apart. Writes under run-time conditions may happen or not.
class Lifetimes {
public:
    /// `users`: all statements that mention the arrays. Nothing else is looked at. `operations`: isl's budget.
    Lifetimes(const KernelData& kernel, const std::vector<Name>& arrays, const std::vector<std::size_t>& users,
              unsigned long operations = 20'000'000);
    ~Lifetimes();
    Lifetimes(const Lifetimes&) = delete;

    /// Why nothing is known: a subscript that is not affine, instances that depend on data, too many accesses, too hard. The
    /// questions below need this to be empty.
    const std::optional<Error>& unknown() const;
    /// May elements of the first array share a place when they differ along one axis only, by a multiple of `modulus`?
    std::optional<Clash> folded(std::size_t axis, std::int64_t modulus) const;
    /// The smallest modulus, at most `limit`, for which they may.
    std::optional<std::int64_t> least_modulus(std::size_t axis, std::int64_t limit) const;
    /// May each element of the first array share a place with that of the second of the same subscripts, and all instances of
    /// the first in an iteration of the loops around the second's declaration with each other?
    std::optional<Clash> merged() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace heddle
