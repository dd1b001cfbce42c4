/* What CUDA text that was compiled for the CPU and the engine that runs it agree on. C++17, no includes. */
#pragma once

struct uint3 {
    unsigned x, y, z;
};
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return {x, y, z}; }
};

extern "C" {

struct heddle_cuda_engine;

/* What one thread of a block sees of itself. */
struct heddle_cuda_thread {
    uint3 thread_index, block_index;
    dim3 block_dim, grid_dim;
    unsigned lane;
    const heddle_cuda_engine* engine;
    unsigned long shared_begin, shared_bytes; /* the memory of all __shared__ variables, for the checked mode; else 0 bytes */
};

enum heddle_cuda_access { heddle_cuda_read, heddle_cuda_write, heddle_cuda_atomic };
enum heddle_cuda_vote { heddle_cuda_barrier_plain, heddle_cuda_barrier_count, heddle_cuda_barrier_and, heddle_cuda_barrier_or };
enum heddle_cuda_warp { heddle_cuda_sync, heddle_cuda_shuffle, heddle_cuda_ballot };

/* The engine's functions, for the thread that calls them. `line` is a line of the text, `pc` an address in its code. */
struct heddle_cuda_engine {
    int (*barrier)(const heddle_cuda_thread*, heddle_cuda_vote, int value, int line);
    /* Waits for the lanes of `mask`; the answer is the value of lane `source`, or a bit for each lane whose value is not 0. */
    unsigned long long (*warp)(const heddle_cuda_thread*, heddle_cuda_warp, unsigned mask, unsigned long long value,
                               unsigned source, int line);
    unsigned (*active)(const heddle_cuda_thread*);
    void (*access)(const heddle_cuda_thread*, const void* address, unsigned long bytes, heddle_cuda_access, const void* pc);
    void (*pause)(const heddle_cuda_thread*); /* lets others run: what was waited for is not there yet */
    void (*fail)(const heddle_cuda_thread*, const char* what, int line);
    void (*bad_index)(const heddle_cuda_thread*, const char* array, long long index, int line);
};

/* A kernel of the text. */
struct heddle_cuda_kernel {
    const char* name;
    void (*call)(void** arguments);
    unsigned count;        /* parameters */
    const unsigned* sizes; /* of each, in bytes */
    unsigned long bound;   /* of __launch_bounds__; 0: none */
};

/* Where the calling thread of the system has its copies of the text's variables. */
struct heddle_cuda_place {
    unsigned long* slot; /* takes the heddle_cuda_thread that runs */
    char* dynamic;       /* where `extern __shared__` arrays lie; null: there are none */
};

/* The text defines these, found by name. */
typedef void heddle_cuda_attach_function(heddle_cuda_place*);
}

/* Dynamic shared memory: most that a block may have (sm_90), and what lies before and behind it, untouched. */
constexpr unsigned long heddle_cuda_dynamic_bytes = 232448, heddle_cuda_guard_bytes = 1024;
