// A recorded sequence as data: formulas of sizes and numbers, slots of memory, steps. It never changes once it is finished.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "runtime/array.h"
#include "runtime/kernel.h"

namespace heddle::runtime {

/// A number of the sequence; its index is its place among the values of a replay. Inputs come first, in the order of leaves.
struct Formula {
    Op op = Op::Constant;
    Element type = Element::I64;  ///< of the operands of a comparison, else of the result
    std::uint32_t a = 0, b = 0;   ///< operands; a number fetched: its step
    Value value;                  ///< of constants; else what it was when recorded
    bool fetched = false;         ///< depends on data that a step reads
};

/// What a formula has to give for the sequence to be right.
struct Guard {
    std::uint32_t formula;
    Value expected;
};

/// Memory that steps use.
struct Slot {
    enum class Kind : std::uint8_t { Input, Captured, Temporary, Output };
    Kind kind = Kind::Temporary;
    std::uint32_t leaf = 0;     ///< Input: which array among the arguments
    Array captured;             ///< Captured: an array that is no argument
    std::uint32_t place = 0;    ///< of memory that a replay makes: among `Sequence::places`
    std::uint32_t bytes = 0;    ///< its size, a formula
    int first = -1, last = -1;  ///< steps between which it is needed
};

struct StepArgument {
    bool memory = false;
    std::uint32_t slot = 0, formula = 0;  ///< memory: the slot, and how many bytes into it; else the number
    std::uint32_t bytes = 0;              ///< of a number
    std::uint32_t at = 0, plus = 0;       ///< in the frame: what is passed is the sum of these words (`link`)
};

struct CallStep {
    std::shared_ptr<const CFunction> function;
    std::vector<StepArgument> arguments;
};
struct LaunchStep {
    std::shared_ptr<const DeviceFunction> function;
    std::array<std::uint32_t, 3> blocks;
    std::array<std::int32_t, 3> lanes;
    std::uint32_t shared_bytes;
    std::vector<StepArgument> arguments;
};
struct CopyStep {
    StepArgument to, from;
    std::uint32_t bytes;
    std::uint32_t place;  ///< whose queue; 0: host to host
    heddle_copy kind;
};
/// Reads a number; formulas that depend on it are computed after it.
struct FetchStep {
    StepArgument from;
    std::uint32_t place, formula;
    std::uint32_t bytes;
};
/// Memory whose size is known only here: it depends on data.
struct AllocateStep {
    std::uint32_t slot;
};
struct ReleaseStep {
    std::uint32_t slot;
};
using Step = std::variant<CallStep, LaunchStep, CopyStep, FetchStep, AllocateStep, ReleaseStep>;

/// A temporary in the block of a replay: it begins where the highest of those below it ends.
struct Planned {
    std::uint32_t slot;
    std::vector<std::uint32_t> below;  ///< earlier entries of the plan
};

/// Two arrays among arguments and captured ones that share bytes.
struct Overlap {
    std::uint32_t a, b;
    std::int64_t distance;  ///< from the begin of a to that of b
    bool same;              ///< begin and end alike
    friend bool operator==(const Overlap&, const Overlap&) = default;
};

struct OutputArray {
    std::uint32_t slot, offset;
    Element element;
    std::uint8_t rank;
    bool contiguous;
    std::array<std::uint32_t, max_rank> sizes;
    std::array<std::int64_t, max_rank> strides;
};
struct OutputNumber {
    std::uint32_t formula;
};

class CudaGraphs;

struct Sequence {
    std::vector<std::uint64_t> structure;  ///< of the arguments: what has to be alike (structure.h)
    std::vector<Formula> formulas;
    std::vector<Value> values;                                         ///< of all formulas, as recorded; then 0
    std::vector<std::uint32_t> computed;                               ///< formulas to compute, in order
    std::uint32_t inputs = 0;                                          ///< formulas that are inputs
    std::vector<std::pair<std::uint32_t, std::uint32_t>> equal_sizes;  ///< inputs that have to be equal
    std::vector<Guard> guards;
    std::vector<std::uint32_t> late_checks;  ///< comparisons that depend on data: all have to hold, in the order of formulas
    std::vector<Overlap> overlaps;
    std::vector<Slot> slots;
    std::vector<std::uint32_t> captured;  ///< slots
    std::vector<Place> places;            ///< the first is the host
    std::vector<Step> steps;
    std::vector<Planned> plan;
    std::vector<std::uint32_t> outputs;  ///< slots whose memory a replay makes at its start, and gives away
    std::vector<std::uint64_t> result_structure;
    std::vector<OutputArray> result_arrays;
    std::vector<OutputNumber> result_numbers;
    std::vector<std::string> argument_names;  ///< of arrays, for messages
    std::shared_ptr<CudaGraphs> graphs;       ///< where all steps are launches of one CUDA device
    mutable std::atomic<std::uint64_t> replays{0}, used{0};
};

/// Arrays and numbers of a call, flattened in the order of its arguments.
struct Bound {
    std::vector<std::uint64_t> structure;
    std::vector<const Array*> arrays;
    std::vector<Value> numbers;  ///< sizes of arrays and numbers, in the order of leaves
    void clear() { structure.clear(), arrays.clear(), numbers.clear(); }
};

/// What a replay gives, while it lasts.
class Results {
public:
    virtual ~Results() = default;
    virtual void array(std::size_t number, Array& to) = 0;
    virtual Value number(std::size_t number) = 0;
    virtual std::uint64_t word(std::size_t number) const = 0;  ///< of the structure of the result
};
/// Takes results into the place where they are wanted.
class ResultSink {
public:
    virtual ~ResultSink() = default;
    virtual void take(Results& results) = 0;
};

/// The bytes that an array may touch, relative to its pointer.
struct Range {
    std::uintptr_t begin, end;
};
Range range_of(const Array& array);
/// Pairs that share bytes, by (a, b).
std::vector<Overlap> overlaps_of(const std::vector<Range>& ranges);

/// Value of a computed formula from those of its operands; `from` is the type of the first.
Value evaluate(const Formula& formula, Element from, Value a, Value b);

/// Fills `plan`, `outputs` and the steps that allocate what depends on data.
void plan_memory(Sequence& sequence);
/// Fills what follows from formulas, slots and steps: the last thing before a sequence is used.
void link(Sequence& sequence);

/// Why a sequence is not right for some arguments.
struct Mismatch {
    enum class Kind : std::uint8_t { None, Structure, Sizes, Overlaps, Decisions };
    Kind kind = Kind::None;
    std::uint32_t a = 0, b = 0;  ///< Structure: the first word that differs; Sizes: the two inputs
};
std::string mismatch_text(const Sequence& sequence, const Bound& bound, const Mismatch& mismatch);

/// Runs a sequence if it is right for these arguments.
Mismatch replay(const Sequence& sequence, const Bound& bound, ResultSink& sink);

/// A sequence as text for people.
std::string describe(const Sequence& sequence);

/// The words of a replay: values by formula, 0, addresses by slot.
struct Frame {
    const Value* words;
    std::int64_t integer(std::uint32_t formula) const { return words[formula].as<std::int64_t>(); }
    Value argument(const StepArgument& a) const { return {words[a.at].bits + words[a.plus].bits}; }
};

/// Executable graphs of a sequence. A replay takes a free one, or makes one, patches the nodes that changed, and launches it.
class CudaGraphs {
public:
    virtual ~CudaGraphs() = default;
    virtual void launch(const Sequence& sequence, const Frame& frame) = 0;
};
/// Null unless all steps are launches of one CUDA device.
std::shared_ptr<CudaGraphs> cuda_graphs(const Sequence& sequence);

/// Notes a run of a kernel when the history is on.
void note_run(const std::string& name, const std::string& place, const std::array<std::int64_t, 3>& blocks, bool replayed);
bool history_is_on();

/// Memory of a device, or of the host: where it comes from, and what is asked of it.
const Allocator& memory_of(const std::optional<Device>& device);
Request request_for(std::int64_t bytes, const std::optional<Device>& device);
std::shared_ptr<Block> make_block(std::int64_t bytes, const Place& place);
/// Copies; done at the return where the host takes part. `device` null: within the host.
void run_copy(char* to, const char* from, std::size_t bytes, heddle_copy kind, const Device* device);

/// To the inside of arrays, for binding and results.
struct ArrayAccess {
    static std::shared_ptr<Block>& block(Array& a) { return a.block_; }
    static const std::shared_ptr<Block>& block(const Array& a) { return a.block_; }
    static char*& pointer(Array& a) { return a.pointer_; }
    static const char* pointer(const Array& a) { return a.pointer_; }
    static Element& element(Array& a) { return a.element_; }
    static std::uint8_t& rank(Array& a) { return a.rank_; }
    static bool& contiguous(Array& a) { return a.contiguous_; }
    static Node& slot(Array& a) { return a.slot_; }
    static const Node& slot(const Array& a) { return a.slot_; }
    static Size& from_slot(Array& a) { return a.from_slot_; }
    static const Size& from_slot(const Array& a) { return a.from_slot_; }
    static std::array<Size, max_rank>& sizes(Array& a) { return a.sizes_; }
    static const std::array<Size, max_rank>& sizes(const Array& a) { return a.sizes_; }
    static std::array<std::int64_t, max_rank>& strides(Array& a) { return a.strides_; }
    static const std::array<std::int64_t, max_rank>& strides(const Array& a) { return a.strides_; }
};

}  // namespace heddle::runtime
