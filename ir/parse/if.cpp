// Conditions: formulas narrow the domain, others are predicates at run time.
#include <algorithm>

#include "ir/infer.h"
#include "ir/parse/kernel.h"

namespace heddle {

/// What an `if` has read of its condition, and where its branches begin.
struct KernelReader::Conditional {
    Expr whole;                     ///< the condition as written
    std::optional<Domain> formula;  ///< the part that is a formula
    Expr data;                      ///< the part that is not; empty when all is
    Domain outer;                   ///< where the `if` stands
    bool has_else = false;
    Loc loc;
    std::size_t position = 0;         ///< in the body's children
    std::size_t first_statement = 0;  ///< of those in the branches
    std::size_t first_write = 0;
    std::size_t depth = 0;  ///< position of the condition among the predicates
};

/// Splits a condition into a formula and the rest: the parts of a conjunction that are formulas narrow the domain.
void KernelReader::split_condition(Conditional& c) {
    for (const Expr& part : flatten(c.whole, Op::And)) {
        if (const auto d = exprs_.domain(part)) {
            c.formula = c.formula ? intersect(*c.formula, *d) : *d;
            continue;
        }
        exprs_.refuse_exists(part);
        c.data = c.data ? make(Op::And, DType::Untyped, {c.data, part}, {}, part.loc()) : part;
    }
}

Expr KernelReader::checked_condition(const Expr& e) const {
    const Expr typed = infer(kernel_, e, DType::Bool);
    if (typed.type() == DType::Bool) return typed;
    throw user_error("type", "a condition is bool, but this is " + std::string(name_of(typed.type())), e.loc())
        .hint("compare with zero: x != 0");
}

/// A chain of "else if" is a loop; what one of them narrows holds for the rest of the chain.
void KernelReader::conditional() {
    const Restore<Domain> domain(domain_);
    const Restore<std::vector<Expr>> predicates(predicates_);
    std::vector<Conditional> chain;
    while (true) {
        chain.push_back(condition_and_branch());
        if (!cursor_.at_word("else")) break;
        cursor_.next();
        chain.back().has_else = true;
        enter_else(chain.back());
        if (cursor_.at_word("if")) continue;
        block();
        break;
    }
    while (!chain.empty()) {
        settle(chain.back());
        chain.pop_back();
    }
}

/// "if c { … }" at the cursor.
KernelReader::Conditional KernelReader::condition_and_branch() {
    Conditional c;
    c.loc = cursor_.loc(cursor_.next());
    now_ = Statement{};
    wanted_ = DType::Untyped;
    c.whole = exprs_.condition();
    split_condition(c);
    if (c.data) {
        c.data = checked_condition(c.data);
        if (!c.formula) c.whole = c.data;
    }
    c.outer = domain_;
    c.position = body_->children.size();
    c.first_statement = statements_.size();
    c.first_write = writes_.size();
    c.depth = predicates_.size();
    const Restore<Domain> domain(domain_);
    const Restore<std::vector<Expr>> predicates(predicates_);
    if (c.formula) narrow(*c.formula);
    if (c.data) predicates_.push_back(c.data);
    block();
    return c;
}

/// The other branch: outside the formula, or where the whole condition is false at run time.
void KernelReader::enter_else(Conditional& c) {
    if (!c.data) {
        const Expr inverse = negation(c.whole);
        return narrow(exprs_.domain_or_error(inverse, "the condition"));
    }
    exprs_.refuse_exists(c.whole);
    c.whole = checked_condition(c.whole);
    predicates_.push_back(make(Op::Not, DType::Bool, {c.whole}, {}, c.loc));
}

/// Does one statement alone follow the condition? It is tested right before it then.
bool KernelReader::guards_one(const Conditional& c) const {
    const auto& children = body_->children;
    return !c.has_else && c.first_statement + 1 == statements_.size() && children.size() == c.position + 1 &&
           children.back()->kind == Node::Kind::Leaf;
}

/// Where a branch writes what the condition reads, a bool `let` in front of the branches keeps the condition's value.
void KernelReader::settle(const Conditional& c) {
    if (!c.data || guards_one(c)) return;
    const std::vector<Name> reads = memory_read(c.whole);
    const bool changed = std::any_of(writes_.begin() + static_cast<std::ptrdiff_t>(c.first_write), writes_.end(),
                                     [&](Name w) { return std::binary_search(reads.begin(), reads.end(), w); });
    if (!changed) return;
    const Name name = names_.fresh("condition");
    const Expr kept = read(name, {}, DType::Bool, c.loc), lost = make(Op::Not, DType::Bool, {kept}, {}, c.loc);
    for (std::size_t k = c.first_statement; k < statements_.size(); ++k) {
        auto& predicates = statements_[k].predicates;
        if (c.depth >= predicates.size()) continue;
        Expr& p = predicates[c.depth];
        p = p.same(c.data) ? kept : lost;
    }
    keep_condition(c, name);
}

/// Declares the bool let and puts its statement in front of the branches, under the conditions that held there.
void KernelReader::keep_condition(const Conditional& c, Name name) {
    Array a;
    a.name = name;
    a.type = DType::Bool;
    a.role = Role::Temp;
    a.is_let = true;
    a.loc = c.loc;
    kernel_.arrays.push_back(a);
    body_->temporaries.push_back(name);
    const Restore<Domain> domain(domain_, c.outer);
    const Restore<std::vector<Expr>> predicates(predicates_);
    if (c.formula && !c.has_else) narrow(*c.formula);
    predicates_.resize(c.depth);
    Statement s;
    s.label = name;
    names_.note_label(name);
    s.places.push_back({name, {}});
    s.values.push_back(c.has_else ? c.whole : c.data);
    s.loc = c.loc;
    Body let;
    {
        const Restore<Body*> inner(body_, &let);
        emit(std::move(s));
    }
    auto& children = body_->children;
    children.insert(children.begin() + static_cast<std::ptrdiff_t>(c.position), let.children[0]);
}

}  // namespace heddle
