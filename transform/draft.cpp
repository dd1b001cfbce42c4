#include "transform/draft.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/check.h"
#include "ir/depend.h"
#include "ir/infer.h"
#include "transform/edit.h"

namespace heddle {

Draft::Draft(const Kernel& kernel) : data(kernel.data()), old_(kernel.share()), used_(names_in_use(*old_)) {}

Name Draft::fresh(const std::string& base) {
    const Name name = fresh_name(used_, base);
    used_.insert(name);
    return name;
}

Name Draft::claim(Name wanted, const std::string& base) {
    if (wanted.empty()) return fresh(base);
    if (!used_.insert(wanted).second)
        throw user_error("name", fmt::format("the name '{}' is taken by something else in the kernel", wanted.str()))
            .hint(fmt::format("'{}' is free", fresh_name(used_, wanted.str()).str()));
    return wanted;
}

NodePtr Draft::add(Statement s) {
    const std::size_t index = data.statements.size();
    NodePtr leaf = make_leaf(index, s.loc);
    touched_.insert(index);
    data.statements.push_back(std::make_shared<const Statement>(std::move(s)));
    return leaf;
}

void Draft::set(std::size_t index, Statement s) {
    touched_.insert(index);
    data.statements[index] = std::make_shared<const Statement>(std::move(s));
}

void Draft::drop(std::size_t index) { dropped_.insert(index); }
void Draft::before(const Node* node, NodePtr subtree) { before_[node].push_back(std::move(subtree)); }
void Draft::after(const Node* node, NodePtr subtree) { after_[node].push_back(std::move(subtree)); }
void Draft::replace(const Node* node, NodePtr subtree) { replaced_[node] = std::move(subtree); }

void Draft::declare(const Node* node, Array temporary) {
    used_.insert(temporary.name);
    declared_[node].push_back(temporary.name);
    data.arrays.push_back(std::move(temporary));
    data.index.reset();
}

void Draft::redeclare(const Node* node, Name temporary) {
    undeclared_.insert(temporary);
    declared_[node].push_back(temporary);
}

void Draft::rename_declared(Name from, Name to) { renamed_[from] = to; }

void Draft::remove_array(Name name) {
    std::erase_if(data.arrays, [&](const Array& a) { return a.name == name; });
    data.index.reset();
    undeclared_.insert(name);
}

std::vector<NodePtr> Draft::build_children(const Node& node) const {
    std::vector<NodePtr> out;
    const auto append = [&](const auto& inserted, const Node* at) {
        const auto it = inserted.find(at);
        if (it != inserted.end()) out.insert(out.end(), it->second.begin(), it->second.end());
    };
    for (const NodePtr& child : node.children) {
        append(before_, child.get());
        if (NodePtr next = build(child)) out.push_back(std::move(next));
        append(after_, child.get());
    }
    return out;
}

NodePtr Draft::build(const NodePtr& node) const {
    const auto replaced = replaced_.find(node.get());
    if (replaced != replaced_.end()) return replaced->second;
    if (node->kind == Node::Kind::Leaf) return dropped_.count(node->statement) ? nullptr : node;
    std::vector<NodePtr> children = build_children(*node);
    if (children.empty() && node != old_->root) return nullptr;
    std::vector<Name> temporaries = node->temporaries;
    std::erase_if(temporaries, [&](Name t) { return undeclared_.count(t) != 0; });
    for (Name& t : temporaries)
        if (const auto it = renamed_.find(t); it != renamed_.end()) t = it->second;
    const auto declared = declared_.find(node.get());
    if (declared != declared_.end()) temporaries.insert(temporaries.end(), declared->second.begin(), declared->second.end());
    if (children == node->children && temporaries == node->temporaries) return node;
    auto out = std::make_shared<Node>(*node);
    out->children = std::move(children);
    out->temporaries = std::move(temporaries);
    return out;
}

/// Statements in the order of their leaves, without those that have none.
void Draft::compact(NodePtr& root) {
    std::vector<std::shared_ptr<const Statement>> statements;
    std::set<std::size_t> touched;
    root = rebuild(root, [&](const NodePtr& n) -> NodePtr {
        if (n->kind != Node::Kind::Leaf) return n;
        if (touched_.count(n->statement)) touched.insert(statements.size());
        statements.push_back(data.statements[n->statement]);
        return n->statement == statements.size() - 1 ? n : make_leaf(statements.size() - 1, n->loc);
    });
    data.statements = std::move(statements);
    touched_ = std::move(touched);
}

void Draft::assemble() {
    data.root = build(old_->root);
    compact(data.root);
}

KernelData Draft::unchecked() {
    assemble();
    return std::move(data);
}

void Draft::check_tags(const KernelData& now) const {
    LoopQuestions questions(now);
    walk(now.root, [&](const NodePtr& n) {
        if (n->kind != Node::Kind::Loop) return;
        if (!n->tag.is_concurrent()) return;
        const std::vector<std::size_t> under = statements_under(n);
        if (std::any_of(under.begin(), under.end(), [&](std::size_t s) { return touched_.count(s) != 0; }))
            require_concurrent(now, questions, n);
    });
}

Kernel Draft::finish() {
    assemble();
    for (std::size_t k : touched_)
        data.statements[k] = std::make_shared<const Statement>(infer(data, *data.statements[k]));
    auto now = std::make_shared<const KernelData>(std::move(data));
    check(*now);
    check_tags(*now);
    return Kernel(std::move(now));
}

NodePtr new_loop(Name name, std::vector<NodePtr> children) {
    auto out = std::make_shared<Node>();
    out->kind = Node::Kind::Loop;
    out->loop = name;
    out->children = std::move(children);
    return out;
}

NodePtr nest(const std::vector<Name>& loops, std::vector<NodePtr> children) {
    for (std::size_t k = loops.size(); k-- > 0;) children = {new_loop(loops[k], std::move(children))};
    return children.size() == 1 ? children[0] : make_block(std::move(children));
}

std::string listed(const std::vector<Name>& names) {
    constexpr std::size_t most = 12;
    std::string out;
    for (std::size_t k = 0; k < names.size() && k < most; ++k) out += (k ? ", " : "") + names[k].str();
    return names.size() > most ? out + ", …" : out;
}

namespace {

[[noreturn]] void no_such_loop(const KernelData& kernel, const LoopRef& ref) {
    std::set<Name> names;
    walk(kernel.root, [&](const NodePtr& n) {
        if (n->kind == Node::Kind::Loop) names.insert(n->loop);
    });
    const std::string where = ref.statement.empty() ? "" : " around statement '" + ref.statement.str() + "'";
    throw user_error("name", fmt::format("there is no loop '{}'{}", ref.loop.str(), where))
        .hint("loops: " + listed({names.begin(), names.end()}));
}

}  // namespace

std::vector<NodePtr> loops_named(const KernelData& kernel, const LoopRef& ref) {
    std::vector<NodePtr> out;
    const auto only = ref.statement.empty() ? std::nullopt : std::optional(statement_named(kernel, ref.statement));
    walk(kernel.root, [&](const NodePtr& n) {
        if (n->kind != Node::Kind::Loop || n->loop != ref.loop) return;
        if (only) {
            const std::vector<std::size_t> under = statements_under(n);
            if (std::find(under.begin(), under.end(), *only) == under.end()) return;
        }
        out.push_back(n);
    });
    if (out.empty()) no_such_loop(kernel, ref);
    return out;
}

std::size_t statement_named(const KernelData& kernel, Name label) {
    std::vector<Name> labels;
    for (std::size_t k = 0; k < kernel.statements.size(); ++k) {
        if (kernel.statements[k]->label == label) return k;
        labels.push_back(kernel.statements[k]->label);
    }
    throw user_error("name", fmt::format("there is no statement '{}'", label.str())).hint("statements: " + listed(labels));
}

std::map<Name, std::size_t> by_label(const KernelData& kernel) {
    std::map<Name, std::size_t> out;
    for (std::size_t k = 0; k < kernel.statements.size(); ++k) out[kernel.statements[k]->label] = k;
    return out;
}

const Array& array_named(const KernelData& kernel, Name name) {
    if (const Array* a = kernel.find_array(name)) return *a;
    std::vector<Name> names;
    for (const Array& a : kernel.arrays) names.push_back(a.name);
    throw user_error("name", fmt::format("there is no array or temporary '{}'", name.str())).hint("arrays: " + listed(names));
}

const Array& temporary_named(const KernelData& kernel, Name name, const std::string& why) {
    const Array& a = array_named(kernel, name);
    if (a.role == Role::Temp) return a;
    const char* what = a.role == Role::Table ? "a constant table" : "an argument";
    throw user_error("role", fmt::format("'{}' is {}, {}", name.str(), what, why), a.loc);
}

}  // namespace heddle
