// The loop tree of a kernel as text.
#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "ir/parse/lexer.h"
#include "ir/print.h"
#include "ir/print/factors.h"
#include "ir/print/parts.h"
#include "ir/tree.h"

namespace heddle {

std::string mapping_text(const LoopTag& tag) {
    return std::string(tag.kind == LoopTag::Kind::Block ? "block" : "lane") + "." + "xyz"[tag.axis];
}

namespace {

std::string tag_text(const Node& n) {
    const LoopTag& t = n.tag;
    std::string out;
    if (t.kind == LoopTag::Kind::Vector) out += " vector";
    if (t.kind == LoopTag::Kind::Unroll) out += " unroll";
    if (t.is_mapped()) out += fmt::format(" {}", mapping_text(t));
    if (t.kind == LoopTag::Kind::Parallel) {
        out += " parallel";
        if (t.dynamic || t.chunk != 0) {
            std::string chunk = t.chunk != 0 ? fmt::format(", {}", t.chunk) : "";
            out += fmt::format(" schedule({}{})", t.dynamic ? "dynamic" : "static", chunk);
        }
        if (t.collapse != 1) out += fmt::format(" collapse({})", t.collapse);
        if (t.threshold != 0) out += fmt::format(" if({})", t.threshold);
    }
    return n.separate ? out + " separate" : out;
}

bool is_plain(const Node& n) { return n.tag == LoopTag() && !n.separate; }

/// Writes nodes outermost first. Every statement's domain is kept as the factors that no line around it has said yet.
class BodyWriter {
public:
    BodyWriter(std::string& out, const KernelData& kernel) : out_(out), kernel_(kernel), open_(kernel.statements.size()) {
        for (std::size_t s = 0; s < open_.size(); ++s) open_[s] = factors_.split(kernel.statements[s]->domain);
        for (const auto& p : kernel.parameters) known_.insert(p.name);
        for (const auto& a : kernel.arrays) {
            if (a.by_value()) known_.insert(a.name);
            if (!a.view_of.empty()) views_[a.view_of].push_back(a.name);
        }
    }

    void root(const Node& n) {
        indent_ = "  ";
        for (const auto& a : kernel_.arrays)
            if (a.role == Role::Table && a.view_of.empty()) append_table(out_, kernel_, a, indent_);
        for (const auto& a : kernel_.arrays)
            if (a.role != Role::Temp && a.view_of.empty()) declare_views(a.name);
        body(n);
    }

private:
    void line(const std::string& text) { out_ += indent_ + text + "\n"; }

    void node(const NodePtr& n, const Node& parent) {
        if (n->kind == Node::Kind::Loop) return loop(n);
        if (n->kind == Node::Kind::Leaf) return leaf(*n, parent);
        line("{");
        braced(*n);
    }

    void braced(const Node& n) {
        indent_ += "  ";
        body(n);
        indent_.resize(indent_.size() - 2);
        line("}");
    }

    /// A loop, with those perfectly nested in it that can share its line.
    void loop(NodePtr n) {
        std::vector<const Node*> nest{n.get()};
        while (is_plain(*n) && n->temporaries.empty() && n->children.size() == 1 && n->children[0]->kind == Node::Kind::Loop &&
               is_plain(*n->children[0])) {
            n = n->children[0];
            nest.push_back(n.get());
        }
        std::vector<Name> names;
        std::string list;
        for (const Node* k : nest) {
            names.push_back(k->loop);
            known_.insert(k->loop);
            list += (list.empty() ? "" : ", ") + std::string(k->descending ? "-" : "") + quoted(k->loop.str());
        }
        const Around outer = around_;
        Domain shared = line_formula(n, names);
        line(fmt::format("for [{}]{} : {} {{", list, tag_text(*nest[0]), formula(shared, names)));
        braced(*n);
        around_ = outer;
        for (Name name : names) known_.erase(name);
    }

    bool is_known(int factor) const {
        const auto& names = factors_.symbols(factor);
        return std::all_of(names.begin(), names.end(), [&](Name name) { return known_.count(name) != 0; });
    }

    /// What all statements under a loop still have to say and can say here, with bounds for every loop of the line.
    Domain line_formula(const NodePtr& n, const std::vector<Name>& loops) {
        std::vector<std::vector<int>*> lists;
        for (std::size_t s : statements_under(n)) lists.push_back(&open_[s]);
        std::vector<int> shared = common_factors(lists);
        std::vector<Conjunct> inside = different_conjuncts(lists);
        std::erase_if(shared, [&](int f) { return !is_known(f); });
        for (auto* list : lists) remove_factors(*list, shared);
        Domain line = factors_.join(shared);
        if (!line.convex()) return line;
        const std::vector<int> added = factors_.split(Domain{{complete_line(line.pieces[0], inside, loops)}});
        for (auto* list : lists) remove_factors(*list, added);
        return line;
    }

    /// What the statements of these lists have to say, each different one once; nothing when there are many.
    std::vector<Conjunct> different_conjuncts(const std::vector<std::vector<int>*>& lists) const {
        constexpr std::size_t most = 16;
        std::set<std::vector<int>> different;
        for (const auto* list : lists) {
            different.insert(*list);
            if (different.size() > most) return {};
        }
        std::vector<Conjunct> out;
        for (const auto& list : different) {
            Domain d = factors_.join(factors_.single(list));
            if (!d.is_nothing()) out.push_back(d.pieces[0]);
        }
        return out;
    }

    /// Adds bounds that the loops inside imply, and returns them. Under a line that got any, what such bounds make redundant is
    /// left out.
    Conjunct complete_line(Conjunct& line, const std::vector<Conjunct>& inside, const std::vector<Name>& loops) {
        Conjunct added = missing_bounds(line, inside, loops, [&](Name name) { return known_.count(name) != 0; });
        around_.completed = around_.completed || !added.empty();
        around_.said.insert(around_.said.end(), added.begin(), added.end());
        if (around_.completed) drop_implied(line, around_.said);
        around_.said.insert(around_.said.end(), line.begin(), line.end());
        line.insert(line.end(), added.begin(), added.end());
        return added;
    }

    void body(const Node& n) {
        std::size_t outer_lets = lets_.size();
        std::unordered_set<Name> written;
        for (const auto& child : n.children)
            if (defines_let(*child, n)) written.insert(kernel_.statements[child->statement]->places[0].array);
        for (Name t : n.temporaries)
            if (!written.count(t)) {
                declare(t);
                declare_views(t);
            }
        for (std::size_t k = 0; k < n.children.size(); ++k) {
            std::size_t last = run_of_leaves(n, k);
            if (last > k) {
                guarded_run(n, k, last);
                k = last;
            } else {
                node(n.children[k], n);
            }
        }
        for (; lets_.size() > outer_lets; lets_.pop_back()) known_.erase(lets_.back());
    }

    void declare(Name name) {
        const Array* a = kernel_.find_array(name);
        if (a == nullptr || (a->role == Role::Table && a->view_of.empty())) return;  // tables stand at the top
        out_ += indent_ + (a->is_let ? "let " : a->view_of.empty() ? "temp " : "view ");
        append_array(out_, kernel_, *a);
        out_ += a->view_of.empty() ? "\n" : fmt::format(" = {}\n", quoted(a->view_of.str()));
    }

    /// The views of an array, which stand behind it.
    void declare_views(Name of) {
        const auto views = views_.find(of);
        if (views == views_.end()) return;
        for (Name v : views->second) {
            declare(v);
            declare_views(v);
        }
    }

    /// Is this child the one statement of a `let` that its block declares, so that one line says both?
    bool defines_let(const Node& child, const Node& block) const {
        if (child.kind != Node::Kind::Leaf) return false;
        const Statement& s = *kernel_.statements[child.statement];
        if (s.call || s.places.size() != 1 || s.update != Update::Assign || !s.predicates.empty() ||
            !open_[child.statement].empty())
            return false;
        const Array* a = kernel_.find_array(s.places[0].array);
        bool own = std::find(block.temporaries.begin(), block.temporaries.end(), s.places[0].array) != block.temporaries.end();
        return a != nullptr && a->is_let && own && a->space == AddressSpace::Auto;
    }

    /// The last of the statements from `k` on that stand under one condition.
    std::size_t run_of_leaves(const Node& n, std::size_t k) const {
        std::size_t last = k;
        auto joins = [&](std::size_t m) {
            const Node& child = *n.children[m];
            return child.kind == Node::Kind::Leaf && !open_[child.statement].empty() && !writes_let(child);
        };
        if (!joins(k)) return k;
        while (last + 1 < n.children.size() && joins(last + 1) &&
               open_[n.children[last + 1]->statement] == open_[n.children[k]->statement])
            ++last;
        return last;
    }

    bool writes_let(const Node& leaf) const {
        const auto& places = kernel_.statements[leaf.statement]->places;
        return std::any_of(places.begin(), places.end(), [&](const Place& p) {
            const Array* a = kernel_.find_array(p.array);
            return a != nullptr && a->is_let;
        });
    }

    void open_condition(const std::string& text) {
        line("if " + text + " {");
        indent_ += "  ";
    }
    void close_condition() {
        indent_.resize(indent_.size() - 2);
        line("}");
    }

    std::string condition(std::size_t statement) {
        Domain open = factors_.join(open_[statement]);
        open_[statement].clear();
        return formula(open, {}, FormulaStyle::Condition);
    }

    void guarded_run(const Node& n, std::size_t first, std::size_t last) {
        std::string text = condition(n.children[first]->statement);
        open_condition(text);
        for (std::size_t k = first; k <= last; ++k) {
            open_[n.children[k]->statement].clear();
            leaf(*n.children[k], n);
        }
        close_condition();
    }

    void leaf(const Node& n, const Node& parent) {
        const Statement& s = *kernel_.statements[n.statement];
        bool let = defines_let(n, parent), guarded = !open_[n.statement].empty();
        if (guarded) open_condition(condition(n.statement));
        for (const auto& p : s.predicates) {
            std::string text;
            append(text, printable(kernel_, p, DType::Bool));
            open_condition(text);
        }
        out_ += indent_ + head(s);
        append_line(s, let);
        out_ += "\n";
        for (std::size_t k = 0; k < s.predicates.size(); ++k) close_condition();
        if (guarded) close_condition();
        for (const auto& p : s.places) remember_let(p.array);
    }

    void remember_let(Name name) {
        const Array* a = kernel_.find_array(name);
        if (a != nullptr && a->role == Role::Temp && a->shape.empty() && is_integer(a->type) && known_.insert(name).second)
            lets_.push_back(name);
    }

    /// "label [flags] {origin}: ".
    std::string head(const Statement& s) const {
        std::string out = quoted(s.label.str());
        if (s.reassociate || s.atomic)
            out += s.reassociate && s.atomic ? " [reassociate, atomic]" : s.atomic ? " [atomic]" : " [reassociate]";
        if (!s.origin.empty()) out += " {";
        for (const auto& [loop, value] : s.origin) {
            out += (&loop == &s.origin[0].first ? "" : ", ") + quoted(loop.str()) + " = ";
            append(out, printable_index(kernel_, value));
        }
        return out + (s.origin.empty() ? ": " : "}: ");
    }

    void append_line(const Statement& s, bool let) {
        if (!let) return append_statement(out_, kernel_, s);
        const Array& a = *kernel_.find_array(s.places[0].array);
        Printable own = printable(kernel_, s.values[0], DType::Untyped);
        bool says_type = own.style == LiteralStyle::Cast || own.e.type() != a.type;
        out_ += "let " + quoted(a.name.str());
        if (says_type) out_ += fmt::format(" : {}", name_of(a.type));
        out_ += " = ";
        append(out_, says_type ? printable(kernel_, s.values[0], a.type) : own);
    }

    std::string& out_;
    const KernelData& kernel_;
    Factors factors_;
    std::vector<std::vector<int>> open_;  ///< for each statement what its domain still has to say
    /// What the lines of the loops around have said, and whether one of them said more than its statements' domains do.
    struct Around {
        Conjunct said;
        bool completed = false;
    };
    Around around_;
    std::unordered_set<Name> known_;  ///< names a formula may use here
    std::vector<Name> lets_;
    std::unordered_map<Name, std::vector<Name>> views_;  ///< of each array that has some
    std::string indent_;
};

void append_tuple(std::string& out, std::size_t size, const auto& part) {
    if (size != 1) out += "(";
    for (std::size_t k = 0; k < size; ++k) {
        if (k > 0) out += ", ";
        part(k);
    }
    if (size != 1) out += ")";
}

/// x += -(y) is written x -= y.
bool is_subtraction(const Statement& s) { return s.update == Update::Add && s.values[0].op() == Op::Neg; }

std::string operation(const Statement& s) {
    if (is_subtraction(s)) return "-=";
    switch (s.update) {
        case Update::ArgMin:
            return "argmin=";
        case Update::ArgMax:
            return "argmax=";
        case Update::Custom:
            return quoted(s.op.str()) + "=";
        default:
            return std::string(symbol_of(s.update));
    }
}

void append_call(std::string& out, const KernelData& kernel, const KernelCall& call) {
    out += fmt::format("call {}(", quoted(call.callee->name.str()));
    for (std::size_t k = 0; k < call.bindings.size(); ++k) {
        const auto& [formal, value] = call.bindings[k];
        out += fmt::format("{}{}=", k == 0 ? "" : ", ", quoted(formal.str()));
        const Array* a = call.callee->find_array(formal);
        append(out, a == nullptr    ? printable_index(kernel, value)
                    : a->by_value() ? printable(kernel, value, a->type)
                                    : Printable{value});
    }
    out += ")";
}

}  // namespace

void append_statement(std::string& out, const KernelData& kernel, const Statement& s) {
    if (s.call) return append_call(out, kernel, *s.call);
    append_tuple(out, s.places.size(), [&](std::size_t k) {
        out += quoted(s.places[k].array.str());
        if (s.places[k].subscripts.empty()) return;
        out += "[";
        append_index_list(out, kernel, s.places[k].subscripts);
        out += "]";
    });
    out += " " + operation(s) + " ";
    append_tuple(out, s.values.size(), [&](std::size_t k) {
        const Array* a = kernel.find_array(s.places[k].array);
        Printable value = printable(kernel, s.values[k], a == nullptr ? DType::Untyped : a->type);
        if (is_subtraction(s)) value.e = value.e.arg(0);
        append(out, value);
    });
}

void append_body(std::string& out, const KernelData& kernel) {
    if (kernel.root != nullptr) BodyWriter(out, kernel).root(*kernel.root);
}

}  // namespace heddle
