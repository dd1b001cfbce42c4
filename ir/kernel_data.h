// What a Kernel points to: arrays, statements and the loop tree. Plain data, no isl: kernels may cross threads.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/affine.h"
#include "ir/expr.h"
#include "ir/types.h"

namespace heddle {

/// An index parameter: a symbolic 64-bit integer.
struct Parameter {
    Name name;
    Loc loc;
};

/// How the elements of an array lie in memory. Empty members mean: row-major, unpadded.
struct Layout {
    std::vector<int> order;             ///< axes from the slowest to the fastest; empty: 0, 1, 2, …
    std::vector<std::int64_t> padding;  ///< extra entries allocated along each axis; empty: none
    std::vector<Expr> strides;          ///< in elements, one for each axis; when given, order and padding are empty
    int separate_axis = -1;             ///< this axis (of constant extent) becomes one array for each entry: struct of arrays

    bool is_default() const { return order.empty() && padding.empty() && strides.empty() && separate_axis < 0; }
};

/// The values of a constant table, row-major, in the element type's bytes.
struct TableData {
    std::vector<std::byte> bytes;
};

/// An array, or a scalar when `shape` is empty: argument, temporary or table.
struct Array {
    Name name;
    DType type = DType::F64;
    Role role = Role::In;
    std::vector<Expr> shape;  ///< quasi-affine in the parameters, or products of parameters
    Layout layout;
    AddressSpace space = AddressSpace::Auto;
    bool may_alias = false;
    bool is_let = false;  ///< written once, by the statement of its `let`; integer ones may stand in bounds and subscripts
    Name view_of;         ///< the array whose memory this one reads under another shape
    std::shared_ptr<const TableData> table;  ///< Role::Table only
    Loc loc;

    bool is_argument() const { return role == Role::In || role == Role::Out || role == Role::InOut; }
    /// A scalar argument that is read only: passed by value.
    bool by_value() const { return role == Role::In && shape.empty(); }
};

/// An element of an array.
struct Place {
    Name array;
    std::vector<Expr> subscripts;
};

/// A call of another kernel; the callee is held by value so that a kernel is complete in itself.
struct KernelData;
struct KernelCall {
    std::shared_ptr<const KernelData> callee;
    /// Callee parameter or argument name -> an index expression, a scalar expression, or Op::Read of an array without
    /// subscripts.
    std::vector<std::pair<Name, Expr>> bindings;
};

/// A statement: `places` get `values` (one of each but for tuples), once for each point of `domain`. Its dimensions are the
/// loops around it in the tree, by name; other symbols are parameters or integer lets. Predicates are run-time conditions, all
/// of which hold.
struct Statement {
    Name label;  ///< unique in the kernel
    std::vector<Place> places;
    Update update = Update::Assign;
    Name op;  ///< Update::Custom: name of the OperatorDef
    std::vector<Expr> values;
    Domain domain;
    std::vector<Expr> predicates;
    /// The loops the user wrote, in terms of today's loops: (i, 32*io + ii). Empty: they are the same.
    std::vector<std::pair<Name, Expr>> origin;
    bool reassociate = false;        ///< the user allowed another order of the additions (always allowed on integers)
    bool atomic = false;             ///< the update is to be performed atomically
    std::optional<KernelCall> call;  ///< then places and values are empty
    Loc loc;
};

/// How a loop runs. The plain loop is sequential.
struct LoopTag {
    /// Block and Lane: mapped to an axis of a device's grid of blocks, or of the lanes (threads) of a block.
    enum class Kind : std::uint8_t { Sequential, Parallel, Vector, Unroll, Block, Lane } kind = Kind::Sequential;
    bool dynamic = false;        ///< Parallel: schedule(dynamic)
    std::int64_t chunk = 0;      ///< Parallel: chunk size, 0: the default
    int collapse = 1;            ///< Parallel: this many perfectly nested loops share the threads
    std::int64_t threshold = 0;  ///< Parallel: serial when there are fewer iterations than this
    int axis = 0;                ///< Block, Lane: 0 to 2 for x, y, z

    /// Do iterations run at the same time?
    bool is_concurrent() const { return kind != Kind::Sequential && kind != Kind::Unroll; }
    /// Is it mapped to an axis of a device?
    bool is_mapped() const { return kind == Kind::Block || kind == Kind::Lane; }
    bool operator==(const LoopTag&) const = default;
};

struct Node;
using NodePtr = std::shared_ptr<const Node>;

/// A node of the loop tree. The order of the kernel is the order of this tree: children from first to last, loops upwards
/// (downwards when `descending`). A loop runs over the union of what its statements' domains say; loops nested in each other
/// have distinct names.
struct Node {
    enum class Kind : std::uint8_t { Block, Loop, Leaf } kind = Kind::Block;
    std::vector<NodePtr> children;  ///< Block and Loop
    std::vector<Name>
        temporaries;  ///< Block and Loop: temporaries declared here; each iteration of the loops around has its own instance
    Name loop;        ///< Loop
    bool descending = false;    ///< Loop
    bool separate = false;      ///< Loop: emit full tiles apart from partial ones
    LoopTag tag;                ///< Loop
    std::size_t statement = 0;  ///< Leaf: index into KernelData::statements
    Loc loc;
};

/// An associative operator of the user's on tuples: names of the two operands' parts, result expressions (Var by those names),
/// identity.
struct OperatorDef {
    Name name;
    std::vector<Name> left, right;
    std::vector<Expr> results;
    std::vector<Expr> identity;
    bool commutative = false;
    Loc loc;
};

/// `def u(i, j) = …`: parameters are Var in the body.
struct RuleDef {
    Name name;
    std::vector<Name> parameters;
    Expr body;
    Loc loc;
};

struct ExternDef {
    Name name;
    std::vector<DType> arguments;
    DType result = DType::F64;
    Loc loc;
};

/// What the user asserts and nobody proves; it stays visible in the emitted text.
struct Assertion {
    enum class Kind : std::uint8_t { Injective, NonAliasing } kind = Kind::Injective;
    std::vector<Name> arrays;  ///< Injective: one index array; NonAliasing: two or more
    Loc loc;
    bool operator==(const Assertion& o) const { return kind == o.kind && arrays == o.arrays; }
};

/// Finds arrays by name in constant time on large kernels. Built on the first question; a copy starts anew. Safe between
/// threads.
class ArrayIndex {
public:
    ArrayIndex() = default;
    ArrayIndex(const ArrayIndex&) {}
    ArrayIndex& operator=(const ArrayIndex&) { return reset(), *this; }
    const Array* find(const std::vector<Array>& arrays, Name name) const;
    void reset() { map_.store(nullptr); }

private:
    using Map = std::unordered_map<Name, std::size_t>;
    mutable std::atomic<std::shared_ptr<const Map>> map_;
};

struct KernelData {
    Name name;
    std::vector<Parameter> parameters;
    std::vector<Name> argument_order;  ///< parameters and arguments as the user listed them: the call interface
    Domain assumptions;                ///< `where`: over the parameters
    std::vector<Assertion> assertions;
    std::vector<Array> arrays;  ///< arguments first, in order; then temporaries and tables
    std::vector<RuleDef> rules;
    std::vector<OperatorDef> operators;
    std::vector<ExternDef> externs;
    std::vector<std::shared_ptr<const Statement>> statements;
    NodePtr root;  ///< a Block
    Loc loc;

    /// Null when there is none of that name. After renaming an array in place (not adding or removing one), reset `index`.
    const Array* find_array(Name name) const { return index.find(arrays, name); }
    const RuleDef* find_rule(Name name) const;
    const OperatorDef* find_operator(Name name) const;
    const ExternDef* find_extern(Name name) const;
    bool is_parameter(Name name) const;

    ArrayIndex index;
};

}  // namespace heddle
