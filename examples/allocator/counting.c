/* A user's own allocator in C: malloc that counts, behind Heddle's interface, and a pool in front of it.
 * Build: cc -std=c11 -I. -c examples/allocator/counting.c, then link with a C++ compiler and the library heddle_runtime. */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/heddle_pool.h"

typedef struct counting {
    size_t live, calls;
    char message[80];
} counting;

static void* counting_allocate(void* user, size_t bytes, size_t alignment, int space, void* stream) {
    counting* self = (counting*)user;
    (void)stream; /* host memory: a block may be used at once */
    if (space != heddle_space_host || bytes > SIZE_MAX - 2 * alignment) return NULL;
    void* block = aligned_alloc(alignment, (bytes / alignment + 1) * alignment);
    if (!block) {
        snprintf(self->message, sizeof self->message, "no %zu bytes", bytes);
        return NULL;
    }
    self->live += 1;
    self->calls += 1;
    return block;
}

static void counting_release(void* user, void* block, size_t bytes, size_t alignment, int space, void* stream) {
    (void)bytes, (void)alignment, (void)space, (void)stream;
    if (block) ((counting*)user)->live -= 1;
    free(block);
}

static const char* counting_message(void* user) { return ((counting*)user)->message; }

/* Stands for an emitted function: it takes the allocator from its caller, and gives back what it took on every path. */
static int smooth(const heddle_allocator* memory, size_t n, const double* in, double* out) {
    if (memory->size < sizeof *memory) return heddle_bad_argument;
    double* t = (double*)memory->allocate(memory->user, n * sizeof *t, 64, heddle_space_host, NULL);
    if (!t) return heddle_out_of_memory;
    for (size_t i = 0; i < n; ++i) t[i] = 0.5 * (in[i] + in[i ? i - 1 : 0]);
    for (size_t i = 0; i < n; ++i) out[i] = 0.5 * (t[i] + t[i + 1 < n ? i + 1 : i]);
    memory->release(memory->user, t, n * sizeof *t, 64, heddle_space_host, NULL);
    return heddle_ok;
}

int main(void) {
    enum { n = 1000 };
    static double in[n], out[n];
    counting user = {0, 0, ""};
    const heddle_allocator mine = {sizeof(heddle_allocator), &user, counting_allocate, counting_release, counting_message};
    for (int k = 0; k < 100; ++k)
        if (smooth(&mine, n, in, out) != heddle_ok) return 1;
    printf("alone: %zu calls, %zu live\n", user.calls, user.live);

    heddle_pool_options options = {sizeof(heddle_pool_options), 64 << 20, 0, 0, heddle_space_host, NULL, NULL, NULL};
    heddle_pool* pool = NULL;
    if (heddle_pool_create(&options, &mine, &pool) != heddle_ok) {
        printf("%s\n", heddle_last_message());
        return 1;
    }
    user.calls = 0;
    for (int k = 0; k < 100; ++k)
        if (smooth(heddle_pool_allocator(pool), n, in, out) != heddle_ok) return 1;
    printf("below a pool: %zu call, %zu live\n", user.calls, user.live);

    if (smooth(heddle_pool_allocator(pool), (size_t)1 << 24, in, out) != heddle_out_of_memory) return 1;
    printf("%s\n", heddle_last_message());
    if (heddle_pool_destroy(pool) != heddle_ok) return 1;
    printf("at the end: %zu live\n", user.live);
    return 0;
}
