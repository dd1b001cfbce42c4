/* The memory pool from C. C++ programs use pool.h, which says how it works. Functions answer a heddle_status; after anything
 * but heddle_ok, heddle_last_message() says what is wrong. */
#ifndef HEDDLE_POOL_H
#define HEDDLE_POOL_H

#include "runtime/heddle_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct heddle_pool heddle_pool;

/* Zero and NULL everywhere but in `size` are good defaults. */
typedef struct heddle_pool_options {
    size_t size;      /* sizeof(heddle_pool_options) */
    size_t limit;     /* bytes the pool may hold; 0: no limit */
    size_t alignment; /* least alignment, a power of two from 64; 0: 64 in host memory, 256 elsewhere */
    size_t chunk;     /* least size of what is asked from below, a power of two; 0: 2 MiB */
    int space;        /* the heddle_space it serves */
    void* user;       /* passed to the functions below */
    /* Makes later work on stream `to` wait for the work now on `from`; `to` NULL: returns when that is done. Not 0: it cannot.
     */
    int (*wait)(void* user, void* from, void* to);
    /* Told of misuse: a block released twice or from elsewhere, a pool destroyed with live blocks. */
    void (*report)(void* user, int status, const char* message);
} heddle_pool_options;

typedef struct heddle_pool_statistics {
    uint64_t live_blocks, live_bytes;      /* in use; bytes as asked for */
    uint64_t padding_bytes;                /* in use beyond that, by alignment */
    uint64_t reserved_bytes, cached_bytes; /* held from below, and of it free */
    uint64_t largest_free;                 /* bytes of the largest free block */
    uint64_t peak_live_bytes, peak_reserved_bytes;
    uint64_t allocations, hits; /* successful ones, and of them those without a call below */
    uint64_t upstream_allocations, upstream_releases;
    uint64_t stream_waits, misuses;
} heddle_pool_statistics;

/* `below` may be NULL: the system's pages (host memory). What it points to is copied; its `user` has to outlive the pool. */
int heddle_pool_create(const heddle_pool_options* options, const heddle_allocator* below, heddle_pool** pool);
/* heddle_check when blocks are live: their number is in the message, and they stay usable until they are released. */
int heddle_pool_destroy(heddle_pool* pool);
/* For emitted functions; valid until the pool is destroyed. */
const heddle_allocator* heddle_pool_allocator(const heddle_pool* pool);
/* Gives unused chunks back until at most `keep` bytes are held; the answer is the number of bytes given back. */
size_t heddle_pool_trim(heddle_pool* pool, size_t keep);
heddle_pool_statistics heddle_pool_state(const heddle_pool* pool);
/* Why this thread's last call failed. */
const char* heddle_last_message(void);

#ifdef __cplusplus
}
#endif

#endif
