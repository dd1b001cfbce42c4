#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>

#include "runtime/cuda_emulated/block.h"
#include "runtime/status.h"

namespace heddle::runtime {
namespace {

__extension__ using Wide = unsigned __int128;

/// The order of blocks, without a list of them: position -> number of the block.
class BlockOrder {
public:
    BlockOrder(std::uint64_t count, const CudaOptions& options) : order_(options.blocks), count_(count) {
        if (order_ != CudaOrder::Random) return;
        stride_ = count / 8 * 5 + options.seed % count + 1, shift_ = options.seed % count;
        while (std::gcd(stride_, count) != 1) stride_++;
    }
    std::uint64_t block(std::uint64_t position) const {
        if (order_ == CudaOrder::Ascending) return position;
        if (order_ == CudaOrder::Descending) return count_ - 1 - position;
        return static_cast<std::uint64_t>((static_cast<Wide>(stride_) * position + shift_) % count_);
    }

private:
    CudaOrder order_;
    std::uint64_t count_, stride_ = 1, shift_ = 0;
};

/// Blocks are taken in order by the threads of the system; of several failures the first in that order is kept.
class Grid {
public:
    explicit Grid(const CudaLaunch& launch)
        : launch_(launch),
          count_(std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z),
          order_(count_, launch.options) {}

    void run() {
        const auto helpers = std::min<std::uint64_t>(std::max(launch_.options.os_threads, 1u), count_) - 1;
        std::vector<std::thread> threads;
        for (std::uint64_t i = 0; i < helpers; i++) threads.emplace_back([this] { take_blocks(); });
        take_blocks();
        for (std::thread& t : threads) t.join();
        if (error_) std::rethrow_exception(error_);
        if (!text_.empty()) throw RuntimeError(Code::Check, text_);
    }

private:
    void take_blocks() noexcept {
        try {
            CudaBlock block(launch_);
            while (!stopped_) {
                const std::uint64_t position = next_++;
                if (position >= count_) return;
                run_block(block, position);
            }
        } catch (...) {
            stop([this] { error_ = std::current_exception(); });
        }
    }

    void run_block(CudaBlock& block, std::uint64_t position) {
        const std::uint64_t number = order_.block(position);
        const auto& grid = launch_.grid;
        const auto x = static_cast<unsigned>(number % grid.x), y = static_cast<unsigned>(number / grid.x % grid.y);
        const uint3 index{x, y, static_cast<unsigned>(number / grid.x / grid.y)};
        const auto failure = block.run(index, number);
        if (!failure) return;
        stop([&] {
            if (position >= failed_) return;
            failed_ = position;
            text_ = fmt::format("kernel '{}', block {}: {}", launch_.kernel->name, cuda_index_text(index),
                                failure_text(*failure, launch_.object));
        });
    }

    template <class Note>
    void stop(Note note) {
        const std::lock_guard lock(mutex_);
        stopped_ = true;
        note();
    }

    const CudaLaunch& launch_;
    std::uint64_t count_;
    BlockOrder order_;
    std::atomic<std::uint64_t> next_{0};
    std::atomic<bool> stopped_{false};
    std::mutex mutex_;
    std::uint64_t failed_ = ~std::uint64_t{0};
    std::string text_;
    std::exception_ptr error_;
};

}  // namespace

void run_grid(const CudaLaunch& launch) { Grid(launch).run(); }

}  // namespace heddle::runtime
