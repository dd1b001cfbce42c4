#include <algorithm>
#include <cstdio>

#include "runtime/pool/state.h"

namespace heddle::runtime {
namespace {

constexpr std::size_t most_growth = std::size_t(64) << 20;  ///< a chunk beyond the request grows to this and no further

}  // namespace

/// The chunk to ask for when so many bytes are missing: a sixteenth of what is held, bounded.
std::size_t PoolState::growth(std::size_t bytes) const {
    const std::size_t some = std::min<std::size_t>(counts_.reserved_bytes / 16, most_growth);
    return std::max(round_up(bytes, options_.chunk), some & ~(options_.chunk - 1));
}

/// The bytes that a chunk behind the highest block would have to bring.
std::size_t PoolState::missing(const Need& need) const {
    if (!joins_ || last_ == nullptr || !last_->free || last_->stream != need.stream || need.alignment > options_.alignment)
        return need.bytes;
    return need.bytes - std::min(need.bytes, last_->bytes);
}

/// A free block that has room thanks to a new chunk; null when the limit or the allocator below refuses.
Block* PoolState::grow(const Need& need) {
    const double bound =
        options_.waste * static_cast<double>(std::max(counts_.peak_live_bytes, counts_.live_bytes + need.wanted));
    const double keep = bound - static_cast<double>(round_up(missing(need), options_.chunk));
    if (static_cast<double>(counts_.reserved_bytes) > keep) trim_locked(keep > 0 ? static_cast<std::size_t>(keep) : 0);
    const std::size_t behind = missing(need);
    for (const std::size_t bytes : {behind, need.bytes})
        for (const std::size_t chunk : {growth(bytes), round_up(bytes, options_.chunk)})
            if (Block* b = add_chunk(chunk, need)) {
                if (has_room(b, need)) return b;
                break;
            }
    return nullptr;
}

/// Asks below; the chunk becomes a free block or the end of one. Null when refused.
Block* PoolState::add_chunk(std::size_t bytes, const Need& need) {
    if (options_.limit != 0 && (bytes > options_.limit || counts_.reserved_bytes > options_.limit - bytes)) return nullptr;
    if (!store_.reserve(3)) return nullptr;  // the chunk, and two cuts when it is taken
    const Request request{bytes, std::max(options_.alignment, need.alignment), options_.space, need.stream};
    char* at = static_cast<char*>(below_.try_allocate(request));
    if (at == nullptr) {
        std::snprintf(below_text_, sizeof below_text_, "%s", below_.message());
        return nullptr;
    }
    try {
        chunks_.emplace(at, std::make_pair(bytes, request.alignment));
    } catch (const std::bad_alloc&) {
        below_.release(at, request);
        return nullptr;
    }
    ++counts_.upstream_allocations;
    counts_.reserved_bytes += bytes;
    counts_.peak_reserved_bytes = std::max(counts_.peak_reserved_bytes, counts_.reserved_bytes);
    Block* block = store_.make();
    block->address = at;
    block->bytes = bytes;
    block->fenced = !joins_;
    block->stream = need.stream;
    link(block);
    block = joined(block);
    index_.insert(block);
    return block;
}

/// Whether everything from this block up to `end` is free, and its streams have done with it.
bool PoolState::unused(Block* first, const char* end) {
    for (Block* b = first; b != nullptr && b->address < end; b = b->upper)
        if (!b->free) return false;
    for (Block* b = first; b != nullptr && b->address < end; b = b->upper)
        if (!ordered(b->stream, nullptr)) return false;
    return true;
}

/// Gives unused chunks back, the highest first, until at most `keep` bytes are held.
std::size_t PoolState::trim_locked(std::size_t keep) {
    const std::size_t held = counts_.reserved_bytes;
    Block* b = last_;
    for (auto chunk = chunks_.end(); chunk != chunks_.begin() && counts_.reserved_bytes > keep;) {
        --chunk;
        char* start = chunk->first;
        const auto [bytes, alignment] = chunk->second;
        while (b->address > start) b = b->lower;
        if (!unused(b, start + bytes) || !store_.reserve(2)) continue;
        b = cut_out(b, start, start + bytes);
        chunk = chunks_.erase(chunk);
        below_.release(start, {bytes, alignment, options_.space, nullptr});
        ++counts_.upstream_releases;
        counts_.reserved_bytes -= bytes;
    }
    return held - counts_.reserved_bytes;
}

/// Removes the free range [start, end) that begins in this block; gives the block below the range.
Block* PoolState::cut_out(Block* block, char* start, const char* end) {
    index_.erase(block);
    if (block->address < start) {
        Block* inside = split(block, static_cast<std::size_t>(start - block->address));
        index_.insert(block);
        block = inside;
    }
    Block* below = block->lower;
    while (block->end() < end) {
        Block* next = block->upper;
        remove(block);
        index_.erase(next);
        block = next;
    }
    if (block->end() > end) index_.insert(split(block, static_cast<std::size_t>(end - block->address)));
    remove(block);
    return below;
}

}  // namespace heddle::runtime
