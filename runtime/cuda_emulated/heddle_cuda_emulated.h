// CUDA device text as C++17 for the CPU: what the language adds to C++, by macros and functions of the same names. Goes in
// front of the text (cuda_emulated.h of the runtime does that); threads, barriers and warps are the engine's
// (heddle_cuda_abi.h). HEDDLE_CUDA_CHECKED: compiled with -fsanitize=thread,bounds, whose calls go to the engine.
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <utility>

#include "heddle_cuda_abi.h"

#ifdef HEDDLE_CUDA_CHECKED
#define HEDDLE_CUDA_QUIET __attribute__((noinline, no_sanitize("thread", "undefined")))
#else
#define HEDDLE_CUDA_QUIET inline
#endif
#define HEDDLE_CUDA_EXPORT __attribute__((used, no_sanitize("thread", "undefined")))

// A thread-local variable in a function is static by itself, and may be extern: what __shared__ needs. It also gives each
// thread of the system a block of its own. The slot alone is initialised, so that all else thread-local lies in .tbss.
static thread_local unsigned long heddle_cuda_slot = 1;
#define heddle_cuda_self (reinterpret_cast<const heddle_cuda_thread*>(heddle_cuda_slot))

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __shared__ thread_local
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
#define __CUDA_ARCH__ 800
#define HEDDLE_CUDA_EMULATED 1

#define threadIdx (heddle_cuda_self->thread_index)
#define blockIdx (heddle_cuda_self->block_index)
#define blockDim (heddle_cuda_self->block_dim)
#define gridDim (heddle_cuda_self->grid_dim)
constexpr int warpSize = 32;

// Barriers. The line is the caller's, by a default argument.
#define HEDDLE_CUDA_LINE int line = __builtin_LINE()
static inline void __syncthreads(HEDDLE_CUDA_LINE) {
    heddle_cuda_self->engine->barrier(heddle_cuda_self, heddle_cuda_barrier_plain, 0, line);
}
static inline int __syncthreads_count(int p, HEDDLE_CUDA_LINE) {
    return heddle_cuda_self->engine->barrier(heddle_cuda_self, heddle_cuda_barrier_count, p, line);
}
static inline int __syncthreads_and(int p, HEDDLE_CUDA_LINE) {
    return heddle_cuda_self->engine->barrier(heddle_cuda_self, heddle_cuda_barrier_and, p, line);
}
static inline int __syncthreads_or(int p, HEDDLE_CUDA_LINE) {
    return heddle_cuda_self->engine->barrier(heddle_cuda_self, heddle_cuda_barrier_or, p, line);
}
static inline void __syncwarp(unsigned mask = 0xffffffffu, HEDDLE_CUDA_LINE) {
    heddle_cuda_self->engine->warp(heddle_cuda_self, heddle_cuda_sync, mask, 0, 0, line);
}

// Votes.
static inline unsigned __ballot_sync(unsigned mask, int p, HEDDLE_CUDA_LINE) {
    return (unsigned)heddle_cuda_self->engine->warp(heddle_cuda_self, heddle_cuda_ballot, mask, p != 0, 0, line);
}
static inline int __any_sync(unsigned mask, int p, HEDDLE_CUDA_LINE) { return __ballot_sync(mask, p, line) != 0; }
static inline int __all_sync(unsigned mask, int p, HEDDLE_CUDA_LINE) { return __ballot_sync(mask, !p, line) == 0; }
static inline unsigned __activemask() { return heddle_cuda_self->engine->active(heddle_cuda_self); }

// Shuffles. A lane whose source lies outside its segment of `width` lanes keeps its own value.
template <class T>
static inline T heddle_cuda_from(unsigned mask, T value, unsigned source, int line) {
    static_assert(sizeof(T) <= 8, "a shuffle moves numbers of up to 8 bytes");
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    bits = heddle_cuda_self->engine->warp(heddle_cuda_self, heddle_cuda_shuffle, mask, bits, source, line);
    __builtin_memcpy(&value, &bits, sizeof(T));
    return value;
}
template <class T>
static inline T __shfl_sync(unsigned mask, T value, int source, int width = 32, HEDDLE_CUDA_LINE) {
    const unsigned first = heddle_cuda_self->lane & ~unsigned(width - 1);
    return heddle_cuda_from(mask, value, first | (unsigned(source) & unsigned(width - 1)), line);
}
template <class T>
static inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, HEDDLE_CUDA_LINE) {
    const unsigned lane = heddle_cuda_self->lane, in = lane & unsigned(width - 1);
    return heddle_cuda_from(mask, value, in >= delta ? lane - delta : lane, line);
}
template <class T>
static inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, HEDDLE_CUDA_LINE) {
    const unsigned lane = heddle_cuda_self->lane, in = lane & unsigned(width - 1);
    return heddle_cuda_from(mask, value, delta < unsigned(width) - in ? lane + delta : lane, line);
}
template <class T>
static inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32, HEDDLE_CUDA_LINE) {
    const unsigned lane = heddle_cuda_self->lane, other = lane ^ unsigned(bits);
    return heddle_cuda_from(mask, value, other <= (lane | unsigned(width - 1)) ? other : lane, line);
}

// Fences order nothing that is not in order here; they end no race.
static HEDDLE_CUDA_QUIET void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static HEDDLE_CUDA_QUIET void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static HEDDLE_CUDA_QUIET void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

// Failures of the text itself.
static inline void heddle_cuda_stop(const char* what, int line) {
    heddle_cuda_self->engine->fail(heddle_cuda_self, what, line);
}
#undef assert
#define assert(condition) ((condition) ? (void)0 : heddle_cuda_stop("assertion '" #condition "' does not hold", __LINE__))
static inline void __trap(HEDDLE_CUDA_LINE) { heddle_cuda_stop("__trap() was called", line); }

// The table of kernels: how to call each with an array of pointers to its arguments.
template <auto F>
struct heddle_cuda_entry;
template <class... A, void (*F)(A...)>
struct heddle_cuda_entry<F> {
    template <size_t... I>
    static void pass(void** a, std::index_sequence<I...>) {
        F(*static_cast<std::remove_const_t<A>*>(a[I])...);
    }
    static void call(void** a) { pass(a, std::index_sequence_for<A...>{}); }
    static constexpr unsigned count = sizeof...(A);
    static constexpr unsigned sizes[] = {sizeof(A)..., 0};
};
#define HEDDLE_CUDA_KERNEL(bound, ...)                                                                   \
    heddle_cuda_kernel {                                                                                 \
#__VA_ARGS__, heddle_cuda_entry < __VA_ARGS__> ::call, heddle_cuda_entry < __VA_ARGS__> ::count, \
            heddle_cuda_entry < __VA_ARGS__> ::sizes, bound                                              \
    }

#include "heddle_cuda_atomics.h"
#include "heddle_cuda_checks.h"
#include "heddle_cuda_math.h"
