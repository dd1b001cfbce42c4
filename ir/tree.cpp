#include "ir/tree.h"

#include <algorithm>

namespace heddle {

NodePtr make_block(std::vector<NodePtr> children, std::vector<Name> temporaries) {
    auto node = std::make_shared<Node>();
    node->kind = Node::Kind::Block;
    node->children = std::move(children);
    node->temporaries = std::move(temporaries);
    return node;
}

NodePtr make_leaf(std::size_t statement, Loc loc) {
    auto node = std::make_shared<Node>();
    node->kind = Node::Kind::Leaf;
    node->statement = statement;
    node->loc = std::move(loc);
    return node;
}

NodePtr make_loop(const Node& like, std::vector<NodePtr> children) {
    auto node = std::make_shared<Node>(like);
    node->children = std::move(children);
    return node;
}

std::vector<const Node*> Path::loops() const {
    std::vector<const Node*> out;
    for (const Node* n : nodes)
        if (n->kind == Node::Kind::Loop) out.push_back(n);
    return out;
}

std::vector<Name> Path::loop_names() const {
    std::vector<Name> out;
    for (const Node* n : nodes)
        if (n->kind == Node::Kind::Loop) out.push_back(n->loop);
    return out;
}

namespace {

void collect_paths(const Node* node, Path& prefix, std::vector<Path>& out) {
    prefix.nodes.push_back(node);
    if (node->kind == Node::Kind::Leaf) {
        if (node->statement < out.size()) out[node->statement] = prefix;
    }
    for (std::size_t k = 0; k < node->children.size(); ++k) {
        prefix.positions.push_back(k);
        collect_paths(node->children[k].get(), prefix, out);
        prefix.positions.pop_back();
    }
    prefix.nodes.pop_back();
}

bool find_leaf(const Node* node, std::size_t statement, std::vector<Name>& loops) {
    if (node->kind == Node::Kind::Leaf) return node->statement == statement;
    const bool loop = node->kind == Node::Kind::Loop;
    if (loop) loops.push_back(node->loop);
    for (const NodePtr& child : node->children)
        if (find_leaf(child.get(), statement, loops)) return true;
    if (loop) loops.pop_back();
    return false;
}

void collect_scopes(const Node* node, std::vector<Name>& loops, std::map<Name, std::vector<Name>>& out) {
    const bool loop = node->kind == Node::Kind::Loop;
    if (loop) loops.push_back(node->loop);
    for (Name t : node->temporaries) out[t] = loops;
    for (const NodePtr& child : node->children) collect_scopes(child.get(), loops, out);
    if (loop) loops.pop_back();
}

}  // namespace

std::vector<Path> paths_of(const KernelData& kernel) {
    std::vector<Path> out(kernel.statements.size());
    Path prefix;
    if (kernel.root) collect_paths(kernel.root.get(), prefix, out);
    return out;
}

std::vector<Name> loops_around(const KernelData& kernel, std::size_t statement) {
    std::vector<Name> loops;
    if (kernel.root) find_leaf(kernel.root.get(), statement, loops);
    return loops;
}

void walk(const NodePtr& root, const std::function<void(const NodePtr&)>& f) {
    f(root);
    for (const NodePtr& child : root->children) walk(child, f);
}

std::vector<std::size_t> statements_under(const NodePtr& node) {
    std::vector<std::size_t> out;
    walk(node, [&](const NodePtr& n) {
        if (n->kind == Node::Kind::Leaf) out.push_back(n->statement);
    });
    return out;
}

NodePtr rebuild(const NodePtr& root, const std::function<NodePtr(const NodePtr&)>& f) {
    if (root->children.empty()) return f(root);
    std::vector<NodePtr> children;
    children.reserve(root->children.size());
    bool changed = false;
    for (const NodePtr& child : root->children) {
        NodePtr next = rebuild(child, f);
        changed |= next != child;
        if (next) children.push_back(std::move(next));
    }
    return f(changed ? make_loop(*root, std::move(children)) : root);
}

std::map<Name, std::vector<Name>> scope_loops(const KernelData& kernel) {
    std::map<Name, std::vector<Name>> out;
    std::vector<Name> loops;
    if (kernel.root) collect_scopes(kernel.root.get(), loops, out);
    return out;
}

std::set<Name> names_in_use(const KernelData& kernel) {
    std::set<Name> used{kernel.name};
    for (const Parameter& p : kernel.parameters) used.insert(p.name);
    for (const Array& a : kernel.arrays) used.insert(a.name);
    for (const RuleDef& r : kernel.rules) used.insert(r.name);
    for (const OperatorDef& o : kernel.operators) used.insert(o.name);
    for (const ExternDef& e : kernel.externs) used.insert(e.name);
    for (const auto& s : kernel.statements) {
        used.insert(s->label);
        for (const auto& [name, value] : s->origin) used.insert(name);
    }
    if (kernel.root)
        walk(kernel.root, [&](const NodePtr& n) {
            if (n->kind == Node::Kind::Loop) used.insert(n->loop);
        });
    return used;
}

Name fresh_name(const std::set<Name>& used, const std::string& base) {
    if (!used.count(Name(base))) return Name(base);
    for (int k = 1;; ++k) {
        const Name candidate(base + "_" + std::to_string(k));
        if (!used.count(candidate)) return candidate;
    }
}

}  // namespace heddle
