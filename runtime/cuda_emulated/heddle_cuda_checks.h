// What the compiler calls in checked text: an access to memory that threads may share, an index outside an array's type.
#pragma once

#ifdef HEDDLE_CUDA_CHECKED
#define HEDDLE_CUDA_HOOK extern "C" __attribute__((visibility("hidden"), used, no_sanitize("thread", "undefined")))

static inline __attribute__((always_inline, no_sanitize("thread", "undefined"))) void heddle_cuda_touch(
    const void* p, unsigned long bytes, heddle_cuda_access access, const void* pc) {
    const heddle_cuda_thread* self = heddle_cuda_self;
    if ((unsigned long)p - self->shared_begin < self->shared_bytes) self->engine->access(self, p, bytes, access, pc);
}

#define HEDDLE_CUDA_TOUCH(name, bytes, access) \
    HEDDLE_CUDA_HOOK void __tsan_##name(void* p) { heddle_cuda_touch(p, bytes, access, __builtin_return_address(0)); }
#define HEDDLE_CUDA_TOUCHES(n)                                \
    HEDDLE_CUDA_TOUCH(read##n, n, heddle_cuda_read)           \
    HEDDLE_CUDA_TOUCH(write##n, n, heddle_cuda_write)         \
    HEDDLE_CUDA_TOUCH(unaligned_read##n, n, heddle_cuda_read) \
    HEDDLE_CUDA_TOUCH(unaligned_write##n, n, heddle_cuda_write)
HEDDLE_CUDA_TOUCHES(1)
HEDDLE_CUDA_TOUCHES(2)
HEDDLE_CUDA_TOUCHES(4)
HEDDLE_CUDA_TOUCHES(8)
HEDDLE_CUDA_TOUCHES(16)
#undef HEDDLE_CUDA_TOUCHES
#undef HEDDLE_CUDA_TOUCH
HEDDLE_CUDA_HOOK void __tsan_read_range(void* p, unsigned long bytes) {
    heddle_cuda_touch(p, bytes, heddle_cuda_read, __builtin_return_address(0));
}
HEDDLE_CUDA_HOOK void __tsan_write_range(void* p, unsigned long bytes) {
    heddle_cuda_touch(p, bytes, heddle_cuda_write, __builtin_return_address(0));
}
HEDDLE_CUDA_HOOK void __tsan_init() {}
HEDDLE_CUDA_HOOK void __tsan_func_entry(void*) {}
HEDDLE_CUDA_HOOK void __tsan_func_exit() {}

// The compiler's record of an indexed array: where, and the types.
struct heddle_cuda_type {
    unsigned short kind, info;  // info: bit 0 signed, the rest the logarithm of the width
    char name[1];
};
struct heddle_cuda_bounds {
    const char* file;
    unsigned line, column;
    const heddle_cuda_type *array, *index;
};
HEDDLE_CUDA_HOOK void __ubsan_handle_out_of_bounds(void* data, void* index) {
    const heddle_cuda_bounds* where = static_cast<const heddle_cuda_bounds*>(data);
    const unsigned width = 1u << (where->index->info >> 1), above = width < 64 ? 64 - width : 0;
    const long long raw = (long long)((unsigned long long)(size_t)index << above);
    const long long value = where->index->info & 1 ? raw >> above : (long long)((unsigned long long)raw >> above);
    heddle_cuda_self->engine->bad_index(heddle_cuda_self, where->array->name, value, (int)where->line);
}
#undef HEDDLE_CUDA_HOOK
#endif
