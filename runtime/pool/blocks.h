// What a pool knows of its memory: blocks in address order, free ones by size, live ones by address. Nothing is written into
// the memory itself, which may lie on a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace heddle::runtime {

/// A piece of a chunk, free or live. Neighbours in address order are linked; those that touch and may join are one range.
struct Block {
    char* address = nullptr;
    std::size_t bytes = 0;
    std::size_t wanted = 0;  ///< live: what was asked for
    void* stream = nullptr;  ///< free: the stream that last used it; null: nothing uses it
    Block *lower = nullptr, *upper = nullptr;
    Block* child[2] = {};    ///< in the index of free blocks: what stands before and behind; the first links spare ones
    Block** link = nullptr;  ///< in the index: the pointer that leads here
    std::uint32_t priority = 0;
    bool free = true;
    bool fenced = false;  ///< never joins with `lower`: the first of a chunk that stands alone

    char* end() const { return address + bytes; }
};

/// Makes blocks and keeps used ones for later.
class BlockStore {
public:
    /// Makes sure that the next `count` calls of `make` cannot fail; false: no memory.
    bool reserve(std::size_t count) noexcept;
    Block* make() noexcept;
    void recycle(Block* block) noexcept;

private:
    std::vector<std::unique_ptr<Block[]>> slabs_;
    Block* spare_ = nullptr;
    std::size_t spares_ = 0;
};

/// The free blocks ordered by stream, size and address: a treap, in expectation logarithmic, without allocations.
class FreeIndex {
public:
    void insert(Block* block) noexcept;
    void erase(Block* block) noexcept;
    /// The smallest block of the stream with so many bytes, the lowest of several; null if none.
    Block* at_least(const void* stream, std::size_t bytes) const noexcept;
    /// The first block of the stream behind this one in the order; null after the last.
    Block* next_stream(const void* stream) const noexcept;
    Block* first() const noexcept;

private:
    Block* root_ = nullptr;
    std::uint32_t seed_ = 0x9E3779B9u;
};

/// Live blocks by address: open addressing, at most half full.
class AddressTable {
public:
    bool reserve_one() noexcept;  ///< room for one more; false: no memory
    void insert(Block* block) noexcept;
    Block* find(const void* address) const noexcept;
    void erase(const void* address) noexcept;

private:
    std::size_t home(const void* address) const noexcept;
    std::size_t place_of(const void* address) const noexcept;

    std::vector<Block*> slots_;
    std::size_t size_ = 0;
    int shift_ = 64;
};

}  // namespace heddle::runtime
