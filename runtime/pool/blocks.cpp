#include "runtime/pool/blocks.h"

#include <new>

namespace heddle::runtime {
namespace {

std::uintptr_t number(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

/// Whether block b stands before the key.
bool before(const Block* b, const void* stream, std::size_t bytes, const void* address) {
    if (b->stream != stream) return number(b->stream) < number(stream);
    if (b->bytes != bytes) return b->bytes < bytes;
    return number(b->address) < number(address);
}

bool before(const Block* a, const Block* b) { return before(a, b->stream, b->bytes, b->address); }

/// Divides a tree into what stands before the block and what stands behind it.
void split(Block* tree, const Block* at, Block*& low, Block*& high) {
    Block **low_end = &low, **high_end = &high;
    while (tree != nullptr)
        if (before(tree, at)) {
            *low_end = tree;
            low_end = &tree->right;
            tree = tree->right;
        } else {
            *high_end = tree;
            high_end = &tree->left;
            tree = tree->left;
        }
    *low_end = *high_end = nullptr;
}

Block* merged(Block* low, Block* high) {
    Block* out = nullptr;
    Block** end = &out;
    while (low != nullptr && high != nullptr)
        if (low->priority > high->priority) {
            *end = low;
            end = &low->right;
            low = low->right;
        } else {
            *end = high;
            end = &high->left;
            high = high->left;
        }
    *end = low != nullptr ? low : high;
    return out;
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
    spare_ = block->left;
    --spares_;
    *block = Block();
    return block;
}

void BlockStore::recycle(Block* block) noexcept {
    block->left = spare_;
    spare_ = block;
    ++spares_;
}

void FreeIndex::insert(Block* block) noexcept {
    seed_ ^= seed_ << 13, seed_ ^= seed_ >> 17, seed_ ^= seed_ << 5;  // xorshift, Marsaglia 2003
    block->priority = seed_;
    Block** at = &root_;
    while (*at != nullptr && (*at)->priority >= block->priority) at = before(*at, block) ? &(*at)->right : &(*at)->left;
    Block* below = *at;
    split(below, block, block->left, block->right);
    *at = block;
}

void FreeIndex::erase(Block* block) noexcept {
    Block** at = &root_;
    while (*at != block) at = before(*at, block) ? &(*at)->right : &(*at)->left;
    *at = merged(block->left, block->right);
}

Block* FreeIndex::at_least(const void* stream, std::size_t bytes) const noexcept {
    Block* best = nullptr;
    for (Block* b = root_; b != nullptr;)
        if (before(b, stream, bytes, nullptr)) {
            b = b->right;
        } else {
            best = b;
            b = b->left;
        }
    return best != nullptr && best->stream == stream ? best : nullptr;
}

Block* FreeIndex::next_stream(const void* stream) const noexcept {
    Block* best = nullptr;
    for (Block* b = root_; b != nullptr;)
        if (number(b->stream) <= number(stream)) {
            b = b->right;
        } else {
            best = b;
            b = b->left;
        }
    return best;
}

Block* FreeIndex::first() const noexcept {
    Block* b = root_;
    while (b != nullptr && b->left != nullptr) b = b->left;
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
