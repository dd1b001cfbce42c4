#include "runtime/arena.h"

namespace heddle::runtime {
namespace {

/// Where a thread looks first, so that each finds its own block again.
std::size_t home() {
    static std::atomic<std::size_t> threads{0};
    thread_local const std::size_t mine = threads++;
    return mine;
}

}  // namespace

PlannedArena::PlannedArena(Allocator below, std::size_t alignment, int space)
    : below_(std::move(below)), alignment_(alignment), space_(space) {}

PlannedArena::~PlannedArena() {
    for (Slot& s : slots_) empty(s);
}

void PlannedArena::empty(Slot& slot) {
    if (slot.base != nullptr) below_.release(slot.base, request(slot.bytes));
    slot.base = nullptr;
    slot.bytes = 0;
}

PlannedArena::Lease PlannedArena::lease(std::size_t bytes) {
    const std::size_t first = home();
    for (std::size_t k = 0; k < slots_.size(); ++k) {
        Slot& s = slots_[(first + k) % slots_.size()];
        if (s.taken.load(std::memory_order_relaxed) || s.taken.exchange(true, std::memory_order_acquire)) continue;
        Lease lease(*this, &s, s.base, s.bytes);  // gives the slot back should the next lines throw
        if (s.base != nullptr && s.bytes >= bytes) return lease;
        empty(s);
        s.base = static_cast<char*>(below_.allocate(request(bytes)));
        s.bytes = bytes;
        lease.base_ = s.base;
        return lease;
    }
    return Lease(*this, nullptr, static_cast<char*>(below_.allocate(request(bytes))), bytes);
}

void PlannedArena::trim() {
    for (Slot& s : slots_)
        if (!s.taken.exchange(true, std::memory_order_acquire)) {
            empty(s);
            s.taken.store(false, std::memory_order_release);
        }
}

PlannedArena::Lease::Lease(Lease&& other) noexcept
    : arena_(other.arena_), slot_(other.slot_), base_(other.base_), bytes_(other.bytes_) {
    other.arena_ = nullptr;
}

PlannedArena::Lease::~Lease() {
    if (arena_ == nullptr) return;
    if (slot_ != nullptr)
        slot_->taken.store(false, std::memory_order_release);
    else
        arena_->below_.release(base_, arena_->request(bytes_));
}

}  // namespace heddle::runtime
