#include "transform/inline_call.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/error.h"
#include "ir/infer.h"
#include "ir/poly.h"
#include "transform/draft.h"
#include "transform/box.h"
#include "transform/rewrite.h"

namespace heddle {

namespace {

/// One call on its way into its caller: what becomes of each name of the callee's.
class Inlining {
public:
    Inlining(const Kernel& kernel, std::size_t index)
        : data_(kernel.data()), call_(*data_.statements[index]), callee_(*call_.call->callee), draft_(kernel), index_(index),
          path_(paths_of(data_)[index]) {
        for (const RuleDef& r : callee_.rules) names_[r.name] = draft_.fresh(r.name.str());
        for (const OperatorDef& o : callee_.operators) names_[o.name] = draft_.fresh(o.name.str());
        walk(callee_.root, [&](const NodePtr& n) {
            if (n->kind == Node::Kind::Loop && !names_.count(n->loop)) names_[n->loop] = draft_.fresh(n->loop.str());
        });
        bind();
    }

    Kernel run() {
        require_assumptions();
        for (const Array& a : callee_.arrays)
            if (!a.is_argument()) add_array(a);
        add_definitions();
        std::vector<NodePtr> body = children(*callee_.root);
        std::vector<NodePtr> all = std::move(before_);
        all.insert(all.end(), body.begin(), body.end());
        std::vector<Name> declared = lets_;
        for (Name t : callee_.root->temporaries) declared.push_back(names_.at(t));
        const Node* leaf = path_.nodes.back();
        if (declared.empty()) {
            for (NodePtr& n : all) draft_.before(leaf, std::move(n));
            draft_.drop(index_);
        } else {
            draft_.replace(leaf, make_block(std::move(all), std::move(declared)));
        }
        return draft_.finish();
    }

private:
    Error refused(const std::string& why) const {
        return user_error("inline", fmt::format("cannot inline '{}' at '{}': {}", callee_.name.str(), call_.label.str(), why), call_.loc);
    }

    // ---- arguments

    void bind() {
        for (const auto& [formal, value] : call_.call->bindings) {
            const Array* array = callee_.find_array(formal);
            if (!array)
                bind_size(formal, value);
            else if (array->by_value())
                bind_scalar(*array, value);
            else
                bind_array(*array, value);
        }
    }
    void bind_size(Name formal, const Expr& value) {
        if (const auto form = affine_of(value)) {
            forms_.emplace_back(formal, *form);
            return;
        }
        const Name let = add_let(formal, value, index_type);
        forms_.emplace_back(formal, Affine::symbol(let));
    }
    void bind_scalar(const Array& formal, const Expr& value) {
        const bool constant = value.is_literal() || value.op() == Op::Var || reads_by_value(value);
        if (constant && value.type() == formal.type && !stands_in_bounds(formal.name))
            scalars_.emplace_back(formal.name, value);
        else
            names_[formal.name] = add_let(formal.name, value, formal.type);
    }
    bool reads_by_value(const Expr& value) const {
        const Array* a = value.op() == Op::Read && value.args().empty() ? data_.find_array(value.name()) : nullptr;
        return a && a->by_value();
    }
    bool stands_in_bounds(Name formal) const {
        return std::any_of(callee_.statements.begin(), callee_.statements.end(), [&](const auto& s) { return s->domain.mentions(formal); });
    }
    /// A scalar that is computed once, where the call stood.
    Name add_let(Name formal, const Expr& value, DType type) {
        const Name name = draft_.fresh(formal.str());
        Array a;
        a.name = name;
        a.type = type;
        a.role = Role::Temp;
        a.is_let = true;
        a.loc = call_.loc;
        draft_.data.arrays.push_back(a);
        draft_.data.index.reset();
        lets_.push_back(name);
        Statement s;
        s.label = draft_.fresh(name.str() + "_set");
        s.places = {{name, {}}};
        s.values = {converts_silently(value.type(), type) ? value : make(Op::Cast, type, {value})};
        s.domain = call_.domain;
        s.predicates = call_.predicates;
        s.loc = call_.loc;
        before_.push_back(draft_.add(std::move(s)));
        return name;
    }
    void bind_array(const Array& formal, const Expr& value) {
        const Array& given = array_named(data_, value.name());
        names_[formal.name] = given.name;
        if (formal.layout.order != given.layout.order || formal.layout.padding != given.layout.padding ||
            formal.layout.separate_axis != given.layout.separate_axis || formal.layout.strides.size() != given.layout.strides.size())
            throw refused(fmt::format("'{}' has another layout than '{}'", given.name.str(), formal.name.str()));
        arrays_.emplace_back(&formal, &given);
    }

    // ---- conditions

    void require_assumptions() {
        const Domain known = intersect(call_.domain, data_.assumptions);
        for (const auto& [formal, given] : arrays_)
            for (std::size_t k = 0; k < formal->shape.size(); ++k)
                if (!same_extent(index_expr(formal->shape[k]), given->shape[k], known))
                    throw refused(fmt::format("axis {} of '{}' is not known to be as long as that of '{}'", k, given->name.str(), formal->name.str()))
                        .hint("'assume' what relates the sizes");
        if (!poly::is_subset(known, substitute(callee_.assumptions, forms_)))
            throw refused("its 'where' conditions are not known to hold for these arguments").hint("'assume' what makes them hold");
    }
    static bool same_extent(const Expr& a, const Expr& b, const Domain& known) {
        if (a.same(b)) return true;
        const auto x = affine_of(a), y = affine_of(b);
        return x && y && (*x == *y || poly::is_subset(known, domain_of(equal(*x, *y))));
    }

    // ---- names

    Name name_of(Name n) const {
        const auto it = names_.find(n);
        return it == names_.end() ? n : it->second;
    }
    /// A shape entry in the caller's parameters.
    Expr index_expr(const Expr& e) const {
        Substitution map;
        for (const auto& [name, form] : forms_) map.emplace_back(name, expr_of(form));
        const Expr out = substitute(e, map);
        const auto form = affine_of(out);
        return form ? expr_of(*form) : out;
    }
    Expr shape_expr(const Array& a, const Expr& e) const {
        const Expr out = index_expr(e);
        const std::set<Name> mentioned = names_mentioned(data_, out);
        if (std::all_of(mentioned.begin(), mentioned.end(), [&](Name n) { return data_.is_parameter(n); })) return out;
        const auto form = affine_of(out);
        const auto largest = form ? parametric_maximum(data_, *form, call_.domain) : std::nullopt;
        if (!largest) throw refused(fmt::format("the shape of its temporary '{}' has no bound in the parameters", a.name.str()));
        return shape_of(data_, *largest);
    }
    void add_array(const Array& a) {
        Array out = a;
        if (!names_.count(a.name)) names_[a.name] = draft_.fresh(a.name.str());
        out.name = names_.at(a.name);
        if (!a.view_of.empty()) out.view_of = name_of(a.view_of);
        for (Expr& e : out.shape) e = shape_expr(a, e);
        for (Expr& e : out.layout.strides) e = shape_expr(a, e);
        if (a.role == Role::Table) out.loc = a.loc;
        draft_.data.arrays.push_back(std::move(out));
        draft_.data.index.reset();
    }
    void add_definitions() {
        for (RuleDef r : callee_.rules) {
            Substitution own;
            r.name = names_.at(r.name);
            r.body = value(r.body, r.parameters);
            draft_.data.rules.push_back(std::move(r));
        }
        for (OperatorDef o : callee_.operators) {
            o.name = names_.at(o.name);
            draft_.data.operators.push_back(std::move(o));
        }
        for (const ExternDef& e : callee_.externs) {
            const ExternDef* known = data_.find_extern(e.name);
            if (known && (known->arguments != e.arguments || known->result != e.result))
                throw refused(fmt::format("both declare 'extern fn {}', with other types", e.name.str()));
            if (!known) draft_.data.externs.push_back(e);
        }
        for (Assertion a : callee_.assertions) {
            for (Name& n : a.arrays) n = name_of(n);
            draft_.data.assertions.push_back(std::move(a));
        }
    }

    // ---- statements

    /// An expression of the callee's in the caller's names; `own` are parameters of a rule, which hide others.
    Expr value(const Expr& e, const std::vector<Name>& own = {}) const {
        return rewrite(e, [&](const Expr& node) -> Expr {
            if (node.name().empty() || std::find(own.begin(), own.end(), node.name()) != own.end()) return node;
            const bool symbol = node.op() == Op::Var || (node.op() == Op::Read && node.args().empty());
            if (symbol) {
                for (const auto& [name, v] : scalars_)
                    if (name == node.name()) return v;
                if (const Affine* form = find_form(forms_, node.name())) return expr_of(*form);
            }
            if (node.op() == Op::Var) return variable(name_of(node.name()), node.loc());
            if (node.op() != Op::Read && node.op() != Op::Rule) return node;
            return make(node.op(), node.type(), node.args(), name_of(node.name()), node.loc());
        });
    }
    Domain domain(const Domain& d) const {
        Forms forms = forms_;
        std::set<Name> symbols;
        for (const Conjunct& piece : d.pieces)
            for (const Constraint& c : piece) {
                std::vector<Name> some;
                c.form.symbols(some);
                symbols.insert(some.begin(), some.end());
            }
        for (Name n : symbols)
            if (names_.count(n)) forms.emplace_back(n, Affine::symbol(names_.at(n)));
        return intersect(call_.domain, substitute(d, forms));
    }
    NodePtr statement(const Statement& original, const Loc& loc) {
        Statement s = original;
        s.label = draft_.fresh(original.label.str());
        s.op = s.op.empty() ? s.op : name_of(s.op);
        for (Place& p : s.places) p.array = name_of(p.array);
        map_expressions(s, true, [&](const Expr& e) { return value(e); });
        for (auto& [loop, e] : s.origin) loop = name_of(loop);
        s.domain = domain(original.domain);
        s.predicates.insert(s.predicates.begin(), guards().begin(), guards().end());
        const NodePtr leaf = draft_.add(std::move(s));
        return make_leaf(leaf->statement, loc);
    }
    std::vector<NodePtr> children(const Node& node) {
        std::vector<NodePtr> out;
        for (const NodePtr& child : node.children) out.push_back(copy(*child));
        return out;
    }
    NodePtr copy(const Node& node) {
        if (node.kind == Node::Kind::Leaf) return statement(*callee_.statements[node.statement], node.loc);
        auto out = std::make_shared<Node>(node);
        if (node.kind == Node::Kind::Loop) out->loop = names_.at(node.loop);
        for (Name& t : out->temporaries) t = names_.at(t);
        out->children = children(node);
        return out;
    }
    /// The call's run-time conditions, as they were where the call stood: kept in lets when the callee may change what they read.
    const std::vector<Expr>& guards() {
        if (guards_ || call_.predicates.empty()) return guards_ ? *guards_ : guards_.emplace();
        guards_.emplace();
        for (const Expr& p : call_.predicates) guards_->push_back(written_by_callee(p) ? kept(p) : p);
        return *guards_;
    }
    bool written_by_callee(const Expr& e) const {
        const std::set<Name> mentioned = names_mentioned(data_, e);
        return std::any_of(arrays_.begin(), arrays_.end(), [&](const auto& pair) {
            return pair.first->role != Role::In && mentioned.count(pair.second->name) != 0;
        });
    }
    Expr kept(const Expr& predicate) {
        Array a;
        a.name = draft_.fresh("guard");
        a.type = DType::Bool;
        a.role = Role::Temp;
        a.is_let = true;
        a.loc = call_.loc;
        draft_.data.arrays.push_back(a);
        draft_.data.index.reset();
        lets_.push_back(a.name);
        Statement s;
        s.label = draft_.fresh(a.name.str() + "_set");
        s.places = {{a.name, {}}};
        s.values = {predicate};
        s.domain = call_.domain;
        s.loc = call_.loc;
        before_.insert(before_.begin(), draft_.add(std::move(s)));
        return read(a.name, {}, DType::Bool, call_.loc);
    }

    const KernelData& data_;
    const Statement& call_;
    const KernelData& callee_;
    Draft draft_;
    std::size_t index_;
    Path path_;
    std::map<Name, Name> names_;  ///< callee's -> caller's
    Forms forms_;                 ///< index parameters
    Substitution scalars_;        ///< scalars whose value never changes
    std::vector<std::pair<const Array*, const Array*>> arrays_;
    std::vector<Name> lets_;
    std::vector<NodePtr> before_;
    std::optional<std::vector<Expr>> guards_;
};

}  // namespace

Kernel inline_call(const Kernel& kernel, std::size_t statement) { return Inlining(kernel, statement).run(); }

}  // namespace heddle
