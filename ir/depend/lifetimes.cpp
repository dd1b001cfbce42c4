// Lifetimes of elements, and what is written meanwhile.
#include "ir/lifetimes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ir/access/map.h"
#include "ir/depend/time.h"
#include "ir/depend/witness.h"
#include "ir/poly.h"

namespace heddle {
namespace {

using namespace depend;

const Name element_tuple("#element"), nobody("#nobody");

/// An access of one of the arrays.
struct Entry {
    const StatementModel* statement = nullptr;
    const AccessModel* access = nullptr;
    std::int64_t array = 0;  ///< position in the list of arrays
    Name tuple;
    std::vector<Name> loops;
};

Name numbered(const char* prefix, std::size_t k) { return Name(prefix + std::to_string(k)); }

std::vector<Name> numbered_names(const char* prefix, std::size_t count) {
    std::vector<Name> out;
    for (std::size_t k = 0; k < count; ++k) out.push_back(numbered(prefix, k));
    return out;
}

/// Do the instances of the access, and its elements, depend on data that may change while the kernel runs?
bool depends_on_data(const StatementModel& s, const AccessModel& a) {
    std::vector<Name> symbols;
    intersect(s.domain, a.access.when).symbols(symbols);
    for (const auto& form : a.forms)
        for (const Piece& p : *form) {
            p.value.symbols(symbols);
            for (const Constraint& c : p.when) c.form.symbols(symbols);
        }
    return std::any_of(s.data.begin(), s.data.end(), [&](const DataSymbol& d) {
        return d.need != 0 && std::find(symbols.begin(), symbols.end(), d.name) != symbols.end();
    });
}

/// { [first entries] -> [same many] : the first before the second }.
isl::map earlier(std::size_t depth) {
    const std::vector<Name> in = numbered_names("#a", depth), out = numbered_names("#b", depth);
    Domain d = Domain::nothing();
    Conjunct same;
    for (std::size_t k = 0; k < depth; ++k) {
        d.pieces.push_back(same);
        d.pieces.back().push_back(less(Affine::symbol(in[k]), Affine::symbol(out[k])));
        same.push_back(equal(Affine::symbol(in[k]), Affine::symbol(out[k])));
    }
    return poly::to_map(d, in, {}, out, {});
}

}  // namespace

struct Lifetimes::Impl {
    Impl(const KernelData& k, const std::vector<Name>& names, unsigned long budget)
        : kernel(k), arrays(names), operations(budget), model(k), intrusions(poly::context(), "{ }") {
        const auto around = scope_loops(kernel);
        for (Name n : arrays) {
            const auto it = around.find(n);
            scopes.push_back(it == around.end() ? std::vector<Name>() : it->second);
            scope_depth = std::max(scope_depth, scopes.back().size());
        }
        rank = kernel.find_array(arrays[0])->shape.size();
    }

    std::optional<Error> collect(const std::vector<std::size_t>& users);
    void solve();
    isl::map elements(const Entry& e) const;
    isl::map times(const Entry& e, std::size_t depth) const;
    std::optional<Clash> clash(const Domain& shared) const;
    Clash at_point(const isl::map& found) const;
    Conjunct equal_but(std::size_t first, std::size_t last) const;
    const Entry& entry(const isl::id& tuple) const { return entries[std::stoul(tuple.name().substr(2))]; }
    std::string what() const { return "which elements of '" + arrays[0].str() + "' hold values at the same time"; }
    std::vector<Name> old_element() const { return numbered_names("#e", 1 + scope_depth + rank); }
    std::vector<Name> new_element() const { return numbered_names("#f", 1 + scope_depth + rank); }

    const KernelData& kernel;
    std::vector<Name> arrays;
    unsigned long operations;
    Model model;
    std::vector<std::vector<Name>> scopes;  ///< of each array: the loops whose iterations have instances of it
    std::size_t scope_depth = 0, rank = 0;
    std::vector<Entry> entries;
    /// { [[writer -> reader] -> other writer] -> [element -> other element] }: the value of the first element is still to be
    /// read when the other is written. An element is its array's position, values of loops around the declaration, subscripts.
    isl::union_map intrusions;
    std::optional<Error> unknown;
};

std::optional<Error> Lifetimes::Impl::collect(const std::vector<std::size_t>& users) {
    constexpr std::size_t most = 60;
    for (const std::size_t k : users) {
        const StatementModel& s = model.statement(k);
        const auto vague = [&](const std::string& why, const Loc& loc) {
            return user_error("scope", fmt::format("'{}' accesses '{}' {}", s.statement->label.str(), arrays[0].str(), why),
                              loc);
        };
        for (const AccessModel& a : s.accesses) {
            const auto at = std::find(arrays.begin(), arrays.end(), a.access.array);
            if (at == arrays.end()) continue;
            if (!a.exact || a.access.whole)
                return vague("at a subscript that is not affine, so which element it is is not known", a.access.loc);
            if (depends_on_data(s, a))
                return vague("in instances that depend on data, so when it does is not known", a.access.loc);
            entries.push_back({&s, &a, at - arrays.begin(), numbered("#a", entries.size()), s.loop_names()});
        }
    }
    if (entries.size() <= most) return std::nullopt;
    return user_error("budget", fmt::format("'{}' is accessed in {} places, more than the {} whose dataflow is computed",
                                            arrays[0].str(), entries.size(), most));
}

/// { access[loops] -> element }.
isl::map Lifetimes::Impl::elements(const Entry& e) const {
    const std::vector<Name>& scope = scopes[static_cast<std::size_t>(e.array)];
    const std::vector<Name> from = numbered_names("#x", scope.size() + rank), to = old_element();
    Conjunct c{equal(Affine::symbol(to[0]), Affine(e.array))};
    for (std::size_t k = 0; k < scope_depth; ++k)
        c.push_back(equal(Affine::symbol(to[1 + k]), k < scope.size() ? Affine::symbol(from[k]) : Affine(0)));
    for (std::size_t k = 0; k < rank; ++k)
        c.push_back(equal(Affine::symbol(to[1 + scope_depth + k]), Affine::symbol(from[scope.size() + k])));
    const Domain points = intersect(intersect(e.statement->domain, e.access->access.when), kernel.assumptions);
    return access_map(kernel, e.access->access, e.loops, scope, e.tuple)
        .intersect_domain(poly::to_set(points, e.loops, e.tuple))
        .apply_range(poly::to_map(Domain{{c}}, from, e.access->access.array, to, element_tuple));
}

/// Within an instance reads come first, then writes in their order.
isl::map Lifetimes::Impl::times(const Entry& e, std::size_t depth) const {
    std::vector<Affine> time = time_of(*e.statement, own_loops(*e.statement));
    time.resize(depth);
    time.push_back(e.access->access.write ? Affine(1 + (e.access - e.statement->accesses.data())) : Affine(0));
    return time_map(e.loops, e.tuple, time, depth + 1);
}

/// The value that an element has before anything is written counts as written by nobody at the very beginning.
void Lifetimes::Impl::solve() {
    std::size_t depth = 1;
    for (const Entry& e : entries) depth = std::max(depth, 2 * e.statement->nodes.size());
    isl::union_map reads(poly::context(), "{ }"), must = reads, may = reads, writes = reads, time = reads;
    must = must.unite(poly::to_map(Domain::everything(), {}, nobody, old_element(), element_tuple));
    time = time.unite(time_map({}, nobody, {Affine(-1)}, depth + 1));
    for (const Entry& e : entries) {
        const Access& a = e.access->access;
        const isl::map touched = elements(e);
        // An update reads and writes in one: two tuples keep the times apart.
        if (a.write && a.reads()) {
            Entry twin = e;
            twin.tuple = Name("#r" + e.tuple.str().substr(2));
            reads = reads.unite(elements(twin));
            std::vector<Affine> when = time_of(*e.statement, own_loops(*e.statement));
            time = time.unite(time_map(e.loops, twin.tuple, when, depth + 1));
        } else if (a.reads()) {
            reads = reads.unite(touched);
        }
        time = time.unite(times(e, depth));
        if (!a.write) continue;
        writes = writes.unite(touched);
        const bool surely = !a.conditional && e.statement->statement->predicates.empty();
        (surely ? must : may) = (surely ? must : may).unite(touched);
    }
    const auto flow =
        isl::union_access_info(reads).set_must_source(must).set_may_source(may).set_schedule_map(time).compute_flow();
    const isl::union_map held = flow.full_must_dependence().unite(flow.full_may_dependence()).uncurry();
    const isl::union_map pairs = held.domain().unwrap();
    const isl::union_map before = time.apply_range(earlier(depth + 1)).apply_range(time.reverse());
    const isl::union_map between = pairs.domain_map()
                                       .apply_range(before)
                                       .intersect_range(writes.domain())
                                       .intersect(pairs.range_map().apply_range(before.reverse()));
    intrusions = between.domain_map().apply_range(held).range_product(between.range_map().apply_range(writes));
}

/// Both elements are equal in all entries but those from `first` to `last`.
Conjunct Lifetimes::Impl::equal_but(std::size_t first, std::size_t last) const {
    const std::vector<Name> from = old_element(), to = new_element();
    Conjunct out;
    for (std::size_t k = 0; k < from.size(); ++k)
        if (k < first || k >= last) out.push_back(equal(Affine::symbol(from[k]), Affine::symbol(to[k])));
    return out;
}

/// A witness that elements which `shared` puts in one place hold values at the same time.
std::optional<Clash> Lifetimes::Impl::clash(const Domain& shared) const {
    const poly::Budget limit(what(), operations);
    return poly::guarded("", [&]() -> std::optional<Clash> {
        const isl::map same = poly::to_map(shared, old_element(), element_tuple, new_element(), element_tuple);
        const isl::union_map bad = intrusions.intersect_range(isl::union_set(same.wrap()));
        std::map<std::vector<std::string>, isl::map> by_name;
        bad.foreach_map([&](isl::map m) {
            const isl::map who = m.domain().unwrap(), pair = who.domain().unwrap();
            by_name.emplace(std::vector<std::string>{pair.domain_tuple_id().name(), who.range_tuple_id().name(),
                                                     pair.range_tuple_id().name()},
                            m);
        });
        for (const auto& [names, m] : by_name)
            if (!m.is_empty()) return at_point(m);
        return std::nullopt;
    });
}

Clash Lifetimes::Impl::at_point(const isl::map& found) const {
    const isl::map who = found.domain().unwrap(), pair = who.domain().unwrap();
    const bool written = pair.domain_tuple_id().name() != nobody.str();
    const Entry &reader = entry(pair.range_tuple_id()), &other = entry(who.range_tuple_id());
    const Entry* writer = written ? &entry(pair.domain_tuple_id()) : nullptr;
    std::vector<Name> dims;
    const auto add = [&](const std::vector<Name>& names) { dims.insert(dims.end(), names.begin(), names.end()); };
    if (writer) add(numbered_names("#w", writer->loops.size()));
    add(numbered_names("#r", reader.loops.size()));
    add(numbered_names("#o", other.loops.size()));
    add(old_element());
    add(new_element());
    std::vector<Name> parameters;
    for (const Parameter& p : kernel.parameters) parameters.push_back(p.name);
    const Domain points = poly::from_set(found.wrap().flatten(), dims);
    std::vector<Name> used;
    points.symbols(used);
    std::erase_if(parameters, [&](Name n) { return std::find(used.begin(), used.end(), n) == used.end(); });
    const Env env = poly::sample(points, parameters).value();
    const auto value = [&](Name n) { return env.count(n) ? env.at(n) : 0; };
    const auto instance = [&](const Entry& e, const char* prefix) {
        Clash::Instance out{e.statement->index, {}};
        for (std::size_t k = 0; k < e.loops.size(); ++k) out.point[e.loops[k]] = value(numbered(prefix, k));
        return out;
    };
    Clash out;
    if (writer) out.writer = instance(*writer, "#w");
    out.reader = instance(reader, "#r");
    out.other = instance(other, "#o");
    out.array = arrays[static_cast<std::size_t>(reader.array)];
    out.other_array = arrays[static_cast<std::size_t>(other.array)];
    for (std::size_t k = 0; k < rank; ++k) {
        out.element.push_back(value(numbered("#e", 1 + scope_depth + k)));
        out.other_element.push_back(value(numbered("#f", 1 + scope_depth + k)));
    }
    for (Name n : parameters) out.parameters[n] = value(n);
    return out;
}

Lifetimes::Lifetimes(const KernelData& kernel, const std::vector<Name>& arrays, const std::vector<std::size_t>& users,
                     unsigned long operations)
    : impl_(std::make_unique<Impl>(kernel, arrays, operations)) {
    impl_->unknown = impl_->collect(users);
    if (impl_->unknown) return;
    try {
        const poly::Budget limit(impl_->what(), operations);
        poly::guarded("", [&] { impl_->solve(); });
    } catch (const Error& e) {
        if (e.code() != "budget") throw;
        impl_->unknown = e;
    }
}
Lifetimes::~Lifetimes() = default;

const std::optional<Error>& Lifetimes::unknown() const { return impl_->unknown; }

std::optional<Clash> Lifetimes::folded(std::size_t axis, std::int64_t modulus) const {
    const std::size_t at = 1 + impl_->scope_depth + axis;
    const Affine apart = Affine::symbol(numbered("#f", at)) - Affine::symbol(numbered("#e", at));
    Conjunct shared = impl_->equal_but(at, at + 1);
    shared.push_back(equal(apart, modulus * Affine::floor_div(apart, modulus)));
    Domain out = Domain{{shared, shared}};
    out.pieces[0].push_back(less(apart, Affine(0)));
    out.pieces[1].push_back(less(Affine(0), apart));
    return impl_->clash(out);
}

/// The distances, along the axis, between elements that must stay apart are a set of integers: a modulus will do when it
/// divides none of them.
std::optional<std::int64_t> Lifetimes::least_modulus(std::size_t axis, std::int64_t limit) const {
    const poly::Budget budget(impl_->what(), impl_->operations);
    return poly::guarded("", [&]() -> std::optional<std::int64_t> {
        const Name distance("#distance");
        const std::size_t at = 1 + impl_->scope_depth + axis;
        const Affine apart = Affine::symbol(numbered("#f", at)) - Affine::symbol(numbered("#e", at));
        const isl::map same = poly::to_map(Domain{{impl_->equal_but(at, at + 1)}}, impl_->old_element(), element_tuple,
                                           impl_->new_element(), element_tuple);
        std::vector<Name> both = impl_->old_element();
        for (Name n : impl_->new_element()) both.push_back(n);
        Domain apart_by = Domain::nothing();
        impl_->intrusions.range().intersect(isl::union_set(same.wrap())).foreach_set([&](isl::set s) {
            const Domain pairs = poly::from_set(s.flatten(), both);
            const isl::map measure = poly::to_map(domain_of(equal(Affine::symbol(distance), apart)), both, {}, {distance}, {});
            const isl::set found = poly::to_set(pairs, both).apply(measure).project_out_all_params();
            apart_by = unite(apart_by, poly::from_set(found, {distance}));
        });
        const Affine d = Affine::symbol(distance);
        apart_by = intersect(apart_by, Domain{{{less(d, Affine(0))}, {less(Affine(0), d)}}});
        for (std::int64_t m = 1; m <= limit; ++m)
            if (poly::is_empty(intersect(apart_by, domain_of(equal(d, m * Affine::floor_div(d, m)))))) return m;
        return std::nullopt;
    });
}

std::optional<Clash> Lifetimes::merged() const {
    const std::size_t kept = impl_->scopes.back().size(), depth = impl_->scope_depth;
    const std::vector<Name> from = impl_->old_element(), to = impl_->new_element();
    Conjunct shared;
    Domain out = Domain::nothing();
    for (std::size_t k = 0; k < from.size(); ++k) {
        const Affine a = Affine::symbol(from[k]), b = Affine::symbol(to[k]);
        if (k != 0 && (k <= kept || k > depth)) {
            shared.push_back(equal(a, b));
            continue;
        }
        out.pieces.push_back({less(a, b)});
        out.pieces.push_back({less(b, a)});
    }
    return impl_->clash(intersect(out, Domain{{shared}}));
}

std::string Clash::text(const KernelData& kernel) const {
    const auto shown = [&](const Instance& i) {
        return instance_text(*kernel.statements[i.statement], loops_around(kernel, i.statement), i.point, parameters);
    };
    const auto place = [](Name name, const std::vector<std::int64_t>& at) {
        return at.empty() ? name.str() : fmt::format("{}[{}]", name.str(), fmt::join(at, ", "));
    };
    const std::string first = place(array, element), second = place(other_array, other_element);
    std::string out = writer ? fmt::format("{} writes {}, {} writes {}, and {} reads {} after that", shown(*writer), first,
                                           shown(other), second, shown(reader), first)
                             : fmt::format("{} writes {}, and {} reads {} after that, which nothing may have written",
                                           shown(other), second, shown(reader), first);
    std::string sizes;
    for (const auto& [name, value] : parameters) sizes += fmt::format("{}{}={}", sizes.empty() ? "" : ", ", name.str(), value);
    return sizes.empty() ? out : out + " (" + sizes + ")";
}

}  // namespace heddle
