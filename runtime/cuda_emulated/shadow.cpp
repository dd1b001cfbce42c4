#include "runtime/cuda_emulated/shadow.h"

#include <algorithm>
#include <bit>
#include <new>

namespace heddle::runtime {
namespace {

constexpr unsigned word = 4;

/// Zeroed memory whose pages come only when they are touched.
template <class T>
T* zeroed(std::size_t count) {
    void* got = std::calloc(count, sizeof(T));
    if (got == nullptr) throw std::bad_alloc();
    return static_cast<T*>(got);
}

bool conflicting(heddle_cuda_access a, heddle_cuda_access b) {
    return (a != heddle_cuda_read || b != heddle_cuda_read) && !(a == heddle_cuda_atomic && b == heddle_cuda_atomic);
}

}  // namespace

Shadow::Shadow(std::uintptr_t begin, std::size_t bytes, unsigned threads)
    : begin_(begin),
      cells_(zeroed<Cell>(bytes + word)),
      by_byte_(zeroed<bool>(bytes / word + 2)),
      warps_((threads + 31) / 32) {}

void Shadow::sync_warp(unsigned warp, unsigned lanes) {
    WarpClock& clock = warps_[warp];
    clock.now++;
    std::array<std::uint32_t, 32> merged{};
    for (unsigned lane = 0; lane < 32; lane++)
        if (lanes >> lane & 1)
            for (unsigned k = 0; k < 32; k++) merged[k] = std::max(merged[k], clock.seen[lane][k]);
    for (unsigned lane = 0; lane < 32; lane++)
        if (lanes >> lane & 1) merged[lane] = clock.now;
    for (unsigned lane = 0; lane < 32; lane++)
        if (lanes >> lane & 1) clock.seen[lane] = merged;
}

/// The lanes of a touch in the thread's own warp that nothing orders before the thread's next access.
unsigned Shadow::unordered(const Touch& touch, unsigned thread) const {
    const WarpClock& clock = warps_[thread / 32];
    unsigned out = 0;
    for (unsigned left = touch.lanes & ~(1u << thread % 32); left != 0; left &= left - 1) {
        const int lane = std::countr_zero(left);
        if (clock.seen[thread % 32][static_cast<unsigned>(lane)] <= touch.time) out |= 1u << lane;
    }
    return out;
}

std::optional<SharedConflict> Shadow::against(const Touch& touch, const SharedAccess& access, heddle_cuda_access kind) const {
    if (touch.epoch != epoch_) return std::nullopt;
    const unsigned warp = access.thread / 32;
    if (touch.thread / 32 != warp) return SharedConflict{false, touch.thread, kind, touch.pc};
    if (touch.several_warps) return SharedConflict{false, touch.other, kind, touch.other_pc};
    const unsigned lanes = unordered(touch, access.thread);
    if (lanes == 0) return std::nullopt;
    return SharedConflict{false, warp * 32 + static_cast<unsigned>(std::countr_zero(lanes)), kind, touch.pc};
}

void Shadow::record(Touch& touch, const SharedAccess& access) {
    const std::uint32_t now = warps_[access.thread / 32].now, lane = 1u << access.thread % 32;
    if (touch.epoch != epoch_) {
        const auto thread = static_cast<std::uint16_t>(access.thread);
        touch = {epoch_, now, lane, thread, thread, false, access.pc, access.pc};
    } else if (touch.thread / 32 == access.thread / 32) {
        const unsigned kept = unordered(touch, access.thread);
        touch.time = kept == 0 ? now : std::min(touch.time, now);
        touch.lanes = kept | lane;
        touch.pc = access.pc;
    } else {
        touch.several_warps = true;
        touch.other = static_cast<std::uint16_t>(access.thread);
        touch.other_pc = access.pc;
    }
}

std::optional<SharedConflict> Shadow::touch(Cell& cell, const SharedAccess& access) {
    for (heddle_cuda_access kind : {heddle_cuda_read, heddle_cuda_write, heddle_cuda_atomic})
        if (conflicting(access.kind, kind))
            if (auto conflict = against(cell.touches[kind], access, kind)) return conflict;
    if (access.kind == heddle_cuda_read && cell.written < block_epoch_) return SharedConflict{true};
    record(cell.touches[access.kind], access);
    if (access.kind != heddle_cuda_read) cell.written = epoch_;
    return std::nullopt;
}

/// Whether the access has a cell for each word; if not, its words get one for each byte from now on.
bool Shadow::whole_words(std::size_t at, unsigned bytes) {
    const std::size_t first = at / word, last = (at + bytes - 1) / word;
    const bool aligned = at % word == 0 && bytes % word == 0;
    bool whole = aligned;
    for (std::size_t w = first; w <= last; w++) whole = whole && !by_byte_[w];
    for (std::size_t w = first; w <= last && !whole; w++) {
        if (by_byte_[w]) continue;
        by_byte_[w] = true;
        for (unsigned b = 1; b < word; b++) cells_[w * word + b] = cells_[w * word];
    }
    return whole;
}

std::optional<SharedConflict> Shadow::access(const SharedAccess& access) {
    const std::size_t at = access.address - begin_;
    const unsigned step = whole_words(at, access.bytes) ? word : 1;
    for (unsigned b = 0; b < access.bytes; b += step)
        if (auto conflict = touch(cells_[at + b], access)) return conflict;
    return std::nullopt;
}

}  // namespace heddle::runtime
