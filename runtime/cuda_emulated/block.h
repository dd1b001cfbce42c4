// One block of a launch at a time: its threads are fibers, its barriers and warp functions are here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/cuda_emulated/fiber.h"
#include "runtime/cuda_emulated/launch.h"
#include "runtime/cuda_emulated/memory.h"
#include "runtime/cuda_emulated/shadow.h"

namespace heddle::runtime {

class CudaBlock;

/// A thread of the block. The text sees the first member.
struct CudaThread {
    enum class Waits : std::uint8_t { Nothing, Barrier, Warp, Ended };
    heddle_cuda_thread self{};
    CudaBlock* block = nullptr;
    unsigned number = 0;
    Waits waits = Waits::Nothing;
    int operation = 0;  ///< heddle_cuda_vote or heddle_cuda_warp
    int line = 0;
    unsigned mask = 0, source = 0;
    unsigned long long value = 0;  ///< what it brings, then what it gets
    Fiber fiber;
};

/// Runs blocks on the calling thread, which has to be the same always. After a failure no other may follow.
class CudaBlock {
public:
    explicit CudaBlock(const CudaLaunch& launch);
    /// `number` distinguishes the blocks for random orders.
    std::optional<CudaFailure> run(uint3 index, std::uint64_t number);

    void call_kernel();

    // For the text, by way of the engine's table. They return in the thread once it may go on.
    unsigned long long wait_barrier(CudaThread& thread, heddle_cuda_vote vote, int value, int line);
    unsigned long long wait_warp(CudaThread& thread, heddle_cuda_warp what, unsigned mask, unsigned long long value,
                                 unsigned source, int line);
    unsigned active_lanes(const CudaThread& thread) const;
    void check_access(CudaThread& thread, const SharedAccess& access);
    void pause(CudaThread& thread);
    void fail(CudaThread& thread, CudaFailure failure);

private:
    void begin(uint3 index, std::uint64_t number);
    void reorder();
    void pass();
    bool release_barrier();
    bool release_warps();
    bool complete(const CudaThread& thread, unsigned& lanes) const;
    void answer_warp(unsigned first, unsigned lanes);
    void go_on(CudaThread& thread);
    bool stuck();
    std::string waiting_threads() const;
    void check_guards();
    void set_failure(CudaFailure failure);

    const CudaLaunch& launch_;
    unsigned count_;
    Stacks stacks_;
    std::unique_ptr<CudaThread[]> threads_;
    std::vector<unsigned> order_;
    std::uint64_t random_ = 0;
    SharedMemory memory_;
    std::unique_ptr<Shadow> shadow_;
    unsigned live_ = 0, idle_passes_ = 0;
    bool moved_ = false;
    std::optional<CudaFailure> failure_;
};

}  // namespace heddle::runtime
