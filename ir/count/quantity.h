// A number that a kernel determines: a formula in the parameters, and what depends on data by name.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/count/count.h"
#include "ir/count/domain_table.h"
#include "ir/kernel_data.h"

namespace heddle {

/// A number that has a formula only when values read at run time are given: the sum over all iterations of `loops` of factor *
/// each.
struct DataPart {
    Wide factor = 1;
    std::vector<Name> loops;
    Piecewise each;          ///< in the parameters, the loops and the data; empty when `reason` says why there is none
    std::vector<Name> data;  ///< the values read at run time
    std::string reason;
    std::string str() const;  ///< "sum over i of (hi - lo if hi >= lo + 1)"
};

/// "lo, hi"
std::string text_of(const std::vector<Name>& names);

/// The sum of its parts.
struct Quantity {
    Piecewise formula;
    std::vector<std::pair<Wide, Count>> counted;  ///< factor and domain: no formula, but a number for given parameters
    std::vector<DataPart> data;
    bool at_most = false;  ///< conditions at run time may make it less

    bool is_zero() const { return formula.is_zero() && counted.empty() && data.empty(); }
    /// The number for given parameters; nothing when it depends on data, or counting would take too long.
    std::optional<Wide> at(const Env& parameters) const;
    std::string str() const;  ///< "m*n", "at most m*n + sum over i of (hi - lo)"
};
Quantity sum_of(const std::vector<Quantity>& parts, const Domain& context);
Quantity operator*(Wide factor, const Quantity& q);

/// Counts the domains of one kernel, equal ones once, and gives each a number.
class Counter {
public:
    /// The kernel must outlive the counter. Formulas are made for parameters that `where` allows and that give no argument a
    /// negative extent.
    explicit Counter(const KernelData& kernel);

    /// Points of the domain over the loops (outermost first). Symbols that are no loops, parameters or scalar arguments are
    /// data.
    std::size_t count(const Domain& d, const std::vector<Name>& loops);
    const Quantity& operator[](std::size_t number) const { return quantities_[number]; }
    const Domain& context() const { return context_; }
    /// Is it a symbol whose value only a run tells, for these loops?
    bool is_data(Name symbol, const std::vector<Name>& loops) const;
    /// The loops around the declaration of a scalar: one value for each of their iterations.
    const std::vector<Name>& scope_of(Name scalar) const;

private:
    Quantity quantity_of(const Domain& d, const std::vector<Name>& loops) const;
    DataPart data_part(const Domain& d, const std::vector<Name>& loops, std::vector<Name> data) const;

    const KernelData& kernel_;
    Domain context_;
    std::map<Name, std::vector<Name>> scopes_;
    std::vector<Quantity> quantities_;
    DomainTable table_;
};

/// A sum of counted domains with factors, added up at the end.
class Tally {
public:
    void add(std::size_t number, Wide factor, bool at_most);
    Quantity total(const Counter& counter) const;

private:
    std::map<std::size_t, Wide> factors_;
    bool at_most_ = false;
};

}  // namespace heddle
