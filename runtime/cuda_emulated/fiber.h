// Stacks of their own within one thread of the system.
#pragma once

#include <setjmp.h>

#include <cstddef>

namespace heddle::runtime {

/// A function that runs on its own stack when it is resumed, until it suspends itself. The first resumption is ucontext's;
/// later switches are _setjmp and _longjmp, which leave the signal mask alone: 12 ns each, where swapcontext takes 270 and
/// Boost.Context, a dependency, 7. May be dropped at any time while suspended: the stack's objects are not destroyed then.
class Fiber {
public:
    /// `body` is not to return.
    void prepare(char* stack, std::size_t bytes, void (*body)(void*), void* user);
    void resume();
    /// Only inside the fiber.
    void suspend();

private:
    static void enter(unsigned low, unsigned high);
    void start();
    void before_resume();
    void after_resume();
    void before_suspend();
    void after_suspend();

    char* stack_ = nullptr;
    std::size_t bytes_ = 0;
    void (*body_)(void*) = nullptr;
    void* user_ = nullptr;
    bool started_ = false;
    jmp_buf inside_, outside_;
    // What the address sanitizer has to know of both stacks.
    void *outer_fake_ = nullptr, *inner_fake_ = nullptr;
    const void* outer_stack_ = nullptr;
    std::size_t outer_bytes_ = 0;
};

/// Memory for stacks, each above a page that may not be touched. Throws RuntimeError(OutOfMemory).
class Stacks {
public:
    Stacks(std::size_t count, std::size_t bytes);
    ~Stacks();
    Stacks(const Stacks&) = delete;
    char* stack(std::size_t i) const { return base_ + i * stride_ + guard_; }
    std::size_t bytes() const { return stride_ - guard_; }

private:
    std::size_t guard_, stride_, total_;
    char* base_;
};

}  // namespace heddle::runtime
