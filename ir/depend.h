// Dependences, and the one legality question: does this order keep them?
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/kernel_data.h"

namespace heddle {

/// The array whose memory a view reads, through any number of views; other arrays themselves.
Name storage_of(const KernelData& kernel, Name array);
/// May an element of one array lie where an element of the other does?
bool may_overlap(const KernelData& kernel, Name a, Name b);

enum class DependenceKind : std::uint8_t { Flow, Anti, Output, Reduction };
std::string_view name_of(DependenceKind kind);

/// Two accesses of one element, the first before the second. Memory-based; instances of scoped temporaries are distinct
/// elements.
struct Dependence {
    DependenceKind kind;
    std::size_t source, sink;  ///< statement indices
    Name array;
    std::string relation;               ///< isl text of { source[loops] -> sink[loops] }, for `explain` and `show`
    std::vector<std::string> distance;  ///< for each common loop: "0", "1", "+", "-", "*"
    bool exact = true;                  ///< false where an unknown subscript was taken as any
};
/// All of them, in statement order. Pairs are filtered by constants and boxes before isl sees them.
std::vector<Dependence> dependences(const KernelData& kernel);

/// Two instances that conflict: what a refusal shows.
struct Witness {
    DependenceKind kind;
    std::size_t source, sink;  ///< indices into the old kernel's statements
    Name array;
    Env parameters, source_point, sink_point;  ///< old kernel's loops; parameters by name
    std::vector<std::int64_t> element;         ///< subscripts; empty when unknown
    bool exact = true;  ///< false where an unknown subscript was taken as any, or a run-time condition as true
    std::string why;    ///< "the new order runs T first", "they would run at the same time"
    /// "flow dependence on a: S(i=1, j=2) writes a[1, 2], then T(i=2, j=2) reads it (n=4); the new order runs T first" in the
    /// names of the user's own loops.
    std::string text(const KernelData& old_kernel) const;
};

/// How instances of an old statement become instances of a new one.
struct Correspondence {
    std::size_t old_statement, new_statement;
    /// The new statement's loops -> quasi-affine forms in the old statement's loops. Loops of the same name that do not change
    /// may be left out.
    std::vector<std::pair<Name, Affine>> loops;
    /// Old instances this one covers (index-set splits cover a part each).
    Domain where;
};

/// Does the new kernel run every pair of dependent instances in the order of the old one? `moved` tells how instances map, one
/// entry or more for each statement whose order may have changed: every statement under a subtree that changed belongs there,
/// also when only its neighbours moved, for pairs are asked about only when both are listed. Statements left out keep their
/// place relative to each other and to those listed. Entries with equal loops and place cost next to nothing. Reductions: two
/// updates of one element by the same operator commute when integers, or when both statements allow reassociation. Nothing:
/// legal: reads see the writes they saw (dead ones may change places). Otherwise the first witness. Unknown means dependent.
std::optional<Witness> violates_order(const KernelData& old_kernel, const KernelData& new_kernel,
                                      const std::vector<Correspondence>& moved);

/// May the iterations of this loop run in any order and at the same time (OpenMP threads, vector lanes)? A dependence between
/// two of its iterations, outer loops equal, is a witness. Updates that commute are left out where `reductions_ok` (the emitter
/// makes a reduction clause or an atomic of them). `width` > 0: only iterations less than that apart run together.
std::optional<Witness> carried_by(const KernelData& kernel, const Node* loop, bool reductions_ok, std::int64_t width = 0);
/// The updates that make `reductions_ok` necessary: statement indices, each with its array.
std::vector<std::size_t> reductions_carried(const KernelData& kernel, const Node* loop);

/// The same questions for many loops of one kernel: the kernel is indexed once. It must outlive this.
class LoopQuestions {
public:
    explicit LoopQuestions(const KernelData& kernel);
    ~LoopQuestions();
    LoopQuestions(const LoopQuestions&) = delete;
    std::optional<Witness> carried_by(const Node* loop, bool reductions_ok, std::int64_t width = 0);
    std::vector<std::size_t> reductions_carried(const Node* loop);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace heddle
