#include "runtime/cuda_emulated/engine.h"

#include <fmt/format.h>

#include "runtime/cuda_emulated/block.h"

namespace heddle::runtime {
namespace {

/// The text knows a thread by its first member.
CudaThread& thread_of(const heddle_cuda_thread* self) {
    return *reinterpret_cast<CudaThread*>(const_cast<heddle_cuda_thread*>(self));
}

int barrier(const heddle_cuda_thread* self, heddle_cuda_vote vote, int value, int line) {
    CudaThread& t = thread_of(self);
    return static_cast<int>(t.block->wait_barrier(t, vote, value, line));
}

unsigned long long warp(const heddle_cuda_thread* self, heddle_cuda_warp what, unsigned mask, unsigned long long value,
                        unsigned source, int line) {
    CudaThread& t = thread_of(self);
    return t.block->wait_warp(t, what, mask, value, source, line);
}

unsigned active(const heddle_cuda_thread* self) { return thread_of(self).block->active_lanes(thread_of(self)); }

void access(const heddle_cuda_thread* self, const void* address, unsigned long bytes, heddle_cuda_access kind, const void* pc) {
    CudaThread& t = thread_of(self);
    t.block->check_access(t, {t.number, reinterpret_cast<std::uintptr_t>(address), static_cast<unsigned>(bytes), kind, pc});
}

void pause(const heddle_cuda_thread* self) { thread_of(self).block->pause(thread_of(self)); }

void fail(const heddle_cuda_thread* self, const char* what, int line) {
    CudaThread& t = thread_of(self);
    t.block->fail(t, {fmt::format("{}, in line {}", what, line)});
}

void bad_index(const heddle_cuda_thread* self, const char* array, long long index, int line) {
    CudaThread& t = thread_of(self);
    t.block->fail(t, {fmt::format("index {} is outside an array of type {}, in line {}", index, array, line)});
}

}  // namespace

const heddle_cuda_engine cuda_engine{barrier, warp, active, access, pause, fail, bad_index};

}  // namespace heddle::runtime
