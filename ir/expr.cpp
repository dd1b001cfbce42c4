#include "ir/expr.h"

#include <bit>
#include <unordered_map>
#include <unordered_set>

namespace heddle {
namespace {

std::size_t mix(std::size_t seed, std::size_t value) { return (seed ^ value) * 0x9E3779B97F4A7C15ULL + (seed >> 7); }

std::size_t hash_of(const ExprNode& n) {
    std::size_t h = mix(static_cast<std::size_t>(n.op) * 131 + static_cast<std::size_t>(n.type), n.name.hash());
    h = mix(h, static_cast<std::size_t>(n.integer));
    h = mix(h, std::bit_cast<std::size_t>(n.real));
    for (const Expr& a : n.args) h = mix(h, a.hash());
    return h;
}

Expr finish(ExprNode node) {
    node.hash = hash_of(node);
    return Expr(std::shared_ptr<const ExprNode>(new ExprNode(std::move(node)), [](const ExprNode* n) {
        // Long chains must not be freed by recursion: children that die with their parent are moved to a list first.
        thread_local std::vector<Expr>* dying = nullptr;
        std::vector<Expr> own;
        const bool outermost = dying == nullptr;
        if (outermost) dying = &own;
        auto* node = const_cast<ExprNode*>(n);
        for (Expr& a : node->args) dying->push_back(std::move(a));
        delete node;
        if (!outermost) return;
        while (!own.empty()) {
            Expr last = std::move(own.back());
            own.pop_back();
        }
        dying = nullptr;
    }));
}

bool same_head(const ExprNode& a, const ExprNode& b) {
    return a.hash == b.hash && a.op == b.op && a.type == b.type && a.name == b.name && a.integer == b.integer &&
           std::bit_cast<std::uint64_t>(a.real) == std::bit_cast<std::uint64_t>(b.real) && a.args.size() == b.args.size();
}

bool identical(const std::vector<Expr>& a, const std::vector<Expr>& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t k = 0; k < a.size(); ++k)
        if (a[k].node() != b[k].node()) return false;
    return true;
}

}  // namespace

bool Expr::same(const Expr& other) const {
    std::vector<std::pair<const ExprNode*, const ExprNode*>> todo{{node(), other.node()}};
    while (!todo.empty()) {
        const auto [a, b] = todo.back();
        todo.pop_back();
        if (a == b) continue;
        if (!a || !b || !same_head(*a, *b)) return false;
        for (std::size_t k = 0; k < a->args.size(); ++k) todo.emplace_back(a->args[k].node(), b->args[k].node());
    }
    return true;
}

Expr make(Op op, DType type, std::vector<Expr> args, Name name, Loc loc) {
    ExprNode node;
    node.op = op;
    node.type = type;
    node.args = std::move(args);
    node.name = name;
    node.loc = std::move(loc);
    return finish(std::move(node));
}

Expr int_literal(std::int64_t value, DType type, Loc loc) {
    ExprNode node{Op::Int, type, {}, {}, value, 0, std::move(loc), 0};
    return finish(std::move(node));
}

Expr float_literal(double value, DType type, Loc loc) {
    ExprNode node{Op::Float, type, {}, {}, 0, value, std::move(loc), 0};
    return finish(std::move(node));
}

Expr bool_literal(bool value, Loc loc) {
    ExprNode node{Op::Bool, DType::Bool, {}, {}, value ? 1 : 0, 0, std::move(loc), 0};
    return finish(std::move(node));
}

Expr variable(Name name, Loc loc) { return make(Op::Var, index_type, {}, name, std::move(loc)); }

Expr read(Name array, std::vector<Expr> subscripts, DType type, Loc loc) {
    return make(Op::Read, type, std::move(subscripts), array, std::move(loc));
}

Expr with_args(const Expr& e, std::vector<Expr> args) {
    if (identical(e.args(), args)) return e;
    ExprNode node = *e.node();
    node.args = std::move(args);
    return finish(std::move(node));
}

Expr with_type(const Expr& e, DType type) {
    if (e.type() == type) return e;
    ExprNode node = *e.node();
    node.type = type;
    return finish(std::move(node));
}

void visit(const Expr& e, const std::function<void(const Expr&)>& f) {
    if (e.args().empty()) return f(e);
    std::unordered_set<const ExprNode*> seen;
    std::vector<std::pair<const Expr*, std::size_t>> stack{{&e, 0}};
    while (!stack.empty()) {
        auto& [at, next] = stack.back();
        if (next < at->args().size()) {
            const Expr* child = &at->arg(next++);
            if (!seen.count(child->node())) stack.emplace_back(child, 0);
            continue;
        }
        const Expr* done = at;
        stack.pop_back();
        if (seen.insert(done->node()).second) f(*done);
    }
}

Expr rewrite(const Expr& e, const std::function<Expr(const Expr&)>& f) {
    if (e.args().empty()) return f(e);
    std::unordered_map<const ExprNode*, Expr> results;
    visit(e, [&](const Expr& node) {
        std::vector<Expr> args;
        args.reserve(node.args().size());
        for (const Expr& a : node.args()) args.push_back(results.at(a.node()));
        results.emplace(node.node(), f(with_args(node, std::move(args))));
    });
    return results.at(e.node());
}

Expr substitute(const Expr& e, const Substitution& map) {
    if (map.empty()) return e;
    return rewrite(e, [&](const Expr& node) -> Expr {
        const bool symbol = node.op() == Op::Var || (node.op() == Op::Read && node.args().empty());
        if (!symbol) return node;
        for (const auto& [name, value] : map)
            if (name == node.name()) return value;
        return node;
    });
}

bool mentions(const Expr& e, Name name) {
    bool found = false;
    visit(e, [&](const Expr& node) {
        if ((node.op() == Op::Var || node.op() == Op::Read) && node.name() == name) found = true;
    });
    return found;
}

}  // namespace heddle
