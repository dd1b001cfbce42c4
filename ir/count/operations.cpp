#include "ir/count/operations.h"

#include <algorithm>
#include <unordered_set>

#include "ir/access/guards.h"
#include "ir/infer.h"

namespace heddle {

namespace {

const char* name_of(Op op) {
    switch (op) {
        case Op::Neg:
            return "neg";
        case Op::Not:
            return "not";
        case Op::BitNot:
            return "bit not";
        case Op::Add:
            return "add";
        case Op::Sub:
            return "sub";
        case Op::Mul:
            return "mul";
        case Op::Div:
            return "div";
        case Op::FloorDiv:
            return "floor div";
        case Op::Mod:
            return "mod";
        case Op::BitAnd:
            return "bit and";
        case Op::BitOr:
            return "bit or";
        case Op::BitXor:
            return "bit xor";
        case Op::Shl:
            return "shift left";
        case Op::Shr:
            return "shift right";
        case Op::Lt:
        case Op::Le:
        case Op::Gt:
        case Op::Ge:
        case Op::Eq:
        case Op::Ne:
            return "compare";
        case Op::And:
            return "and";
        case Op::Or:
            return "or";
        case Op::Select:
            return "select";
        case Op::Min:
            return "min";
        case Op::Max:
            return "max";
        case Op::Cast:
            return "cast";
        default:
            return nullptr;  // literals, names, reads, rules, pairs of parts; calls have names of their own
    }
}

const char* name_of(Update update) {
    switch (update) {
        case Update::Add:
            return "add";
        case Update::Mul:
            return "mul";
        case Update::Min:
            return "min";
        case Update::Max:
            return "max";
        case Update::And:
            return "and";
        case Update::Or:
            return "or";
        case Update::ArgMin:
        case Update::ArgMax:
            return "compare";
        default:
            return nullptr;
    }
}

bool has_rule(const Expr& e) {
    bool found = false;
    visit(e, [&](const Expr& x) { found = found || x.op() == Op::Rule; });
    return found;
}

/// An expression to be looked at: its guard's number, and whether it stands in a subscript.
struct Pending {
    Expr e;
    std::size_t guard = 0;
    bool index = false;
};

struct PendingHash {
    std::size_t operator()(const Pending& p) const { return p.e.hash() * 31 + p.guard * 2 + (p.index ? 1 : 0); }
};
struct PendingSame {
    bool operator()(const Pending& a, const Pending& b) const {
        return a.guard == b.guard && a.index == b.index && a.e.same(b.e);
    }
};

class Collector {
public:
    Collector(const KernelData& kernel, RuleExpander& rules, const Statement& s) : kernel_(kernel), rules_(rules), s_(s) {}

    std::vector<Operation> collect();

private:
    void value(const Expr& e, DType wanted);
    void subscript(const Expr& e);
    void drain(Pending first);
    void node(const Pending& p);
    void children(const Pending& p);
    void update();
    void custom_operator();
    void add(const Pending& p, OperationKind kind, DType type, std::string name);
    DType place_type(std::size_t k) const;
    bool product_of(const Expr& e, DType type) const {
        return e.op() == Op::Mul && e.type() == type && (is_float(type) || is_complex(type));
    }

    const KernelData& kernel_;
    RuleExpander& rules_;
    const Statement& s_;
    Guards guards_;
    std::size_t base_ = 0;  ///< the guard of the statement's values
    std::vector<Pending> todo_, later_;
    std::unordered_set<Pending, PendingHash, PendingSame> seen_;
    std::vector<Operation> out_;
};

void Collector::add(const Pending& p, OperationKind kind, DType type, std::string name) {
    const Guard& g = guards_[p.guard];
    out_.push_back({kind, type, std::move(name), g.when, g.conditional});
}

void Collector::children(const Pending& p) {
    const Op op = p.e.op();
    const bool lazy = !p.index && (op == Op::Select || op == Op::And || op == Op::Or);
    for (std::size_t k = 0; k < p.e.args().size(); ++k) {
        const bool branch = lazy && k > 0;
        const std::size_t guard = branch ? guards_.narrowed(p.guard, p.e.arg(0), op == Op::Or || k == 2) : p.guard;
        (branch ? later_ : todo_).push_back({p.e.arg(k), guard, p.index || op == Op::Read});
    }
}

void Collector::node(const Pending& p) {
    const Expr& e = p.e;
    if (e.op() == Op::Call) add(p, OperationKind::Call, e.type(), e.name().str());
    if (const char* name = name_of(e.op())) {
        const bool comparison = e.op() >= Op::Lt && e.op() <= Op::Ne;
        const DType type = comparison ? common_type(e.arg(0).type(), e.arg(1).type()) : e.type();
        add(p, p.index ? OperationKind::Index : OperationKind::Arithmetic, p.index ? index_type : type, name);
    }
    if ((e.op() == Op::Add || e.op() == Op::Sub) && !p.index)
        if (product_of(e.arg(0), e.type()) || product_of(e.arg(1), e.type()))
            add(p, OperationKind::FmaPair, e.type(), "fma pair");
    children(p);
}

/// Looks at an expression and all below it; what is evaluated for sure before what a condition guards.
void Collector::drain(Pending first) {
    todo_.push_back(std::move(first));
    while (!todo_.empty() || !later_.empty()) {
        std::vector<Pending>& from = todo_.empty() ? later_ : todo_;
        const Pending p = std::move(from.back());
        from.pop_back();
        if (p.e.args().empty()) continue;
        if (p.guard != base_ && seen_.count({p.e, base_, p.index}) != 0) continue;
        if (seen_.insert(p).second) node(p);
    }
}

void Collector::value(const Expr& e, DType wanted) {
    drain({has_rule(e) ? infer(kernel_, rules_.expand(e), wanted) : e, base_, false});
}

void Collector::subscript(const Expr& e) { drain({rules_.expand(e), base_, true}); }

DType Collector::place_type(std::size_t k) const {
    const Array* a = k < s_.places.size() ? kernel_.find_array(s_.places[k].array) : nullptr;
    return a ? a->type : DType::Untyped;
}

void Collector::custom_operator() {
    const OperatorDef* op = kernel_.find_operator(s_.op);
    if (!op) return;
    std::map<Name, DType> types;
    for (std::size_t k = 0; k < op->left.size(); ++k) types[op->left[k]] = types[op->right[k]] = place_type(k);
    for (std::size_t k = 0; k < op->results.size(); ++k)
        drain({infer(kernel_, rules_.expand(op->results[k]), place_type(k), types), base_, false});
}

void Collector::update() {
    if (s_.update == Update::Custom) return custom_operator();
    const char* name = name_of(s_.update);
    if (!name) return;
    const Pending at{{}, base_, false};
    add(at, OperationKind::Arithmetic, place_type(0), name);
    if (s_.update != Update::Add || s_.values.empty()) return;
    const Expr value = has_rule(s_.values[0]) ? infer(kernel_, rules_.expand(s_.values[0]), place_type(0)) : s_.values[0];
    if (product_of(value, place_type(0))) add(at, OperationKind::FmaPair, place_type(0), "fma pair");
}

std::vector<Operation> Collector::collect() {
    for (const Expr& p : s_.predicates) {
        value(p, DType::Bool);
        base_ = guards_.narrowed(base_, rules_.expand(p), false);
    }
    for (std::size_t k = 0; k < s_.values.size(); ++k) value(s_.values[k], place_type(k));
    for (const Place& p : s_.places)
        for (const Expr& e : p.subscripts) subscript(e);
    update();
    return std::move(out_);
}

}  // namespace

std::vector<Operation> operations_of(const KernelData& kernel, RuleExpander& rules, const Statement& s) {
    return Collector(kernel, rules, s).collect();
}

}  // namespace heddle
