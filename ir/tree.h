// Walking and rebuilding the loop tree, and the order it defines.
#pragma once

#include <functional>
#include <vector>

#include "ir/kernel_data.h"

namespace heddle {

NodePtr make_block(std::vector<NodePtr> children, std::vector<Name> temporaries = {});
NodePtr make_leaf(std::size_t statement, Loc loc = {});
NodePtr make_loop(const Node& like, std::vector<NodePtr> children);  ///< same loop, other children

/// Where a statement stands: the nodes from the root to its leaf, and at each the position of the next among its children.
struct Path {
    std::vector<const Node*> nodes;
    std::vector<std::size_t> positions;
    std::vector<const Node*> loops() const;  ///< outermost first
    std::vector<Name> loop_names() const;
};
/// The path of every statement, by statement index. One walk.
std::vector<Path> paths_of(const KernelData& kernel);
/// Loops around statement `s`, outermost first.
std::vector<Name> loops_around(const KernelData& kernel, std::size_t statement);

/// Every node, parents first.
void walk(const NodePtr& root, const std::function<void(const NodePtr&)>& f);
/// Statement indices under a node, in order.
std::vector<std::size_t> statements_under(const NodePtr& node);
/// Rebuilds bottom-up; `f` gets a node with new children and returns its replacement, or null to drop it.
NodePtr rebuild(const NodePtr& root, const std::function<NodePtr(const NodePtr&)>& f);

/// The loops whose iterations have their own instance of a temporary: those around the block that declares it, outermost first.
/// Arguments, tables and temporaries declared at the root have none.
std::map<Name, std::vector<Name>> scope_loops(const KernelData& kernel);

/// Symbols a statement's expressions and domain may use, with a Loc-free reason for messages: its loops, the parameters, lets
/// in scope.
std::set<Name> names_in_use(const KernelData& kernel);
/// `base`, or base_1, base_2, … : the first that the kernel does not use for anything.
Name fresh_name(const std::set<Name>& used, const std::string& base);

}  // namespace heddle
