// A memory pool: keeps what is released, so that the next call pays neither system calls nor page faults.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "runtime/allocator.h"
#include "runtime/heddle_pool.h"
#include "runtime/status.h"

namespace heddle::runtime {

using PoolStatistics = heddle_pool_statistics;

struct PoolOptions {
    std::string name = "the memory pool";  ///< in messages
    int space = heddle_space_host;
    std::size_t limit = 0;        ///< bytes held at most; 0: no limit
    std::size_t alignment = 0;    ///< least alignment, a power of two from 64; 0: 64 on hosts, 256 elsewhere
    std::size_t chunk = 2 << 20;  ///< chunks are multiples of it, and lie at multiples; a power of two from 4096
    double waste = 1.4;           ///< above so many times the peak of live bytes, unused chunks go before new ones come
    /// Orders streams: makes later work on `to` wait for the work now on `from`; `to` null: returns when that work is done.
    /// False: it cannot. Called with the pool locked. Without it a block is reused on its own stream only, until the pool goes.
    std::function<bool(void* from, void* to)> wait;
    /// The last resort before out of memory, called with the pool unlocked: releases something, or makes room below. True: try
    /// again.
    std::function<bool(std::size_t bytes)> reclaim;
    /// Told of misuse that has no caller to throw to: bad releases through `allocator()`, a pool that goes with live blocks.
    std::function<void(Code, const std::string&)> report;
};

/// Best fit by size, then address; released blocks join their free neighbours. Chunks come from an allocator below. All
/// functions may be called from several threads. Any alignment that is a power of two is served. Zero bytes give a block too.
///
/// A released block is ordered by stream: it serves the same stream at once, and others after `wait`. Memory released with a
/// null stream serves all.
class Pool {
public:
    /// Chunks are the system's pages.
    explicit Pool(PoolOptions options = {});
    /// Chunks come from `below`. Throws RuntimeError(BadArgument) for options that make no sense.
    Pool(PoolOptions options, Allocator below);
    /// With live blocks: reports Check with their number. They stay valid; the last one to be released takes the pool's memory
    /// along.
    ~Pool();
    Pool(Pool&&) noexcept;
    Pool& operator=(Pool&&) noexcept;

    /// `alignment` 0: the pool's own. Throws RuntimeError(OutOfMemory) with bytes wanted, in use, cached, limit, largest free
    /// block; RuntimeError(BadArgument) for an alignment that is no power of two.
    void* allocate(std::size_t bytes, std::size_t alignment = 0, void* stream = nullptr);
    /// Throws RuntimeError(Check), and changes nothing, for a block that is not live: released before, or of another allocator.
    void release(void* block, void* stream = nullptr);

    /// The pool for emitted code and adaptors. It shares the pool's state, so it outlives this value.
    Allocator allocator() const;
    /// Gives unused chunks back until at most `keep` bytes are held. Gives the number of bytes given back.
    std::size_t trim(std::size_t keep = 0);
    PoolStatistics statistics() const;
    /// Ends the pool. Throws RuntimeError(Check) with their number when blocks are live, and then leaves it as it is.
    void close();

private:
    std::shared_ptr<class PoolState> state_;
};

}  // namespace heddle::runtime
