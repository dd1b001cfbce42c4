#include "target/complete.h"

#include <algorithm>
#include <set>

#include "ir/error.h"
#include "ir/poly.h"
#include "ir/tree.h"
#include "target/code.h"
#include "target/ranges.h"

namespace heddle {
namespace {

/// What the code around a statement enforces: each entry is a disjunction; all entries hold.
using Enforced = std::vector<Domain>;

class Prover {
public:
    explicit Prover(const KernelData& kernel) : kernel_(kernel) {
        std::vector<Name> loops;
        note_loops(kernel.root.get(), loops);
    }
    void walk(const Code& c);
    void all_seen() const;

private:
    void note_loops(const Node* n, std::vector<Name>& loops);
    void walk_all(const std::vector<CodePtr>& codes);
    void loop(const Code& c);
    void branch(const Code& c);
    void statement(std::size_t index);
    void absent(std::size_t index) const;
    bool cheap(Job& job) const;
    bool sound(Job& job) const;
    bool contained(Job& job) const;
    Known facts() const;
    void exact(const Job& job) const;

    const KernelData& kernel_;
    std::vector<std::vector<Name>> loops_;  ///< by statement
    std::vector<std::size_t> seen_;         ///< statements in the order of the code
    Enforced enforced_;
    std::vector<Name> order_;
    Domain branch_ = Domain::everything();  ///< conditions of ifs with an else: the other side has the rest
};

void Prover::note_loops(const Node* n, std::vector<Name>& loops) {
    if (n == kernel_.root.get()) loops_.resize(kernel_.statements.size());
    if (n->kind == Node::Kind::Leaf) loops_[n->statement] = loops;
    const bool is_loop = n->kind == Node::Kind::Loop;
    if (is_loop) loops.push_back(n->loop);
    for (const NodePtr& child : n->children) note_loops(child.get(), loops);
    if (is_loop) loops.pop_back();
}

Domain enforced_by(Name variable, const Limit& limit, bool lower) {
    Domain out = Domain::nothing();
    for (const auto& alternative : limit.alternatives) {
        const Limit one{{alternative}};
        Conjunct piece = lower ? enforced_below(variable, one) : enforced_above(variable, one);
        for (Constraint& c : piece) normalise(c);
        out.pieces.push_back(std::move(piece));
    }
    return out;
}

/// The step is what a congruence says, and the loop starts on it.
void check_stride(const Code& c) {
    if (c.step == 1) return;
    const auto start = (c.descending ? c.upper : c.lower).constant();
    const auto congruence = c.congruence ? congruence_of(*c.congruence, c.variable) : std::nullopt;
    require(start && congruence && congruence->modulus == c.step && holds(*c.congruence, {{c.variable, *start}}),
            "a loop with a step starts on its congruence");
}

void Prover::loop(const Code& c) {
    const std::size_t mark = enforced_.size();
    order_.push_back(c.variable);
    if (c.kind == Code::Kind::Fix) {
        enforced_.push_back(domain_of(equal(Affine::symbol(c.variable), c.value)));
    } else {
        check_stride(c);
        // A start moved up to the congruence enforces no more than the bound before it, given the congruence.
        Limit lower = c.lower, upper = c.upper;
        if (c.step != 1 && !c.descending) lower.alternatives[0][0].form = lower.alternatives[0][0].form - Affine(c.step - 1);
        if (c.step != 1 && c.descending) upper.alternatives[0][0].form = upper.alternatives[0][0].form + Affine(c.step - 1);
        enforced_.push_back(enforced_by(c.variable, lower, true));
        enforced_.push_back(enforced_by(c.variable, upper, false));
        if (c.step != 1) {
            enforced_.push_back(domain_of(*c.congruence));
        }
    }
    walk_all(c.body);
    enforced_.resize(mark);
    order_.pop_back();
}

void Prover::branch(const Code& c) {
    if (c.otherwise.empty()) {
        enforced_.push_back(c.condition);
        walk_all(c.body);
        enforced_.pop_back();
        return;
    }
    const Domain saved = branch_;
    const std::size_t before = seen_.size();
    branch_ = intersect(saved, c.condition);
    walk_all(c.body);
    const std::size_t middle = seen_.size();
    branch_ = saved;  // that the condition fails on the other side is not needed
    walk_all(c.otherwise);
    const auto at = [&](std::size_t k) { return seen_.begin() + static_cast<std::ptrdiff_t>(k); };
    const std::set<std::size_t> first(at(before), at(middle)), second(at(middle), seen_.end());
    require(std::includes(second.begin(), second.end(), first.begin(), first.end()),
            "the other side of a separation holds every statement");
    branch_ = intersect(saved, c.condition);
    for (const std::size_t s : second)
        if (first.count(s) == 0) absent(s);
    branch_ = saved;
    seen_.erase(at(before), at(middle));
}

/// A statement that is left out under the conditions here has no instance there.
void Prover::absent(std::size_t index) const {
    const Statement& s = *kernel_.statements[index];
    const poly::Budget budget("the completeness of statement '" + s.label.str() + "'");
    const Domain given = intersect(intersect(kernel_.assumptions, branch_), s.domain);
    require(poly::is_empty(given), "a statement left out of full tiles has no instance there");
}

void Prover::walk_all(const std::vector<CodePtr>& codes) {
    for (const CodePtr& c : codes) walk(*c);
}

void Prover::walk(const Code& c) {
    switch (c.kind) {
        case Code::Kind::Block:
            return walk_all(c.body);
        case Code::Kind::If:
            return branch(c);
        case Code::Kind::Run:
            return statement(c.statement);
        default:
            return loop(c);
    }
}

Known Prover::facts() const {
    Known known(kernel_.assumptions);
    for (Name n : order_) known.enter(n);
    if (branch_.convex()) known.add(branch_.pieces[0]);
    return known;
}

/// Does the domain hold wherever the code runs the statement? Disjunctive bounds are not used; disjunctive guards piece by
/// piece.
bool Prover::sound(Job& job) const {
    Known known = facts();
    const Domain* either = nullptr;
    for (const Domain& d : enforced_) {
        if (d.convex())
            known.add(d.pieces[0]);
        else if (!job.rest.empty())
            either = &d;
    }
    const auto proves_all = [&](const Conjunct& all) {
        return std::all_of(all.begin(), all.end(), [&](const Constraint& c) { return known.proves(c); });
    };
    if (!proves_all(job.common)) return false;
    const auto some_piece = [&] { return std::any_of(job.rest.begin(), job.rest.end(), proves_all); };
    if (job.rest.empty() || some_piece()) return true;
    return either && std::all_of(either->pieces.begin(), either->pieces.end(), [&](const Conjunct& piece) {
               const auto mark = known.mark();
               known.add(piece);
               const bool ok = some_piece();
               known.release(mark);
               return ok;
           });
}

/// Does the code run every point of the domain?
bool Prover::contained(Job& job) const {
    for (std::size_t piece = 0; piece < job.pieces(); ++piece) {
        Known known = facts();
        for (std::size_t depth = job.loops.size(); depth-- > 0;) known.add(job.projected(piece, depth));
        if (job.loops.empty()) known.add(job.common);
        if (job.loops.empty() && !job.rest.empty()) known.add(job.rest[piece]);
        const bool inside = std::all_of(enforced_.begin(), enforced_.end(), [&](const Domain& d) {
            return std::any_of(d.pieces.begin(), d.pieces.end(), [&](const Conjunct& p) {
                return std::all_of(p.begin(), p.end(), [&](const Constraint& c) { return known.proves(c); });
            });
        });
        if (!inside) return false;
    }
    return true;
}

bool Prover::cheap(Job& job) const { return sound(job) && contained(job); }

void Prover::exact(const Job& job) const {
    const Statement& s = *kernel_.statements[job.statement];
    const poly::Budget budget("the completeness of statement '" + s.label.str() + "'");
    Domain given = intersect(kernel_.assumptions, branch_), run = given;
    for (const Domain& d : enforced_) run = intersect(run, d);
    given = intersect(given, s.domain);
    if (poly::is_equal(given, run)) return;
    const Domain missing = poly::subtract(given, run), extra = poly::subtract(run, given);
    const bool lacks = !poly::is_empty(missing);
    std::string at;
    if (const auto point = poly::sample(lacks ? missing : extra))
        for (const auto& [name, value] : *point) at += (at.empty() ? "" : ", ") + name.str() + "=" + std::to_string(value);
    throw Error(ErrorKind::Internal, "incomplete",
                "the emitted loops " + std::string(lacks ? "leave out" : "add") + " the instance (" + at + ") of statement '" +
                    s.label.str() + "'",
                s.loc);
}

void Prover::statement(std::size_t index) {
    seen_.push_back(index);
    Job job(index, *kernel_.statements[index], loops_[index]);
    if (!cheap(job)) exact(job);
}

void Prover::all_seen() const {
    std::vector<std::size_t> found = seen_, all;
    std::sort(found.begin(), found.end());
    for (std::size_t k = 0; k < kernel_.statements.size(); ++k)
        if (!kernel_.statements[k]->domain.is_nothing()) all.push_back(k);
    require(found == all, "every statement stands in the code once");
}

}  // namespace

void prove_complete(const KernelData& kernel, const CodePtr& code) {
    Prover prover(kernel);
    prover.walk(*code);
    prover.all_seen();
}

}  // namespace heddle
