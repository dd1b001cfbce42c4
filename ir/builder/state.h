// What a KernelBuilder has written down so far. Internal to `ir`.
#pragma once

#include <unordered_set>

#include "ir/builder.h"
#include "ir/error.h"
#include "ir/kernel_data.h"

namespace heddle::build {

/// What a loop or block collects.
struct Body {
    std::vector<NodePtr> children;
    std::vector<Name> temporaries;
};

/// Label and flags for the next statement.
struct Pending {
    Name label;
    bool reassociate = false, atomic = false;
};

struct State {
    KernelData kernel;
    std::vector<Statement> statements;  ///< leaves hold positions in this list
    Body root;
    Body* body = &root;  ///< of the innermost loop or block that is open
    Domain domain;       ///< where a statement would run here
    std::vector<Expr> predicates;
    std::vector<Name> loops;  ///< open, outermost first
    std::unordered_set<Name> names, labels;
    Pending pending;
    std::size_t next_label = 0;
    std::unordered_map<Name, std::size_t> next_number;  ///< behind a name that is in use

    /// A name for an array of the body: `wanted`, or that with a number.
    Name fresh(Name wanted);
    /// Takes a name that must be free. Errors: "name".
    void claim(Name name, const Loc& loc);
    Name fresh_label(Name wanted);

    /// Adds a statement where the builder stands, typed; takes the pending label and flags.
    void emit(Statement s);
    /// Adds a statement that has its label already.
    void append(Statement s);
    /// Declares an array in the open block.
    void declare(heddle::Array array);
    /// The set of a condition on indices, or nothing when it is decided by data; then `obstacle` is the part that is.
    std::optional<Domain> formula(const Expr& condition, Expr* obstacle = nullptr) const;
    void narrow(const Domain& d);

    void open(const Range& r);
    /// Wraps what the loops have collected and appends it where the builder stands.
    void close(const std::vector<Range>& ranges, Body inner);

    KernelData finish() const;
};

/// Restores a variable when it goes.
template <class T>
class Keep {
public:
    explicit Keep(T& variable) : variable_(variable), old_(variable) {}
    Keep(T& variable, T value) : variable_(variable), old_(std::move(variable)) { variable = std::move(value); }
    ~Keep() { variable_ = std::move(old_); }
    Keep(const Keep&) = delete;

private:
    T& variable_;
    T old_;
};

/// Runs `f`; errors without a place get this one.
template <class F>
decltype(auto) placed(const Loc& loc, F f) {
    try {
        return f();
    } catch (Error& e) {
        e.locate(loc);
        throw;
    }
}

}  // namespace heddle::build
