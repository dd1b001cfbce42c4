// A Program: what will run, as plain data. Loops with bounds, guards and statements; storage decided; ready to be written as
// text.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ir/crossing.h"
#include "ir/kernel_data.h"
#include "target/memory_plan.h"
#include "target/target.h"

namespace heddle {

/// form / divisor, rounded up where it bounds from below, down where it bounds from above.
struct Ratio {
    Affine form;
    std::int64_t divisor = 1;
};
bool operator==(const Ratio& a, const Ratio& b);
bool operator<(const Ratio& a, const Ratio& b);

/// One side of a loop's range. Lower: the smallest, over the alternatives, of the largest of its ratios; upper (inclusive): the
/// mirror image. One alternative unless the statements under the loop disagree.
struct Limit {
    std::vector<std::vector<Ratio>> alternatives;

    bool is_single() const { return alternatives.size() == 1; }
    /// The value, when the limit is one ratio that is a number.
    std::optional<std::int64_t> constant() const;
};

/// An update of a scalar, or of one element, by all iterations of a concurrent loop.
struct Reduction {
    Name array;
    Update update = Update::Add;
    std::vector<Expr> element;            ///< subscripts; the updates then go to an accumulator, and from it to the element
    std::vector<std::size_t> statements;  ///< that update it
    bool atomic = false;                  ///< other threads update the element, too
};

struct Code;
using CodePtr = std::shared_ptr<const Code>;

/// A piece of device code.
struct Code {
    enum class Kind : std::uint8_t {
        Block,  ///< body in a row
        For,    ///< variable from lower to upper by step
        Fix,    ///< variable is `value` in the body
        If,     ///< body where condition holds, otherwise `otherwise`
        Run,    ///< one instance of a statement
        Launch,  ///< host code of a device: the launch number `statement`
        Barrier  ///< the lanes of a block wait for each other
    } kind = Kind::Block;
    std::vector<CodePtr> body, otherwise;
    std::vector<Name> temporaries;  ///< Block, For, Fix: declared at the start of the body
    Name variable;
    Limit lower, upper;
    std::int64_t step = 1;
    std::optional<Constraint> congruence;  ///< what a step other than 1 enforces
    bool descending = false;
    bool separate = false;  ///< full tiles are wanted apart from partial ones
    LoopTag tag;
    std::vector<Reduction> reductions;  ///< For, Parallel or Vector
    const Node* loop = nullptr;         ///< For, Fix: the loop in the kernel's tree
    Affine value;
    Domain condition;
    std::size_t statement = 0;
    Env constants;        ///< Run: values of unrolled loops
    bool atomic = false;  ///< Run: the update must not be torn apart by other threads
};
/// The constraints that a limit enforces on the variable, where they are a conjunction (one alternative).
Conjunct enforced_below(Name variable, const Limit& lower);
Conjunct enforced_above(Name variable, const Limit& upper);

/// Where a temporary lives.
struct Storage {
    /// Shared: one instance for each block, in the shared memory of a device.
    enum class Kind : std::uint8_t { Local, Allocated, Shared } kind = Kind::Local;
    bool for_each_thread = false;  ///< Allocated: used inside a parallel loop, one instance for each thread
    std::int64_t bytes = 0;        ///< Local, Shared
    std::vector<bool> by_lane;     ///< Local, on a device: axes along which each lane has its own entry only, as it uses no other
    std::string reason;            ///< why there: the end of a sentence
};

struct Program;

/// A call of another kernel's device function.
struct CallPlan {
    std::shared_ptr<const Program> callee;
    std::vector<std::pair<Name, Name>> borrowed;  ///< temporaries that the callee wants from outside, and our arrays for them
    bool concurrent = false;                      ///< in a parallel loop: each thread hands over instances of its own
};

/// Accesses that are tested at run time: arrays and dimensions of one statement.
using Tests = std::set<std::pair<Name, int>>;

/// A launch of a device function: a grid of blocks, each of `lanes` threads that run the code.
struct Launch {
    /// A loop over blocks: the variable is start + step * (number of the block), up to `last`.
    struct Blocks {
        int axis = 0;
        CodePtr loop;
        Affine start, last;
        std::int64_t step = 1;
    };
    std::string label;  ///< of its first statement
    CodePtr code;
    std::vector<Blocks> blocks;  ///< outermost first
    std::array<std::int64_t, 3> lanes{1, 1, 1};
    std::vector<Name> host_loops;    ///< loops of the host around it, outermost first
    std::vector<Placed> statements;  ///< in order
    std::vector<Name> shared;        ///< temporaries in shared memory
    std::vector<Crossing> barriers;  ///< for each barrier what needs it
};

/// The data of a program.
struct Program {
    std::shared_ptr<const KernelData> kernel;
    TargetOptions options;
    CodePtr code;
    std::map<Name, Storage> storage;
    std::vector<Slot> memory;               ///< the allocated ones, in the memory of a call
    std::map<std::size_t, CallPlan> calls;  ///< by statement
    std::map<std::size_t, Tests> tests;     ///< by statement; only in checked builds
    std::vector<Launch> launches;           ///< of a device program, whose `code` is the host's
};

}  // namespace heddle
