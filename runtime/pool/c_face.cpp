#include <exception>

#include "runtime/heddle_pool.h"
#include "runtime/pool.h"

using heddle::runtime::Allocator;
using heddle::runtime::Code;
using heddle::runtime::Pool;
using heddle::runtime::PoolOptions;
using heddle::runtime::RuntimeError;

struct heddle_pool {
    Pool pool;
    Allocator allocator;
};

namespace {

PoolOptions converted(const heddle_pool_options& c) {
    if (c.size < sizeof c)
        throw RuntimeError(Code::BadArgument, "the pool's options belong to an older version: their size is less");
    PoolOptions out;
    out.space = c.space;
    out.limit = c.limit;
    out.alignment = c.alignment;
    if (c.chunk != 0) out.chunk = c.chunk;
    if (c.wait != nullptr)
        out.wait = [wait = c.wait, user = c.user](void* from, void* to) { return wait(user, from, to) == 0; };
    if (c.report != nullptr)
        out.report = [report = c.report, user = c.user](Code code, const std::string& text) {
            report(user, static_cast<int>(code), text.c_str());
        };
    return out;
}

/// Runs it; what it throws becomes a status and the message.
template <class Run>
int guarded(const Run& run) noexcept {
    try {
        run();
        return heddle_ok;
    } catch (const RuntimeError& e) {
        heddle::runtime::set_message("%s", e.what());
        return static_cast<int>(e.code());
    } catch (const std::exception& e) {
        heddle::runtime::set_message("out of memory: %s", e.what());
        return heddle_out_of_memory;
    }
}

}  // namespace

extern "C" {

int heddle_pool_create(const heddle_pool_options* options, const heddle_allocator* below, heddle_pool** pool) {
    return guarded([&] {
        if (options == nullptr || pool == nullptr)
            throw RuntimeError(Code::BadArgument, "heddle_pool_create needs options and a place for the pool");
        PoolOptions o = converted(*options);
        Pool made = below != nullptr ? Pool(std::move(o), Allocator(*below)) : Pool(std::move(o));
        Allocator face = made.allocator();
        *pool = new heddle_pool{std::move(made), std::move(face)};
    });
}

int heddle_pool_destroy(heddle_pool* pool) {
    if (pool == nullptr) return heddle_ok;
    const bool live = pool->pool.statistics().live_blocks != 0;
    delete pool;
    return live ? heddle_check : heddle_ok;
}

const heddle_allocator* heddle_pool_allocator(const heddle_pool* pool) { return pool->allocator.raw(); }

size_t heddle_pool_trim(heddle_pool* pool, size_t keep) {
    size_t given = 0;
    guarded([&] { given = pool->pool.trim(keep); });
    return given;
}

heddle_pool_statistics heddle_pool_state(const heddle_pool* pool) { return pool->pool.statistics(); }

const char* heddle_last_message(void) { return heddle::runtime::last_message(); }
}
