// A temporary, where it is declared, and everything that uses it.
#pragma once

#include <functional>

#include "transform/draft.h"
#include "transform/box.h"
#include "transform/occurrence.h"

namespace heddle {

struct Declared {
    const Array* array = nullptr;
    Path path;                       ///< from the root to the block or loop that declares it
    std::vector<std::size_t> users;  ///< statements that mention it, through rules or in the bounds of their loops too
};
/// Errors (User): "name", "role" (not a temporary), "scope" (it has views or is one, or is passed to a kernel call).
Declared declared(const KernelData& kernel, Name temporary, const std::string& verb);
/// Refuses a temporary that stands in the bounds of loops.
void refuse_in_bounds(const KernelData& kernel, const Declared& d);

/// Loops outside a node, integer scalars, and lets that are written before it.
std::set<Name> fixed_outside(const KernelData& kernel, const Node* node);
const Node* parent_of(const KernelData& kernel, const Node* node);

/// New subscripts for every access; rules in between are opened, and those that mention the temporary go.
using NewSubscripts = std::function<std::vector<Expr>(const std::vector<Expr>& subscripts, const Statement& s)>;
void rewrite_accesses(Draft& draft, const Declared& d, const NewSubscripts& f);
/// The array of that name becomes this one.
void replace_array(Draft& draft, const Array& array);

/// Another name for an array wherever statements and rules use it; its declaration stays as it is.
void rename_uses(Draft& draft, Name from, Name to);

/// The nodes from the root to `node`, both included.
std::vector<const Node*> way_to(const KernelData& kernel, const Node* node);

}  // namespace heddle
