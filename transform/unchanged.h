// Would a value be the same if it were read at another time? Asked of the one legality question with a probe: a statement that
// only reads, where the value is used, and the same statement where it would be read instead. If every pair of dependent
// instances keeps its order, nothing that is read is written in between.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/kernel.h"
#include "ir/kernel_data.h"
#include "transform/rewrite.h"

namespace heddle {

/// Reads that would move from a statement's instances to another place of the tree.
struct Probe {
    std::size_t reader = 0;          ///< the statement at whose time the values are used
    Domain when;                     ///< its instances
    std::vector<Expr> reads;         ///< over its loops
    const Node* anchor = nullptr;    ///< the place where they would be read: right in front of this node …
    bool after = false;              ///< … or right behind it
    Forms earlier;                   ///< loops around the anchor as forms in the reader's symbols; left out: of the same value
};

/// Statements that access memory of these arrays, through views and aliases too; `writers`: only those that may write it.
std::vector<std::size_t> statements_touching(const KernelData& kernel, const std::set<Name>& arrays, bool writers);

/// Nothing when no value changes; otherwise what is in the way, in words.
std::optional<std::string> changed_between(const Kernel& kernel, const std::vector<Probe>& probes);
/// Refuses (User, "illegal-order") with `message`, the witness as a note, and `hint`.
void require_unchanged(const Kernel& kernel, const std::vector<Probe>& probes, const std::string& message,
                       const std::string& hint);

}  // namespace heddle
