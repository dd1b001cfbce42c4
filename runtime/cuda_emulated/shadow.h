// Who touched which byte of a block's shared memory since the last barrier.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/cuda_emulated/heddle_cuda_abi.h"

namespace heddle::runtime {

/// One access of one thread of a block.
struct SharedAccess {
    unsigned thread;
    std::uintptr_t address;
    unsigned bytes;
    heddle_cuda_access kind;
    const void* pc;
};

/// Why an access is wrong: another thread's that no barrier orders against it, or that nobody wrote what it reads.
struct SharedConflict {
    bool unwritten = false;
    unsigned other = 0;
    heddle_cuda_access other_kind = heddle_cuda_read;
    const void* other_pc = nullptr;
};

/// Two accesses of one byte by different threads, one of them writing and not both atomic, are ordered by a barrier of the
/// block between them, or within a warp by what __syncwarp orders (vector clocks, S. Savage et al., Eraser, and C. Flanagan, S.
/// Freund, FastTrack, say why that is exact for one run). For several threads of a warp that touched a byte alike only the
/// earliest time is kept: between partial masks of __syncwarp a race may go unseen.
class Shadow {
public:
    Shadow(std::uintptr_t begin, std::size_t bytes, unsigned threads);
    /// A block begins: nothing is written yet.
    void begin_block() { block_epoch_ = ++epoch_; }
    void barrier() { ++epoch_; }
    /// These lanes have waited for each other.
    void sync_warp(unsigned warp, unsigned lanes);
    std::optional<SharedConflict> access(const SharedAccess& access);

private:
    /// The touches of one kind since the barrier `epoch`: lanes of the first thread's warp, and one of another warp.
    struct Touch {
        std::uint32_t epoch, time, lanes;
        std::uint16_t thread, other;
        bool several_warps;
        const void *pc, *other_pc;
    };
    struct Cell {
        std::array<Touch, 3> touches;  // by heddle_cuda_access
        std::uint32_t written;         // the epoch of the last write
    };
    struct WarpClock {
        std::uint32_t now = 0;
        std::array<std::array<std::uint32_t, 32>, 32> seen{};  // [who][of whom]
    };
    struct Free {
        void operator()(void* p) const { std::free(p); }
    };
    std::optional<SharedConflict> touch(Cell& cell, const SharedAccess& access);
    std::optional<SharedConflict> against(const Touch& touch, const SharedAccess& access, heddle_cuda_access kind) const;
    void record(Touch& touch, const SharedAccess& access);
    unsigned unordered(const Touch& touch, unsigned thread) const;
    bool whole_words(std::size_t at, unsigned bytes);

    std::uintptr_t begin_;
    std::unique_ptr<Cell[], Free> cells_;    // by byte; of a word that is only touched whole, the first
    std::unique_ptr<bool[], Free> by_byte_;  // by word
    std::vector<WarpClock> warps_;
    std::uint32_t epoch_ = 0, block_epoch_ = 0;
};

}  // namespace heddle::runtime
