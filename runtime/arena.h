// The memory of a plan: one block for a call, in which each temporary has an offset that was computed beforehand.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

#include "runtime/allocator.h"

namespace heddle::runtime {

/// Lends blocks to calls and keeps a few between them. Two leases never share a block.
class PlannedArena {
    struct Slot;

public:
    /// A call's block, until it goes out of scope.
    class Lease {
    public:
        ~Lease();
        Lease(Lease&& other) noexcept;
        Lease& operator=(Lease&&) = delete;
        /// The temporary at a planned offset.
        void* at(std::size_t offset) const { return base_ + offset; }

    private:
        friend class PlannedArena;
        Lease(PlannedArena& arena, Slot* slot, char* base, std::size_t bytes)
            : arena_(&arena), slot_(slot), base_(base), bytes_(bytes) {}
        PlannedArena* arena_;
        Slot* slot_;  ///< null: of the allocator below alone
        char* base_;
        std::size_t bytes_;
    };

    /// Blocks come from `below` in this space and alignment. The arena has to outlive its leases.
    explicit PlannedArena(Allocator below, std::size_t alignment = host_alignment, int space = heddle_space_host);
    ~PlannedArena();
    PlannedArena(const PlannedArena&) = delete;

    /// At least so many bytes, zero too, for one call. May be called from several threads. Throws RuntimeError(OutOfMemory).
    Lease lease(std::size_t bytes);
    /// Gives back the blocks that no lease holds.
    void trim();

private:
    /// A kept block. Who sets `taken` owns the rest.
    struct alignas(64) Slot {
        std::atomic<bool> taken{false};
        char* base = nullptr;
        std::size_t bytes = 0;
    };
    Request request(std::size_t bytes) const { return {bytes, alignment_, space_, nullptr}; }
    void empty(Slot& slot);

    Allocator below_;
    std::size_t alignment_;
    int space_;
    std::array<Slot, 16> slots_;
};

}  // namespace heddle::runtime
