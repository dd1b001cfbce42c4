// What is known about values that come from data: by type, by table, by the definition of a let, by being a remainder.
#pragma once

#include <unordered_map>

#include "ir/depend/model.h"

namespace heddle::depend {

class Facts {
public:
    explicit Facts(Model& model);
    /// What holds for the data symbols among `symbols` in a statement, lets followed to their definitions.
    Domain about(const std::vector<Name>& symbols, const StatementModel& s);

private:
    Domain about_symbol(Name symbol, const StatementModel& s);
    Domain definition(Name let, const StatementModel& s);
    std::optional<std::pair<std::int64_t, std::int64_t>> range(Name symbol) const;
    Domain division(Name symbol) const;

    Model& model_;
    std::unordered_map<Name, std::vector<std::size_t>> writers_;  ///< statements that write a let
};

/// Smallest and largest value of a small integer type.
std::optional<std::pair<std::int64_t, std::int64_t>> range_of(DType type);
/// Smallest and largest entry of a table of integers.
std::optional<std::pair<std::int64_t, std::int64_t>> range_of(const Array& table);

}  // namespace heddle::depend
