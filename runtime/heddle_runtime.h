/* What emitted code and the runtime agree on: status codes and the allocator. C11 and C++17; may be copied into other text. */
#ifndef HEDDLE_RUNTIME_H
#define HEDDLE_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What an emitted function returns. A code keeps its number for ever. */
enum heddle_status {
    heddle_ok = 0,
    heddle_bad_argument = 1,
    heddle_out_of_memory = 2,
    heddle_compiler_missing = 3,
    heddle_compile_failed = 4,
    heddle_load_failed = 5,
    heddle_io = 6,
    heddle_check = 7
};

/* Where memory lies. An allocator answers NULL for a space that it does not serve. */
enum heddle_space { heddle_space_host = 0, heddle_space_device = 1, heddle_space_pinned = 2, heddle_space_managed = 3 };

/* Gives and takes memory. Emitted code calls it from every thread that calls an emitted function.
 *
 * size: sizeof(heddle_allocator). Fields are only ever added at the end: who is given less than what he knows refuses it.
 * user: passed to every function as it is.
 * allocate: gives a block of `bytes` (zero too) at a multiple of `alignment`, a power of two; NULL when out of memory. Never
 *   throws. Work put on `stream` may use the block at once. A null stream stands for the calling thread itself.
 * release: takes a block back, with the values it was asked for; NULL does nothing. Work put on `stream` before may still be
 *   using the block; with a null stream nothing uses it any more.
 * message: why this thread's last allocate gave NULL, a sentence valid until its next call. May itself be NULL. */
typedef struct heddle_allocator {
    size_t size;
    void* user;
    void* (*allocate)(void* user, size_t bytes, size_t alignment, int space, void* stream);
    void (*release)(void* user, void* block, size_t bytes, size_t alignment, int space, void* stream);
    const char* (*message)(void* user);
} heddle_allocator;

#ifdef __cplusplus
}
#endif

#endif
