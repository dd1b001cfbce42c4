#include "transform/edit.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/parse.h"
#include "ir/tree.h"
#include "transform/tidy.h"

namespace heddle {

namespace {

NodePtr loop_element(const Node& loop) {
    auto out = std::make_shared<Node>(loop);
    out->children.clear();
    out->temporaries.clear();
    return out;
}

bool is_loop(const NodePtr& element) { return element->kind == Node::Kind::Loop; }

/// A name without the number of a copy: "S" of "S_1".
std::string stem(Name name) {
    const std::string& text = name.str();
    const std::size_t end = text.find_last_not_of("0123456789");
    return end != std::string::npos && end > 0 && end + 1 < text.size() && text[end] == '_' ? text.substr(0, end) : text;
}

}  // namespace

NodePtr plain_loop(const Node& like, Name name) {
    auto out = std::make_shared<Node>(like);
    out->loop = name;
    out->tag = {};
    out->separate = false;
    return out;
}

NodePtr tagged_loop(const Node& like, const LoopTag& tag) {
    auto out = std::make_shared<Node>(like);
    out->tag = tag;
    return out;
}

std::optional<std::size_t> Edit::Strand::find(const NodePtr& element) const {
    const auto it = std::find(way.begin(), way.end(), element);
    return it == way.end() ? std::nullopt : std::optional<std::size_t>(it - way.begin());
}

std::optional<std::size_t> Edit::Strand::find_loop(Name name) const {
    for (std::size_t k = 0; k < way.size(); ++k)
        if (is_loop(way[k]) && way[k]->loop == name) return k;
    return std::nullopt;
}

Edit::Edit(const Kernel& kernel)
    : data(kernel.data()), old_(kernel.share()), old_scopes_(scope_loops(*old_)), used_(names_in_use(*old_)) {
    for (std::size_t k = 0; k < old_->statements.size(); ++k) parts.push_back({old_->statements[k], k, {}, {}, {}, false});
    strands.reserve(parts.size());
    std::vector<NodePtr> way;
    for (const NodePtr& child : old_->root->children) collect(child, way);
    old_loops_.resize(parts.size());
    for (const Strand& s : strands)
        for (const NodePtr& e : s.way)
            if (is_loop(e)) old_loops_[s.part].push_back(e->loop);
}

void Edit::collect(const NodePtr& node, std::vector<NodePtr>& way) {
    if (node->kind == Node::Kind::Leaf) {
        strands.push_back({way, node->statement, node->loc});
        return;
    }
    const std::size_t depth = way.size();
    if (is_loop(node)) way.push_back(loop_element(*node));
    if (!node->temporaries.empty()) way.push_back(make_block({}, node->temporaries));
    for (const NodePtr& child : node->children) collect(child, way);
    way.resize(depth);
}

std::string Edit::known_loops() const {
    std::set<Name> names;
    for (const Strand& s : strands)
        for (const NodePtr& e : s.way)
            if (is_loop(e)) names.insert(e->loop);
    std::string out;
    for (Name n : names) out += (out.empty() ? "" : ", ") + n.str();
    return names.empty() ? "the kernel has no loops" : "loops: " + out;
}

std::vector<Edit::Group> Edit::loops(const LoopRef& ref) const {
    std::vector<Group> out;
    const std::optional<std::size_t> only = ref.statement.empty() ? std::nullopt : std::optional(strand_of(ref.statement));
    for (std::size_t k = only.value_or(0); k < (only ? *only + 1 : strands.size()); ++k) {
        const auto depth = strands[k].find_loop(ref.loop);
        if (!depth) continue;
        out.push_back(group_at(k, *depth));
        if (!only) k = out.back().last - 1;
    }
    if (!out.empty()) return out;
    const std::string where = only ? fmt::format(" around statement {}", ref.statement.str()) : "";
    throw user_error("name", fmt::format("there is no loop {}{}", ref.loop.str(), where)).hint(known_loops());
}

Edit::Group Edit::group_at(std::size_t at, std::size_t depth) const {
    const NodePtr& element = strands[at].way[depth];
    const auto under = [&](std::size_t k) { return strands[k].way.size() > depth && strands[k].way[depth] == element; };
    Group out{element, at, at + 1, depth};
    while (out.first > 0 && under(out.first - 1)) --out.first;
    while (out.last < strands.size() && under(out.last)) ++out.last;
    return out;
}

Edit::Group Edit::again(const Group& group) const {
    return {group.loop, group.first, group.last, *strands[group.first].find(group.loop)};
}

Edit::Group Edit::loop(const LoopRef& ref) const {
    const std::vector<Group> all = loops(ref);
    if (all.size() == 1) return all[0];
    std::string names;
    for (std::size_t k = 0; k < all.size() && k < 5; ++k)
        names += fmt::format("{}{}.{}", k ? ", " : "", statement_of(strands[all[k].first]).label.str(), ref.loop.str());
    throw user_error("name", fmt::format("there are {} loops {}, and one is wanted", all.size(), ref.loop.str()))
        .hint("say which: " + names);
}

std::size_t Edit::strand_of(Name label) const {
    for (std::size_t k = 0; k < strands.size(); ++k)
        if (statement_of(strands[k]).label == label) return k;
    std::string known;
    for (std::size_t k = 0; k < strands.size() && k < 20; ++k) known += (k ? ", " : "") + statement_of(strands[k]).label.str();
    throw user_error("name", fmt::format("there is no statement {}", label.str())).hint("statements: " + known);
}

void Edit::replace(const Group& group, const std::vector<NodePtr>& elements) {
    for (std::size_t k = group.first; k < group.last; ++k) {
        std::vector<NodePtr>& way = strands[k].way;
        const auto at = way.erase(way.begin() + static_cast<std::ptrdiff_t>(group.depth));
        way.insert(at, elements.begin(), elements.end());
        parts[strands[k].part].moved = true;
    }
}

void Edit::change(std::size_t index, const Forms& gone, const Forms& come, const Conjunct& extra) {
    Part& part = parts[index];
    Forms forward;
    for (const auto& [name, form] : part.forward) forward.emplace_back(name, substitute(form, gone));
    for (const auto& [name, form] : gone)
        if (!find_form(part.backward, name) && !find_form(part.forward, name)) forward.emplace_back(name, form);
    Forms backward;
    for (const auto& [name, form] : part.backward)
        if (!find_form(gone, name)) backward.emplace_back(name, form);
    for (const auto& [name, form] : come) backward.emplace_back(name, substitute(form, part.backward));
    part.forward = std::move(forward);
    part.backward = std::move(backward);
    Statement next = substitute_loops(data, *part.statement, gone);
    if (!extra.empty()) next.domain = intersect(next.domain, Domain{{extra}});
    tidy(next.domain);
    set(index, std::move(next));
}

void Edit::change(const Group& group, const Forms& gone, const Forms& come, const Conjunct& extra) {
    for (std::size_t k = group.first; k < group.last; ++k) change(strands[k].part, gone, come, extra);
}

void Edit::narrow(std::size_t index, const Domain& condition) {
    Part& part = parts[index];
    part.where = intersect(part.where, substitute(condition, part.backward));
    Statement next = *part.statement;
    next.domain = intersect(next.domain, condition);
    tidy(next.domain);
    set(index, std::move(next));
}

void Edit::set(std::size_t index, Statement statement) {
    parts[index].statement = std::make_shared<const Statement>(std::move(statement));
    parts[index].moved = true;
}

Name Edit::fresh(const std::string& base) {
    const Name out = fresh_name(used_, base);
    used_.insert(out);
    return out;
}

std::vector<Name> Edit::loop_names(const std::vector<Name>& into, const std::vector<std::string>& bases) {
    if (into.empty()) {
        std::vector<Name> out;
        for (const std::string& base : bases) out.push_back(fresh(base));
        return out;
    }
    if (into.size() != bases.size())
        throw user_error("name", fmt::format("there are {} new loops, but {} names after 'into'", bases.size(), into.size()));
    for (std::size_t k = 0; k < into.size(); ++k)
        if (std::find(into.begin(), into.begin() + static_cast<std::ptrdiff_t>(k), into[k]) !=
            into.begin() + static_cast<std::ptrdiff_t>(k))
            throw user_error("name", fmt::format("the name {} stands twice after 'into'", into[k].str()));
    return into;
}

std::vector<Name> Edit::loops_outside(const Group& group) const {
    std::vector<Name> out;
    for (std::size_t k = 0; k < group.depth; ++k)
        if (is_loop(strands[group.first].way[k])) out.push_back(strands[group.first].way[k]->loop);
    return out;
}

Affine Edit::affine(const Expression& text, const std::vector<Name>& loops) const {
    const auto form = affine_of(read_against(text.text, [&] { return parse_expression(data, text.text); }));
    if (!form) throw user_error("affine", fmt::format("'{}' is not affine with constant coefficients", text.text));
    std::vector<Name> symbols;
    form->symbols(symbols);
    for (Name n : symbols) {
        if (data.is_parameter(n) || std::find(loops.begin(), loops.end(), n) != loops.end()) continue;
        std::string known;
        for (Name l : loops) known += (known.empty() ? "" : ", ") + l.str();
        throw user_error("name", fmt::format("'{}' uses {}, which is neither a parameter nor a loop that may stand here",
                                             text.text, n.str()))
            .hint(known.empty() ? "only parameters may stand here" : "loops that may: " + known);
    }
    return *form;
}

std::vector<std::vector<Edit::Group>> Edit::nests(const std::vector<LoopRef>& refs) const {
    std::vector<std::vector<Group>> out;
    std::string obstacle;
    for (const Group& top : loops(refs[0])) {
        std::vector<Group> nest{top};
        for (std::size_t k = 1; k < refs.size(); ++k) {
            const auto inner = directly_inside(nest.back(), refs[k], obstacle);
            if (!inner) break;
            nest.push_back(*inner);
        }
        if (nest.size() == refs.size()) out.push_back(std::move(nest));
    }
    for (std::size_t k = 1; k < refs.size(); ++k) loops(refs[k]);
    if (out.empty())
        throw user_error("nest", obstacle).hint("distribute or reorder loops so that they are directly inside each other");
    return out;
}

std::optional<Edit::Group> Edit::directly_inside(const Group& outer, const LoopRef& ref, std::string& obstacle) const {
    for (std::size_t k = outer.first; k < outer.last; ++k) {
        const Strand& s = strands[k];
        const bool inside = s.way.size() > outer.depth + 1 && is_loop(s.way[outer.depth + 1]) &&
                            s.way[outer.depth + 1]->loop == ref.loop &&
                            s.way[outer.depth + 1] == strands[outer.first].way[outer.depth + 1];
        if (inside) continue;
        obstacle = fmt::format("loop {} is not directly inside loop {}: statement {} stands between them", ref.loop.str(),
                               outer.loop->loop.str(), statement_of(s).label.str());
        return std::nullopt;
    }
    Group inner = outer;
    inner.loop = strands[outer.first].way[++inner.depth];
    if (ref.statement.empty()) return inner;
    const std::size_t strand = strand_of(ref.statement);
    return strand >= inner.first && strand < inner.last ? std::optional(inner) : std::nullopt;
}

void Edit::insert(std::vector<Insertion> insertions) {
    std::vector<Strand> out;
    std::size_t next = 0;
    for (Insertion& i : insertions) {
        for (; next < i.at; ++next) out.push_back(std::move(strands[next]));
        std::move(i.strands.begin(), i.strands.end(), std::back_inserter(out));
    }
    for (; next < strands.size(); ++next) out.push_back(std::move(strands[next]));
    strands = std::move(out);
}

std::vector<Edit::Strand> Edit::copy(std::size_t first, std::size_t last, std::size_t depth) {
    std::map<NodePtr, NodePtr> twins;
    Renaming names;
    std::vector<Strand> out(strands.begin() + static_cast<std::ptrdiff_t>(first),
                            strands.begin() + static_cast<std::ptrdiff_t>(last));
    for (Strand& s : out)
        for (std::size_t k = depth; k < s.way.size(); ++k) {
            NodePtr& twin = twins[s.way[k]];
            if (!twin) twin = twin_of(*s.way[k], names);
            s.way[k] = twin;
        }
    for (Strand& s : out) {
        Part part = parts[s.part];
        Statement next = rename_storage(data, *part.statement, names);
        next.label = fresh(stem(next.label));
        part.statement = std::make_shared<const Statement>(std::move(next));
        part.moved = true;
        s.part = parts.size();
        parts.push_back(std::move(part));
    }
    return out;
}

/// A second array like `from`, and second views of it.
void Edit::copy_array(Name from, Name to, Renaming& names) {
    Array array = *data.find_array(from);
    array.name = to;
    if (!array.view_of.empty()) array.view_of = names.at(array.view_of);
    data.arrays.push_back(std::move(array));
    names[from] = to;
    std::vector<Name> views;
    for (const Array& a : data.arrays)
        if (a.view_of == from) views.push_back(a.name);
    for (Name v : views) copy_array(v, fresh(stem(v)), names);
}

NodePtr Edit::twin_of(const Node& element, Renaming& names) {
    auto twin = std::make_shared<Node>(element);
    for (Name& t : twin->temporaries) {
        const Name other = fresh(stem(t));
        copy_array(t, other, names);
        copied_[other] = copied_.count(t) ? copied_[t] : t;
        t = other;
    }
    return twin;
}

}  // namespace heddle
