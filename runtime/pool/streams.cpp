#include "runtime/pool/state.h"

namespace heddle::runtime {

/// Whether work on `to` comes behind what `from` does now, after a wait where needed.
bool PoolState::ordered(void* from, void* to) {
    if (from == nullptr || from == to) return true;
    if (!options_.wait || !options_.wait(from, to)) return false;
    ++counts_.stream_waits;
    return true;
}

/// A block that another stream released last, or all that is free taken together; null when nothing fits or may be ordered.
Block* PoolState::from_other_streams(const Need& need) {
    bool others = false;
    for (Block* b = index_.first(); b != nullptr; b = index_.next_stream(b->stream)) {
        if (b->stream == need.stream) continue;
        others = true;
        void* stream = b->stream;
        if (Block* found = fit(need, stream); found != nullptr && ordered(stream, need.stream)) return found;
    }
    if (!others || cached() < need.bytes) return nullptr;
    unify(need.stream);
    return own(need);
}

/// Gives all free blocks that may be ordered to one stream, and joins what touches.
void PoolState::unify(void* stream) {
    for (Block* b = index_.first(); b != nullptr;) {
        void* from = b->stream;
        if (from != stream && ordered(from, stream))
            while (Block* moved = index_.at_least(from, 0)) {
                index_.erase(moved);
                moved->stream = stream;
                index_.insert(moved);
            }
        b = index_.next_stream(from);
    }
    for (Block* b = last_; b != nullptr; b = b->lower)
        if (b->free) {
            index_.erase(b);
            b = joined(b);
            index_.insert(b);
        }
}

}  // namespace heddle::runtime
