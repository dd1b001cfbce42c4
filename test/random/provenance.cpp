#include "test/random/provenance.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "ir/access.h"
#include "ir/checked_int.h"
#include "ir/error.h"
#include "ir/infer.h"
#include "ir/interpret.h"
#include "ir/tree.h"
#include "test/support/compare.h"

namespace heddle::random_test {
namespace {

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    std::uint64_t x = a * 0x9e3779b97f4a7c15ULL + b + 0x632be59bd9b4e019ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}
std::uint64_t hash_of(Name n) { return std::hash<std::string>()(n.str()); }
std::uint64_t hash_of(Op op, DType type) { return mix(static_cast<std::uint64_t>(op), static_cast<std::uint64_t>(type)); }

/// A value: a hash of the term, which for known integers (loops, sizes, literals) is the number itself.
struct Term {
    std::uint64_t hash = 0;
    bool known = false;

    static Term number(std::int64_t n) { return {static_cast<std::uint64_t>(n), true}; }
    std::int64_t value() const { return static_cast<std::int64_t>(hash); }
};

bool is_ring(Op op) { return op == Op::Add || op == Op::Sub || op == Op::Mul; }

/// Sums, products and extremes that may be put into any order.
std::uint64_t combined(Op op, std::uint64_t a, std::uint64_t b) {
    const auto x = static_cast<std::int64_t>(a), y = static_cast<std::int64_t>(b);
    switch (op) {
        case Op::Add:
            return a + b;
        case Op::Sub:
            return a - b;
        case Op::Mul:
            return a * b;
        case Op::Min:
            return static_cast<std::uint64_t>(std::min(x, y));
        default:
            return static_cast<std::uint64_t>(std::max(x, y));
    }
}

std::optional<std::int64_t> folded(Op op, std::int64_t a, std::int64_t b) {
    switch (op) {
        case Op::FloorDiv:
            return b > 0 ? std::optional(floor_quotient(a, b)) : std::nullopt;
        case Op::Mod:
            return b > 0 ? std::optional(floor_remainder(a, b)) : std::nullopt;
        case Op::Lt:
            return a < b;
        case Op::Le:
            return a <= b;
        case Op::Gt:
            return a > b;
        case Op::Ge:
            return a >= b;
        case Op::Eq:
            return a == b;
        case Op::Ne:
            return a != b;
        case Op::And:
            return a != 0 && b != 0;
        case Op::Or:
            return a != 0 || b != 0;
        default:
            return std::nullopt;
    }
}

/// Floats that are neutral in sums, products and extremes are the numbers that are so here.
std::uint64_t float_term(double x) {
    if (x == 0) return 0;
    if (x == 1) return 1;
    if (std::isinf(x))
        return static_cast<std::uint64_t>(x > 0 ? std::numeric_limits<std::int64_t>::max()
                                                : std::numeric_limits<std::int64_t>::min());
    return mix(17, std::bit_cast<std::uint64_t>(x));
}

/// What the iterations of one run of a concurrent loop did to an element.
struct Shared {
    std::int64_t iteration = 0;
    bool many = false, plain = false, written = false;
    std::uint64_t updates = 0;  ///< the operator of updates that commute; 0 before the first
};

/// One run, driven by the interpreter's walk over the instances.
class Run {
public:
    Run(const KernelData& kernel, const Env& sizes, unsigned seed, bool instances)
        : kernel_(kernel), seed_(seed), by_instance_(instances) {
        for (const Path& p : paths_of(kernel)) loops_.push_back(p.loops());
        for (const auto& [name, value] : sizes) env_[name] = value;
        for (const auto& [name, loops] : scope_loops(kernel)) scopes_[name] = loops;
        for (const auto& s : kernel.statements) {
            statements_.push_back(*s);
            for (Expr& e : statements_.back().values) e = infer(kernel, expand_rules(kernel, e), e.type());
            free_.push_back(is_reduction(kernel, *s) && order_free(kernel, *s, true));
        }
    }

    void instance(std::size_t index, const std::vector<std::int64_t>& values) {
        const std::vector<const Node*>& loops = loops_[index];
        for (std::size_t k = 0; k < loops.size(); ++k) env_[loops[k]->loop] = values[k];
        enter(index, values);
        const Statement& s = statements_[index];
        std::vector<std::uint64_t> results;
        for (std::size_t k = 0; k < s.values.size(); ++k) results.push_back(result(s, k, index));
        for (std::size_t k = 0; k < s.places.size(); ++k)
            memory(s.places[k].array)[place(s.places[k].array, s.places[k].subscripts)] = results[k];
    }

    Provenance finish() {
        for (const auto& [key, value] : initial_)
            if (arguments_.at(key) == value) arguments_.erase(key);
        return {std::move(arguments_), std::move(instances_), std::move(race_), {}};
    }

private:
    /// The runs of concurrent loops that this instance belongs to, and its iteration of each.
    void enter(std::size_t index, const std::vector<std::int64_t>& values) {
        concurrent_.clear();
        const std::vector<const Node*>& loops = loops_[index];
        int collapsed = 0;
        bool vector = false;
        std::uint64_t run = 0;
        for (std::size_t k = 0; k < loops.size(); ++k) {
            const LoopTag& tag = loops[k]->tag;
            run = mix(run, std::hash<const void*>()(loops[k]));
            vector = tag.kind == LoopTag::Kind::Vector;
            if (tag.kind == LoopTag::Kind::Parallel) collapsed = tag.collapse;
            if (vector || collapsed-- > 0) concurrent_.push_back({run, values[k], loops[k], vector});
            run = mix(run, static_cast<std::uint64_t>(values[k]));
        }
    }
    void touch(std::uint64_t key, Name array, bool write, std::uint64_t update, bool scalar) {
        for (const auto& c : concurrent_) {
            Shared& e = shared_[mix(c.run, key)];
            const bool first = !e.plain && e.updates == 0;
            if (first) e.iteration = c.iteration;
            e.many |= e.iteration != c.iteration;
            e.written |= write;
            const bool commutes = update != 0 && (e.updates == 0 || e.updates == update) && (!c.vector || scalar);
            e.plain |= !commutes;
            if (update != 0) e.updates = update;
            if (e.many && e.written && e.plain && !race_) race_ = c.loop->loop.str() + " on " + array.str();
        }
    }

    std::uint64_t result(const Statement& s, std::size_t k, std::size_t index) {
        const Place& p = s.places[k];
        const DType type = kernel_.find_array(p.array)->type;
        std::uint64_t value = converted(term(s.values[k]), s.values[k].type(), type).hash;
        const auto id = marked_instance(index);
        if (id && by_instance_) value = mix(*id, value);
        const std::uint64_t at = place(p.array, p.subscripts);
        const std::uint64_t update = s.update == Update::Assign || !free_[index] ? 0 : 1 + static_cast<std::uint64_t>(s.update);
        touch(at, p.array, true, update, p.subscripts.empty() && !s.atomic);
        const Op op = operation(s.update);
        const bool any_order = is_integer(type) || s.reassociate || op == Op::Min || op == Op::Max;
        const std::uint64_t old = s.update == Update::Assign ? 0 : element(at, p.array);
        if (s.update != Update::Assign && !any_order) value = mix(mix(hash_of(op, type), old), value);
        if (id) instances_[mix(*id, k)] += value;
        return s.update == Update::Assign || !any_order ? value : combined(op, old, value);
    }
    /// Which of the marked instances this is.
    std::optional<std::uint64_t> marked_instance(std::size_t index) {
        const Statement& s = statements_[index];
        if (s.origin.empty()) return std::nullopt;
        const std::string label = written_label(s.label.str());
        if (label.find('_') != std::string::npos) return std::nullopt;
        std::uint64_t id = hash_of(label);
        for (const auto& [loop, value] : s.origin)
            if (loop.str()[0] == '@') id += mix(hash_of(loop), term(value).hash);
        return id;
    }
    /// Copies of "s1" are called "s1_1", copies of these "s1_1_1" or "s1_2"; "t_fill" is a statement that a step made.
    static std::string written_label(std::string label) {
        for (std::size_t end = label.find_last_of('_'); end != std::string::npos; end = label.find_last_of('_')) {
            if (label.find_first_not_of("0123456789", end + 1) != std::string::npos) break;
            label.resize(end);
        }
        return label;
    }
    static Op operation(Update update) {
        constexpr Op ops[] = {Op::Add, Op::Add, Op::Mul, Op::Min, Op::Max, Op::Min, Op::Max};
        return ops[static_cast<std::size_t>(update)];
    }

    std::uint64_t place(Name array, const std::vector<Expr>& subscripts) {
        std::uint64_t key = hash_of(array);
        const auto scope = scopes_.find(array);
        if (scope != scopes_.end())
            for (Name loop : scope->second) key = mix(key, static_cast<std::uint64_t>(env_.at(loop)));
        for (const Expr& e : subscripts) key = mix(key, term(e).hash);
        return key;
    }
    std::uint64_t element(std::uint64_t key, Name array) {
        const auto [it, fresh] = memory(array).try_emplace(key, mix(seed_, key));
        if (fresh && kernel_.find_array(array)->is_argument()) initial_[key] = it->second;
        return it->second;
    }
    std::unordered_map<std::uint64_t, std::uint64_t>& memory(Name array) {
        return kernel_.find_array(array)->is_argument() ? arguments_ : temporaries_;
    }
    Term converted(Term t, DType from, DType to) const {
        if (from == to || to == DType::Untyped || (t.known && is_integer(to))) return t;
        return {mix(hash_of(Op::Cast, to), t.hash), false};
    }

    Term term(const Expr& e) {
        switch (e.op()) {
            case Op::Int:
            case Op::Bool:
                return Term::number(e.integer());
            case Op::Float:
                return {float_term(e.real()), false};
            case Op::Var:
                return Term::number(env_.at(e.name()));
            case Op::Read: {
                const std::uint64_t at = place(e.name(), e.args());
                touch(at, e.name(), false, 0, false);
                return {element(at, e.name()), false};
            }
            case Op::Select:
                return select(e);
            case Op::Cast:
                return converted(term(e.arg(0)), e.arg(0).type(), e.type());
            default:
                return e.args().size() == 1 ? unary(e) : e.args().size() == 2 ? binary(e) : applied(e);
        }
    }
    Term select(const Expr& e) {
        const Term c = term(e.arg(0));
        if (c.known) return term(e.arg(c.hash != 0 ? 1 : 2));
        const Term a = term(e.arg(1)), b = term(e.arg(2));
        return {mix(mix(mix(hash_of(Op::Select, e.type()), c.hash), a.hash), b.hash), false};
    }
    Term unary(const Expr& e) {
        const Term a = term(e.arg(0));
        if (e.op() == Op::Neg) return {0 - a.hash, a.known};
        if (e.op() == Op::Not && a.known) return Term::number(a.hash == 0);
        return {mix(mix(hash_of(e.op(), e.type()), hash_of(e.name())), a.hash), false};
    }
    Term binary(const Expr& e) {
        const Term a = term(e.arg(0)), b = term(e.arg(1));
        const bool known = a.known && b.known;
        if (is_integer(e.type()) && (is_ring(e.op()) || e.op() == Op::Min || e.op() == Op::Max))
            return {combined(e.op(), a.hash, b.hash), known};
        if (known)
            if (const auto v = folded(e.op(), a.value(), b.value())) return Term::number(*v);
        return {mix(mix(mix(hash_of(e.op(), e.type()), hash_of(e.name())), a.hash), b.hash), false};
    }
    Term applied(const Expr& e) {
        std::uint64_t out = mix(hash_of(e.op(), e.type()), hash_of(e.name()));
        for (const Expr& a : e.args()) out = mix(out, term(a).hash);
        return {out, false};
    }

    struct Concurrent {
        std::uint64_t run;
        std::int64_t iteration;
        const Node* loop;
        bool vector;
    };

    const KernelData& kernel_;
    unsigned seed_;
    bool by_instance_;
    std::vector<std::vector<const Node*>> loops_;  ///< around each statement
    std::unordered_map<Name, std::int64_t> env_;
    std::unordered_map<Name, std::vector<Name>> scopes_;
    std::vector<Statement> statements_;  ///< rules expanded
    std::vector<bool> free_;             ///< statements whose updates commute with their like
    std::unordered_map<std::uint64_t, std::uint64_t> arguments_, temporaries_, initial_, instances_;
    std::unordered_map<std::uint64_t, Shared> shared_;
    std::vector<Concurrent> concurrent_;
    std::optional<std::string> race_;
};

}  // namespace

bool is_affine(const KernelData& kernel) {
    for (const Array& a : kernel.arrays)
        if (a.may_alias || !a.view_of.empty() || a.role == Role::Table) return false;
    for (const auto& statement : kernel.statements) {
        const Statement& s = *statement;
        if (s.call || !s.predicates.empty() || s.update > Update::Or) return false;
        for (const Access& a : accesses_of(kernel, s))
            if (!a.exact()) return false;
        std::vector<Name> symbols;
        for (const Conjunct& piece : s.domain.pieces)
            for (const Constraint& c : piece) c.form.symbols(symbols);
        if (std::any_of(symbols.begin(), symbols.end(), [&](Name n) { return kernel.find_array(n) != nullptr; })) return false;
    }
    return true;
}

Kernel marked(const Kernel& kernel) {
    auto out = std::make_shared<KernelData>(kernel.data());
    const std::vector<Path> paths = paths_of(*out);
    for (std::size_t k = 0; k < paths.size(); ++k) {
        Statement s = *out->statements[k];
        for (Name loop : paths[k].loop_names()) s.origin.emplace_back(Name("@" + loop.str()), variable(loop));
        out->statements[k] = std::make_shared<const Statement>(std::move(s));
    }
    return Kernel(std::move(out));
}

Provenance provenance(const Kernel& kernel, const std::map<std::string, std::int64_t>& sizes, unsigned seed, bool instances) {
    Arguments arguments = test::random_arguments(kernel, sizes, seed);
    Env env;
    for (const auto& [name, value] : sizes) env[Name(name)] = value;
    Run run(kernel.data(), env, seed, instances);
    try {
        interpret(kernel, arguments, [&](std::size_t s, const std::vector<std::int64_t>& loops) { run.instance(s, loops); });
    } catch (const Error& e) {
        if (e.kind() != ErrorKind::Runtime) throw;
        return {{}, {}, {}, e.message()};
    }
    return run.finish();
}

}  // namespace heddle::random_test
