// glibc's checked longjmp takes a jump to another stack for an error.
#undef _FORTIFY_SOURCE
#include "runtime/cuda_emulated/fiber.h"

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "runtime/status.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

namespace heddle::runtime {

#ifdef __SANITIZE_ADDRESS__
void Fiber::before_resume() { __sanitizer_start_switch_fiber(&outer_fake_, stack_, bytes_); }
void Fiber::after_resume() { __sanitizer_finish_switch_fiber(outer_fake_, nullptr, nullptr); }
void Fiber::before_suspend() { __sanitizer_start_switch_fiber(&inner_fake_, outer_stack_, outer_bytes_); }
void Fiber::after_suspend() { __sanitizer_finish_switch_fiber(inner_fake_, &outer_stack_, &outer_bytes_); }
#else
void Fiber::before_resume() {}
void Fiber::after_resume() {}
void Fiber::before_suspend() {}
void Fiber::after_suspend() {}
#endif

void Fiber::prepare(char* stack, std::size_t bytes, void (*body)(void*), void* user) {
    stack_ = stack, bytes_ = bytes, body_ = body, user_ = user, started_ = false;
    inner_fake_ = nullptr;
}

void Fiber::enter(unsigned low, unsigned high) {
    auto* self = reinterpret_cast<Fiber*>(static_cast<std::uintptr_t>(low) | static_cast<std::uintptr_t>(high) << 32);
    self->after_suspend();
    self->body_(self->user_);
}

void Fiber::start() {
    started_ = true;
    ucontext_t context;
    ::getcontext(&context);
    context.uc_stack.ss_sp = stack_;
    context.uc_stack.ss_size = bytes_;
    context.uc_link = nullptr;
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    ::makecontext(&context, reinterpret_cast<void (*)()>(&Fiber::enter), 2, static_cast<unsigned>(self),
                  static_cast<unsigned>(self >> 32));
    ::setcontext(&context);
}

void Fiber::resume() {
    before_resume();
    if (_setjmp(outside_) == 0) {
        if (started_) _longjmp(inside_, 1);
        start();
    }
    after_resume();
}

void Fiber::suspend() {
    before_suspend();
    if (_setjmp(inside_) == 0) _longjmp(outside_, 1);
    after_suspend();
}

Stacks::Stacks(std::size_t count, std::size_t bytes) : guard_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))) {
    stride_ = (bytes + guard_ - 1) / guard_ * guard_ + guard_;
    total_ = stride_ * count;
    void* got = ::mmap(nullptr, total_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (got == MAP_FAILED)
        throw RuntimeError(Code::OutOfMemory,
                           "no " + std::to_string(total_) + " bytes for the stacks of the threads of a block");
    base_ = static_cast<char*>(got);
    for (std::size_t i = 0; i < count; i++) ::mprotect(base_ + i * stride_, guard_, PROT_NONE);
}

Stacks::~Stacks() { ::munmap(base_, total_); }

}  // namespace heddle::runtime
