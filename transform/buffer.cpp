// `buffer`: an iteration works on a copy of what it reads and writes.
#include <fmt/format.h>

#include <algorithm>

#include "ir/error.h"
#include "ir/poly.h"
#include "transform/coverage.h"
#include "transform/declared.h"
#include "transform/precompute.h"
#include "transform/table.h"

namespace heddle {

namespace {

const Array& bufferable(const KernelData& kernel, Name name) {
    const Array& a = array_named(kernel, name);
    if (a.role == Role::In || a.role == Role::Table)
        throw user_error("role", fmt::format("'{}' is read only", name.str()), a.loc).hint("'stage' copies what is read");
    if (a.is_let) throw user_error("role", fmt::format("'{}' is a let: it has a place of its own already", name.str()), a.loc);
    bool shared = !a.view_of.empty();
    for (const Array& other : kernel.arrays) shared |= other.view_of == name || (a.is_argument() && other.may_alias);
    if (shared)
        throw user_error("role", fmt::format("other arrays may share the memory of '{}', so a copy of it could grow stale", name.str()), a.loc);
    return a;
}

class Buffering {
public:
    Buffering(const Kernel& kernel, const TableRequest& request)
        : data_(kernel.data()), request_(request), array_(bufferable(data_, request.name)), draft_(kernel), paths_(paths_of(data_)) {
        users_ = table_users(data_, request_, at_, true);
        place_ = table_place(data_, at_, users_);
        accesses_ = array_accesses(data_, at_, request_.name, "footprint");
        std::vector<Touch> touches;
        for (const ArrayAccess& a : accesses_) touches.push_back(touch(a));
        std::vector<std::string> bases;
        for (std::size_t k = 0; k < array_.shape.size(); ++k) bases.push_back(request_.name.str() + std::to_string(k));
        table_ = make_table(draft_, request_, place_, touches, array_.type, bases);
    }

    Kernel run() {
        copy(copied_in(), true);
        copy(copied_out(), false);
        for (const TableUser& u : users_) redirect(u);
        draft_.declare(place_.home, table_.array);
        return draft_.finish();
    }

private:
    Touch touch(const ArrayAccess& a) {
        const auto user = std::find_if(users_.begin(), users_.end(), [&](const TableUser& u) { return u.index == a.statement; });
        return touch_of(data_, request_, place_, *user, a.subscripts, a.when, a.conditional, a.loc);
    }
    std::size_t fixed_loops() const {
        std::size_t out = 0;
        for (const Node* n : way_to(data_, place_.home)) out += n->kind == Node::Kind::Loop;
        return out;
    }
    Domain image(const ArrayAccess& a, const Domain& when) {
        if (when.is_nothing()) return Domain::nothing();
        Touch t = touch(a);
        t.domain = when;
        return image_of(data_, t, place_.fixed, table_.elements.axes);
    }

    /// Elements that may be read before the iteration writes them, and elements that it may or may not write.
    Domain copied_in() {
        Domain out = Domain::nothing();
        for (const ArrayAccess& a : accesses_) {
            Domain needed = Domain::nothing();
            if (a.reads()) needed = poly::subtract(a.when, covered(paths_, a, accesses_, fixed_loops()));
            if (a.write && touch(a).conditional) needed = a.when;
            needed = intersect(needed, data_.assumptions);
            if (poly::is_empty(needed)) continue;
            if (touch(a).conditional && array_.role != Role::InOut)
                throw user_error("footprint",
                                 fmt::format("whether '{}' accesses '{}' depends on data, and copying elements that have no value yet is an error",
                                             data_.statements[a.statement]->label.str(), request_.name.str()),
                                 a.loc)
                    .hint("let a statement give every element a value first, under the same loop");
            out = unite(out, image(a, needed));
        }
        return merged(out);
    }
    Domain copied_out() {
        Domain out = Domain::nothing();
        for (const ArrayAccess& a : accesses_)
            if (a.write) out = unite(out, image(a, a.when));
        return merged(out);
    }

    void copy(const Domain& image, bool in) {
        if (image.is_nothing()) return;
        std::vector<Expr> outside;
        for (const Affine& a : table_.subscripts()) outside.push_back(expr_of(a));
        const Place here{table_.name, table_.own()}, there{request_.name, outside};
        const Place& from = in ? there : here;
        Statement s;
        s.label = draft_.fresh(table_.name.str() + (in ? "_load" : "_store"));
        s.places = {in ? here : there};
        s.values = {read(from.array, from.subscripts, array_.type)};
        s.domain = table_.over_loops(data_, image);
        s.loc = data_.statements[users_[0].index]->loc;
        const NodePtr loops = nest(table_.loops, {draft_.add(std::move(s))});
        in ? draft_.before(place_.first, loops) : draft_.after(place_.last, loops);
    }

    std::vector<Expr> element(const std::vector<Expr>& subscripts, const TableUser& u) const {
        return table_.element(affine_forms(data_, subscripts, u, request_.name, u.statement.loc), u.statement.domain);
    }
    void redirect(const TableUser& u) {
        Statement s = replace_occurrences(u.statement, request_.name, [&](const Expr& node) {
            return read(table_.name, element(node.args(), u), array_.type, node.loc());
        });
        for (Place& p : s.places)
            if (p.array == request_.name) p = {table_.name, element(p.subscripts, u)};
        draft_.set(u.index, std::move(s));
    }

    const KernelData& data_;
    TableRequest request_;
    const Array& array_;
    Draft draft_;
    std::vector<Path> paths_;
    NodePtr at_;
    std::vector<TableUser> users_;
    TablePlace place_;
    std::vector<ArrayAccess> accesses_;
    Table table_;
};

}  // namespace

Kernel run_step(const Kernel& kernel, const BufferArray& step) {
    const TableRequest request{step.array, step.over, step.at, step.space, step.into, step.loops, {}};
    return Buffering(kernel, request).run();
}

}  // namespace heddle
