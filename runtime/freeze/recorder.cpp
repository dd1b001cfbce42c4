#include "runtime/freeze/recorder.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/status.h"

namespace heddle::runtime {
namespace {

std::uint32_t next_id() {
    static std::atomic<std::uint32_t> counter{1};
    std::uint32_t id = counter++;
    return id != 0 ? id : counter++;
}

}  // namespace

Recorder::Recorder()
    : sequence_(std::make_shared<Sequence>()), mark_(std::make_shared<RecordingMark>()), outer_(recording::current) {
    mark_->id = next_id();
    sequence_->places.emplace_back();
    recording::current = this;
}

Recorder::~Recorder() {
    recording::current = outer_;
    mark_->active = false;
}

void Recorder::refuse(const std::string& why) {
    if (refused_.empty()) refused_ = "this function cannot be frozen: " + why;
    throw RuntimeError(Code::BadArgument, refused_);
}

std::uint32_t Recorder::add(const Formula& f) {
    sequence_->formulas.push_back(f);
    return static_cast<std::uint32_t>(sequence_->formulas.size() - 1);
}

Node Recorder::bind_number(Element type, Value value) {
    ++sequence_->inputs;
    return {add({Op::Input, type, 0, 0, value, false}), id()};
}

void Recorder::bind_array(Array& a) {
    ranges_.push_back(range_of(a));
    Slot s;
    s.kind = Slot::Kind::Input;
    s.leaf = static_cast<std::uint32_t>(ranges_.size() - 1);
    sequence_->slots.push_back(s);
    ArrayAccess::slot(a) = {static_cast<std::uint32_t>(sequence_->slots.size() - 1), id()};
    ArrayAccess::from_slot(a) = 0;
    for (int k = 0; k < a.rank(); ++k) {
        const auto value = ArrayAccess::sizes(a)[k].operand().value;
        const Node node = bind_number(Element::I64, value);
        size_inputs_.push_back(node.index);
        ArrayAccess::sizes(a)[k] = {value.as<std::int64_t>(), node};
    }
}

std::uint32_t Recorder::constant(Element type, Value value) {
    const auto [at, fresh] = constants_.try_emplace({type, value.bits});
    if (fresh) at->second = add({Op::Constant, type, 0, 0, value, false});
    return at->second;
}

/// What is of another recording, or of none, is a constant of this one.
std::uint32_t Recorder::formula(const recording::Operand& n) {
    return n.node.recording == id() ? n.node.index : constant(n.type, n.value);
}

Node Recorder::operation(Op op, Element type, const recording::Operand& a, const recording::Operand& b) {
    if (a.node.recording != id() && b.node.recording != id()) return {};
    Formula f{op, type, formula(a), formula(b), {}, false};
    const Formula &x = sequence_->formulas[f.a], &y = sequence_->formulas[f.b];
    f.fetched = x.fetched || y.fetched;
    f.value = evaluate(f, x.type, x.value, y.value);
    return {add(f), id()};
}

void Recorder::guard(std::uint32_t formula, Value expected) {
    const Formula& f = sequence_->formulas[formula];
    if (f.op == Op::Constant) return;
    if (f.fetched) refuse("the host decides by a number that was read from an array");
    sequence_->guards.push_back({formula, expected});
}

void Recorder::decided(const recording::Operand& n) {
    if (n.node.recording == id()) guard(n.node.index, n.value);
}

void Recorder::decided(Op op, const recording::Operand& a, const recording::Operand& b, bool result) {
    const Node node = operation(op, a.type, a, b);
    if (node.recording != 0) guard(node.index, Value::of(static_cast<std::int64_t>(result)));
}

void Recorder::require(Op op, const recording::Operand& a, const recording::Operand& b) {
    const Node node = operation(op, a.type, a, b);
    if (node.recording == 0) return;
    if (sequence_->formulas[node.index].fetched)
        sequence_->late_checks.push_back(node.index);
    else
        guard(node.index, Value::of(std::int64_t{1}));
}

std::uint32_t Recorder::place(const Place& p) {
    auto& places = sequence_->places;
    for (std::size_t k = 0; k < places.size(); ++k)
        if (places[k].device == p.device) return static_cast<std::uint32_t>(k);
    places.push_back(p);
    return static_cast<std::uint32_t>(places.size() - 1);
}

void Recorder::made(Array& a, const Place& where) {
    Slot s;
    s.place = place(where);
    s.bytes = formula((a.count() * Size(static_cast<std::int64_t>(bytes_of(a.element())))).operand());
    sequence_->slots.push_back(s);
    ArrayAccess::slot(a) = {static_cast<std::uint32_t>(sequence_->slots.size() - 1), id()};
    ArrayAccess::from_slot(a) = 0;
    made_.push_back({ArrayAccess::slot(a).index, ArrayAccess::block(a)});
}

bool Recorder::owns(const Array& a) const {
    const Node& s = ArrayAccess::slot(a);
    return s.recording == id() && sequence_->slots[s.index].kind == Slot::Kind::Temporary;
}

/// The slot of an array; one that is no argument and was not made here is captured, and kept alive by the sequence.
std::uint32_t Recorder::slot(const Array& a) {
    if (const Node& s = ArrayAccess::slot(a); s.recording == id()) return s.index;
    if (ArrayAccess::block(a) == nullptr)
        refuse(
            "it uses memory of the host that is neither an argument nor kept by an array, such as a vector's: it may be gone "
            "at the next call");
    const auto [at, fresh] = captured_.try_emplace({ArrayAccess::block(a).get(), ArrayAccess::pointer(a)});
    if (!fresh) return at->second;
    Slot s;
    s.kind = Slot::Kind::Captured;
    s.captured = a;
    ArrayAccess::slot(s.captured) = {};
    sequence_->slots.push_back(s);
    at->second = static_cast<std::uint32_t>(sequence_->slots.size() - 1);
    sequence_->captured.push_back(at->second);
    return at->second;
}

StepArgument Recorder::memory(const Array& a) {
    const std::uint32_t s = slot(a);
    const bool inside = ArrayAccess::slot(a).recording == id();
    return {true, s, inside ? formula(ArrayAccess::from_slot(a).operand()) : constant(Element::I64, Value{}), 8};
}

StepArgument Recorder::argument(const recording::Given& g) {
    if (g.array != nullptr) return memory(*g.array);
    return {false, 0, formula(g.number), g.bytes};
}

void Recorder::step(Step s) {
    const int index = static_cast<int>(sequence_->steps.size());
    const auto touch = [&](const StepArgument& a) {
        if (!a.memory) return;
        Slot& slot = sequence_->slots[a.slot];
        if (slot.first < 0) slot.first = index;
        slot.last = index;
    };
    if (const auto* c = std::get_if<CallStep>(&s)) std::for_each(c->arguments.begin(), c->arguments.end(), touch);
    if (const auto* l = std::get_if<LaunchStep>(&s)) std::for_each(l->arguments.begin(), l->arguments.end(), touch);
    if (const auto* c = std::get_if<CopyStep>(&s)) touch(c->to), touch(c->from);
    if (const auto* f = std::get_if<FetchStep>(&s)) touch(f->from);
    sequence_->steps.push_back(std::move(s));
}

void Recorder::call(const std::shared_ptr<const CFunction>& function, const recording::Given* given, std::size_t count) {
    CallStep s{function, {}};
    for (std::size_t k = 0; k < count; ++k) s.arguments.push_back(argument(given[k]));
    step(std::move(s));
}

void Recorder::launch(const std::shared_ptr<const DeviceFunction>& function, const Grid& grid, const recording::Given* given,
                      std::size_t count) {
    LaunchStep s{function, {}, grid.lanes, formula(grid.shared_bytes.operand()), {}};
    for (std::size_t k = 0; k < 3; ++k) s.blocks[k] = formula(grid.blocks[k].operand());
    for (std::size_t k = 0; k < count; ++k) s.arguments.push_back(argument(given[k]));
    place({function->program.device()});
    step(std::move(s));
}

void Recorder::copy(const Array& to, const Array& from, heddle_copy kind, const Place& where) {
    const Size bytes = from.count() * Size(static_cast<std::int64_t>(bytes_of(from.element())));
    step(CopyStep{memory(to), memory(from), formula(bytes.operand()), place(where), kind});
}

Node Recorder::fetch(const Array& from, const Size& index, Element element, Value value) {
    StepArgument at = memory(from);
    const auto bytes = static_cast<std::int64_t>(bytes_of(element));
    const Size offset = Size(0, {at.formula, id()}) + index * Size(bytes);
    at.formula = formula({offset.operand().node, offset.operand().value, Element::I64});
    const std::uint32_t number =
        add({Op::Fetched, element, static_cast<std::uint32_t>(sequence_->steps.size()), 0, value, true});
    const Place where = from.device() != nullptr ? Place(*from.device()) : Place();
    step(FetchStep{at, place(where), number, static_cast<std::uint32_t>(bytes)});
    return {number, id()};
}

void Recorder::result_array(Array& a) {
    OutputArray out{slot(a), memory(a).formula,      a.element(), static_cast<std::uint8_t>(a.rank()), a.contiguous(),
                    {},      ArrayAccess::strides(a)};
    for (int k = 0; k < a.rank(); ++k) out.sizes[k] = formula(ArrayAccess::sizes(a)[k].operand());
    sequence_->result_arrays.push_back(out);
    Slot& s = sequence_->slots[out.slot];
    if (s.kind == Slot::Kind::Temporary) s.kind = Slot::Kind::Output;
    for (Made& m : made_) m.results += m.slot == out.slot ? 1 : 0;
    for (Size& size : ArrayAccess::sizes(a)) size = size.operand().value.as<std::int64_t>();
    ArrayAccess::slot(a) = {};
    ArrayAccess::from_slot(a) = 0;
}

void Recorder::result_number(const recording::Operand& n) { sequence_->result_numbers.push_back({formula(n)}); }

void Recorder::check_escapes() {
    if (mark_->foreign) refuse("another thread used memory that it made");
    for (const Made& m : made_)
        if (m.block.use_count() > m.results)
            refuse("an array that it made is held elsewhere after it has returned; a replay would not make it");
}

void Recorder::equal_sizes() {
    std::map<std::int64_t, std::uint32_t> first;
    for (const std::uint32_t k : size_inputs_) {
        const auto [at, fresh] = first.try_emplace(sequence_->formulas[k].value.as<std::int64_t>(), k);
        if (!fresh) sequence_->equal_sizes.emplace_back(at->second, k);
    }
}

void Recorder::aliasing() {
    std::vector<Range> ranges = ranges_;
    for (const std::uint32_t k : sequence_->captured) ranges.push_back(range_of(sequence_->slots[k].captured));
    sequence_->overlaps = overlaps_of(ranges);
}

std::shared_ptr<const Sequence> Recorder::finish(std::vector<std::uint64_t> structure, std::vector<std::uint64_t> results) {
    if (!refused_.empty()) throw RuntimeError(Code::BadArgument, refused_);
    check_escapes();
    Sequence& s = *sequence_;
    s.structure = std::move(structure);
    s.result_structure = std::move(results);
    equal_sizes();
    aliasing();
    link(s);
    return sequence_;
}

}  // namespace heddle::runtime
