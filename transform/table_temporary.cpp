#include "transform/table_temporary.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/access.h"
#include "ir/error.h"
#include "ir/poly.h"
#include "transform/declared.h"
#include "transform/rewrite.h"
#include "transform/unchanged.h"

namespace heddle {

namespace {

class MovedTable {
public:
    MovedTable(const Kernel& kernel, const TableRequest& request)
        : kernel_(kernel), data_(kernel.data()), request_(request), d_(declared(data_, request.name, "precompute")), draft_(kernel),
          paths_(paths_of(data_)) {
        refuse_in_bounds(data_, d_);
        find_group();
        find_place();
        find_axes();
        require_in_sight();
        make();
    }

    Kernel run() {
        std::vector<Probe> probes;
        for (std::size_t k : group_) probes.push_back({k, data_.statements[k]->domain, outside_reads(k), place_.first, false, {}});
        require_unchanged(kernel_, probes,
                          fmt::format("something that '{}' is computed from is written between the place where the table would be filled and "
                                      "the place where it is computed now",
                                      request_.name.str()),
                          "choose a loop further in, so that the table is filled after the write");
        for (std::size_t k : group_) move(k);
        for (std::size_t k : d_.users)
            if (!in_group(k)) redirect(k);
        draft_.before(place_.first, nest(table_.loops, std::vector<NodePtr>(first_, last_ + 1)));
        draft_.remove_array(request_.name);
        draft_.declare(place_.home, table_.array);
        return draft_.finish();
    }

private:
    const Node& home() const { return *d_.path.nodes.back(); }
    bool in_group(std::size_t k) const { return std::binary_search(group_.begin(), group_.end(), k); }

    Error refused(const std::string& why, std::size_t statement) const {
        return user_error("definition", fmt::format("'{}' cannot become a table: {}", request_.name.str(), why), data_.statements[statement]->loc);
    }

    /// The children of the declaring block that give the temporary its values.
    void find_group() {
        const auto writes = [&](std::size_t k) {
            const auto& places = data_.statements[k]->places;
            return std::any_of(places.begin(), places.end(), [&](const Place& p) { return p.array == request_.name; });
        };
        const auto& children = home().children;
        first_ = last_ = children.end();
        for (auto child = children.begin(); child != children.end(); ++child) {
            const std::vector<std::size_t> under = statements_under(*child);
            if (std::none_of(under.begin(), under.end(), writes)) continue;
            if (first_ == children.end()) first_ = child;
            last_ = child;
        }
        if (first_ == children.end()) throw user_error("definition", fmt::format("nothing writes '{}'", request_.name.str()), d_.array->loc);
        for (auto child = first_; child != last_ + 1; ++child) collect(*child);
        std::sort(group_.begin(), group_.end());
        for (std::size_t k : group_)
            for (const Place& p : data_.statements[k]->places)
                if (!own_.count(p.array)) throw refused(fmt::format("'{}' stands among its statements and writes '{}'", data_.statements[k]->label.str(), p.array.str()), k);
        require_readers_behind();
    }
    void collect(const NodePtr& child) {
        own_.insert(request_.name);
        walk(child, [&](const NodePtr& n) {
            own_.insert(n->temporaries.begin(), n->temporaries.end());
            if (n->kind == Node::Kind::Loop) inner_.insert(n->loop);
            if (n->kind == Node::Kind::Leaf) group_.push_back(n->statement);
        });
    }
    void require_readers_behind() const {
        for (auto child = home().children.begin(); child != first_; ++child)
            for (std::size_t k : statements_under(*child))
                if (mentions(data_, *data_.statements[k], request_.name)) throw refused(fmt::format("'{}' reads it before it has a value", data_.statements[k]->label.str()), k);
    }

    /// The loop (or the kernel's body) where the table is filled.
    void find_place() {
        std::size_t depth = 0;
        if (!request_.at.loop.empty()) {
            const std::vector<NodePtr> named = loops_named(data_, request_.at);
            const auto at = std::find_if(d_.path.nodes.begin(), d_.path.nodes.end(), [&](const Node* n) {
                return std::any_of(named.begin(), named.end(), [&](const NodePtr& m) { return m.get() == n; });
            });
            if (at == d_.path.nodes.end())
                throw user_error("name", fmt::format("loop '{}' is not around the declaration of '{}'", request_.at.str(), request_.name.str()), d_.array->loc)
                    .hint("loops around it: " + listed(d_.path.loop_names()));
            depth = static_cast<std::size_t>(at - d_.path.nodes.begin());
        }
        while (depth + 1 < d_.path.nodes.size() && d_.path.nodes[depth + 1]->kind == Node::Kind::Block) ++depth;
        if (depth + 1 >= d_.path.nodes.size())
            throw refused("it is declared there already, so there is no loop between to fill a table for", group_[0]);
        place_.home = d_.path.nodes[depth];
        place_.first = place_.last = d_.path.nodes[depth + 1];
        place_.fixed = fixed_outside(data_, place_.first);
        for (std::size_t k = depth + 1; k < d_.path.nodes.size(); ++k)
            if (d_.path.nodes[k]->kind == Node::Kind::Loop) moving_.push_back(d_.path.nodes[k]->loop);
    }

    bool moves(Name n) const { return std::find(moving_.begin(), moving_.end(), n) != moving_.end(); }

    /// The moving loops on which the values depend: those in expressions, and those that bound loops of the group.
    void find_axes() {
        std::set<Name> used;
        for (std::size_t k : group_) {
            Statement s = *data_.statements[k];
            map_expressions(s, false, [&](const Expr& e) {
                const std::set<Name> names = names_mentioned(data_, e);
                used.insert(names.begin(), names.end());
                return e;
            });
            for (const Conjunct& piece : s.domain.pieces)
                for (const Constraint& c : piece) {
                    std::vector<Name> symbols;
                    c.form.symbols(symbols);
                    if (std::any_of(symbols.begin(), symbols.end(), [&](Name n) { return inner_.count(n) != 0; })) used.insert(symbols.begin(), symbols.end());
                }
        }
        for (Name n : moving_) (used.count(n) ? axes_ : gone_).push_back(n);
        for (std::size_t k : group_) require_independent(k);
    }
    /// Loops that are left out must not change which instances run.
    void require_independent(std::size_t k) const {
        const Domain& domain = data_.statements[k]->domain;
        if (gone_.empty()) return;
        const Domain moved = poly::project(domain, gone_);
        for (std::size_t reader : d_.users) {
            if (in_group(reader)) continue;
            std::vector<Name> inside;
            for (Name n : paths_[reader].loop_names())
                if (!moves(n) && !place_.fixed.count(n)) inside.push_back(n);
            const Domain around = inside.empty() ? data_.statements[reader]->domain : poly::project(data_.statements[reader]->domain, inside);
            if (!poly::is_subset(intersect(intersect(moved, around), data_.assumptions), domain))
                throw refused(fmt::format("which instances of '{}' run depends on loop '{}' too", data_.statements[k]->label.str(), gone_[0].str()), k)
                    .hint("hoist or distribute it by steps");
        }
    }

    void require_in_sight() const {
        std::set<Name> hidden;
        const std::size_t start = static_cast<std::size_t>(std::find(d_.path.nodes.begin(), d_.path.nodes.end(), place_.first) - d_.path.nodes.begin());
        for (std::size_t k = start; k < d_.path.nodes.size(); ++k) hidden.insert(d_.path.nodes[k]->temporaries.begin(), d_.path.nodes[k]->temporaries.end());
        for (std::size_t k : group_)
            for (Name n : names_mentioned(data_, *data_.statements[k]))
                if (hidden.count(n) && !own_.count(n))
                    throw user_error("scope",
                                     fmt::format("'{}' computes '{}' from '{}', which is declared further in than the place where the table is filled",
                                                 data_.statements[k]->label.str(), request_.name.str(), n.str()),
                                     data_.statements[k]->loc)
                        .hint(fmt::format("precompute or inline '{}' first", n.str()));
    }

    void make() {
        std::vector<Touch> touches;
        std::vector<Affine> forms;
        std::vector<std::string> bases;
        for (Name n : axes_) {
            forms.push_back(Affine::symbol(n));
            bases.push_back(n.str());
        }
        std::vector<std::size_t> all = group_;
        all.insert(all.end(), d_.users.begin(), d_.users.end());
        for (std::size_t k : all) {
            const Statement& s = *data_.statements[k];
            touches.push_back(touch_of(data_, request_, place_, {k, s, {}}, forms, s.domain, false, s.loc));
        }
        table_ = make_table(draft_, request_, place_, touches, d_.array->type, bases);
        table_.array.shape.insert(table_.array.shape.end(), d_.array->shape.begin(), d_.array->shape.end());
        forms_ = forms;
    }

    /// What a statement of the group reads from outside.
    std::vector<Expr> outside_reads(std::size_t k) const {
        std::vector<Expr> out;
        Statement s = *data_.statements[k];
        map_expressions(s, false, [&](const Expr& e) {
            visit(expand_rules(data_, e), [&](const Expr& node) {
                if (node.op() == Op::Read && !own_.count(node.name())) out.push_back(node);
            });
            return e;
        });
        return out;
    }

    std::vector<Expr> element(const std::vector<Expr>& own, const std::vector<Affine>& forms, const Domain& domain) const {
        std::vector<Expr> out = table_.element(forms, domain);
        out.insert(out.end(), own.begin(), own.end());
        return out;
    }
    Statement with_table(Statement s) const {
        s = replace_occurrences(s, request_.name, [&](const Expr& node) {
            return read(table_.name, element(node.args(), forms_, s.domain), d_.array->type, node.loc());
        });
        for (Place& p : s.places)
            if (p.array == request_.name) p = {table_.name, element(p.subscripts, forms_, s.domain)};
        return s;
    }
    void redirect(std::size_t k) {
        RuleOpener opener(data_, rules_mentioning(data_, request_.name));
        draft_.set(k, with_table(opener.open(*data_.statements[k])));
    }
    /// The statement under the table's loops.
    void move(std::size_t k) {
        RuleOpener opener(data_, rules_mentioning(data_, request_.name));
        Statement s = with_table(opener.open(*data_.statements[k]));
        if (!gone_.empty()) s.domain = poly::project(s.domain, gone_);
        Forms renamed;
        const std::vector<Affine> forms = table_.subscripts();
        for (std::size_t a = 0; a < axes_.size(); ++a) renamed.emplace_back(axes_[a], forms[a]);
        s = substitute_loops(data_, s, renamed);
        std::erase_if(s.origin, [&](const auto& o) { return std::any_of(gone_.begin(), gone_.end(), [&](Name n) { return mentions(o.second, n); }); });
        s.domain = poly::gist(poly::simplify(s.domain), data_.assumptions);
        draft_.drop(k);
        draft_.set(k, std::move(s));
    }

    const Kernel& kernel_;
    const KernelData& data_;
    TableRequest request_;
    Declared d_;
    Draft draft_;
    std::vector<Path> paths_;
    std::vector<NodePtr>::const_iterator first_, last_;
    std::vector<std::size_t> group_;  ///< statements that give it its values, sorted
    std::set<Name> own_, inner_;      ///< temporaries and loops of the group
    TablePlace place_;
    std::vector<Name> moving_, axes_, gone_;  ///< loops between the table and the temporary; those that count; the others
    std::vector<Affine> forms_;
    Table table_;
};

}  // namespace

Kernel precompute_temporary(const Kernel& kernel, const TableRequest& request) { return MovedTable(kernel, request).run(); }

}  // namespace heddle
