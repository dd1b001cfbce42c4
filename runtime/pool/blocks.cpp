#include "runtime/pool/blocks.h"

#include <new>

namespace heddle::runtime {
namespace {

std::uintptr_t number(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

/// Whether block b stands before the key. Sizes are compared without branches, which nobody could predict.
bool before(const Block* b, const void* stream, std::size_t bytes, const void* address) {
    if (b->stream != stream) return number(b->stream) < number(stream);
    return bool((b->bytes < bytes) | ((b->bytes == bytes) & (number(b->address) < number(address))));
}

void hang(Block** at, Block* block) {
    *at = block;
    if (block != nullptr) block->link = at;
}

/// Divides a tree into what stands before the block and what stands behind it: its children.
void divide(Block* tree, Block* at) {
    Block **low = &at->child[0], **high = &at->child[1];
    while (tree != nullptr)
        if (before(tree, at->stream, at->bytes, at->address)) {
            hang(low, tree);
            low = &tree->child[1];
            tree = *low;
        } else {
            hang(high, tree);
            high = &tree->child[0];
            tree = *high;
        }
    *low = *high = nullptr;
}

/// Hangs two trees, the first before the second, where one was.
void merge(Block** at, Block* low, Block* high) {
    while (low != nullptr && high != nullptr) {
        const bool higher = low->priority <= high->priority;
        Block* top = higher ? high : low;
        hang(at, top);
        at = &top->child[!higher];
        (higher ? high : low) = *at;
    }
    hang(at, low != nullptr ? low : high);
}

}  // namespace

bool BlockStore::reserve(std::size_t count) noexcept {
    constexpr std::size_t slab = 64;
    if (spares_ >= count) return true;
    try {
        slabs_.push_back(std::make_unique<Block[]>(slab));
    } catch (const std::bad_alloc&) {
        return false;
    }
    for (std::size_t k = slab; k > 0; --k) recycle(&slabs_.back()[k - 1]);
    return true;
}

Block* BlockStore::make() noexcept {
    Block* block = spare_;
    spare_ = block->child[0];
    --spares_;
    return new (block) Block();
}

void BlockStore::recycle(Block* block) noexcept {
    block->child[0] = spare_;
    spare_ = block;
    ++spares_;
}

void FreeIndex::insert(Block* block) noexcept {
    seed_ ^= seed_ << 13, seed_ ^= seed_ >> 17, seed_ ^= seed_ << 5;  // xorshift, Marsaglia 2003
    block->priority = seed_;
    Block** at = &root_;
    while (*at != nullptr && (*at)->priority >= block->priority)
        at = &(*at)->child[before(*at, block->stream, block->bytes, block->address)];
    divide(*at, block);
    hang(at, block);
}

void FreeIndex::erase(Block* block) noexcept { merge(block->link, block->child[0], block->child[1]); }

Block* FreeIndex::at_least(const void* stream, std::size_t bytes) const noexcept {
    Block* best = nullptr;
    for (Block* b = root_; b != nullptr;) {
        const bool low = before(b, stream, bytes, nullptr);
        best = low ? best : b;
        b = b->child[low];
    }
    return best != nullptr && best->stream == stream ? best : nullptr;
}

Block* FreeIndex::next_stream(const void* stream) const noexcept {
    Block* best = nullptr;
    for (Block* b = root_; b != nullptr;) {
        const bool low = number(b->stream) <= number(stream);
        best = low ? best : b;
        b = b->child[low];
    }
    return best;
}

Block* FreeIndex::first() const noexcept {
    Block* b = root_;
    while (b != nullptr && b->child[0] != nullptr) b = b->child[0];
    return b;
}

std::size_t AddressTable::home(const void* address) const noexcept {
    return static_cast<std::size_t>((static_cast<std::uint64_t>(number(address) >> 6) * 0x9E3779B97F4A7C15u) >> shift_);
}

/// Where the address stands, or the empty place where it would.
std::size_t AddressTable::place_of(const void* address) const noexcept {
    std::size_t k = home(address);
    while (slots_[k] != nullptr && slots_[k]->address != address) k = (k + 1) & (slots_.size() - 1);
    return k;
}

bool AddressTable::reserve_one() noexcept {
    if (2 * (size_ + 1) <= slots_.size()) return true;
    std::vector<Block*> old;
    try {
        old.assign(slots_.empty() ? 64 : 2 * slots_.size(), nullptr);
    } catch (const std::bad_alloc&) {
        return false;
    }
    slots_.swap(old);
    shift_ = 64;
    for (std::size_t n = slots_.size(); n > 1; n /= 2) --shift_;
    for (Block* b : old)
        if (b != nullptr) slots_[place_of(b->address)] = b;
    return true;
}

void AddressTable::insert(Block* block) noexcept {
    slots_[place_of(block->address)] = block;
    ++size_;
}

Block* AddressTable::find(const void* address) const noexcept { return slots_.empty() ? nullptr : slots_[place_of(address)]; }

/// Closes the gap by moving back what a search would no longer reach.
void AddressTable::erase(const void* address) noexcept {
    const std::size_t mask = slots_.size() - 1;
    std::size_t gap = place_of(address);
    for (std::size_t k = (gap + 1) & mask; slots_[k] != nullptr; k = (k + 1) & mask) {
        const std::size_t far = (k - home(slots_[k]->address)) & mask;
        if (far < ((k - gap) & mask)) continue;
        slots_[gap] = slots_[k];
        gap = k;
    }
    slots_[gap] = nullptr;
    --size_;
}

}  // namespace heddle::runtime
