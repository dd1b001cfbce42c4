#include "transform/precompute.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/access.h"
#include "ir/error.h"
#include "ir/poly.h"
#include "transform/table_temporary.h"
#include "transform/unchanged.h"

namespace heddle {

namespace {

/// What a table of read-only values holds.
struct Source {
    std::size_t rank = 0;
    std::vector<std::string> loop_bases;
    /// The value that belongs to these subscripts.
    std::function<Expr(const std::vector<Affine>&)> value;
};

Source of_rule(const KernelData& kernel, const RuleDef& rule) {
    Source out{rule.parameters.size(), {}, {}};
    for (Name p : rule.parameters) out.loop_bases.push_back(p.str());
    out.value = [&kernel, &rule](const std::vector<Affine>& arguments) {
        Forms forms;
        for (std::size_t k = 0; k < arguments.size(); ++k) forms.emplace_back(rule.parameters[k], arguments[k]);
        return substitute_loops(kernel, rule.body, forms);
    };
    return out;
}

Source of_array(const Array& array) {
    Source out{array.shape.size(), {}, {}};
    for (std::size_t k = 0; k < array.shape.size(); ++k) out.loop_bases.push_back(array.name.str() + std::to_string(k));
    out.value = [&array](const std::vector<Affine>& subscripts) {
        std::vector<Expr> args;
        for (const Affine& a : subscripts) args.push_back(expr_of(a));
        return read(array.name, std::move(args), array.type);
    };
    return out;
}

DType common_use_type(const TableRequest& request, const std::vector<TableUser>& users) {
    const DType first = users[0].uses[0].node.type();
    for (const TableUser& u : users)
        for (const Occurrence& o : u.uses)
            if (o.node.type() != first)
                throw user_error("type",
                                 fmt::format("'{}' is {} in one use and {} in another", request.name.str(), name_of(first),
                                             name_of(o.node.type())),
                                 o.node.loc())
                    .hint("cast in the rule's body");
    return first;
}

/// What a value depends on must be in sight where the table is filled.
void require_in_sight(const KernelData& kernel, const TableRequest& request, const TablePlace& place, const Expr& value,
                      const Table& table) {
    std::set<Name> loops;
    walk(kernel.root, [&](const NodePtr& n) {
        if (n->kind == Node::Kind::Loop) loops.insert(n->loop);
    });
    const auto scopes = scope_loops(kernel);
    for (Name n : names_mentioned(kernel, value)) {
        const bool own = std::find(table.loops.begin(), table.loops.end(), n) != table.loops.end();
        const bool loop = loops.count(n) && !place.fixed.count(n) && !own;
        const auto scope = scopes.find(n);
        const bool hidden = scope != scopes.end() && std::any_of(scope->second.begin(), scope->second.end(),
                                                                 [&](Name l) { return place.fixed.count(l) == 0; });
        if (loop || hidden)
            throw user_error("footprint", fmt::format("the value of '{}' depends on '{}', which is not known where the table is filled",
                                                      request.name.str(), n.str()))
                .hint(fmt::format("make '{}' a parameter of the rule, or choose a loop further in", n.str()));
    }
}

[[noreturn]] void not_surely_read(const TableRequest& request, const Expr& node) {
    throw user_error("footprint",
                     fmt::format("some uses of '{}' stand under run-time conditions, and filling the table would read '{}' where it may "
                                 "be outside its array or undefined",
                                 request.name.str(), node.name().str()),
                     node.loc())
        .hint("use it unconditionally, or leave these statements out with 'for'");
}

/// Does the value read nothing but what the kernel never writes, at affine places? Then more of it may be computed than is used.
bool reads_inputs_only(const KernelData& kernel, const Expr& value) {
    bool out = true;
    visit(expand_rules(kernel, value), [&](const Expr& node) {
        if (node.op() != Op::Read) return;
        const Array& a = array_named(kernel, node.name());
        out = out && (a.role == Role::In || a.role == Role::Table) && a.view_of.empty();
        for (std::size_t k = 0; k < node.args().size(); ++k) out = out && affine_of(node.arg(k)) && affine_of(a.shape[k]);
    });
    return out;
}

/// Values that only some run reads: the fill keeps inside the arrays. Elements inside are defined for inputs.
Domain kept_inside(const KernelData& kernel, const TableRequest& request, const Expr& value, Domain domain) {
    visit(expand_rules(kernel, value), [&](const Expr& node) {
        if (node.op() != Op::Read) return;
        const Array& a = array_named(kernel, node.name());
        if (a.role != Role::In && a.role != Role::InOut && a.role != Role::Table) not_surely_read(request, node);
        for (std::size_t k = 0; k < node.args().size(); ++k) {
            const auto subscript = affine_of(node.arg(k)), extent = affine_of(a.shape[k]);
            if (!subscript || !extent) not_surely_read(request, node);
            domain = intersect(domain, domain_of(at_least(*subscript, Affine(0))));
            domain = intersect(domain, domain_of(less(*subscript, *extent)));
        }
    });
    return poly::simplify(domain);
}

Statement fill_statement(Draft& draft, const Table& table, Expr value, Domain domain, const Loc& loc) {
    Statement s;
    s.label = draft.fresh(table.name.str() + "_fill");
    s.places = {{table.name, table.own()}};
    s.values = {std::move(value)};
    s.domain = std::move(domain);
    s.loc = loc;
    return s;
}

/// Tabulates what is only read: fills in front of the first user, and proves that the values are still the same at every use.
class Tabulation {
public:
    Tabulation(const Kernel& kernel, const TableRequest& request, Source source)
        : kernel_(kernel), data_(kernel.data()), request_(request), source_(std::move(source)), draft_(kernel) {
        users_ = table_users(data_, request_, at_, false);
        place_ = table_place(data_, at_, users_);
        for (const TableUser& u : users_)
            for (const Occurrence& o : u.uses) {
                require_element(u, o);
                const std::vector<Affine> forms = affine_forms(data_, o.node.args(), u, request_.name, o.node.loc());
                touches_.push_back(touch_of(data_, request_, place_, u, forms, o.when, o.conditional, o.node.loc()));
                probes_.push_back({u.index, o.when, {o.node}, place_.first, false, {}});
            }
        table_ = make_table(draft_, request_, place_, touches_, common_use_type(request_, users_), source_.loop_bases);
    }

    Kernel run() {
        require_unchanged(kernel_, probes_,
                          fmt::format("something that '{}' reads is written between the place where the table would be filled and a use",
                                      request_.name.str()),
                          "choose a loop further in, so that the table is filled after the write");
        fill();
        for (const TableUser& u : users_) redirect(u);
        drop_rule();
        return draft_.finish();
    }

private:
    /// A kernel call takes the whole array.
    void require_element(const TableUser& u, const Occurrence& o) const {
        if (o.node.args().size() == source_.loop_bases.size()) return;
        throw user_error("call", fmt::format("'{}' hands '{}' over as a whole", u.statement.label.str(), request_.name.str()), u.statement.loc)
            .hint(fmt::format("inline {} first", u.statement.label.str()));
    }
    void fill() {
        const Expr value = source_.value(table_.subscripts());
        require_in_sight(data_, request_, place_, value, table_);
        Domain domain = table_.over_loops(data_, table_.elements.image);
        if (domain.pieces.size() > 1 && reads_inputs_only(data_, value))
            domain = kept_inside(data_, request_, value, table_.over_loops(data_, hull_over(table_.elements.image, table_.elements.axes)));
        else if (table_.elements.conditional)
            domain = kept_inside(data_, request_, value, domain);
        const Loc& loc = data_.statements[users_[0].index]->loc;
        const NodePtr leaf = draft_.add(fill_statement(draft_, table_, value, std::move(domain), loc));
        draft_.before(place_.first, nest(table_.loops, {leaf}));
        draft_.declare(place_.home, table_.array);
    }

    void redirect(const TableUser& u) {
        draft_.set(u.index, replace_occurrences(u.statement, request_.name, [&](const Expr& node) {
                       std::vector<Affine> forms = affine_forms(data_, node.args(), u, request_.name, node.loc());
                       return read(table_.name, table_.element(forms, u.statement.domain), table_.array.type, node.loc());
                   }));
    }

    /// A rule that nothing uses any more goes.
    void drop_rule() {
        if (!data_.find_rule(request_.name) || !rules_mentioning(data_, request_.name).empty()) return;
        for (const auto& s : draft_.data.statements)
            if (!occurrences(data_, *s, request_.name).empty()) return;
        std::erase_if(draft_.data.rules, [&](const RuleDef& r) { return r.name == request_.name; });
    }

    const Kernel& kernel_;
    const KernelData& data_;
    TableRequest request_;
    Source source_;
    Draft draft_;
    NodePtr at_;
    std::vector<TableUser> users_;
    TablePlace place_;
    std::vector<Touch> touches_;
    std::vector<Probe> probes_;
    Table table_;
};

}  // namespace

Kernel run_step(const Kernel& kernel, const Precompute& step) {
    const RuleDef* rule = kernel.data().find_rule(step.rule);
    const TableRequest request{step.rule, step.over, step.at, step.space, step.into, step.loops, step.statements};
    const Array* array = kernel.data().find_array(step.rule);
    if (!rule && array && array->role == Role::Temp && step.statements.empty()) return precompute_temporary(kernel, request);
    if (!rule)
        throw user_error("name", fmt::format("there is no rule '{}'", step.rule.str()))
            .hint("'rule t' makes one of a temporary, 'extract' of an expression; 'stage' copies an array");
    return Tabulation(kernel, request, of_rule(kernel.data(), *rule)).run();
}

Kernel run_step(const Kernel& kernel, const Stage& step) {
    const Array& array = array_named(kernel.data(), step.array);
    if (array.shape.empty() && array.is_let)
        throw user_error("role", fmt::format("'{}' is a let: it has a place of its own already", step.array.str()), array.loc);
    const TableRequest request{step.array, step.over, step.at, step.space, step.into, step.loops, step.statements};
    return Tabulation(kernel, request, of_array(array)).run();
}

}  // namespace heddle
