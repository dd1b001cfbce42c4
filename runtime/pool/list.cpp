#include "runtime/pool/state.h"

namespace heddle::runtime {

void PoolState::link(Block* block) {
    Block* lower = last_;
    while (lower != nullptr && lower->address > block->address) lower = lower->lower;
    block->lower = lower;
    if (lower == nullptr) {  // the lowest of all
        block->upper = last_;
        while (block->upper != nullptr && block->upper->lower != nullptr) block->upper = block->upper->lower;
    } else {
        block->upper = lower->upper;
        lower->upper = block;
    }
    (block->upper != nullptr ? block->upper->lower : last_) = block;
}

/// Takes a block, which is in no index, out of the list.
void PoolState::remove(Block* block) {
    if (block->lower != nullptr) block->lower->upper = block->upper;
    (block->upper != nullptr ? block->upper->lower : last_) = block->lower;
    store_.recycle(block);
}

/// Cuts a free block that is in no index to so many bytes; gives the rest, in no index either.
Block* PoolState::split(Block* block, std::size_t bytes) {
    Block* rest = store_.make();
    rest->address = block->address + bytes;
    rest->bytes = block->bytes - bytes;
    rest->stream = block->stream;
    rest->lower = block;
    rest->upper = block->upper;
    (rest->upper != nullptr ? rest->upper->lower : last_) = rest;
    block->upper = rest;
    block->bytes = bytes;
    return rest;
}

void PoolState::absorb_upper(Block* block) {
    block->bytes += block->upper->bytes;
    remove(block->upper);
}

/// Joins a free block, which is in no index, with its neighbours; the result is in no index.
Block* PoolState::joined(Block* block) {
    const auto may_join = [](const Block* low, const Block* high) {
        return low != nullptr && high != nullptr && low->free && high->free && low->stream == high->stream && !high->fenced &&
               low->end() == high->address;
    };
    if (may_join(block, block->upper)) {
        index_.erase(block->upper);
        absorb_upper(block);
    }
    if (may_join(block->lower, block)) {
        block = block->lower;
        index_.erase(block);
        absorb_upper(block);
    }
    return block;
}

void PoolState::add_free(Block* block, void* stream) {
    block->free = true;
    block->stream = stream;
    index_.insert(joined(block));
}

}  // namespace heddle::runtime
