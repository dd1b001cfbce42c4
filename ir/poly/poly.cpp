// The isl context of a thread, its budget, and isl's errors as ours.
#include "ir/poly.h"

#include <fmt/format.h>
#include <isl/ctx.h>
#include <isl/options.h>

#include "ir/error.h"

namespace heddle::poly {
namespace {

/// Owns the context of one thread. Everything made from it must be gone when the thread ends.
struct Owner {
    isl_ctx* ctx;

    Owner() : ctx(isl_ctx_alloc()) {
        if (!ctx) throw Error(ErrorKind::Runtime, "memory", "no memory for an isl context");
        isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
    }
    ~Owner() { isl_ctx_free(ctx); }
};

/// What the budget in force is for; empty when there is none.
std::string& purpose() {
    thread_local std::string text;
    return text;
}

}  // namespace

isl::ctx context() {
    thread_local Owner owner;
    return isl::ctx(owner.ctx);
}

Budget::Budget(std::string what, unsigned long operations) : outer_(isl_ctx_get_max_operations(context().get())) {
    isl_ctx* ctx = context().get();
    isl_ctx_set_max_operations(ctx, operations);
    isl_ctx_reset_operations(ctx);
    purpose() = std::move(what);
}

Budget::~Budget() {
    isl_ctx* ctx = context().get();
    isl_ctx_set_max_operations(ctx, outer_);
    isl_ctx_reset_operations(ctx);
}

void rethrow(const std::string& what) {
    const std::string& of = what.empty() ? purpose() : what;
    isl_ctx_reset_error(context().get());
    try {
        throw;
    } catch (const isl::exception_quota&) {
        throw user_error("budget", fmt::format("{} needs more work than the analysis may spend", of))
            .hint("fix some of the sizes, or simplify the bounds and subscripts");
    } catch (const isl::exception& e) {
        throw Error(ErrorKind::Internal, "isl", fmt::format("{}: {}", of, e.what()));
    }
}

}  // namespace heddle::poly
