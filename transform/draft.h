// A kernel that a step on storage or expressions rewrites: statements change, come and go, temporaries are declared, the loop
// tree gets and loses nodes. Loops that stay keep their nodes' places, so statements that are not touched keep their order.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/error.h"
#include "ir/kernel.h"
#include "ir/kernel_data.h"
#include "ir/tree.h"
#include "transform/row.h"

namespace heddle {

class Draft {
public:
    explicit Draft(const Kernel& kernel);

    const KernelData& old() const { return *old_; }
    const Statement& statement(std::size_t index) const { return *data.statements[index]; }

    /// A name that nothing in the kernel has: `base`, base_1, …; it counts as used from now on.
    Name fresh(const std::string& base);
    /// `wanted`, which nothing may have yet (Error "name"), or a fresh one when it is empty.
    Name claim(Name wanted, const std::string& base);

    /// A statement more; it needs a leaf. Its label must come from `fresh`.
    NodePtr add(Statement s);
    void set(std::size_t index, Statement s);
    /// Its leaf goes, and loops and blocks that hold nothing else.
    void drop(std::size_t index);

    /// Puts a subtree in front of, behind, or in place of a node of the old tree (not the root).
    void before(const Node* node, NodePtr subtree);
    void after(const Node* node, NodePtr subtree);
    void replace(const Node* node, NodePtr subtree);
    /// A temporary of the block or loop `node`.
    void declare(const Node* node, Array temporary);
    /// The declaration moves to another block or loop.
    void redeclare(const Node* node, Name temporary);
    /// The declaration stays where it is, under another name.
    void rename_declared(Name from, Name to);
    void remove_array(Name name);

    /// The new kernel: touched statements typed again, invariants checked, and loops that run concurrently and hold a touched
    /// statement asked again whether they may. Errors (User): "type", "invalid", "race".
    Kernel finish();
    /// The same without any check or typing: a kernel to ask questions about.
    KernelData unchecked();

    KernelData data;  ///< arrays, rules and the rest; statements and tree change through the functions above

private:
    NodePtr build(const NodePtr& node) const;
    std::vector<NodePtr> build_children(const Node& node) const;
    void compact(NodePtr& root);
    void assemble();
    void check_tags(const KernelData& now) const;

    std::shared_ptr<const KernelData> old_;
    std::set<Name> used_;
    std::set<std::size_t> touched_, dropped_;
    std::set<Name> undeclared_;
    std::map<Name, Name> renamed_;
    std::unordered_map<const Node*, std::vector<NodePtr>> before_, after_;
    std::unordered_map<const Node*, NodePtr> replaced_;
    std::unordered_map<const Node*, std::vector<Name>> declared_;
};

/// A plain loop around some nodes.
NodePtr new_loop(Name name, std::vector<NodePtr> children);
/// Plain loops, outermost first, around some nodes.
NodePtr nest(const std::vector<Name>& loops, std::vector<NodePtr> children);

/// The nodes of the loops that a reference names, in written order; never none (Error "name").
std::vector<NodePtr> loops_named(const KernelData& kernel, const LoopRef& ref);
/// The index of the statement of that label (Error "name").
std::size_t statement_named(const KernelData& kernel, Name label);
/// The index of every statement by its label.
std::map<Name, std::size_t> by_label(const KernelData& kernel);
/// An array of that name (Error "name").
const Array& array_named(const KernelData& kernel, Name name);
/// A temporary of that name; other arrays are refused: `why` ends the sentence.
const Array& temporary_named(const KernelData& kernel, Name name, const std::string& why);
/// "a, b, c" of the first few.
std::string listed(const std::vector<Name>& names);

}  // namespace heddle
