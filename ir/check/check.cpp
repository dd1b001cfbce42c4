#include "ir/check.h"

#include <fmt/core.h>

#include <unordered_map>
#include <unordered_set>

#include "ir/check/names.h"
#include "ir/error.h"
#include "ir/infer.h"

namespace heddle {
namespace {

const auto& broken = broken_invariant;

/// One walk over the loop tree with what is in scope at hand.
class TreeCheck {
public:
    explicit TreeCheck(const KernelData& kernel) : kernel_(kernel), seen_(kernel.statements.size(), false) {
        for (const auto& p : kernel.parameters) symbols_.insert(p.name);
        for (const auto& a : kernel.arrays)
            if (a.role != Role::Temp || !a.view_of.empty())
                storage_.insert(a.name);
            else
                temporaries_.insert(a.name);
    }

    void run() {
        if (kernel_.root == nullptr || kernel_.root->kind != Node::Kind::Block)
            throw broken(2, "the loop tree has no root block", kernel_.loc);
        node(*kernel_.root);
        for (std::size_t s = 0; s < seen_.size(); ++s)
            if (!seen_[s])
                throw broken(2, fmt::format("statement {} stands nowhere in the loop tree", label(s)),
                             kernel_.statements[s]->loc);
        for (const auto& a : kernel_.arrays)
            if (temporaries_.count(a.name) && !declared_.count(a.name) && used_.count(a.name))
                throw broken(5, fmt::format("temporary {} is declared in no block", a.name.str()), a.loc);
    }

private:
    std::string label(std::size_t s) const { return kernel_.statements[s]->label.str(); }

    void node(const Node& n) {
        if (n.kind == Node::Kind::Leaf) return leaf(n);
        bool loop = n.kind == Node::Kind::Loop;
        if (loop && !symbols_.insert(n.loop).second)
            throw broken(1, fmt::format("loop {} stands inside something else of that name", n.loop.str()), n.loc);
        if (loop && kernel_.find_array(n.loop) != nullptr)
            throw broken(1, fmt::format("a loop and an array are both called {}", n.loop.str()), n.loc);
        if (loop) check_tag(n);
        std::size_t outer_lets = lets_.size();
        for (Name t : n.temporaries) declare(t, n);
        for (const auto& child : n.children) node(*child);
        for (Name t : n.temporaries) storage_.erase(t);
        for (; lets_.size() > outer_lets; lets_.pop_back()) symbols_.erase(lets_.back());
        if (loop) symbols_.erase(n.loop);
    }

    void declare(Name t, const Node& n) {
        const Array* array = kernel_.find_array(t);
        if (array == nullptr)
            throw broken(5, fmt::format("a block declares {}, which is no array of the kernel", t.str()), n.loc);
        if (!declared_.insert(t).second)
            throw broken(5, fmt::format("temporary {} is declared in two blocks", t.str()), array->loc);
        storage_.insert(t);
    }

    void leaf(const Node& n) {
        if (n.statement >= seen_.size()) throw broken(2, "a leaf names no statement", n.loc);
        if (seen_[n.statement]) throw broken(2, fmt::format("statement {} stands in two places", label(n.statement)), n.loc);
        seen_[n.statement] = true;
        const Statement& s = *kernel_.statements[n.statement];
        check_domain(s);
        for (const auto& e : expressions_of(s)) check_expression(s, e);
        for (const auto& p : s.places) check_place(s, p);
        if (s.call) check_call(s);
        if (s.update != Update::Assign) check_update(s);
        for (const auto& p : s.places) {
            const Array* a = kernel_.find_array(p.array);
            if (a->is_let && is_integer(a->type) && symbols_.insert(a->name).second) lets_.push_back(a->name);
        }
    }

    void check_domain(const Statement& s) const {
        std::vector<Name> used;
        for (const auto& piece : s.domain.pieces)
            for (const auto& c : piece) c.form.symbols(used);
        for (Name name : used)
            if (!symbols_.count(name) && !is_scalar(name))
                throw broken(
                    3,
                    fmt::format("the domain of {} uses {}, which is no loop around it, parameter, or integer let before it",
                                s.label.str(), name.str()),
                    s.loc);
    }

    /// An integer argument passed by value may stand where a parameter may.
    bool is_scalar(Name name) const {
        const Array* a = kernel_.find_array(name);
        return a != nullptr && a->by_value() && is_integer(a->type);
    }

    static std::vector<Expr> expressions_of(const Statement& s) {
        std::vector<Expr> all = s.values;
        for (const auto& p : s.places) all.insert(all.end(), p.subscripts.begin(), p.subscripts.end());
        all.insert(all.end(), s.predicates.begin(), s.predicates.end());
        for (const auto& [loop, e] : s.origin) all.push_back(e);
        if (s.call)
            for (const auto& [formal, e] : s.call->bindings)
                if (e.op() != Op::Read || !e.args().empty()) all.push_back(e);
        return all;
    }

    void check_expression(const Statement& s, const Expr& root) {
        if (!root) throw broken(4, fmt::format("{} has an empty expression", s.label.str()), s.loc);
        bool rules = has_rule(root);
        visit(root, [&](const Expr& e) {
            if (e.op() == Op::Read) return check_read(s, e);
            if (e.op() == Op::Var && !symbols_.count(e.name()) && !is_scalar(e.name()))
                throw broken(4,
                             fmt::format("{} uses {}, which is no loop around it, parameter, or integer let before it",
                                         s.label.str(), e.name().str()),
                             e.loc());
            if (e.type() == DType::Untyped && !rules)
                throw broken(4, fmt::format("an expression of {} has no type", s.label.str()), e.loc() ? e.loc() : s.loc);
        });
    }

    /// Literal arguments of rules stay untyped.
    bool has_rule(const Expr& root) const {
        bool found = false;
        if (kernel_.rules.empty()) return found;
        visit(root, [&](const Expr& e) { found = found || e.op() == Op::Rule; });
        return found;
    }

    void check_read(const Statement& s, const Expr& e) {
        const Array* a = check_storage(s, e.name(), e.args().size(), e.loc());
        if (e.type() != a->type)
            throw broken(4, fmt::format("{} reads {} with another type", s.label.str(), a->name.str()), e.loc());
    }

    void check_place(const Statement& s, const Place& p) {
        const Array* a = check_storage(s, p.array, p.subscripts.size(), s.loc);
        for (; !a->view_of.empty(); a = kernel_.find_array(a->view_of))
            if (a->role == Role::In || a->role == Role::Table) break;
        if (a->role == Role::In || a->role == Role::Table)
            throw broken(4,
                         fmt::format("{} writes {}, which is {}", s.label.str(), p.array.str(),
                                     a->role == Role::In ? "an input" : "a constant table"),
                         s.loc);
    }

    /// Whole arrays that another kernel gets: they are in scope, and may be written where it writes.
    void check_call(const Statement& s) {
        for (const auto& [formal, value] : s.call->bindings) {
            const Array *wanted = s.call->callee->find_array(formal), *given = kernel_.find_array(value.name());
            if (wanted == nullptr || wanted->by_value() || given == nullptr) continue;
            check_storage(s, value.name(), given->shape.size(), value.loc());
            if (wanted->role != Role::In) check_place(s, {value.name(), std::vector<Expr>(given->shape.size())});
        }
    }

    const Array* check_storage(const Statement& s, Name name, std::size_t rank, const Loc& loc) {
        const Array* a = kernel_.find_array(name);
        if (a == nullptr) throw broken(4, fmt::format("{} uses {}, which is no array", s.label.str(), name.str()), loc);
        if (a->shape.size() != rank)
            throw broken(
                4, fmt::format("{} gives {} {} subscripts instead of {}", s.label.str(), name.str(), rank, a->shape.size()),
                loc);
        used_.insert(name);
        if (!storage_.count(name))
            throw broken(5, fmt::format("{} uses temporary {} outside the block that declares it", s.label.str(), name.str()),
                         s.loc);
        return a;
    }

    void check_tag(const Node& n) const {
        const Node* inner = &n;
        for (int k = 1; k < n.tag.collapse; ++k) {
            bool nested =
                inner->children.size() == 1 && inner->children[0]->kind == Node::Kind::Loop && inner->temporaries.empty();
            if (!nested || inner->children[0]->tag != LoopTag())
                throw broken(
                    7,
                    fmt::format("loop {} is to share its threads with {} plain loops perfectly nested in it, but there are {}",
                                n.loop.str(), n.tag.collapse - 1, k - 1),
                    n.loc);
            inner = inner->children[0].get();
        }
    }

    void check_update(const Statement& s) const {
        std::unordered_set<Name> updated;
        for (const auto& p : s.places) updated.insert(memory_of(kernel_, p.array));
        for (const auto& value : s.values)
            for (Name read : arrays_read(kernel_, value))
                if (updated.count(memory_of(kernel_, read)))
                    throw broken(8, fmt::format("{} updates {} and reads it on its right side", s.label.str(), read.str()),
                                 s.loc);
    }

    const KernelData& kernel_;
    std::vector<bool> seen_;
    std::unordered_set<Name> symbols_;      ///< loops, parameters and integer lets in scope
    std::vector<Name> lets_;                ///< of these, the lets, in order
    std::unordered_set<Name> storage_;      ///< arrays in scope
    std::unordered_set<Name> temporaries_;  ///< all that need a declaration
    std::unordered_set<Name> declared_, used_;
};

}  // namespace

void check(const KernelData& kernel) {
    check_names(kernel);
    check_arrays(kernel);
    TreeCheck(kernel).run();
    check_unrolled(kernel);
}

}  // namespace heddle
