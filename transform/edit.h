// A kernel being changed by a step: its statements, each with the way from the root to it, and what became of the old loops.
//
// The loop tree is held as *strands*: for each statement, in written order, the loops and scopes around it. Two neighbours
// share a loop as long as they share the element, so moving, splitting and distributing loops are edits of short lists, and the
// new tree is the tree of their common beginnings. Every change of a loop variable is recorded in both directions; from that
// record legality is asked and storage checked.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/error.h"
#include "ir/kernel.h"
#include "ir/kernel_data.h"
#include "transform/rewrite.h"
#include "transform/row.h"

namespace heddle {

/// How a finished edit is shown to keep the kernel's meaning.
enum class Proof : std::uint8_t {
    ByConstruction,  ///< the step cannot change the order of instances
    Concurrent,      ///< nor that, but ask whether tagged loops may run concurrently
    Order,           ///< ask `violates_order`, and about tagged loops
};

class Edit {
public:
    explicit Edit(const Kernel& kernel);

    /// A statement and the way to it: loops (without children and temporaries) and scopes (blocks with temporaries), outermost
    /// first.
    struct Strand {
        std::vector<NodePtr> way;
        std::size_t part = 0;
        Loc loc;

        std::optional<std::size_t> find(const NodePtr& element) const;
        std::optional<std::size_t> find_loop(Name name) const;
    };
    /// A statement of the new kernel, and the old instances it stands for.
    struct Part {
        std::shared_ptr<const Statement> statement;
        std::size_t old = 0;
        Forms forward;   ///< old loops that changed, as forms in the new loops
        Forms backward;  ///< new loops, as forms in the old ones
        Domain where;    ///< over the old loops
        bool moved = false;
    };
    /// A loop and the strands under it, at position `depth` of their ways.
    struct Group {
        NodePtr loop;
        std::size_t first, last, depth;
    };

    /// The loops that a reference names, in written order; never none. Errors (User, "name") list the loops there are.
    std::vector<Group> loops(const LoopRef& ref) const;
    /// The group of an element that stands in the ways at `first`.
    Group group_at(std::size_t first, std::size_t depth) const;
    /// The same loop where it stands after other loops around it changed.
    Group again(const Group& group) const;
    /// The one loop of a reference; several are refused with their statements.
    Group loop(const LoopRef& ref) const;
    /// The strand of a statement, by label.
    std::size_t strand_of(Name label) const;

    /// Replaces the element of a group by others, outermost first, in all its strands.
    void replace(const Group& group, const std::vector<NodePtr>& elements);
    /// Writes loops of a part in new ones: `gone` gives each loop that changes as a form in the new loops, `come` each new loop
    /// as a form in the loops before, `extra` what bounds the new loops.
    void change(std::size_t part, const Forms& gone, const Forms& come, const Conjunct& extra = {});
    void change(const Group& group, const Forms& gone, const Forms& come, const Conjunct& extra = {});
    /// Narrows a part: `condition` over its loops of today.
    void narrow(std::size_t part, const Domain& condition);
    void set(std::size_t part, Statement statement);
    const Statement& statement(std::size_t part) const { return *parts[part].statement; }
    const Statement& statement_of(const Strand& strand) const { return *parts[strand.part].statement; }
    /// Puts strands in front of others, all at once: `at` counts today's positions, ascending.
    struct Insertion {
        std::size_t at;
        std::vector<Strand> strands;
    };
    void insert(std::vector<Insertion> insertions);
    /// A second copy of strands [first, last) from `depth` on: statements with fresh labels, temporaries declared there with
    /// fresh names.
    std::vector<Strand> copy(std::size_t first, std::size_t last, std::size_t depth);

    /// Names for new loops: `into` as it is when it has one for each of `bases`, names like `bases` when it is empty.
    std::vector<Name> loop_names(const std::vector<Name>& into, const std::vector<std::string>& bases);
    Name fresh(const std::string& base);
    /// An affine form read from text, over the parameters and `loops`.
    Affine affine(const Expression& text, const std::vector<Name>& loops) const;
    std::vector<Name> loops_outside(const Group& group) const;
    /// The loops directly inside each other that `refs` name, one list for each nest; the first encloses no statement that is
    /// not under all.
    std::vector<std::vector<Group>> nests(const std::vector<LoopRef>& refs) const;

    /// The new kernel. Checks its invariants and that temporaries keep their instances; proves the order; asks again whether
    /// tagged loops may run concurrently. Errors (User): "illegal-order", "race", "scope", "invalid".
    Kernel finish(Proof proof);

    const KernelData& old() const { return *old_; }
    KernelData data;  ///< everything but statements and tree, which `finish` makes
    std::vector<Strand> strands;
    std::vector<Part> parts;
    std::set<Name> free_storage;  ///< temporaries whose instances the step itself answers for
    std::string hint;             ///< what to try when the order cannot be kept

private:
    void collect(const NodePtr& node, std::vector<NodePtr>& way);
    void copy_array(Name from, Name to, Renaming& names);
    NodePtr twin_of(const Node& element, Renaming& names);
    std::optional<Group> directly_inside(const Group& outer, const LoopRef& ref, std::string& obstacle) const;
    std::string known_loops() const;
    void check_loop_names() const;
    void part_scopes();
    void share_out(const Node& scope, const std::vector<Group>& groups);
    void drop_empty_scopes();
    void check_scopes() const;
    bool is_read(Name temporary) const;
    void check_scope(const Strand& strand, Name temporary, const std::vector<Name>& now) const;
    NodePtr build(std::size_t first, std::size_t last, std::size_t depth, std::vector<std::size_t>& order) const;
    void prove_order(const KernelData& now, const std::vector<std::size_t>& order) const;
    void check_tags(const KernelData& now, const std::vector<std::size_t>& order) const;

    std::shared_ptr<const KernelData> old_;
    std::map<Name, std::vector<Name>> old_scopes_;
    std::vector<std::vector<Name>> old_loops_;  ///< around each old statement
    std::map<Name, Name> copied_;               ///< temporaries of copies, and those they were copied from
    std::set<Name> used_;
};

/// What `read` makes of a field's text; its errors speak of that text, since the place is known to the caller only.
template <class F>
auto read_against(const std::string& text, F read) {
    try {
        return read();
    } catch (const Error& e) {
        throw user_error(e.code(), "'" + text + "': " + e.message()).hint(e.hint_text());
    }
}

/// A loop element like another, under another name and without its tag.
NodePtr plain_loop(const Node& like, Name name);
NodePtr tagged_loop(const Node& like, const LoopTag& tag);

/// Refuses because two dependent instances would change places.
void refuse_order(const KernelData& old, const struct Witness& witness, const std::string& hint);
/// Refuses because two dependent instances would run at the same time.
void refuse_race(const KernelData& kernel, const Node& loop, const struct Witness& witness);
/// Refuses unless the iterations of a tagged loop, and of those it is collapsed with, may run concurrently.
void require_concurrent(const KernelData& kernel, class LoopQuestions& questions, const NodePtr& loop);

}  // namespace heddle
