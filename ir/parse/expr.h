// Expressions and conditions: tokens -> Expr, with names looked up. Internal to the reader.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/kernel_data.h"
#include "ir/parse/cursor.h"
#include "ir/parse/formula.h"
#include "ir/parse/names.h"

namespace heddle {

class ExprReader {
public:
    /// `reduction` reads a reduction at the cursor ("sum[…](…)") and gives the value it stands for; empty where none may stand.
    using Reduction = std::function<Expr()>;

    ExprReader(Cursor& cursor, Names& names, const KernelData& kernel) : cursor_(cursor), names_(names), kernel_(kernel) {}
    void on_reduction(Reduction f) { reduction_ = std::move(f); }
    /// Called for each use of a rule outside of rules.
    void on_rule(std::function<void(Name)> f) { rule_use_ = std::move(f); }

    Expr value();
    /// A condition: also '=' for equality, lists ("0 <= i, j < n") and `exists`.
    Expr condition();
    /// "(a, b)", at least one; the cursor is at the '('.
    std::vector<Expr> arguments(std::string_view what);
    /// "[i, j]"; the cursor is at the '['.
    std::vector<Expr> subscripts();

    /// The set of a condition, or nothing when it is no formula; then `obstacle` is what is in the way.
    std::optional<Domain> domain(const Expr& condition);
    const Expr& obstacle() const { return obstacle_; }
    /// The set of a condition that has to be one; `what` begins the message: "the loop's formula".
    Domain domain_or_error(const Expr& condition, std::string_view what);
    /// Throws when a condition that is no formula contains an `exists`.
    void refuse_exists(const Expr& condition) const;

    /// In a rule's body unknown names may be arrays that are declared later: they are noted here instead of refused.
    struct Later {
        Name name;
        Loc loc;
    };
    Expr rule_body(std::vector<Later>& later);

    /// Names that are not declared are looked up in the kernel: arrays, rules, externs; all others become variables.
    void allow_free_names() { free_ = true; }

    bool at_reduction();
    /// Extern functions that were called.
    const std::unordered_set<Name>& externs_called() const { return externs_called_; }

private:
    Expr ternary();
    Expr binary(int lowest);
    Expr prefixed_not();
    Expr unary();
    Expr comparisons(Expr first, int lowest);
    std::vector<Expr> operand_list(Expr first);
    Expr primary();
    Expr parenthesised();
    Expr word(const Token& t);
    Expr number(const Token& t, bool negative);
    Expr named(const Token& t);
    Expr scalar(const Token& t);
    Expr element(const Token& t);
    Expr call(const Token& t);
    Expr extremum(const Token& t);
    Expr cast(const Token& t, DType type);
    Expr exists();
    const Symbol* find(Name text);
    const Symbol* free_symbol(Name text);
    Error unknown_function(const Token& t) const;
    std::vector<Expr> list_until(std::string_view close, std::string_view what);

    Cursor& cursor_;
    Names& names_;
    const KernelData& kernel_;
    Reduction reduction_;
    std::function<void(Name)> rule_use_;
    std::vector<Domain> exists_;
    Expr obstacle_;
    std::vector<Later>* later_ = nullptr;
    std::unordered_set<Name> externs_called_;
    std::unordered_map<Name, Symbol> free_symbols_;
    bool formula_ = false, lists_ = false, free_ = false;
};

/// Restores a variable when it goes.
template <class T>
class Restore {
public:
    explicit Restore(T& variable) : variable_(variable), old_(variable) {}
    Restore(T& variable, T value) : variable_(variable), old_(std::move(variable)) { variable = std::move(value); }
    ~Restore() { variable_ = std::move(old_); }
    Restore(const Restore&) = delete;

private:
    T& variable_;
    T old_;
};

/// Is the word the operator of a reduction (sum, product, min, max, any, all, argmin, argmax)?
bool is_reduction_word(std::string_view word);

/// The exact projection of a set, `gone` eliminated.
Domain project_out(const Domain& d, const std::vector<Name>& gone, const Loc& loc);

}  // namespace heddle
