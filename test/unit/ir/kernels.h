// Small kernels by hand, for tests that come before the parser.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "ir/kernel_data.h"
#include "ir/tree.h"

namespace heddle::test {

inline Expr v(const char* name) { return variable(name); }
inline Expr num(std::int64_t value) { return int_literal(value, index_type); }
inline Expr operator+(const Expr& a, const Expr& b) { return make(Op::Add, index_type, {a, b}); }
inline Expr operator-(const Expr& a, const Expr& b) { return make(Op::Sub, index_type, {a, b}); }
inline Expr operator*(const Expr& a, const Expr& b) { return make(Op::Mul, index_type, {a, b}); }
inline Expr operator+(const Expr& a, std::int64_t b) { return a + num(b); }
inline Expr operator-(const Expr& a, std::int64_t b) { return a - num(b); }
inline Affine s(const char* name) { return Affine::symbol(name); }

inline Constraint ge(const Affine& a, const Affine& b) { return at_least(a, b); }
inline Constraint lt(const Affine& a, const Affine& b) { return less(a, b); }
/// low <= name < end.
inline Domain range(const char* name, const Affine& low, const Affine& end) {
    return Domain{{{at_least(s(name), low), less(s(name), end)}}};
}
inline Domain operator&(const Domain& a, const Domain& b) { return intersect(a, b); }

/// A statement `label: array[subscripts] update values`.
inline Statement assign(const char* label, Domain domain, Place place, Expr value, Update update = Update::Assign) {
    Statement out;
    out.label = label;
    out.domain = std::move(domain);
    out.places = {std::move(place)};
    out.values = {std::move(value)};
    out.update = update;
    return out;
}

/// Builds a kernel step by step.
struct Maker {
    KernelData kernel;

    explicit Maker(std::vector<const char*> parameters = {}) {
        kernel.name = "k";
        for (const char* p : parameters) kernel.parameters.push_back({p, {}});
    }
    Maker& array(const char* name, std::vector<Expr> shape, Role role = Role::InOut, DType type = DType::F64) {
        Array a;
        a.name = name;
        a.shape = std::move(shape);
        a.role = role;
        a.type = type;
        kernel.arrays.push_back(std::move(a));
        return *this;
    }
    /// Adds a statement and gives its leaf.
    NodePtr leaf(Statement st) {
        kernel.statements.push_back(std::make_shared<Statement>(std::move(st)));
        return make_leaf(kernel.statements.size() - 1);
    }
    static NodePtr loop(const char* name, std::vector<NodePtr> children, std::vector<Name> temporaries = {},
                        bool descending = false) {
        auto node = std::make_shared<Node>();
        node->kind = Node::Kind::Loop;
        node->loop = name;
        node->children = std::move(children);
        node->temporaries = std::move(temporaries);
        node->descending = descending;
        return node;
    }
    KernelData done(std::vector<NodePtr> children, std::vector<Name> temporaries = {}) {
        kernel.root = make_block(std::move(children), std::move(temporaries));
        return kernel;
    }
};

}  // namespace heddle::test
