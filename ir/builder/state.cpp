#include "ir/builder/state.h"

#include <fmt/core.h>

#include <algorithm>

#include "ir/check.h"
#include "ir/check/names.h"
#include "ir/infer.h"
#include "ir/parse/formula.h"
#include "ir/tree.h"

namespace heddle::build {

Name State::fresh(Name wanted) {
    Name name = wanted;
    for (std::size_t& k = next_number[wanted]; names.count(name);) name = Name(fmt::format("{}_{}", wanted.str(), ++k));
    return name;
}

void State::claim(Name name, const Loc& loc) {
    if (name.empty()) throw user_error("name", "this needs a name", loc);
    if (!names.insert(name).second) throw user_error("name", fmt::format("'{}' is already in use", name.str()), loc);
}

Name State::fresh_label(Name wanted) {
    Name label = wanted;
    for (std::size_t& k = next_number[wanted]; !labels.insert(label).second;)
        label = Name(fmt::format("{}_{}", wanted.str(), ++k));
    return label;
}

void State::declare(heddle::Array array) {
    names.insert(array.name);
    body->temporaries.push_back(array.name);
    kernel.arrays.push_back(std::move(array));
}

namespace {

/// An update that reads what it updates is no reduction: it becomes an assignment.
void spell_out(const KernelData& kernel, Statement& s) {
    if (s.update == Update::Assign || s.places.size() != 1) return;
    Name memory = memory_of(kernel, s.places[0].array);
    std::vector<Expr> used = s.places[0].subscripts;
    used.push_back(s.values[0]);
    bool own = std::any_of(used.begin(), used.end(), [&](const Expr& e) {
        auto reads = arrays_read(kernel, e);
        return std::any_of(reads.begin(), reads.end(), [&](Name r) { return memory_of(kernel, r) == memory; });
    });
    if (!own) return;
    Expr old = read(s.places[0].array, s.places[0].subscripts, DType::Untyped, s.loc);
    bool minus = s.update == Update::Add && s.values[0].op() == Op::Neg;
    s.values[0] = minus ? make(Op::Sub, DType::Untyped, {old, s.values[0].arg(0)}, {}, s.loc)
                        : make(operation_of(s.update), DType::Untyped, {old, s.values[0]}, {}, s.loc);
    s.update = Update::Assign;
}

}  // namespace

void State::emit(Statement s) {
    if (pending.label.empty()) {
        do s.label = Name(fmt::format("S{}", next_label++));
        while (!labels.insert(s.label).second);
    } else {
        s.label = pending.label;
    }
    s.reassociate = pending.reassociate;
    s.atomic = pending.atomic;
    pending = {};
    append(std::move(s));
}

void State::append(Statement s) {
    s.domain = domain;
    s.predicates = predicates;
    placed(s.loc, [&] {
        spell_out(kernel, s);
        s = infer(kernel, s);
    });
    body->children.push_back(make_leaf(statements.size(), s.loc));
    statements.push_back(std::move(s));
}

std::optional<Domain> State::formula(const Expr& condition, Expr* obstacle) const {
    auto is_symbol = [this](Name name) {
        const heddle::Array* a = kernel.find_array(name);
        return a == nullptr || (a->is_let && is_integer(a->type));
    };
    const std::vector<Domain> none;
    FormulaReader reader(is_symbol, none);
    auto out = reader.domain(condition);
    if (obstacle != nullptr) *obstacle = reader.obstacle();
    return out;
}

void State::narrow(const Domain& d) {
    domain = intersect(domain, d);
    tidy_pieces(domain);
}

void State::open(const Range& r) {
    bool clash = kernel.find_array(r.name) != nullptr || kernel.is_parameter(r.name) || kernel.find_rule(r.name) != nullptr;
    if (clash || std::find(loops.begin(), loops.end(), r.name) != loops.end())
        throw user_error("name", fmt::format("a loop cannot be called '{}' here: the name is in use", r.name.str()), r.loc);
    names.insert(r.name);
    loops.push_back(r.name);
    Expr i = variable(r.name, r.loc),
         whole = make(Op::And, DType::Bool,
                      {make(Op::Le, DType::Bool, {r.low, i}, {}, r.loc), make(Op::Lt, DType::Bool, {i, r.high}, {}, r.loc)});
    if (r.stride != 1) {
        Expr distance = make(Op::Sub, index_type, {i, r.low}, {}, r.loc);
        Expr rest = make(Op::Mod, index_type, {distance, int_literal(r.stride)}, {}, r.loc);
        whole = make(Op::And, DType::Bool, {whole, make(Op::Eq, DType::Bool, {rest, int_literal(0)}, {}, r.loc)});
    }
    Expr obstacle;
    auto d = placed(r.loc, [&] { return formula(whole, &obstacle); });
    if (!d) {
        bool data = obstacle.op() == Op::Read;
        throw user_error("formula",
                         fmt::format("the bounds of loop '{}' must be quasi-affine in loops, sizes and integer lets, but {}",
                                     r.name.str(), data ? "'" + obstacle.name().str() + "' is data" : "a part is not"),
                         r.loc)
            .hint(data ? "read it before: auto lo = k.let_index(\"lo\", …)"
                       : "allowed are + - *, floor_div and % by constants, min and max");
    }
    narrow(*d);
}

namespace {

LoopTag tag_of(const Range& r) {
    LoopTag tag;
    tag.kind = LoopTag::Kind(r.run);
    tag.dynamic = r.dynamic;
    tag.chunk = r.chunk;
    tag.collapse = r.collapsed;
    tag.threshold = r.threshold;
    tag.axis = r.axis;
    return tag;
}

void number_leaves(const NodePtr& node, std::vector<std::size_t>& order, NodePtr& out) {
    if (node->kind == Node::Kind::Leaf) {
        out = make_leaf(order.size(), node->loc);
        order.push_back(node->statement);
        return;
    }
    std::vector<NodePtr> children(node->children.size());
    for (std::size_t k = 0; k < children.size(); ++k) number_leaves(node->children[k], order, children[k]);
    out = make_loop(*node, std::move(children));
}

}  // namespace

void State::close(const std::vector<Range>& ranges, Body inner) {
    if (inner.children.empty()) return;
    std::vector<NodePtr> children = std::move(inner.children);
    std::vector<Name> temporaries = std::move(inner.temporaries);
    for (std::size_t k = ranges.size(); k-- > 0;) {
        auto node = std::make_shared<Node>();
        node->kind = Node::Kind::Loop;
        node->loop = ranges[k].name;
        node->descending = ranges[k].descending;
        node->separate = ranges[k].separated;
        node->tag = tag_of(ranges[k]);
        node->loc = ranges[k].loc;
        node->children = std::move(children);
        node->temporaries = std::move(temporaries);
        temporaries.clear();
        children = {node};
    }
    body->children.push_back(children[0]);
}

KernelData State::finish() const {
    KernelData out = kernel;
    std::stable_partition(out.arrays.begin(), out.arrays.end(),
                          [](const heddle::Array& a) { return a.is_argument() && a.view_of.empty(); });
    out.index.reset();
    std::vector<std::size_t> order;
    number_leaves(make_block(root.children, root.temporaries), order, out.root);
    for (std::size_t s : order) out.statements.push_back(std::make_shared<const Statement>(statements[s]));
    check(out);
    return out;
}

}  // namespace heddle::build
