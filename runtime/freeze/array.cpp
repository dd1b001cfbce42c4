#include "runtime/array.h"

#include <fmt/format.h>

#include "runtime/freeze/recorder.h"
#include "runtime/status.h"

namespace heddle::runtime {
namespace {

std::uint64_t next_generation() {
    static std::atomic<std::uint64_t> counter{1};
    return counter++;
}

[[noreturn]] void refuse(const std::string& why) { throw RuntimeError(Code::BadArgument, why); }

std::int64_t plain(const Size& s) { return s.operand().value.as<std::int64_t>(); }

/// Whether a comparison holds; what held has to hold in replays too.
bool holds(Op op, const Size& a, const Size& b) {
    if (!compare(op, plain(a), plain(b))) return false;
    if (Recorder* r = recording::current) r->require(op, a.operand(), b.operand());
    return true;
}

}  // namespace

Pool& host_pool() {
    static Pool* pool = new Pool;  // arrays in static variables may outlive it otherwise
    return *pool;
}

const Allocator& memory_of(const std::optional<Device>& device) {
    static const auto* host = new Allocator(host_pool().allocator());
    return device ? device->memory() : *host;
}

Request request_for(std::int64_t bytes, const std::optional<Device>& device) {
    return {static_cast<std::size_t>(bytes), device ? device_alignment : host_alignment,
            device ? heddle_space_device : heddle_space_host, nullptr};
}

Block::Block(const Request& r, std::optional<Device> d)
    : request(r), device(std::move(d)), base(static_cast<char*>(memory().allocate(r))), generation(next_generation()) {}
const Allocator& Block::memory() const { return memory_of(device); }
Block::~Block() { release(); }
void Block::release() {
    if (!released.exchange(true)) memory().release(base, request);
}

std::shared_ptr<Block> make_block(std::int64_t bytes, const Place& place) {
    return std::make_shared<Block>(request_for(bytes, place.device), place.device);
}

Array Array::view(Element element, void* data, const std::vector<std::int64_t>& shape,
                  const std::vector<std::int64_t>& strides) {
    if (shape.size() > max_rank) refuse(fmt::format("an array of {} axes; there may be {}", shape.size(), max_rank));
    if (!strides.empty() && strides.size() != shape.size())
        refuse(fmt::format("an array of {} axes with {} strides", shape.size(), strides.size()));
    Array out;
    out.pointer_ = static_cast<char*>(data);
    out.element_ = element;
    out.rank_ = static_cast<std::uint8_t>(shape.size());
    std::int64_t rows = 1;
    for (std::size_t k = shape.size(); k-- > 0; rows *= shape[k]) {
        out.sizes_[k] = shape[k];
        out.strides_[k] = strides.empty() ? 0 : strides[k];
        if (!strides.empty() && shape[k] != 1 && strides[k] != rows) out.contiguous_ = false;
    }
    if (out.contiguous_) out.strides_ = {};
    return out;
}

Size Array::size(int axis) const {
    if (axis < 0 || axis >= rank_) refuse(fmt::format("axis {} of an array that has {}", axis, int{rank_}));
    return sizes_[static_cast<std::size_t>(axis)];
}

Size Array::count() const {
    Size out = rank_ == 0 ? Size(1) : sizes_[0];
    for (std::size_t k = 1; k < rank_; ++k) out = out * sizes_[k];
    return out;
}

Size Array::stride(int axis) const {
    size(axis);
    if (!contiguous_) return strides_[static_cast<std::size_t>(axis)];
    Size out = 1;
    for (std::size_t k = static_cast<std::size_t>(axis) + 1; k < rank_; ++k) out = out * sizes_[k];
    return out;
}

Array Array::slice(const Size& from, const Size& count) const {
    if (rank_ == 0) refuse("a part of an array without axes");
    const bool inside = holds(Op::LessEqual, Size(0), from) && holds(Op::LessEqual, Size(0), count) &&
                        holds(Op::LessEqual, from, sizes_[0]) && holds(Op::LessEqual, count, sizes_[0] - from);
    if (!inside)
        refuse(fmt::format("elements {} to {} of an axis of {}", plain(from), plain(from) + plain(count), plain(sizes_[0])));
    Array out = *this;
    const Size bytes = from * stride(0) * Size(static_cast<std::int64_t>(bytes_of(element_)));
    out.pointer_ += plain(bytes);
    out.from_slot_ = out.from_slot_ + bytes;
    out.sizes_[0] = count;
    return out;
}

void Array::release() const {
    if (block_ == nullptr) refuse("this array's memory belongs to somebody else");
    if (Recorder* r = recording::current; r != nullptr && !r->owns(*this)) r->refuse("it releases memory that it did not make");
    block_->release();
}

void Array::refuse_use() const {
    if (!alive()) refuse(fmt::format("the array's memory (block {}) was released", block_->generation));
    RecordingMark& mark = *block_->mark;
    if (!mark.active || (recording::current != nullptr && recording::current->id() == mark.id)) return;
    mark.foreign = true;
    refuse("an array that a function makes while it is recorded is used by another thread or another recording");
}

void* Array::host_data(Element element) const {
    if (Recorder* r = recording::current)
        r->refuse("the host looks at the data of an array; use fetch, which is a step of the sequence, or a kernel");
    if (device() != nullptr) refuse("the array lies on " + device()->name() + "; copy it to the host first");
    if (element != element_) refuse(fmt::format("elements of {} are read as {}", name_of(element_), name_of(element)));
    return pointer();
}

Array empty(Element element, std::initializer_list<Size> sizes, const Place& place) {
    std::vector<std::int64_t> shape;
    for (const Size& s : sizes) shape.push_back(std::max<std::int64_t>(plain(s), 0));
    Array out = Array::view(element, nullptr, shape);
    auto block = make_block(plain(out.count()) * static_cast<std::int64_t>(bytes_of(element)), place);
    Recorder* recorder = recording::current;
    if (recorder != nullptr) block->mark = recorder->mark();
    ArrayAccess::pointer(out) = block->base;
    ArrayAccess::block(out) = std::move(block);
    if (recorder == nullptr) return out;
    std::size_t k = 0;
    for (const Size& s : sizes) ArrayAccess::sizes(out)[k++] = max(s, Size(0));
    recorder->made(out, place);
    return out;
}

namespace {

heddle_copy kind_of(const Array& to, const Array& from) {
    if (to.device() == nullptr) return heddle_copy_from_device;
    return from.device() == nullptr ? heddle_copy_to_device : heddle_copy_within;
}

void check_copy(const Array& to, const Array& from) {
    if (to.element() != from.element())
        refuse(fmt::format("a copy of {} to {}", name_of(from.element()), name_of(to.element())));
    if (!to.contiguous() || !from.contiguous()) refuse("a copy of an array that is not contiguous; a kernel can do that");
    if (!holds(Op::Equal, to.count(), from.count()))
        refuse(fmt::format("a copy of {} elements to {}", plain(from.count()), plain(to.count())));
    if (to.device() != nullptr && from.device() != nullptr && !(*to.device() == *from.device()))
        refuse("a copy from one device to another; go by the host");
}

}  // namespace

void copy(const Array& to, const Array& from) {
    check_copy(to, from);
    const heddle_copy kind = kind_of(to, from);
    const Device* device = to.device() != nullptr ? to.device() : from.device();
    const auto bytes = static_cast<std::size_t>(plain(from.count())) * bytes_of(from.element());
    run_copy(to.pointer(), from.pointer(), bytes, kind, device);
    if (Recorder* r = recording::current) r->copy(to, from, kind, device != nullptr ? Place(*device) : Place());
}

void run_copy(char* to, const char* from, std::size_t bytes, heddle_copy kind, const Device* device) {
    if (device == nullptr) {
        if (bytes != 0) std::memmove(to, from, bytes);
        return;
    }
    device->queue().copy(to, from, bytes, kind);
    if (kind != heddle_copy_within) device->queue().finish();
}

Value fetch_value(const Array& from, const Size& index, Element element, Node& node) {
    if (element != from.element())
        refuse(fmt::format("an element of {} is read as {}", name_of(from.element()), name_of(element)));
    if (!from.contiguous()) refuse("an element of an array that is not contiguous");
    if (plain(index) < 0 || plain(index) >= plain(from.count()))  // replays look again
        refuse(fmt::format("element {} of an array of {}", plain(index), plain(from.count())));
    Value out;
    const std::size_t bytes = bytes_of(element);
    if (bytes > sizeof out) refuse("complex numbers are not read one by one");
    run_copy(reinterpret_cast<char*>(&out), from.pointer() + plain(index) * static_cast<std::int64_t>(bytes), bytes,
             heddle_copy_from_device, from.device());
    if (Recorder* r = recording::current) node = r->fetch(from, index, element, out);
    return out;
}

}  // namespace heddle::runtime
