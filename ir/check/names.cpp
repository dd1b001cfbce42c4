#include "ir/check/names.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_set>

namespace heddle {

Error broken_invariant(int number, const std::string& what, const Loc& loc) {
    return user_error("invalid", fmt::format("invariant {}: {}", number, what), loc);
}

Name memory_of(const KernelData& kernel, Name array) {
    const Array* a = kernel.find_array(array);
    for (std::size_t steps = 0; a != nullptr && !a->view_of.empty() && steps < kernel.arrays.size(); ++steps) {
        array = a->view_of;
        a = kernel.find_array(array);
    }
    return array;
}

std::vector<Name> arrays_read(const KernelData& kernel, const Expr& e) {
    std::vector<Name> out;
    std::unordered_set<Name> seen;
    std::vector<Expr> todo{e};
    while (!todo.empty()) {
        Expr next = todo.back();
        todo.pop_back();
        visit(next, [&](const Expr& x) {
            bool fresh = (x.op() == Op::Read || x.op() == Op::Rule) && seen.insert(x.name()).second;
            if (!fresh) return;
            if (x.op() == Op::Read) return out.push_back(x.name());
            if (const RuleDef* rule = kernel.find_rule(x.name())) todo.push_back(rule->body);
        });
    }
    return out;
}

namespace {

void check_rule(const KernelData& kernel, const RuleDef& rule) {
    if (!rule.body) throw broken_invariant(4, fmt::format("rule {} has no body", rule.name.str()), rule.loc);
    visit(rule.body, [&](const Expr& e) {
        if (e.op() != Op::Var && e.op() != Op::Read && e.op() != Op::Rule) return;
        bool own = std::find(rule.parameters.begin(), rule.parameters.end(), e.name()) != rule.parameters.end();
        const Array* array = kernel.find_array(e.name());
        bool known = e.op() == Op::Rule   ? kernel.find_rule(e.name()) != nullptr
                     : e.op() == Op::Read ? array != nullptr && array->shape.size() == e.args().size()
                                          : own || array != nullptr || kernel.is_parameter(e.name());
        if (!known)
            throw broken_invariant(
                4,
                fmt::format("rule {} uses {}, which is none of its parameters and no name of the kernel that fits there",
                            rule.name.str(), e.name().str()),
                e.loc() ? e.loc() : rule.loc);
    });
}

/// May stand in a shape or in `where`: index parameters only.
void check_parametric(const KernelData& kernel, const std::string& what, Name used, const Loc& loc) {
    if (!kernel.is_parameter(used))
        throw broken_invariant(6, fmt::format("{} uses {}, which is no index parameter", what, used.str()), loc);
}

void check_shape(const KernelData& kernel, const Array& array) {
    for (const auto* list : {&array.shape, &array.layout.strides})
        for (const auto& entry : *list)
            visit(entry, [&](const Expr& e) {
                if (e.op() == Op::Var || e.op() == Op::Read)
                    check_parametric(kernel, "the shape of " + array.name.str(), e.name(), array.loc);
            });
}

std::size_t table_entries(const Array& array) {
    std::size_t count = 1;
    for (const auto& entry : array.shape) {
        auto extent = affine_of(entry);
        if (!extent || !extent->is_constant() || extent->constant < 0)
            throw broken_invariant(6, fmt::format("table {} has a shape that is not constant", array.name.str()), array.loc);
        count *= std::size_t(extent->constant);
    }
    return count;
}

void check_layout(const Array& array) {
    const Layout& l = array.layout;
    std::size_t rank = array.shape.size();
    std::vector<int> order = l.order;
    std::sort(order.begin(), order.end());
    bool permutation = order.empty() || order.size() == rank;
    for (std::size_t k = 0; k < order.size(); ++k) permutation = permutation && order[k] == int(k);
    bool padded = l.padding.empty() || l.padding.size() == rank;
    bool strided =
        l.strides.empty() || (l.strides.size() == rank && l.order.empty() && l.padding.empty() && l.separate_axis < 0);
    if (!permutation || !padded || !strided || l.separate_axis >= int(rank))
        throw broken_invariant(6, fmt::format("the layout of {} does not fit its {} dimensions", array.name.str(), rank),
                               array.loc);
}

void check_call_interface(const KernelData& kernel) {
    std::unordered_set<Name> listed(kernel.argument_order.begin(), kernel.argument_order.end());
    std::size_t expected = kernel.parameters.size();
    bool complete = listed.size() == kernel.argument_order.size();
    for (const auto& p : kernel.parameters) complete = complete && listed.count(p.name);
    for (const auto& a : kernel.arrays) {
        if (!a.is_argument() || !a.view_of.empty()) continue;
        ++expected;
        complete = complete && listed.count(a.name);
    }
    if (!complete || listed.size() != expected)
        throw broken_invariant(
            1, fmt::format("the arguments of {} are not listed once each in its call interface", kernel.name.str()),
            kernel.loc);
}

}  // namespace

void check_names(const KernelData& kernel) {
    std::unordered_set<Name> names;
    auto add = [&](Name name, const Loc& loc) {
        if (name.empty()) throw broken_invariant(1, "something has an empty name", loc);
        if (!names.insert(name).second) throw broken_invariant(1, fmt::format("two things are called {}", name.str()), loc);
    };
    for (const auto& p : kernel.parameters) add(p.name, p.loc);
    for (const auto& a : kernel.arrays) add(a.name, a.loc);
    for (const auto& r : kernel.rules) add(r.name, r.loc);
    for (const auto& o : kernel.operators) add(o.name, o.loc);
    for (const auto& e : kernel.externs) add(e.name, e.loc);
    std::unordered_set<Name> labels;
    for (const auto& s : kernel.statements) {
        if (s->label.empty()) throw broken_invariant(2, "a statement has no label", s->loc);
        if (!labels.insert(s->label).second)
            throw broken_invariant(2, fmt::format("two statements are labelled {}", s->label.str()), s->loc);
    }
    check_call_interface(kernel);
    for (const auto& r : kernel.rules) check_rule(kernel, r);
}

void check_arrays(const KernelData& kernel) {
    for (const auto& a : kernel.arrays) {
        check_shape(kernel, a);
        check_layout(a);
        if ((a.role == Role::Table) != (a.table != nullptr) && a.view_of.empty())
            throw broken_invariant(6, fmt::format("{} and the values of a constant table do not belong together", a.name.str()),
                                   a.loc);
        if (a.table != nullptr && a.table->bytes.size() != table_entries(a) * std::size_t(size_of(a.type)))
            throw broken_invariant(6,
                                   fmt::format("table {} has {} bytes of values instead of {}", a.name.str(),
                                               a.table->bytes.size(), table_entries(a) * std::size_t(size_of(a.type))),
                                   a.loc);
        if (!a.view_of.empty() && kernel.find_array(a.view_of) == nullptr)
            throw broken_invariant(6, fmt::format("{} is a view of {}, which does not exist", a.name.str(), a.view_of.str()),
                                   a.loc);
    }
    std::vector<Name> used;
    for (const auto& piece : kernel.assumptions.pieces)
        for (const auto& c : piece) c.form.symbols(used);
    for (Name name : used) check_parametric(kernel, "'where'", name, kernel.loc);
}

}  // namespace heddle
