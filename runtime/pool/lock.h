// A lock for work of some hundred instructions: free, it costs one atomic exchange each way; taken, waiting spins before it
// sleeps.
#pragma once

#include <atomic>

namespace heddle::runtime {

/// Meets the needs of std::unique_lock. The three states are those of Drepper, Futexes Are Tricky (2011), mutex 2. The thread
/// that gets the lock after `unlock` may destroy it: notifying uses the address alone.
class SpinLock {
public:
    void lock() noexcept {
        int seen = open;
        if (state_.compare_exchange_strong(seen, taken, std::memory_order_acquire)) return;
        for (int k = 0; k < 200; ++k) {
            pause();
            seen = open;  // the exchange below stores what it saw
            if (state_.load(std::memory_order_relaxed) == open &&
                state_.compare_exchange_weak(seen, taken, std::memory_order_acquire))
                return;
        }
        while (state_.exchange(awaited, std::memory_order_acquire) != open) state_.wait(awaited, std::memory_order_relaxed);
    }
    void unlock() noexcept {
        if (state_.exchange(open, std::memory_order_release) == awaited) state_.notify_one();
    }

private:
    static constexpr int open = 0, taken = 1, awaited = 2;

    static void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
    }

    std::atomic<int> state_{open};
};

}  // namespace heddle::runtime
