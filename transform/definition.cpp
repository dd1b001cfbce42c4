#include "transform/definition.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/checked_int.h"
#include "ir/error.h"
#include "ir/poly.h"
#include "ir/subscripts.h"
#include "transform/box.h"

namespace heddle {

namespace {

Error refused(const KernelData& kernel, Name t, const std::string& why, std::size_t statement) {
    const Statement& s = *kernel.statements[statement];
    return user_error("definition", fmt::format("'{}' {}", t.str(), why), s.loc ? s.loc : kernel.find_array(t)->loc);
}

void refuse_other_names(const KernelData& kernel, Name t) {
    for (const Array& a : kernel.arrays) {
        if (a.view_of == t)
            throw user_error("definition", fmt::format("'{}' is also read through the view '{}'", t.str(), a.name.str()), a.loc);
        if (a.name == t && !a.view_of.empty())
            throw user_error("definition", fmt::format("'{}' is a view of '{}'", t.str(), a.view_of.str()), a.loc);
    }
}

/// The index of the statement that writes the temporary.
std::size_t writer_of(const KernelData& kernel, Name t) {
    std::optional<std::size_t> out;
    for (std::size_t k = 0; k < kernel.statements.size(); ++k) {
        const Statement& s = *kernel.statements[k];
        if (s.call && mentions(kernel, s, t)) throw refused(kernel, t, "is passed to a kernel call, which may write it", k);
        for (const Place& p : s.places) {
            if (p.array != t) continue;
            if (out)
                throw refused(kernel, t, "is written by more than one statement", k)
                    .note(fmt::format("'{}' writes it", kernel.statements[*out]->label.str()), kernel.statements[*out]->loc)
                    .note(fmt::format("'{}' writes it", s.label.str()), s.loc);
            out = k;
        }
    }
    if (!out) throw user_error("definition", fmt::format("nothing writes '{}'", t.str()), kernel.find_array(t)->loc);
    return *out;
}

void refuse_writer(const KernelData& kernel, Name t, std::size_t writer) {
    const Statement& s = *kernel.statements[writer];
    if (s.update != Update::Assign) throw refused(kernel, t, "is updated, not assigned", writer);
    if (s.places.size() != 1) throw refused(kernel, t, "is assigned together with others", writer);
    if (!s.predicates.empty()) throw refused(kernel, t, "is assigned under a run-time condition", writer);
    if (names_mentioned(kernel, s.values[0]).count(t))
        throw refused(kernel, t, "is assigned from itself", writer);
}

std::vector<Affine> affine_subscripts(const KernelData& kernel, Name t, std::size_t writer) {
    std::vector<Affine> out;
    for (const Expr& e : kernel.statements[writer]->places[0].subscripts) {
        const auto form = affine_of(e);
        if (!form) throw refused(kernel, t, "is assigned at a subscript that is not affine", writer);
        out.push_back(*form);
    }
    return out;
}

}  // namespace

Definition definition_of(const KernelData& kernel, Name temporary) {
    refuse_other_names(kernel, temporary);
    const std::size_t writer = writer_of(kernel, temporary);
    refuse_writer(kernel, temporary, writer);
    Definition out{temporary, writer, kernel.statements[writer]->values[0], affine_subscripts(kernel, temporary, writer), {}, 0};
    out.path = paths_of(kernel)[writer];
    const auto scopes = scope_loops(kernel);
    const auto it = scopes.find(temporary);
    out.scope = it == scopes.end() ? 0 : it->second.size();
    return out;
}

namespace {

/// Solves for the writer's loops. They are unknowns under names of their own, so that loops of one name do not meet.
class Solver {
public:
    Solver(const KernelData& kernel, const Definition& d, const Path& reader, const Occurrence& read)
        : kernel_(kernel), d_(d), reader_(reader), read_(read), loops_(d.path.loop_names()) {
        for (Name n : loops_) unknown_.push_back(Name("#" + n.str()));
        for (std::size_t k = 0; k < loops_.size(); ++k) hidden_.emplace_back(loops_[k], Affine::symbol(unknown_[k]));
        domain_ = substitute(kernel.statements[d.writer]->domain, hidden_);
        for (std::size_t k = 0; k < d.scope; ++k) give(k, Affine::symbol(loops_[k]));
    }

    /// False when some loop stays open.
    bool solve() {
        equate();
        while (from_equations() || from_bounds() || from_nesting()) {
        }
        return values_.size() == loops_.size();
    }

    /// `around`: what is known of the reader's symbols.
    Forms forms(const Domain& around) const {
        Forms out;
        for (std::size_t k = 0; k < loops_.size(); ++k)
            out.emplace_back(loops_[k], settle_floors(*find_form(values_, unknown_[k]), around));
        return out;
    }
    /// Where the writer has that instance and it writes the element that is read.
    Domain written(const Forms& forms) const {
        Domain out = substitute(kernel_.statements[d_.writer]->domain, forms);
        for (std::size_t k = 0; k < d_.subscripts.size(); ++k)
            out = intersect(out, domain_of(equal(substitute(d_.subscripts[k], forms), elements_[k])));
        return out;
    }
    std::vector<Name> open() const {
        std::vector<Name> out;
        for (std::size_t k = 0; k < loops_.size(); ++k)
            if (!find_form(values_, unknown_[k])) out.push_back(loops_[k]);
        return out;
    }

private:
    void give(std::size_t k, const Affine& value) {
        for (auto& [name, form] : values_) form = form.substitute(unknown_[k], value);
        values_.emplace_back(unknown_[k], value);
        for (Affine& e : equations_) e = e.substitute(unknown_[k], value);
        domain_ = domain_.substitute(unknown_[k], value);
    }
    void equate() {
        for (std::size_t k = 0; k < d_.subscripts.size(); ++k) {
            const auto element = affine_of(read_.node.args().at(k));
            if (!element)
                throw user_error("definition",
                                 fmt::format("'{}' is read at a subscript that is not affine, so which value is read is not known",
                                             d_.array.str()),
                                 read_.node.loc());
            elements_.push_back(*element);
            Affine e = substitute(d_.subscripts[k], hidden_) - *element;
            for (const auto& [name, form] : values_) e = e.substitute(name, form);
            equations_.push_back(e);
        }
    }
    bool is_open(std::size_t k) const { return find_form(values_, unknown_[k]) == nullptr; }
    bool closed(const Affine& a) const {
        return std::none_of(unknown_.begin(), unknown_.end(), [&](Name n) { return a.mentions(n); });
    }

    /// A loop that stands alone with coefficient 1 or -1 in an equation.
    bool from_equations() {
        for (const Affine& e : equations_)
            for (std::size_t k = 0; k < loops_.size(); ++k) {
                const std::int64_t c = e.coefficient(unknown_[k]);
                const Affine rest = e - Affine::symbol(unknown_[k], c);
                if (!is_open(k) || (c != 1 && c != -1) || !closed(rest)) continue;
                give(k, c == 1 ? -rest : rest);
                return true;
            }
        return from_mixed();
    }
    /// One loop by the others: x = g - 8*y, when nothing better is left; y then follows from the bounds of x.
    bool from_mixed() {
        for (const Affine& e : equations_)
            for (std::size_t k = loops_.size(); k-- > 0;) {
                const std::int64_t c = e.coefficient(unknown_[k]);
                const Affine rest = e - Affine::symbol(unknown_[k], c);
                if (!is_open(k) || (c != 1 && c != -1) || rest.mentions(unknown_[k])) continue;
                give(k, c == 1 ? -rest : rest);
                return true;
            }
        return false;
    }
    /// A loop whose bounds leave one value: floor((g - 7 + 7)/8) <= y <= floor(g/8).
    bool from_bounds() {
        if (!domain_.convex()) return false;
        for (std::size_t k = 0; k < loops_.size(); ++k) {
            if (!is_open(k)) continue;
            std::vector<Affine> lower, upper;
            for (const Constraint& c : domain_.pieces[0]) {
                const std::int64_t a = c.form.coefficient(unknown_[k]);
                const Affine rest = c.form - Affine::symbol(unknown_[k], a);
                if (a == 0 || !closed(rest)) continue;
                if (a > 0 || c.equality) lower.push_back(lower_bound(a, rest));
                if (a < 0 || c.equality) upper.push_back(Affine::floor_div(a < 0 ? rest : -rest, a < 0 ? -a : a));
            }
            for (const Affine& l : lower)
                if (std::find(upper.begin(), upper.end(), l) != upper.end()) return give(k, l), true;
        }
        return false;
    }
    /// The smallest x with a*x + rest >= 0, for a > 0; of an equality, also for a < 0.
    static Affine lower_bound(std::int64_t a, const Affine& rest) {
        const std::int64_t size = a > 0 ? a : -a;
        return Affine::floor_div((a > 0 ? -rest : rest) + Affine(size - 1), size);
    }
    /// A loop around both: the reader's own iteration.
    bool from_nesting() {
        const auto mine = d_.path.loops(), theirs = reader_.loops();
        for (std::size_t k = 0; k < mine.size() && k < theirs.size() && mine[k] == theirs[k]; ++k)
            if (is_open(k)) return give(k, Affine::symbol(loops_[k])), true;
        return false;
    }

    const KernelData& kernel_;
    const Definition& d_;
    const Path& reader_;
    const Occurrence& read_;
    std::vector<Name> loops_, unknown_;
    Forms hidden_, values_;
    std::vector<Affine> equations_, elements_;
    Domain domain_;
};

/// Temporaries that the writer uses must be the same instances where the value is read.
void require_same_scope(const KernelData& kernel, const Definition& d, std::size_t reader, const Path& path,
                        const Forms& instance) {
    std::set<Name> used = names_mentioned(kernel, *kernel.statements[d.writer]);
    used.erase(d.array);
    std::size_t depth = 0;
    bool same = true;
    for (std::size_t k = 0; k < d.path.nodes.size(); ++k) {
        const Node* n = d.path.nodes[k];
        same = same && k < path.nodes.size() && path.nodes[k] == n;
        if (n->kind == Node::Kind::Loop) same = same && instance[depth++].second == Affine::symbol(n->loop);
        for (Name t : n->temporaries)
            if (!same && used.count(t))
                throw user_error("scope",
                                 fmt::format("the value of '{}' uses '{}', which '{}' does not see", d.array.str(), t.str(),
                                             kernel.statements[reader]->label.str()),
                                 kernel.statements[d.writer]->loc)
                    .hint(fmt::format("inline '{}' first, or expand it over the loops that separate them", t.str()));
    }
}

[[noreturn]] void never_written(const KernelData& kernel, const Definition& d, std::size_t reader, const Domain& missing) {
    Error e = user_error("definition",
                         fmt::format("'{}' reads elements of '{}' that '{}' does not write", kernel.statements[reader]->label.str(),
                                     d.array.str(), kernel.statements[d.writer]->label.str()),
                         kernel.statements[reader]->loc);
    if (const auto point = poly::sample(missing)) {
        std::string text;
        for (const auto& [name, value] : *point) text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name.str(), value);
        e.note("for example with " + text);
    }
    throw std::move(e).hint("narrow the reader, or let the writer cover what is read");
}

}  // namespace

Forms instance_read(const KernelData& kernel, const Definition& definition, std::size_t reader, const Path& path,
                    const Occurrence& read) {
    Solver solver(kernel, definition, path, read);
    if (!solver.solve())
        throw user_error("definition",
                         fmt::format("which iteration of loop '{}' gives '{}' the value that '{}' reads is not known",
                                     solver.open()[0].str(), definition.array.str(), kernel.statements[reader]->label.str()),
                         read.node.loc());
    const Forms out = solver.forms(kernel.statements[reader]->domain);
    require_same_scope(kernel, definition, reader, path, out);
    const Domain needed = intersect(read.when, kernel.assumptions), written = solver.written(out);
    if (!poly::is_subset(needed, written)) never_written(kernel, definition, reader, poly::subtract(needed, written));
    return out;
}

Forms instance_writing(const KernelData& kernel, const Definition& definition, const std::vector<Expr>& subscripts) {
    const Occurrence read{heddle::read(definition.array, subscripts), Domain::everything(), false};
    Solver solver(kernel, definition, definition.path, read);
    require(solver.solve(), "a writer's own loops tell its instance");
    return solver.forms(Domain::everything());
}

Expr value_read(const KernelData& kernel, const Definition& definition, const Forms& instance) {
    const DType type = kernel.find_array(definition.array)->type;
    Forms changed;
    for (const auto& [loop, form] : instance)
        if (form != Affine::symbol(loop)) changed.emplace_back(loop, form);
    const Expr value = changed.empty() ? definition.value : substitute_loops(kernel, definition.value, changed);
    const bool plain = value.type() == type && (type == index_type || !is_integer(type) || value.op() == Op::Read || value.is_literal());
    return plain ? value : make(Op::Cast, type, {value}, {}, value.loc());
}

}  // namespace heddle
