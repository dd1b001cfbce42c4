#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <mutex>

#include "runtime/allocator.h"
#include "runtime/pool/round.h"

namespace heddle::runtime {
namespace {

constexpr std::size_t huge_page = std::size_t(2) << 20;

std::size_t page_size() {
    static const std::size_t bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    return bytes;
}

void* map(void* hint, std::size_t bytes) {
    void* at = ::mmap(hint, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? nullptr : at;
}

/// Pages from the system. Successive blocks are asked for at successive addresses, in a part of the address space that other
/// mappings reach late, so that a pool above can treat them as one range.
class Pages {
public:
    void* allocate(const Request& r) {
        if (!acceptable(r)) return nullptr;
        if (r.space != heddle_space_host) {
            set_message("the system's pages are host memory only, not space %d", r.space);
            return nullptr;
        }
        const std::size_t bytes = length(r);
        const std::size_t unit = std::max(r.alignment, bytes >= huge_page ? huge_page : page_size());
        if (bytes == 0) return refuse(r, ENOMEM);
        std::lock_guard lock(mutex_);
        void* at = place(bytes, unit);
        if (at == nullptr) return refuse(r, errno);
        if (bytes >= huge_page) ::madvise(at, bytes, MADV_HUGEPAGE);
        next_ = reinterpret_cast<std::uintptr_t>(at) + bytes;
        return at;
    }
    void release(void* block, const Request& r) {
        std::lock_guard lock(mutex_);
        const std::size_t bytes = length(r);
        ::munmap(block, bytes);
        const auto at = reinterpret_cast<std::uintptr_t>(block);
        if (at + bytes == next_) next_ = at;
    }

private:
    static std::size_t length(const Request& r) { return round_up(r.bytes + (r.bytes == 0), page_size()); }

    static void* refuse(const Request& r, int error) {
        set_message("out of memory: the system has no %zu bytes: %s", r.bytes, std::strerror(error));
        return nullptr;
    }

    /// Memory at the wanted place, or anywhere at a multiple of `unit`.
    void* place(std::size_t bytes, std::size_t unit) {
        if (next_ == 0) next_ = first_place();
        void* at = map(reinterpret_cast<void*>(round_up(next_, unit)), bytes);
        if (at == nullptr || reinterpret_cast<std::uintptr_t>(at) % unit == 0) return at;
        ::munmap(at, bytes);
        char* wide = static_cast<char*>(map(nullptr, bytes + unit));
        if (wide == nullptr) return nullptr;
        const std::size_t before =
            round_up(reinterpret_cast<std::uintptr_t>(wide), unit) - reinterpret_cast<std::uintptr_t>(wide);
        if (before != 0) ::munmap(wide, before);
        if (before != unit) ::munmap(wide + before + bytes, unit - before);
        return wide + before;
    }

    /// Below where the system puts mappings by itself, another place for each of 16 instances.
    static std::uintptr_t first_place() {
        static std::atomic<unsigned> instances{0};
        void* probe = map(nullptr, page_size());
        if (probe == nullptr) return 0;
        ::munmap(probe, page_size());
        const std::uintptr_t gap = std::uintptr_t(64) << 30, at = reinterpret_cast<std::uintptr_t>(probe);
        const std::uintptr_t below = gap * (1 + instances++ % 16);
        return at > below ? (at - below) / huge_page * huge_page : 0;
    }

    std::mutex mutex_;
    std::uintptr_t next_ = 0;  ///< the end of the block given last
};

}  // namespace

Allocator page_allocator() { return make_allocator(std::make_shared<Pages>()); }

}  // namespace heddle::runtime
