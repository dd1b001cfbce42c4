// A replay: bind, check, compute sizes, place memory, run the steps. Nothing is generated, looked up or hashed.
#include <fmt/format.h>

#include <cstring>

#include "runtime/arena.h"
#include "runtime/device/driver.h"
#include "runtime/freeze/sequence.h"
#include "runtime/freeze/structure.h"
#include "runtime/status.h"

namespace heddle::runtime {
namespace {

/// So many things on the stack, more from the heap.
template <class T, std::size_t N>
class Buffer {
public:
    explicit Buffer(std::size_t n) : data_(n <= N ? reinterpret_cast<T*>(here_) : new T[n]), heap_(n > N) {}
    ~Buffer() {
        if (heap_) delete[] data_;
    }
    Buffer(const Buffer&) = delete;
    T* get() { return data_; }
    T& operator[](std::size_t k) { return data_[k]; }

private:
    static_assert(std::is_trivially_destructible_v<T>);
    alignas(T) char here_[N * sizeof(T)];
    T* data_;
    bool heap_;
};

/// Small blocks of the host stay with those who replay; larger ones go back to the pool.
constexpr std::int64_t small_arena = 64 * 1024;
PlannedArena::Lease small_lease() {
    static auto* arena = new PlannedArena(host_pool().allocator());
    return arena->lease(small_arena);
}

/// The blocks of one replay, one for each place, and memory of steps.
class Arenas {
public:
    explicit Arenas(std::size_t places) : blocks_(places) {}
    ~Arenas() {
        for (std::size_t k = 0; k < taken_; ++k) blocks_[k].memory->release(blocks_[k].base, blocks_[k].request);
    }
    Arenas(const Arenas&) = delete;
    char* take(std::int64_t bytes, const Place& place) {
        if (!place.device && bytes <= small_arena) return static_cast<char*>(small_.emplace(small_lease()).at(0));
        const Allocator& memory = memory_of(place.device);
        const Request request = request_for(bytes, place.device);
        blocks_[taken_] = {&memory, request, memory.allocate(request)};
        return static_cast<char*>(blocks_[taken_++].base);
    }
    std::shared_ptr<Block>& late(std::uint32_t slot) {
        for (auto& entry : late_)
            if (entry.first == slot) return entry.second;
        return late_.emplace_back(slot, nullptr).second;
    }

private:
    struct Taken {
        const Allocator* memory;
        Request request;
        void* base;
    };
    Buffer<Taken, 4> blocks_;
    std::size_t taken_ = 0;
    std::optional<PlannedArena::Lease> small_;
    std::vector<std::pair<std::uint32_t, std::shared_ptr<Block>>> late_;  ///< by slot
};

constexpr std::size_t near = 128;  ///< words on the stack

/// One replay.
class Replay final : public Results {
public:
    Replay(const Sequence& s, const Bound& b)
        : s_(s), bound_(b), values_(s.values.size() + s.slots.size()), arenas_(s.places.size()) {}
    Mismatch check();
    void run();
    void array(std::size_t number, Array& to) override;
    Value number(std::size_t number) override { return values_[s_.result_numbers[number].formula]; }
    std::uint64_t word(std::size_t number) const override { return s_.result_structure.at(number); }

private:
    Mismatch check_sizes() const;
    bool same_overlaps() const;
    void check_captured() const;
    /// Computes formulas up to the next one that needs data.
    void compute() {
        for (; next_ < s_.computed.size(); ++next_) {
            const Formula& f = s_.formulas[s_.computed[next_]];
            if (f.op == Op::Fetched) return;
            values_[s_.computed[next_]] = evaluate(f, s_.formulas[f.a].type, values_[f.a], values_[f.b]);
        }
    }
    std::int64_t integer(std::uint32_t formula) { return values_[formula].as<std::int64_t>(); }
    /// Where the address of a slot stands.
    Value& pointer(std::uint32_t slot) { return values_[s_.values.size() + slot]; }
    char* address(const StepArgument& a) { return Frame{values_.get()}.argument(a).as<char*>(); }
    void check_late();
    void place_memory();
    void lay_out();
    void output(std::uint32_t slot);
    bool inside(const StepArgument& a, std::int64_t bytes);
    void run_step(const CallStep& step);
    void run_step(const LaunchStep& step);
    void run_step(const CopyStep& step);
    void run_step(const FetchStep& step);
    void run_step(const AllocateStep& step);
    void run_step(const ReleaseStep& step) { arenas_.late(step.slot).reset(); }

    const Sequence& s_;
    const Bound& bound_;
    Buffer<Value, near> values_;

    Arenas arenas_;
    std::vector<std::pair<std::uint32_t, std::shared_ptr<Block>>> made_;  ///< results' memory, by slot
    std::size_t next_ = 0;
    std::size_t checked_ = 0;  ///< late checks that were made
};

Mismatch Replay::check_sizes() const {
    for (const auto& [a, b] : s_.equal_sizes)
        if (bound_.numbers[a].bits != bound_.numbers[b].bits) return {Mismatch::Kind::Sizes, a, b};
    return {};
}

bool Replay::same_overlaps() const {
    constexpr std::size_t few = 24;
    Range ranges[few];
    const std::size_t n = bound_.arrays.size() + s_.captured.size();
    const auto array = [&](std::size_t k) -> const Array& {
        return k < bound_.arrays.size() ? *bound_.arrays[k] : s_.slots[s_.captured[k - bound_.arrays.size()]].captured;
    };
    if (n > few || !s_.overlaps.empty()) {
        std::vector<Range> all;
        for (std::size_t k = 0; k < n; ++k) all.push_back(range_of(array(k)));
        return overlaps_of(all) == s_.overlaps;
    }
    for (std::size_t k = 0; k < n; ++k) {
        ranges[k] = range_of(array(k));
        for (std::size_t j = 0; j < k; ++j)
            if (ranges[j].begin < ranges[k].end && ranges[k].begin < ranges[j].end) return false;
    }
    return true;
}

void Replay::check_captured() const {
    for (const std::uint32_t k : s_.captured)
        if (!s_.slots[k].captured.alive())
            throw RuntimeError(
                Code::BadArgument,
                fmt::format("the frozen function uses an array that is no argument, whose memory (block {}) was released",
                            s_.slots[k].captured.generation()));
}

std::uint32_t first_difference(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
    std::uint32_t k = 0;
    while (k < a.size() && k < b.size() && a[k] == b[k]) ++k;
    return k;
}

Mismatch Replay::check() {
    if (bound_.structure != s_.structure)
        return {Mismatch::Kind::Structure, first_difference(s_.structure, bound_.structure), 0};
    if (const Mismatch sizes = check_sizes(); sizes.kind != Mismatch::Kind::None) return sizes;
    if (bound_.arrays.size() + s_.captured.size() > 1 && !same_overlaps()) return {Mismatch::Kind::Overlaps};
    check_captured();
    std::memcpy(values_.get(), s_.values.data(), s_.values.size() * sizeof(Value));
    std::memcpy(values_.get(), bound_.numbers.data(), bound_.numbers.size() * sizeof(Value));
    compute();
    for (const Guard& g : s_.guards)
        if (values_[g.formula].bits != g.expected.bits) return {Mismatch::Kind::Decisions};
    return {};
}

void Replay::output(std::uint32_t slot) {
    auto block = make_block(integer(s_.slots[slot].bytes), s_.places[s_.slots[slot].place]);
    pointer(slot) = Value::of(block->base);
    made_.emplace_back(slot, std::move(block));
}

void Replay::lay_out() {
    Buffer<std::int64_t, near> begin(s_.plan.size()), end(s_.plan.size());
    Buffer<std::int64_t, 8> total(s_.places.size());
    for (std::size_t k = 0; k < s_.places.size(); ++k) total[k] = 0;
    for (std::size_t k = 0; k < s_.plan.size(); ++k) {
        const Slot& slot = s_.slots[s_.plan[k].slot];
        begin[k] = 0;
        for (const std::uint32_t below : s_.plan[k].below) begin[k] = std::max(begin[k], end[below]);
        const std::int64_t unit = static_cast<std::int64_t>(slot.place == 0 ? host_alignment : device_alignment);
        end[k] = begin[k] + (integer(slot.bytes) + unit - 1) / unit * unit;
        total[slot.place] = std::max(total[slot.place], end[k]);
    }
    Buffer<char*, 8> base(s_.places.size());
    for (std::size_t k = 0; k < s_.places.size(); ++k) base[k] = total[k] > 0 ? arenas_.take(total[k], s_.places[k]) : nullptr;
    for (std::size_t k = 0; k < s_.plan.size(); ++k) {
        const std::uint32_t slot = s_.plan[k].slot;
        pointer(slot) = Value::of(base[s_.slots[slot].place] + begin[k]);
    }
}

void Replay::place_memory() {
    for (std::uint32_t k = 0; k < s_.slots.size(); ++k) {
        const Slot& slot = s_.slots[k];
        if (slot.kind == Slot::Kind::Input) pointer(k) = Value::of(bound_.arrays[slot.leaf]->pointer());
        if (slot.kind == Slot::Kind::Captured) pointer(k) = Value::of(slot.captured.pointer());
    }
    for (const std::uint32_t slot : s_.outputs) output(slot);
    if (!s_.plan.empty()) lay_out();
}

void Replay::run() {
    place_memory();
    if (s_.graphs != nullptr && !history_is_on()) return s_.graphs->launch(s_, {values_.get()});
    for (const Step& step : s_.steps)
        if (const auto* call = std::get_if<CallStep>(&step))
            run_step(*call);
        else
            std::visit([this](const auto& s) { run_step(s); }, step);
}

void Replay::run_step(const CallStep& step) {
    const Frame frame{values_.get()};
    Buffer<Value, 32> arguments(step.arguments.size());
    Value* to = arguments.get();
    for (const StepArgument& a : step.arguments) *to++ = frame.argument(a);
    const CFunction& f = *step.function;
    if (const int status = f.call(f.address, arguments.get()); status != 0) recording::failed(f, status);
    if (history_is_on()) note_run(f.name, "the host", {}, true);
}

void Replay::run_step(const LaunchStep& step) {
    const std::size_t n = step.arguments.size();
    Buffer<char*, 32> memory(n);
    Buffer<heddle_argument, 32> arguments(n);
    for (std::size_t k = 0; k < n; ++k) {
        const StepArgument& a = step.arguments[k];
        if (a.memory) memory[k] = address(a);
        arguments[k] =
            a.memory ? heddle_argument{&memory[k], sizeof(void*), 1} : heddle_argument{&values_[a.formula], a.bytes, 0};
    }
    const DeviceFunction& f = *step.function;
    heddle_launch l{f.name.c_str(), {}, {step.lanes[0], step.lanes[1], step.lanes[2]}, 0, static_cast<std::int32_t>(n),
                    arguments.get()};
    for (std::size_t k = 0; k < 3; ++k) l.blocks[k] = integer(step.blocks[k]);
    l.shared_bytes = static_cast<std::size_t>(integer(step.shared_bytes));
    const Device& device = f.program.device();
    f.function->launch(l, device.queue().raw());
    if (history_is_on()) note_run(f.name, device.name(), {l.blocks[0], l.blocks[1], l.blocks[2]}, true);
}

void Replay::run_step(const CopyStep& step) {
    const Place& place = s_.places[step.place];
    run_copy(address(step.to), address(step.from), static_cast<std::size_t>(integer(step.bytes)), step.kind,
             place.device ? &*place.device : nullptr);
}

/// Whether so many bytes lie in what the slot is: an index may depend on data, and memory that ends earlier is not read.
bool Replay::inside(const StepArgument& a, std::int64_t bytes) {
    const Slot& slot = s_.slots[a.slot];
    const Array* array = slot.kind == Slot::Kind::Input      ? bound_.arrays[slot.leaf]
                         : slot.kind == Slot::Kind::Captured ? &slot.captured
                                                             : nullptr;
    const Range r = array != nullptr ? range_of(*array) : Range{0, static_cast<std::uintptr_t>(integer(slot.bytes))};
    const std::int64_t at = integer(a.formula);
    return at >= 0 && at + bytes <= static_cast<std::int64_t>(r.end - r.begin);
}

/// Comparisons whose numbers are known by now.
void Replay::check_late() {
    const std::uint32_t known =
        next_ < s_.computed.size() ? s_.computed[next_] : static_cast<std::uint32_t>(s_.formulas.size());
    for (; checked_ < s_.late_checks.size() && s_.late_checks[checked_] < known; ++checked_)
        if (integer(s_.late_checks[checked_]) == 0)
            throw RuntimeError(Code::BadArgument,
                               "by the numbers that were read, a part of an array is outside of it, or a copy has another size "
                               "than its array");
}

void Replay::run_step(const FetchStep& step) {
    if (!inside(step.from, step.bytes))
        throw RuntimeError(Code::BadArgument,
                           fmt::format("a number is read {} bytes into an array that ends before", integer(step.from.formula)));
    const Place& place = s_.places[step.place];
    Value value;
    run_copy(reinterpret_cast<char*>(&value), address(step.from), step.bytes, heddle_copy_from_device,
             place.device ? &*place.device : nullptr);
    values_[step.formula] = value;
    ++next_;
    compute();
    check_late();
}

void Replay::run_step(const AllocateStep& step) {
    if (s_.slots[step.slot].kind == Slot::Kind::Output) return output(step.slot);
    auto& block = arenas_.late(step.slot) =
        make_block(integer(s_.slots[step.slot].bytes), s_.places[s_.slots[step.slot].place]);
    pointer(step.slot) = Value::of(block->base);
}

/// The array behind a slot, for views of it.
std::shared_ptr<Block> block_of(const Sequence& s, const Bound& bound, std::uint32_t slot,
                                const std::vector<std::pair<std::uint32_t, std::shared_ptr<Block>>>& made) {
    for (const auto& [k, block] : made)
        if (k == slot) return block;
    const Slot& at = s.slots[slot];
    return ArrayAccess::block(at.kind == Slot::Kind::Input ? *bound.arrays[at.leaf] : at.captured);
}

void Replay::array(std::size_t number, Array& a) {
    const OutputArray& r = s_.result_arrays[number];
    ArrayAccess::block(a) = block_of(s_, bound_, r.slot, made_);
    ArrayAccess::pointer(a) = pointer(r.slot).as<char*>() + integer(r.offset);
    ArrayAccess::element(a) = r.element;
    ArrayAccess::rank(a) = r.rank;
    ArrayAccess::contiguous(a) = r.contiguous;
    ArrayAccess::strides(a) = r.strides;
    for (std::size_t k = 0; k < r.rank; ++k) ArrayAccess::sizes(a)[k] = integer(r.sizes[k]);
}

}  // namespace

std::string mismatch_text(const Sequence& sequence, const Bound& bound, const Mismatch& m) {
    switch (m.kind) {
        case Mismatch::Kind::Structure:
            return structure_difference(sequence.structure, bound.structure, m.a);
        case Mismatch::Kind::Sizes:
            return fmt::format("two sizes of arrays that were equal are {} and {}", bound.numbers[m.a].as<std::int64_t>(),
                               bound.numbers[m.b].as<std::int64_t>());
        case Mismatch::Kind::Overlaps:
            return "arrays share memory in another way than before";
        case Mismatch::Kind::Decisions:
            return "the host decided by a number that is another now";
        default:
            return {};
    }
}

Mismatch replay(const Sequence& sequence, const Bound& bound, ResultSink& sink) {
    Replay one(sequence, bound);
    if (const Mismatch why = one.check(); why.kind != Mismatch::Kind::None) return why;
    one.run();
    sequence.replays.fetch_add(1, std::memory_order_relaxed);
    if (!sequence.result_structure.empty() || !sequence.result_arrays.empty() || !sequence.result_numbers.empty())
        sink.take(one);
    return {};
}

}  // namespace heddle::runtime
