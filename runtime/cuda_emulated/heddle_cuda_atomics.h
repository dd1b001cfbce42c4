// Atomics of CUDA on the CPU: real ones, since blocks may run on several threads of the system.
#pragma once

enum class heddle_cuda_operation { add, sub, min, max, bit_and, bit_or, bit_xor, exchange, inc, dec };

template <heddle_cuda_operation Op, class T>
static HEDDLE_CUDA_QUIET T heddle_cuda_apply(T old, T v) {
    if constexpr (Op == heddle_cuda_operation::add) return old + v;
    if constexpr (Op == heddle_cuda_operation::sub) return old - v;
    if constexpr (Op == heddle_cuda_operation::min) return v < old ? v : old;
    if constexpr (Op == heddle_cuda_operation::max) return old < v ? v : old;
    if constexpr (Op == heddle_cuda_operation::bit_and) return old & v;
    if constexpr (Op == heddle_cuda_operation::bit_or) return old | v;
    if constexpr (Op == heddle_cuda_operation::bit_xor) return old ^ v;
    if constexpr (Op == heddle_cuda_operation::exchange) return v;
    if constexpr (Op == heddle_cuda_operation::inc) return old >= v ? 0 : old + 1;
    if constexpr (Op == heddle_cuda_operation::dec) return old == 0 || old > v ? v : old - 1;
}

template <class T>
static HEDDLE_CUDA_QUIET void heddle_cuda_before_atomic(T* p, const void* pc) {
    const heddle_cuda_thread* self = heddle_cuda_self;
    if ((unsigned long)p - self->shared_begin < self->shared_bytes)
        self->engine->access(self, p, sizeof(T), heddle_cuda_atomic, pc);
}

// Who changes nothing may be waiting for another thread: that one gets its turn.
template <class T>
static HEDDLE_CUDA_QUIET void heddle_cuda_after_atomic(T old, T now) {
    if (__builtin_memcmp(&old, &now, sizeof(T)) == 0) heddle_cuda_self->engine->pause(heddle_cuda_self);
}

template <heddle_cuda_operation Op, class T>
static HEDDLE_CUDA_QUIET T heddle_cuda_update(T* p, T v, const void* pc) {
    heddle_cuda_before_atomic(p, pc);
    T old, now;
    __atomic_load(p, &old, __ATOMIC_RELAXED);
    do now = heddle_cuda_apply<Op>(old, v);
    while (!__atomic_compare_exchange(p, &old, &now, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    heddle_cuda_after_atomic(old, now);
    return old;
}

template <class T>
static HEDDLE_CUDA_QUIET T heddle_cuda_swap_if(T* p, T expected, T v, const void* pc) {
    heddle_cuda_before_atomic(p, pc);
    T old = expected;
    if (!__atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        heddle_cuda_self->engine->pause(heddle_cuda_self);
    return old;
}

#define HEDDLE_CUDA_ATOMIC(name, op, T)                                                          \
    static HEDDLE_CUDA_QUIET T name(T* p, T v) {                                                 \
        return heddle_cuda_update<heddle_cuda_operation::op>(p, v, __builtin_return_address(0)); \
    }                                                                                            \
    static HEDDLE_CUDA_QUIET T name##_block(T* p, T v) {                                         \
        return heddle_cuda_update<heddle_cuda_operation::op>(p, v, __builtin_return_address(0)); \
    }                                                                                            \
    static HEDDLE_CUDA_QUIET T name##_system(T* p, T v) {                                        \
        return heddle_cuda_update<heddle_cuda_operation::op>(p, v, __builtin_return_address(0)); \
    }
#define HEDDLE_CUDA_ATOMICS(name, op)      \
    HEDDLE_CUDA_ATOMIC(name, op, int)      \
    HEDDLE_CUDA_ATOMIC(name, op, unsigned) \
    HEDDLE_CUDA_ATOMIC(name, op, unsigned long long)
HEDDLE_CUDA_ATOMICS(atomicAdd, add)
HEDDLE_CUDA_ATOMIC(atomicAdd, add, float)
HEDDLE_CUDA_ATOMIC(atomicAdd, add, double)
HEDDLE_CUDA_ATOMIC(atomicSub, sub, int)
HEDDLE_CUDA_ATOMIC(atomicSub, sub, unsigned)
HEDDLE_CUDA_ATOMICS(atomicMin, min)
HEDDLE_CUDA_ATOMIC(atomicMin, min, long long)
HEDDLE_CUDA_ATOMICS(atomicMax, max)
HEDDLE_CUDA_ATOMIC(atomicMax, max, long long)
HEDDLE_CUDA_ATOMICS(atomicAnd, bit_and)
HEDDLE_CUDA_ATOMICS(atomicOr, bit_or)
HEDDLE_CUDA_ATOMICS(atomicXor, bit_xor)
HEDDLE_CUDA_ATOMICS(atomicExch, exchange)
HEDDLE_CUDA_ATOMIC(atomicExch, exchange, float)
HEDDLE_CUDA_ATOMIC(atomicInc, inc, unsigned)
HEDDLE_CUDA_ATOMIC(atomicDec, dec, unsigned)
#undef HEDDLE_CUDA_ATOMICS
#undef HEDDLE_CUDA_ATOMIC

#define HEDDLE_CUDA_CAS(T)                                                       \
    static HEDDLE_CUDA_QUIET T atomicCAS(T* p, T expected, T v) {                \
        return heddle_cuda_swap_if(p, expected, v, __builtin_return_address(0)); \
    }
HEDDLE_CUDA_CAS(int)
HEDDLE_CUDA_CAS(unsigned)
HEDDLE_CUDA_CAS(unsigned long long)
HEDDLE_CUDA_CAS(unsigned short)
#undef HEDDLE_CUDA_CAS
