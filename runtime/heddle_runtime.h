/* What emitted code and the runtime agree on: status codes, the allocator, devices. C11 and C++17; may be copied into other
 * text. */
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
    heddle_check = 7,
    heddle_no_device = 8,    /* no such device, or no library for it on this machine */
    heddle_device_failed = 9 /* a call of the device's interface failed */
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

/* One argument of a device function. `value` points to it: to a pointer into the device's memory where is_memory is not 0
 * (`size` is that of a pointer then; the pointer may lie inside a block, and may be NULL), else to a value of `size` bytes,
 * which is copied. */
typedef struct heddle_argument {
    const void* value;
    size_t size;
    int32_t is_memory;
} heddle_argument;

/* A launch of a function of the device's program. No blocks along some axis: nothing runs, which is no failure.
 * shared_bytes: dynamic shared memory of a block; under OpenCL, when not 0, a __local buffer as one more parameter, the last.
 */
typedef struct heddle_launch {
    const char* function;
    int64_t blocks[3]; /* of the grid, x first */
    int32_t lanes[3];  /* threads of a block, x first */
    size_t shared_bytes;
    int32_t count;
    const heddle_argument* arguments;
} heddle_launch;

enum heddle_copy { heddle_copy_to_device = 0, heddle_copy_from_device = 1, heddle_copy_within = 2 };

/* A device with a program loaded, as emitted host code sees it. Functions give a heddle_status; `error` is the text of this
 * thread's last failure. They may be called from several threads and never throw.
 *
 * size: sizeof(heddle_device). Fields are only ever added at the end: who is given less than what he knows refuses it.
 * memory: of the device, for heddle_space_device. Its addresses mean something on the device only.
 * stream: what runs in order; NULL: the device's own first stream. Launches and copies return before they are done.
 * copy: host memory that takes part has to stay until the stream is finished. Ranges of one copy do not overlap.
 * finish: returns when everything put on `stream` before is done, with the failures of that work. */
typedef struct heddle_device {
    size_t size;
    void* user;
    const heddle_allocator* memory;
    int32_t (*launch)(void* user, const heddle_launch* launch, void* stream);
    int32_t (*copy)(void* user, void* to, const void* from, size_t bytes, int32_t kind, void* stream);
    int32_t (*finish)(void* user, void* stream);
    const char* (*error)(void* user);
} heddle_device;

#ifdef __cplusplus
}
#endif

#endif
