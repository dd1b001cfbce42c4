#include "runtime/pool/state.h"

#include <algorithm>

namespace heddle::runtime {
PoolState::PoolState(PoolOptions options, Allocator below, bool joins)
    : options_(std::move(options)), below_(std::move(below)), joins_(joins) {}

PoolState::~PoolState() {
    try {
        for (Block* b = index_.first(); b != nullptr; b = index_.next_stream(b->stream)) ordered(b->stream, nullptr);
    } catch (const std::exception& e) {
        set_message("%s could not wait for a stream: %s", options_.name.c_str(), e.what());
    }
    for (const auto& [start, chunk] : chunks_) below_.release(start, {chunk.first, chunk.second, options_.space, nullptr});
}

bool PoolState::has_room(const Block* block, const Need& need) {
    const std::size_t at = reinterpret_cast<std::uintptr_t>(block->address);
    return round_up(at, need.alignment) - at + need.bytes <= block->bytes;
}

void* PoolState::allocate(const Request& request) {
    if (!acceptable(request)) return nullptr;
    if (request.space != options_.space) {
        set_message("%s serves space %d, not %d", options_.name.c_str(), options_.space, request.space);
        return nullptr;
    }
    const std::size_t unit = options_.alignment;
    const Need need{request.bytes, round_up(std::max<std::size_t>(request.bytes, 1), unit), std::max(request.alignment, unit),
                    request.stream};
    Lock held = lock();
    const std::uint64_t calls = counts_.upstream_allocations;
    Block* block = own(need);
    if (block == nullptr) block = obtain(held, need);
    if (block == nullptr || !live_.reserve_one() || !store_.reserve(2)) {
        refuse(need);
        return nullptr;
    }
    counts_.hits += calls == counts_.upstream_allocations;
    return take(block, need);
}

/// The smallest free block of the stream that has room.
Block* PoolState::fit(const Need& need, const void* stream) const {
    Block* found = index_.at_least(stream, need.bytes);
    if (found == nullptr || has_room(found, need)) return found;
    return index_.at_least(stream, need.bytes + need.alignment - options_.alignment);
}

/// A free block that the stream may use at once.
Block* PoolState::own(const Need& need) const {
    Block* found = fit(need, need.stream);
    return found == nullptr && need.stream != nullptr ? fit(need, nullptr) : found;
}

/// Whether the limit leaves room beside what is live; if not, giving chunks back would be in vain.
bool PoolState::possible(const Need& need) const {
    const std::size_t used = counts_.live_bytes + counts_.padding_bytes;
    return options_.limit == 0 || need.bytes <= options_.limit - std::min(options_.limit, used);
}

/// From the cheapest to the dearest: other streams, new chunks, new chunks after unused ones went, what the user gives up.
Block* PoolState::obtain(Lock& held, const Need& need) {
    below_text_[0] = '\0';
    for (bool last = false;; last = true) {
        if (Block* b = from_other_streams(need)) return b;
        if (possible(need)) {
            if (Block* b = grow(need)) return b;
            if (trim_locked(0) != 0)
                if (Block* b = grow(need)) return b;
        }
        if (last || !options_.reclaim) return nullptr;
        held.unlock();
        const bool more = options_.reclaim(need.wanted);
        held.lock();
        if (!more) return nullptr;
        if (Block* b = own(need)) return b;
    }
}

/// Makes a free block live, cut to what is needed.
void* PoolState::take(Block* block, const Need& need) {
    index_.erase(block);
    const std::size_t at = reinterpret_cast<std::uintptr_t>(block->address);
    if (const std::size_t before = round_up(at, need.alignment) - at; before != 0) {
        Block* rest = split(block, before);
        index_.insert(block);
        block = rest;
    }
    if (block->bytes > need.bytes) index_.insert(split(block, need.bytes));
    block->free = false;
    block->wanted = need.wanted;
    live_.insert(block);
    ++counts_.allocations;
    ++counts_.live_blocks;
    counts_.live_bytes += need.wanted;
    counts_.padding_bytes += need.bytes - need.wanted;
    counts_.peak_live_bytes = std::max(counts_.peak_live_bytes, counts_.live_bytes);
    return block->address;
}

std::string PoolState::take_back(void* address, std::optional<std::size_t> bytes, void* stream) {
    Lock held = lock();
    Block* block = live_.find(address);
    if (block == nullptr || (bytes && *bytes != block->wanted)) {
        ++counts_.misuses;
        return misuse_text(address, block, bytes.value_or(0));
    }
    live_.erase(address);
    --counts_.live_blocks;
    counts_.live_bytes -= block->wanted;
    counts_.padding_bytes -= block->bytes - block->wanted;
    add_free(block, stream);
    const bool done = abandoned_ && counts_.live_blocks == 0;
    held.unlock();
    if (done) delete this;
    return {};
}

/// The owner is gone: the state goes too, now or with the last live block.
void PoolState::abandon(PoolState* state) {
    Lock held = state->lock();
    if (state->counts_.live_blocks == 0) {
        held.unlock();
        delete state;
        return;
    }
    const std::string text = state->leak_text();
    const auto told = state->options_.report;
    state->abandoned_ = true;
    held.unlock();
    set_message("%s", text.c_str());
    if (told) told(Code::Check, text);
}

}  // namespace heddle::runtime
