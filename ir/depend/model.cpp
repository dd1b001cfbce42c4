#include "ir/depend/model.h"

#include <algorithm>

#include "ir/error.h"

namespace heddle::depend {
namespace {

bool is_copied(Name n, const StatementModel& s) {
    return std::any_of(s.loops.begin(), s.loops.end(), [&](const Node* l) { return l->loop == n; }) ||
           std::any_of(s.data.begin(), s.data.end(), [&](const DataSymbol& d) { return d.name == n; });
}

std::string text_of(const Conjunct& c) {
    std::string out;
    for (const Constraint& k : c) out += k.form.str() + (k.equality ? "=" : ">");
    return out;
}

}  // namespace

Name sink_name(Name n) { return Name(n.str() + "'"); }

std::vector<Name> StatementModel::loop_names() const {
    std::vector<Name> out;
    for (const Node* l : loops) out.push_back(l->loop);
    return out;
}

Meeting meeting(const StatementModel& a, const StatementModel& b) {
    Meeting m;
    const std::size_t least = std::min(a.nodes.size(), b.nodes.size());
    std::size_t k = 0;
    for (; k < least && a.nodes[k] == b.nodes[k]; ++k) m.common += a.nodes[k]->kind == Node::Kind::Loop;
    if (k == least) return m;
    m.order = a.positions[k - 1] < b.positions[k - 1] ? -1 : 1;
    return m;
}

Affine renamed(const Affine& a, const StatementModel& s) {
    Affine out(a.constant);
    for (const auto& [atom, k] : a.terms) {
        if (atom.is_floor())
            out = out + k * Affine::floor_div(renamed(*atom.numerator, s), atom.denominator);
        else
            out = out + Affine::symbol(is_copied(atom.symbol, s) ? sink_name(atom.symbol) : atom.symbol, k);
    }
    return out;
}

Domain renamed(const Domain& d, const StatementModel& s) {
    Domain out = d;
    for (Conjunct& piece : out.pieces)
        for (Constraint& c : piece) c.form = renamed(c.form, s);
    return out;
}

Model::Model(const KernelData& kernel) : kernel_(kernel), rules_(kernel) {
    for (const Parameter& p : kernel.parameters) parameters_.insert(p.name);
    index_tree();
    index_overlaps();
    for (const Assertion& a : kernel.assertions)
        if (a.kind == Assertion::Kind::Injective)
            for (Name n : a.arrays)
                if (unchanging(n)) injective_.insert(n);
}

void Model::index_tree() {
    leaves_.resize(kernel_.statements.size());
    std::vector<std::pair<const Node*, std::size_t>> todo;
    if (kernel_.root) todo.emplace_back(kernel_.root.get(), 0);
    while (!todo.empty()) {
        const auto [node, outer] = todo.back();
        todo.pop_back();
        const std::size_t depth = outer + (node->kind == Node::Kind::Loop);
        for (Name t : node->temporaries) scope_[t] = depth;
        if (node->kind == Node::Kind::Leaf && node->statement < leaves_.size()) leaves_[node->statement] = node;
        for (std::size_t k = 0; k < node->children.size(); ++k) {
            up_[node->children[k].get()] = {node, k};
            todo.emplace_back(node->children[k].get(), depth);
        }
    }
}

StatementModel Model::place(std::size_t index) const {
    StatementModel s;
    s.index = index;
    s.statement = kernel_.statements.at(index).get();
    require(leaves_[index] != nullptr, "a statement stands at a leaf of the tree");
    s.nodes.push_back(leaves_[index]);
    for (auto it = up_.find(leaves_[index]); it != up_.end(); it = up_.find(s.nodes.back())) {
        s.positions.push_back(it->second.position);
        s.nodes.push_back(it->second.parent);
    }
    std::reverse(s.nodes.begin(), s.nodes.end());
    std::reverse(s.positions.begin(), s.positions.end());
    for (const Node* n : s.nodes)
        if (n->kind == Node::Kind::Loop) s.loops.push_back(n);
    return s;
}

const StatementModel& Model::statement(std::size_t index) {
    auto& slot = statements_[index];
    if (slot) return *slot;
    slot = std::make_unique<StatementModel>(place(index));
    StatementModel& s = *slot;
    s.domain = s.statement->domain;
    std::vector<Name> symbols;
    s.domain.symbols(symbols);
    note_symbols(symbols, s);
    for (const Access& a : accesses_of(kernel_, *s.statement, rules_)) s.accesses.push_back(model(a, s));
    s.sink_domain = renamed(s.domain, s);
    for (AccessModel& a : s.accesses) {  // after all data symbols are known
        a.sink_when = renamed(a.access.when, s);
        a.sink_forms = a.forms;
        for (auto& form : a.sink_forms) {
            if (!form) continue;
            for (Piece& p : *form) {
                p.value = renamed(p.value, s);
                for (Constraint& c : p.when) c.form = renamed(c.form, s);
            }
        }
        a.form_class = class_of(a);
    }
    s.order_free = order_free(kernel_, *s.statement);
    s.atomic_free = order_free(kernel_, *s.statement, true);
    return s;
}

std::size_t Model::need_of(Name symbol, const StatementModel&) const {
    const Array* a = kernel_.find_array(symbol);
    if (!a) return DataSymbol::never;
    if (a->by_value() || a->role == Role::Table) return 0;
    return a->is_let ? scope_depth(symbol) : DataSymbol::never;
}

void Model::note_symbols(const std::vector<Name>& symbols, StatementModel& s) const {
    for (Name n : symbols)
        if (!parameters_.count(n) && !is_copied(n, s)) s.data.push_back({n, need_of(n, s)});
}

AccessModel Model::model(const Access& a, StatementModel& s) {
    AccessModel out;
    out.access = a;
    out.exact = !a.whole;
    for (const Expr& e : a.subscripts) out.forms.push_back(forms(e, s, out.exact));
    std::vector<Name> symbols;
    for (const auto& form : out.forms) {
        const bool number = form && form->size() == 1 && form->front().value.is_constant();
        out.constants.push_back(number ? std::optional<std::int64_t>(form->front().value.constant) : std::nullopt);
        if (!form) continue;
        for (const Piece& p : *form) {
            p.value.symbols(symbols);
            for (const Constraint& c : p.when) c.form.symbols(symbols);
        }
    }
    a.when.symbols(symbols);
    note_symbols(symbols, s);
    return out;
}

int Model::class_of(const AccessModel& a) {
    std::string key;
    for (const auto& form : a.forms) {
        key += form ? "[" : "?";
        if (!form) continue;
        for (const Piece& p : *form) key += p.value.str() + ":" + text_of(p.when) + ";";
    }
    for (const Conjunct& piece : a.access.when.pieces) key += "|" + text_of(piece);
    return classes_.emplace(std::move(key), static_cast<int>(classes_.size())).first->second;
}

}  // namespace heddle::depend
