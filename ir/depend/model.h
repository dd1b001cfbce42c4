// What dependence questions know about a kernel: where statements stand, and what their accesses are, in two copies of the
// names, one for each instance of a pair. Shared by the files ir/depend*.cpp and ir/bounds*.cpp; no isl.
#pragma once

#include <limits>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "ir/access.h"
#include "ir/access_rules.h"
#include "ir/tree.h"

namespace heddle::depend {

/// The name of a symbol of the second instance of a pair: the loop i is "i'" there.
Name sink_name(Name n);

/// An access with its subscripts as piecewise forms over the statement's symbols, and over their copies for a sink.
struct AccessModel {
    Access access;
    std::vector<std::optional<std::vector<Piece>>> forms, sink_forms;  ///< nothing: any value
    Domain sink_when;
    std::vector<std::optional<std::int64_t>> constants;  ///< subscripts that are one number
    int form_class = 0;                                  ///< equal for accesses whose forms and conditions are equal
    bool exact = true;                                   ///< no subscript was taken as any value
};

/// A symbol that is no loop and no parameter: equal in two instances when their first `need` loops are equal, `never` when it
/// may change at any time.
struct DataSymbol {
    static constexpr std::size_t never = std::numeric_limits<std::size_t>::max();
    Name name;
    std::size_t need = never;
};

/// A statement, where it stands, and what it does.
struct StatementModel {
    std::size_t index = 0;
    const Statement* statement = nullptr;
    std::vector<const Node*> nodes;  ///< from the root to the leaf
    std::vector<std::size_t> positions;
    std::vector<const Node*> loops;
    Domain domain, sink_domain;
    std::vector<DataSymbol> data;
    std::vector<AccessModel> accesses;
    bool order_free = false;   ///< its updates may run in any order
    bool atomic_free = false;  ///< the same when run as atomics

    std::vector<Name> loop_names() const;
};

/// How two statements stand to each other.
struct Meeting {
    std::size_t common = 0;  ///< loops around both
    int order = 0;           ///< -1: the first comes first in an iteration of the innermost of them; 1: the second; 0: the same
};
Meeting meeting(const StatementModel& a, const StatementModel& b);

/// Knows a kernel; statements are looked at when they are asked for.
class Model {
public:
    explicit Model(const KernelData& kernel);
    Model(const Model&) = delete;

    const KernelData& kernel() const { return kernel_; }
    const StatementModel& statement(std::size_t index);
    /// Without accesses: the place of a statement only.
    StatementModel place(std::size_t index) const;
    /// Loops around the block that declares the array: their first so many have instances of it apart.
    std::size_t scope_depth(Name array) const;
    /// The array whose memory this one is a view of, or itself.
    Name base(Name array) const;
    /// May the two arrays overlap in memory, though they are different?
    bool may_overlap(Name a, Name b) const;
    /// One name for all arrays that may overlap with this one.
    Name bucket(Name array) const;
    bool injective(Name array) const { return injective_.count(array) != 0; }
    /// Reads of it give the same value at any time: an `in` argument that nothing overlaps, or a table.
    bool unchanging(Name array) const;
    /// The expression that an opaque symbol of a form stands for; null for other symbols.
    const Expr* expression_of(Name symbol) const;
    /// The piecewise form of the first value of a statement, opaque symbols included; nothing when it is no integer.
    std::optional<std::vector<Piece>> value_forms(std::size_t index);

private:
    struct Up {
        const Node* parent;
        std::size_t position;
    };
    void index_tree();
    void index_overlaps();
    AccessModel model(const Access& a, StatementModel& s);
    std::optional<std::vector<Piece>> forms(const Expr& e, StatementModel& s, bool& exact);
    Expr opened(const Expr& e, StatementModel& s, int depth);
    Name opaque(const Expr& e, StatementModel& s);
    std::size_t need_of(Name symbol, const StatementModel& s) const;
    void note_symbols(const std::vector<Name>& symbols, StatementModel& s) const;
    int class_of(const AccessModel& a);

    const KernelData& kernel_;
    RuleExpander rules_;
    std::unordered_map<const Node*, Up> up_;
    std::vector<const Node*> leaves_;
    std::unordered_map<Name, std::size_t> scope_;
    std::unordered_set<Name> parameters_, injective_;
    std::unordered_map<Name, Name> buckets_;
    std::unordered_map<std::size_t, std::unique_ptr<StatementModel>> statements_;
    std::unordered_map<Expr, Name, ExprHash, ExprSame> opaques_;
    std::unordered_map<Name, Expr> expressions_;  ///< opaque symbols back to expressions
    std::unordered_map<std::string, int> classes_;
    int unique_ = 0;
};

/// Every loop and data symbol of the statement replaced by its copy for a sink.
Affine renamed(const Affine& a, const StatementModel& s);
Domain renamed(const Domain& d, const StatementModel& s);

}  // namespace heddle::depend
