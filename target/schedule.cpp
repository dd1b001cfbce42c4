#include "target/schedule.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ir/error.h"
#include "ir/poly.h"
#include "target/code.h"
#include "target/known.h"
#include "target/ranges.h"

namespace heddle {
namespace {

/// A node of the loop tree with the jobs under it: those from first to before last.
struct Item {
    const Node* node = nullptr;
    std::size_t first = 0, last = 0;
    std::vector<Item> children;
};

class Scheduler {
public:
    explicit Scheduler(const KernelData& kernel) : kernel_(kernel), known_(kernel.assumptions) {}

    CodePtr run() {
        std::vector<Name> loops;
        const Item root = collect(kernel_.root.get(), loops);
        return root.first == root.last ? std::make_shared<Code>() : code_of(root);
    }

private:
    Item collect(const Node* node, std::vector<Name>& loops);
    void note_lets(const Statement& s);
    bool usable(const Affine& a, std::size_t before);
    CodePtr code_of(const Item& item);
    CodePtr bare(const Item& item);
    CodePtr loop(const Item& item);
    void header(const Item& item, bool collapsed, Code& code);
    std::vector<CodePtr> children_of(const Item& item);
    Conjunct guard_for(const Item& item);
    void settle(Job& job, std::size_t before);
    std::optional<Domain> alternatives_for(const Item& item);
    std::optional<Affine> fixed_value(const Item& item, std::size_t depth);
    std::vector<Range> ranges_of(const Item& item, Job& job, std::size_t piece, std::size_t depth);
    std::vector<Range> shadow_ranges(const Item& item, const Job& job, std::size_t piece, const Usable& ready);
    void ranges(const Item& item, std::size_t depth, Code& code);
    void stride(const Item& item, Code& code);

    const KernelData& kernel_;
    Known known_;
    std::vector<Job> jobs_;
    std::unordered_set<Name> active_;
    std::vector<Name> band_;  ///< collapsed loops that are open: the ranges of those inside must not depend on them
    int band_left_ = 0;       ///< how many loops of the band are still to come
    std::unordered_map<Name, std::size_t> written_;  ///< integer lets: the job that gives the value
};

Item Scheduler::collect(const Node* node, std::vector<Name>& loops) {
    Item item{node, jobs_.size(), 0, {}};
    if (node->kind == Node::Kind::Leaf) {
        const Statement& s = *kernel_.statements[node->statement];
        if (!s.domain.is_nothing()) {
            note_lets(s);
            jobs_.emplace_back(node->statement, s, loops);
        }
    }
    const bool is_loop = node->kind == Node::Kind::Loop;
    if (is_loop) loops.push_back(node->loop);
    for (const NodePtr& child : node->children) {
        Item sub = collect(child.get(), loops);
        if (sub.first != sub.last) item.children.push_back(std::move(sub));
    }
    if (is_loop) loops.pop_back();
    item.last = jobs_.size();
    return item;
}

void Scheduler::note_lets(const Statement& s) {
    for (const Place& p : s.places)
        if (const Array* a = p.subscripts.empty() ? kernel_.find_array(p.array) : nullptr; a && a->role == Role::Temp)
            written_.emplace(p.array, jobs_.size());
}

/// Have all symbols of the form a value before the job `before`?
bool Scheduler::usable(const Affine& a, std::size_t before) {
    return std::all_of(a.terms.begin(), a.terms.end(), [&](const auto& term) {
        if (term.first.is_floor()) return usable(*term.first.numerator, before);
        const Name symbol = term.first.symbol;
        if (active_.count(symbol) || kernel_.is_parameter(symbol)) return true;
        if (const auto it = written_.find(symbol); it != written_.end()) return it->second < before;
        const Array* array = kernel_.find_array(symbol);
        return array && array->is_argument();
    });
}

/// Drops what is known by now from the constraints still to be enforced.
void Scheduler::settle(Job& job, std::size_t before) {
    std::erase_if(job.pending, [&](const Constraint& c) { return usable(c.form, before) && known_.proves(c); });
}

/// The constraints that all jobs under the item still need and that can be tested before it. They count as enforced from then
/// on.
Conjunct Scheduler::guard_for(const Item& item) {
    for (std::size_t k = item.first; k < item.last; ++k) settle(jobs_[k], item.first);
    Conjunct out;
    for (const Constraint& c : jobs_[item.first].pending)
        if (usable(c.form, item.first)) out.push_back(c);
    const auto needs = [](const Job& job, const Constraint& c) {
        return std::find(job.pending.begin(), job.pending.end(), c) != job.pending.end();
    };
    for (std::size_t k = item.first + 1; k < item.last && !out.empty(); ++k)
        std::erase_if(out, [&](const Constraint& c) { return !needs(jobs_[k], c); });
    for (std::size_t k = item.first; k < item.last && !out.empty(); ++k)
        std::erase_if(jobs_[k].pending, [&](const Constraint& c) { return std::find(out.begin(), out.end(), c) != out.end(); });
    return out;
}

/// The disjunction that all jobs under the item still need, without what is known; nothing when it can not be tested yet.
std::optional<Domain> Scheduler::alternatives_for(const Item& item) {
    const Job& head = jobs_[item.first];
    if (!head.rest_pending) return std::nullopt;
    for (const Conjunct& piece : head.rest)
        for (const Constraint& c : piece)
            if (!usable(c.form, item.first)) return std::nullopt;
    for (std::size_t k = item.first; k < item.last; ++k)
        if (!jobs_[k].rest_pending || jobs_[k].rest != head.rest) return std::nullopt;
    Domain out = Domain::nothing();
    for (const Conjunct& piece : head.rest) {
        if (std::any_of(piece.begin(), piece.end(), [&](const Constraint& c) { return known_.refutes(c); })) continue;
        Conjunct left;
        for (const Constraint& c : piece)
            if (!known_.proves(c)) left.push_back(c);
        out.pieces.push_back(left);
        if (left.empty()) break;
    }
    for (std::size_t k = item.first; k < item.last; ++k) jobs_[k].rest_pending = false;
    const bool certain = !out.pieces.empty() && out.pieces.back().empty();
    return certain ? Domain::everything() : out;
}

CodePtr Scheduler::code_of(const Item& item) {
    if (band_left_ > 0) return bare(item);  // collapsed loops stand directly inside each other: guards come inside the last
    const auto mark = known_.mark();
    Conjunct guard = guard_for(item);
    known_.add(guard);
    Domain condition{{std::move(guard)}};
    if (const auto either = alternatives_for(item)) {
        condition = intersect(condition, *either);
        if (either->convex()) known_.add(either->pieces[0]);
    }
    CodePtr code = bare(item);
    known_.release(mark);
    return condition.is_everything() ? code : make_if(std::move(condition), {std::move(code)});
}

CodePtr Scheduler::bare(const Item& item) {
    if (item.node->kind == Node::Kind::Leaf) return make_run(item.node->statement);
    if (item.node->kind == Node::Kind::Loop) return loop(item);
    auto code = std::make_shared<Code>();
    code->temporaries = item.node->temporaries;
    code->body = children_of(item);
    return code;
}

std::vector<CodePtr> Scheduler::children_of(const Item& item) {
    std::vector<CodePtr> out;
    for (const Item& child : item.children) append(out, code_of(child));
    return out;
}

/// The value of the loop's variable where all jobs under it fix it by the same equality.
std::optional<Affine> Scheduler::fixed_value(const Item& item, std::size_t depth) {
    const Name variable = item.node->loop;
    if (jobs_[item.first].pieces() != 1) return std::nullopt;
    for (const Constraint& c : jobs_[item.first].projected(0, depth)) {
        const std::int64_t a = c.form.coefficient(variable);
        const Affine others = c.form - Affine::symbol(variable, a);
        if (!c.equality || (a != 1 && a != -1) || others.mentions(variable) || !usable(others, item.first)) continue;
        bool shared = true;
        for (std::size_t k = item.first + 1; k < item.last && shared; ++k) {
            if (jobs_[k].pieces() != 1) return std::nullopt;
            const Conjunct& theirs = jobs_[k].projected(0, depth);
            shared = std::find(theirs.begin(), theirs.end(), c) != theirs.end();
        }
        if (shared) return a == 1 ? -others : others;
    }
    return std::nullopt;
}

Error unbounded(const KernelData& kernel, const Item& item, const Job& job, const Range& r) {
    const std::string variable = item.node->loop.str();
    return user_error("bounds",
                      "loop '" + variable + "' has no " + (r.lower.empty() ? "lower" : "upper") +
                          " bound in the domain of statement '" + kernel.statements[job.statement]->label.str() + "'",
                      item.node->loc)
        .hint("bound it in the loop's formula, for example '0 <= " + variable + " < n'");
}

bool is_bounded(const Range& r) { return !r.lower.empty() && !r.upper.empty(); }

/// Ranges of the item's variable that together hold a piece of a job.
std::vector<Range> Scheduler::ranges_of(const Item& item, Job& job, std::size_t piece, std::size_t depth) {
    const Name variable = item.node->loop;
    const Usable ready = [&](const Affine& a) {
        return usable(a - Affine::symbol(variable, a.coefficient(variable)), item.first);
    };
    Range plain = range_of(job.projected(piece, depth), job.common, variable, known_, ready);
    if (!is_bounded(plain)) return shadow_ranges(item, job, piece, ready);
    return {std::move(plain)};
}

/// The same where plain elimination lost a bound: symbols stand inside floors, or have no value yet. One range for each piece
/// of the assumptions that leaves points.
std::vector<Range> Scheduler::shadow_ranges(const Item& item, const Job& job, std::size_t piece, const Usable& ready) {
    const Name variable = item.node->loop;
    std::vector<Range> out;
    for (const Conjunct& p : intersect(kernel_.assumptions, Domain{{job.whole(piece)}}).pieces) {
        std::vector<Name> gone;
        for (const Constraint& c : p) c.form.symbols(gone);
        std::erase_if(gone, [&](Name n) { return n == variable || usable(Affine::symbol(n), item.first); });
        for (const Conjunct& shadow : poly::real_shadow(Domain{{p}}, gone).pieces) {
            Range r = range_of(shadow, job.common, variable, known_, ready);
            if (!is_bounded(r) && poly::is_empty(Domain{{p}})) continue;
            if (!is_bounded(r)) throw unbounded(kernel_, item, job, r);
            out.push_back(std::move(r));
        }
    }
    return out;
}

void Scheduler::ranges(const Item& item, std::size_t depth, Code& code) {
    std::vector<std::vector<Ratio>> lower, upper;
    for (std::size_t k = item.first; k < item.last; ++k)
        for (std::size_t piece = 0; piece < jobs_[k].pieces(); ++piece)
            for (Range& r : ranges_of(item, jobs_[k], piece, depth)) {
                lower.push_back(std::move(r.lower));
                upper.push_back(std::move(r.upper));
            }
    if (lower.empty()) {  // there is no instance
        lower = {{Ratio{0, 1}}};
        upper = {{Ratio{-1, 1}}};
    }
    code.lower = lower_hull(std::move(lower), known_);
    code.upper = upper_hull(std::move(upper), known_);
}

/// Where all jobs need the same congruence of the variable and it starts at a number: a step instead of a test.
void Scheduler::stride(const Item& item, Code& code) {
    const auto start = (code.descending ? code.upper : code.lower).constant();
    if (!start) return;
    for (const Constraint& c : jobs_[item.first].pending) {
        const auto congruence = congruence_of(c, code.variable);
        if (!congruence) continue;
        for (std::size_t k = item.first + 1; k < item.last; ++k)
            if (std::find(jobs_[k].pending.begin(), jobs_[k].pending.end(), c) == jobs_[k].pending.end()) return;
        const std::int64_t ahead = code.descending ? *start - congruence->remainder : congruence->remainder - *start;
        const std::int64_t distance = (ahead % congruence->modulus + congruence->modulus) % congruence->modulus;
        code.step = congruence->modulus;
        code.congruence = c;
        (code.descending ? code.upper : code.lower) =
            Limit{{{Ratio{Affine(code.descending ? *start - distance : *start + distance), 1}}}};
        known_.add(c);
        return;
    }
}

/// Is the range one value, of whole numbers?
std::optional<Affine> single_value(const Code& c) {
    const bool one = c.lower.alternatives == c.upper.alternatives && c.lower.is_single() &&
                     c.lower.alternatives[0].size() == 1 && c.lower.alternatives[0][0].divisor == 1;
    return one ? std::optional<Affine>(c.lower.alternatives[0][0].form) : std::nullopt;
}

/// A loop, or the one value that its variable has. `collapsed`: it shares the threads of loops around it, so it stays a loop
/// and its range knows nothing of them.
void Scheduler::header(const Item& item, bool collapsed, Code& code) {
    const Node& node = *item.node;
    const auto& around = jobs_[item.first].loops;
    const auto depth = static_cast<std::size_t>(std::find(around.begin(), around.end(), node.loop) - around.begin());
    auto fixed = collapsed ? std::nullopt : fixed_value(item, depth);
    if (!fixed) {
        code.kind = Code::Kind::For;
        code.descending = node.descending;
        code.separate = node.separate && !collapsed;
        code.tag = node.tag;
        if (collapsed)
            for (const Name n : band_) active_.erase(n);
        ranges(item, depth, code);
        if (collapsed) active_.insert(band_.begin(), band_.end());
        if (!collapsed) fixed = single_value(code);
    }
    if (!fixed) return;
    code.kind = Code::Kind::Fix;
    code.value = *fixed;
}

CodePtr Scheduler::loop(const Item& item) {
    auto code = std::make_shared<Code>();
    const Node& node = *item.node;
    code->variable = node.loop;
    code->loop = item.node;
    code->temporaries = node.temporaries;
    const bool collapsed = band_left_ > 0;
    header(item, collapsed, *code);
    const auto mark = known_.mark();
    known_.enter(node.loop);
    active_.insert(node.loop);
    if (code->kind == Code::Kind::For) stride(item, *code);
    know_range(known_, *code);
    band_left_ = collapsed ? band_left_ - 1 : code->kind == Code::Kind::For ? node.tag.collapse - 1 : 0;
    if (band_left_ > 0) band_.push_back(node.loop);
    code->body = children_of(item);
    band_.clear();
    active_.erase(node.loop);
    known_.release(mark);
    return code;
}

}  // namespace

CodePtr schedule(const KernelData& kernel) { return Scheduler(kernel).run(); }

}  // namespace heddle
