// Arrays in host memory or a device's, whose sizes are formulas while a frozen function is recorded.
#pragma once

#include <array>
#include <atomic>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/device.h"
#include "runtime/scalar.h"

namespace heddle::runtime {

inline constexpr int max_rank = 6;

/// Shared by a recording and the memory that is made in it: tells when another thread touches that memory.
struct RecordingMark {
    std::uint32_t id = 0;
    std::atomic<bool> active{true}, foreign{false};
};

/// Memory of arrays, given back with the last of them.
struct Block {
    Block(const Request& r, std::optional<Device> d);
    ~Block();
    Block(const Block&) = delete;
    /// Gives the memory back now; the arrays on it are dead.
    void release();
    const Allocator& memory() const;
    Request request;
    std::optional<Device> device;  ///< none: the host
    char* base;
    const std::uint64_t generation;  ///< no two blocks of a process have the same
    std::atomic<bool> released{false};
    std::shared_ptr<RecordingMark> mark;
};

/// Where an array lies: in the host's memory, or a device's.
struct Place {
    Place() = default;
    Place(Device d) : device(std::move(d)) {}
    std::optional<Device> device;
};

/// A view of elements: type, shape, strides, and what keeps the memory. Copies are views of the same elements.
class Array {
public:
    Array() = default;
    /// All elements of a vector or span, whose memory has to outlive the array.
    template <class T>
    Array(std::vector<T>& v) : Array(std::span<T>(v)) {}
    template <class T>
    Array(std::span<T> v)
        : Array(view(element_of<std::remove_const_t<T>>(), const_cast<std::remove_const_t<T>*>(v.data()),
                     {static_cast<std::int64_t>(v.size())})) {}
    /// Host memory that somebody else keeps. Strides count elements; empty: rows follow each other.
    static Array view(Element element, void* data, const std::vector<std::int64_t>& shape,
                      const std::vector<std::int64_t>& strides = {});

    Element element() const { return element_; }
    int rank() const { return rank_; }
    Size size(int axis) const;
    Size count() const;  ///< of all elements
    bool contiguous() const { return contiguous_; }
    Size stride(int axis) const;  ///< in elements
    /// None: the host.
    const Device* device() const { return block_ != nullptr && block_->device ? &*block_->device : nullptr; }
    /// False after `release`.
    bool alive() const { return block_ == nullptr || !block_->released.load(std::memory_order_relaxed); }
    /// Which block it lies in; 0: memory that somebody else keeps.
    std::uint64_t generation() const { return block_ == nullptr ? 0 : block_->generation; }
    /// Elements from .. from + count along the first axis.
    Array slice(const Size& from, const Size& count) const;
    /// The elements, for the host. Throws RuntimeError(BadArgument): on a device, dead, of another type, or while recording,
    /// where the host may not look at data: a replay would not see it.
    template <class T>
    T* data() const {
        return static_cast<T*>(host_data(element_of<std::remove_const_t<T>>()));
    }
    /// Gives the memory back now, for all views of it.
    void release() const;

    /// For kernels: where it begins. Throws RuntimeError(BadArgument) when it is dead or belongs to another thread's recording.
    char* pointer() const {
        if (block_ != nullptr) check_use();
        return pointer_;
    }

private:
    friend class Recorder;
    friend struct ArrayAccess;
    void check_use() const {
        if (block_->released.load(std::memory_order_relaxed) || block_->mark != nullptr) refuse_use();
    }
    void refuse_use() const;
    void* host_data(Element element) const;

    std::shared_ptr<Block> block_;
    char* pointer_ = nullptr;
    Element element_ = Element::F64;
    std::uint8_t rank_ = 0;
    bool contiguous_ = true;
    Node slot_;       ///< in a recording
    Size from_slot_;  ///< bytes from where the slot begins
    std::array<Size, max_rank> sizes_{};
    std::array<std::int64_t, max_rank> strides_{};  ///< where it is not contiguous
};

/// New memory of these sizes; what it holds is undefined. Negative sizes count as none.
Array empty(Element element, std::initializer_list<Size> sizes, const Place& place = {});
template <class T>
Array empty(std::initializer_list<Size> sizes, const Place& place = {}) {
    return empty(element_of<T>(), sizes, place);
}

/// Copies all elements; both contiguous, of one type and equally many elements. With host memory it is done at the return.
void copy(const Array& to, const Array& from);

/// One element of a contiguous array as a number: the host waits for it. In a recording this is a step of the sequence, so that
/// a replay reads anew, and sizes may depend on it.
Value fetch_value(const Array& from, const Size& index, Element element, Node& node);
template <class T>
Scalar<T> fetch(const Array& from, const Size& index = 0) {
    Node node;
    const Value value = fetch_value(from, index, element_of<T>(), node);
    return {value.as<T>(), node};
}

/// The pool that host arrays come from.
Pool& host_pool();

}  // namespace heddle::runtime
