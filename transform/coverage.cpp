#include "transform/coverage.h"

#include <fmt/format.h>

#include "ir/error.h"
#include "ir/poly.h"
#include "transform/occurrence.h"

namespace heddle {

namespace {

Error not_affine(const KernelData& kernel, std::size_t statement, Name name, const std::string& code, const Loc& loc) {
    return user_error(code,
                      fmt::format("'{}' accesses '{}' at a subscript that is not affine, so which element it is is not known",
                                  kernel.statements[statement]->label.str(), name.str()),
                      loc);
}

class Accesses {
public:
    Accesses(const KernelData& kernel, Name name, std::string code)
        : kernel_(kernel), name_(name), code_(std::move(code)), opener_(kernel, rules_mentioning(kernel, name)) {}

    void statement(std::size_t index) {
        const Statement s = opener_.open(*kernel_.statements[index]);
        if (s.call && mentions(kernel_, s, name_))
            throw user_error(code_, fmt::format("'{}' is passed to a kernel call", name_.str()), s.loc)
                .hint(fmt::format("inline {} first", s.label.str()));
        for (const Occurrence& o : occurrences(kernel_, s, name_)) {
            out.push_back({index, o.when, forms(index, o.node.args(), o.node.loc()), false, false, o.conditional, o.node.loc()});
        }
        for (const Place& p : s.places) {
            if (p.array != name_) continue;
            const bool update = s.update != Update::Assign;
            out.push_back({index, s.domain, forms(index, p.subscripts, s.loc), true, update, !s.predicates.empty(), s.loc});
        }
    }
    std::vector<ArrayAccess> out;

private:
    std::vector<Affine> forms(std::size_t index, const std::vector<Expr>& subscripts, const Loc& loc) const {
        std::vector<Affine> out;
        for (const Expr& e : subscripts) {
            const auto form = affine_of(e);
            if (!form) throw not_affine(kernel_, index, name_, code_, loc);
            out.push_back(*form);
        }
        return out;
    }

    const KernelData& kernel_;
    Name name_;
    std::string code_;
    RuleOpener opener_;
};

}  // namespace

std::vector<ArrayAccess> array_accesses(const KernelData& kernel, const NodePtr& region, Name name, const std::string& code) {
    Accesses all(kernel, name, code);
    for (std::size_t k : statements_under(region)) all.statement(k);
    return std::move(all.out);
}

namespace {

Forms hiding(const Path& path) {
    Forms out;
    for (Name n : path.loop_names()) out.emplace_back(n, Affine::symbol(Name("#" + n.str())));
    return out;
}

std::vector<Name> hidden_names(const Forms& hidden) {
    std::vector<Name> out;
    for (const auto& [name, form] : hidden) form.symbols(out);
    return out;
}

}  // namespace

Domain runs_before(const Path& first, const Forms& hidden, const Path& second, std::size_t fixed) {
    Domain out = Domain::nothing();
    Conjunct equal_so_far;
    std::size_t depth = 0, k = 0;
    for (; k < first.nodes.size() && k < second.nodes.size() && first.nodes[k] == second.nodes[k]; ++k) {
        const Node& n = *first.nodes[k];
        if (n.kind != Node::Kind::Loop) continue;
        const Affine x = *find_form(hidden, n.loop), y = Affine::symbol(n.loop);
        if (depth++ >= fixed) {
            Conjunct piece = equal_so_far;
            piece.push_back(n.descending ? less(y, x) : less(x, y));
            out.pieces.push_back(std::move(piece));
        }
        equal_so_far.push_back(equal(x, y));
    }
    const bool earlier = k > 0 && k - 1 < first.positions.size() && k - 1 < second.positions.size() &&
                         first.positions[k - 1] < second.positions[k - 1];
    if (earlier) out.pieces.push_back(std::move(equal_so_far));
    return out;
}

Domain covered(const std::vector<Path>& paths, const ArrayAccess& read, const std::vector<ArrayAccess>& accesses, std::size_t fixed) {
    Domain out = Domain::nothing();
    for (const ArrayAccess& w : accesses) {
        if (!w.write || w.update || w.conditional) continue;
        const Forms hidden = hiding(paths[w.statement]);
        Domain both = intersect(read.when, substitute(w.when, hidden));
        both = intersect(both, runs_before(paths[w.statement], hidden, paths[read.statement], fixed));
        for (std::size_t k = 0; k < read.subscripts.size(); ++k)
            both = intersect(both, domain_of(equal(substitute(w.subscripts[k], hidden), read.subscripts[k])));
        if (!both.is_nothing()) out = unite(out, poly::project(both, hidden_names(hidden)));
    }
    return out;
}

namespace {

/// Pairs of instances of two accesses of one element in different iterations of the loops from `outer` to `fixed`.
Domain meetings(const std::vector<Path>& paths, const ArrayAccess& a, const ArrayAccess& b, std::size_t outer, std::size_t fixed) {
    const Forms hidden = hiding(paths[a.statement]);
    Domain both = intersect(b.when, substitute(a.when, hidden));
    for (std::size_t k = 0; k < a.subscripts.size(); ++k)
        both = intersect(both, domain_of(equal(substitute(a.subscripts[k], hidden), b.subscripts[k])));
    const std::vector<Name> loops = paths[b.statement].loop_names();
    Domain differ = Domain::nothing();
    for (std::size_t k = 0; k < fixed; ++k) {
        const Affine x = *find_form(hidden, loops[k]), y = Affine::symbol(loops[k]);
        if (k < outer)
            both = intersect(both, domain_of(equal(x, y)));
        else
            differ = unite(differ, Domain{{{less(x, y)}, {less(y, x)}}});
    }
    return intersect(both, differ);
}

}  // namespace

bool disjoint(const KernelData& kernel, const std::vector<Path>& paths, const std::vector<ArrayAccess>& accesses, std::size_t outer,
              std::size_t fixed) {
    for (std::size_t a = 0; a < accesses.size(); ++a)
        for (std::size_t b = 0; b <= a; ++b) {
            const Domain met = meetings(paths, accesses[a], accesses[b], outer, fixed);
            if (!poly::is_empty(intersect(met, kernel.assumptions))) return false;
        }
    return true;
}

}  // namespace heddle
