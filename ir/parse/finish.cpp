// From tokens to a checked kernel: the frame of the kernel reader.
#include <algorithm>

#include "ir/check.h"
#include "ir/parse/kernel.h"

namespace heddle {

KernelReader::KernelReader(Cursor& cursor, std::size_t end, const FileScope& file)
    : cursor_(cursor), file_(file), names_(cursor.tokens(), cursor.position(), end), exprs_(cursor, names_, kernel_) {}

std::shared_ptr<const KernelData> KernelReader::run() {
    for (const OperatorDef& op : file_.operators) {
        names_.declare(op.name, {Symbol::Kind::Operator, op.name, op.loc});
        kernel_.operators.push_back(op);
    }
    for (const ExternDef& def : file_.externs) {
        names_.declare(def.name, {Symbol::Kind::Extern, def.name, def.loc});
        kernel_.externs.push_back(def);
    }
    file_operators_ = kernel_.operators.size();
    file_externs_ = kernel_.externs.size();
    head();
    exprs_.on_reduction([this] { return reduction(); });
    exprs_.on_rule([this](Name rule) { check_rule(rule); });
    Body body;
    {
        const Restore<Body*> root(body_, &body);
        block();
    }
    auto root = std::make_shared<Node>();
    root->children = std::move(body.children);
    root->temporaries = std::move(body.temporaries);
    root->loc = kernel_.loc;
    kernel_.root = std::move(root);
    check_rules();
    number_statements();
    order_arrays();
    keep_used_definitions();
    check(kernel_);
    return std::make_shared<const KernelData>(std::move(kernel_));
}

namespace {

void leaves_in_order(const Node& node, std::vector<std::size_t>& out) {
    if (node.kind == Node::Kind::Leaf) out.push_back(node.statement);
    for (const NodePtr& child : node.children) leaves_in_order(*child, out);
}

void temporaries_in_order(const Node& node, std::vector<Name>& out) {
    out.insert(out.end(), node.temporaries.begin(), node.temporaries.end());
    for (const NodePtr& child : node.children) temporaries_in_order(*child, out);
}

}  // namespace

/// Statements take the order in which they stand in the tree: made ones were added after what they come before.
void KernelReader::number_statements() {
    std::vector<std::size_t> order;
    leaves_in_order(*kernel_.root, order);
    for (std::size_t k = 0; k < order.size(); ++k) {
        leaves_[order[k]]->statement = k;
        kernel_.statements.push_back(std::make_shared<const Statement>(std::move(statements_[order[k]])));
    }
}

/// Arguments, then tables and views, then temporaries in the order of the blocks that declare them; what an empty block
/// declared goes.
void KernelReader::order_arrays() {
    std::vector<Array> out, old = std::move(kernel_.arrays);
    std::unordered_map<Name, std::size_t> where;
    for (std::size_t k = 0; k < old.size(); ++k) where.emplace(old[k].name, k);
    std::vector<Name> temporaries;
    temporaries_in_order(*kernel_.root, temporaries);
    std::unordered_set<Name> declared(temporaries.begin(), temporaries.end());
    const auto gone = [&](const Array& a) { return a.role == Role::Temp && a.view_of.empty() && !declared.count(a.name); };
    for (const Array& a : old)
        if (a.is_argument() && a.view_of.empty()) out.push_back(a);
    for (const Array& a : old) {
        if (!a.view_of.empty() && gone(old[where.at(a.view_of)])) continue;
        if (a.role == Role::Table || !a.view_of.empty()) out.push_back(a);
    }
    for (const Name t : temporaries) out.push_back(std::move(old[where.at(t)]));
    kernel_.arrays = std::move(out);
    kernel_.index.reset();
}

/// Of the file's operators and externs a kernel holds those it uses; its own stay all.
void KernelReader::keep_used_definitions() {
    std::unordered_set<Name> used;
    for (const auto& s : kernel_.statements)
        if (!s->op.empty()) used.insert(s->op);
    const auto filter = [](auto& list, std::size_t count, const std::unordered_set<Name>& keep) {
        const auto end = list.begin() + static_cast<std::ptrdiff_t>(count);
        list.erase(std::remove_if(list.begin(), end, [&](const auto& d) { return !keep.count(d.name); }), end);
    };
    filter(kernel_.operators, file_operators_, used);
    filter(kernel_.externs, file_externs_, exprs_.externs_called());
}

}  // namespace heddle
