// The inside of a Pool: one lock around chunks and blocks.
#pragma once

#include <map>
#include <mutex>
#include <optional>

#include "runtime/pool.h"
#include "runtime/pool/blocks.h"
#include "runtime/pool/lock.h"
#include "runtime/pool/round.h"

namespace heddle::runtime {

class PoolState {
public:
    /// `joins`: chunks that touch form one range.
    PoolState(PoolOptions options, Allocator below, bool joins);
    ~PoolState();
    PoolState(const PoolState&) = delete;

    void* allocate(const Request& request);
    /// Empty when the block went; otherwise what is wrong, and nothing has changed. `bytes`: what the caller thinks it has.
    std::string take_back(void* block, std::optional<std::size_t> bytes, void* stream);
    /// As the C interface has it: misuse goes to the report.
    void release(void* block, const Request& request);
    std::size_t trim(std::size_t keep);
    PoolStatistics statistics() const;
    std::size_t alignment() const { return options_.alignment; }
    int space() const { return options_.space; }
    /// The sentence about live blocks; empty when there are none.
    std::string live_text() const;
    /// The owner is gone: deletes the state now, or with the last live block.
    static void abandon(PoolState* state);

private:
    /// What a request becomes: bytes and alignment after rounding.
    struct Need {
        std::size_t wanted, bytes, alignment;
        void* stream;
    };
    static bool has_room(const Block* block, const Need& need);
    using Lock = std::unique_lock<SpinLock>;
    Lock lock() const { return Lock(mutex_); }

    // Finding (state.cpp).
    Block* obtain(Lock& lock, const Need& need);
    bool possible(const Need& need) const;
    Block* own(const Need& need) const;
    Block* fit(const Need& need, const void* stream) const;
    void* take(Block* block, const Need& need);
    void refuse(const Need& need) const;
    std::string misuse_text(const void* block, const Block* live, std::size_t bytes) const;
    std::size_t cached() const { return counts_.reserved_bytes - counts_.live_bytes - counts_.padding_bytes; }
    std::size_t largest_free() const;
    std::string leak_text() const;

    // Streams (streams.cpp).
    Block* from_other_streams(const Need& need);
    bool ordered(void* from, void* to);
    void unify(void* stream);

    // Chunks (chunks.cpp).
    Block* grow(const Need& need);
    std::size_t missing(const Need& need) const;
    std::size_t growth(std::size_t bytes) const;
    Block* add_chunk(std::size_t bytes, const Need& need);
    std::size_t trim_locked(std::size_t keep);
    bool unused(Block* first, const char* end);
    Block* cut_out(Block* block, char* start, const char* end);

    // The list of blocks (list.cpp).
    void link(Block* block);
    void remove(Block* block);
    Block* split(Block* block, std::size_t bytes);
    void add_free(Block* block, void* stream);
    Block* joined(Block* block);
    void absorb_upper(Block* block);

    PoolOptions options_;
    Allocator below_;
    bool joins_;
    bool abandoned_ = false;
    mutable SpinLock mutex_;
    BlockStore store_;
    FreeIndex index_;
    AddressTable live_;
    std::map<char*, std::pair<std::size_t, std::size_t>> chunks_;  ///< bytes and alignment by address
    Block* last_ = nullptr;                                        ///< the highest block
    PoolStatistics counts_ = {};  ///< what cannot be derived: sizes of blocks in use, calls, peaks
    char below_text_[200] = "";   ///< why the allocator below refused
};

}  // namespace heddle::runtime
