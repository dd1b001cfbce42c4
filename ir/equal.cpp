// Are two kernels the same, up to the names of nothing and the way sets are written?
#include <algorithm>
#include <cstring>

#include "ir/error.h"
#include "ir/infer.h"
#include "ir/poly.h"
#include "ir/print.h"
#include "ir/print/parts.h"

namespace heddle {
namespace {

template <class T, class Same>
bool all_same(const std::vector<T>& a, const std::vector<T>& b, Same same) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

/// Constraints in their normal form, sorted, each once; nothing when one of them never holds.
std::optional<Conjunct> tidy(const Conjunct& c) {
    Conjunct out;
    for (Constraint k : c) {
        Truth truth = normalise(k);
        if (truth == Truth::False) return std::nullopt;
        if (truth == Truth::Unknown) out.push_back(std::move(k));
    }
    auto before = [](const Constraint& x, const Constraint& y) {
        return x.equality != y.equality ? x.equality : x.form < y.form;
    };
    std::sort(out.begin(), out.end(), before);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

Domain tidy(const Domain& d) {
    Domain out = Domain::nothing();
    for (const auto& piece : d.pieces)
        if (auto c = tidy(piece)) out.pieces.push_back(std::move(*c));
    return out;
}

bool same_set(const Domain& a, const Domain& b) {
    if (a == b) return true;
    Domain x = tidy(a), y = tidy(b);
    return x == y || poly::is_equal(x, y);
}

/// By structure, or by what inference makes of both: names of integer lets have two forms.
bool same_value(const KernelData& ka, const Expr& a, const KernelData& kb, const Expr& b) {
    if (a.same(b)) return true;
    if (!a || !b) return false;
    try {
        return infer(ka, a, a.type()).same(infer(kb, b, b.type()));
    } catch (const Error&) {
        return false;
    }
}

bool same_index(const KernelData& ka, const Expr& a, const KernelData& kb, const Expr& b) {
    if (a.same(b)) return true;
    try {
        return infer_index(ka, a).same(infer_index(kb, b));
    } catch (const Error&) {
        return false;
    }
}

class Comparison {
public:
    Comparison(const KernelData& a, const KernelData& b) : a_(a), b_(b) {}

    bool run() const {
        auto same_name = [](const auto& x, const auto& y) { return x.name == y.name; };
        return a_.name == b_.name && all_same(a_.parameters, b_.parameters, same_name) &&
               a_.argument_order == b_.argument_order && a_.assertions == b_.assertions &&
               same_set(a_.assumptions, b_.assumptions) && same_arrays() &&
               all_same(a_.rules, b_.rules, [this](const RuleDef& x, const RuleDef& y) { return same_rule(x, y); }) &&
               same_functions() && same_nodes(a_.root.get(), b_.root.get());
    }

private:
    bool same_indices(const std::vector<Expr>& x, const std::vector<Expr>& y) const {
        return all_same(x, y, [this](const Expr& p, const Expr& q) { return same_index(a_, p, b_, q); });
    }
    bool same_values(const std::vector<Expr>& x, const std::vector<Expr>& y) const {
        return all_same(x, y, [this](const Expr& p, const Expr& q) { return same_value(a_, p, b_, q); });
    }

    /// Arguments in order, the others by name.
    bool same_arrays() const {
        if (a_.arrays.size() != b_.arrays.size()) return false;
        return std::all_of(a_.arrays.begin(), a_.arrays.end(), [this](const Array& x) {
            const Array* y = b_.find_array(x.name);
            return y != nullptr && same_array(x, *y);
        });
    }

    bool same_array(const Array& x, const Array& y) const {
        bool tables = x.table == y.table || (x.table && y.table && x.table->bytes == y.table->bytes);
        return x.type == y.type && x.role == y.role && same_indices(x.shape, y.shape) && same_layout(x.layout, y.layout) &&
               x.space == y.space && x.may_alias == y.may_alias && x.is_let == y.is_let && x.view_of == y.view_of && tables;
    }

    bool same_layout(const Layout& x, const Layout& y) const {
        return x.order == y.order && x.padding == y.padding && same_indices(x.strides, y.strides) &&
               x.separate_axis == y.separate_axis;
    }

    static bool same_rule(const RuleDef& x, const RuleDef& y) {
        return x.name == y.name && x.parameters == y.parameters && untyped(x.body).same(untyped(y.body));
    }

    /// Operators and externs that both have must agree; a file may declare more than a kernel uses.
    bool same_functions() const {
        auto same_body = [](const Expr& x, const Expr& y) { return untyped(x).same(untyped(y)); };
        for (const auto& x : a_.operators) {
            const OperatorDef* y = b_.find_operator(x.name);
            if (y != nullptr && !(x.left == y->left && x.right == y->right && x.commutative == y->commutative &&
                                  all_same(x.results, y->results, same_body) && all_same(x.identity, y->identity, same_body)))
                return false;
        }
        return std::all_of(a_.externs.begin(), a_.externs.end(), [this](const ExternDef& x) {
            const ExternDef* y = b_.find_extern(x.name);
            return y == nullptr || (x.arguments == y->arguments && x.result == y->result);
        });
    }

    bool same_statement(const Statement& x, const Statement& y) const {
        auto same_place = [this](const Place& p, const Place& q) {
            return p.array == q.array && same_indices(p.subscripts, q.subscripts);
        };
        auto same_origin = [this](const auto& p, const auto& q) {
            return p.first == q.first && same_index(a_, p.second, b_, q.second);
        };
        return x.label == y.label && x.update == y.update && x.op == y.op && x.reassociate == y.reassociate &&
               x.atomic == y.atomic && all_same(x.places, y.places, same_place) && same_values(x.values, y.values) &&
               same_values(x.predicates, y.predicates) && all_same(x.origin, y.origin, same_origin) && same_call(x, y) &&
               same_set(x.domain, y.domain);
    }

    bool same_call(const Statement& x, const Statement& y) const {
        if (!x.call || !y.call) return x.call.has_value() == y.call.has_value();
        auto same_binding = [this](const auto& p, const auto& q) {
            return p.first == q.first && (p.second.same(q.second) || same_value(a_, p.second, b_, q.second));
        };
        return (x.call->callee == y.call->callee || equal(*x.call->callee, *y.call->callee)) &&
               all_same(x.call->bindings, y.call->bindings, same_binding);
    }

    /// Does any statement stand under the node?
    static bool is_used(const Node& n) {
        return n.kind == Node::Kind::Leaf ||
               std::any_of(n.children.begin(), n.children.end(), [](const NodePtr& c) { return is_used(*c); });
    }

    /// What counts below a node: blocks that declare nothing are opened, what holds no statement is left out.
    static void collect(const Node& n, std::vector<const Node*>& out) {
        for (const auto& child : n.children) {
            bool transparent = child->kind == Node::Kind::Block && child->temporaries.empty();
            if (transparent)
                collect(*child, out);
            else if (is_used(*child))
                out.push_back(child.get());
        }
    }

    bool same_nodes(const Node* x, const Node* y) const {
        if (x == nullptr || y == nullptr) return x == y;
        if (x->kind != y->kind) return false;
        if (x->kind == Node::Kind::Leaf) return same_statement(*a_.statements[x->statement], *b_.statements[y->statement]);
        auto sorted = [](std::vector<Name> names) {
            std::sort(names.begin(), names.end());
            return names;
        };
        if (x->loop != y->loop || x->descending != y->descending || x->separate != y->separate || !(x->tag == y->tag) ||
            sorted(x->temporaries) != sorted(y->temporaries))
            return false;
        std::vector<const Node*> below, others;
        collect(*x, below);
        collect(*y, others);
        return all_same(below, others, [this](const Node* p, const Node* q) { return same_nodes(p, q); });
    }

    const KernelData &a_, &b_;
};

}  // namespace

bool equal(const KernelData& a, const KernelData& b) { return &a == &b || Comparison(a, b).run(); }

}  // namespace heddle
