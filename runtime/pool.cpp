#include "runtime/pool.h"

#include "runtime/pool/state.h"

namespace heddle::runtime {
namespace {

bool power_of_two(std::size_t n) { return n != 0 && (n & (n - 1)) == 0; }

PoolOptions checked(PoolOptions o) {
    if (o.alignment == 0) o.alignment = o.space == heddle_space_host ? host_alignment : device_alignment;
    if (!power_of_two(o.alignment) || o.alignment < 64)
        throw RuntimeError(Code::BadArgument,
                           o.name + ": the alignment has to be a power of two from 64, not " + std::to_string(o.alignment));
    if (!power_of_two(o.chunk) || o.chunk < 4096 || o.chunk < o.alignment)
        throw RuntimeError(
            Code::BadArgument,
            o.name + ": the chunk has to be a power of two from 4096 and the alignment, not " + std::to_string(o.chunk));
    if (!(o.waste >= 1))
        throw RuntimeError(Code::BadArgument, o.name + ": the waste is a factor of at least 1, not " + std::to_string(o.waste));
    return o;
}

std::shared_ptr<PoolState> make_state(PoolOptions options, Allocator below, bool joins) {
    return {new PoolState(checked(std::move(options)), std::move(below), joins), PoolState::abandon};
}

PoolOptions host_only(PoolOptions o) {
    if (o.space == heddle_space_host) return o;
    throw RuntimeError(Code::BadArgument, o.name + ": memory outside the host needs an allocator below that gives it");
}

}  // namespace

Pool::Pool(PoolOptions options) : state_(make_state(host_only(std::move(options)), page_allocator(), true)) {}
Pool::Pool(PoolOptions options, Allocator below) : state_(make_state(std::move(options), std::move(below), false)) {}
Pool::~Pool() = default;
Pool::Pool(Pool&&) noexcept = default;
Pool& Pool::operator=(Pool&&) noexcept = default;

void* Pool::allocate(std::size_t bytes, std::size_t alignment, void* stream) {
    const Request request{bytes, alignment != 0 ? alignment : state_->alignment(), state_->space(), stream};
    if (void* block = state_->allocate(request)) return block;
    throw RuntimeError(power_of_two(request.alignment) ? Code::OutOfMemory : Code::BadArgument, last_message());
}

void Pool::release(void* block, void* stream) {
    if (block == nullptr) return;
    if (const std::string wrong = state_->take_back(block, std::nullopt, stream); !wrong.empty())
        throw RuntimeError(Code::Check, wrong);
}

Allocator Pool::allocator() const { return make_allocator(state_); }
std::size_t Pool::trim(std::size_t keep) { return state_->trim(keep); }
PoolStatistics Pool::statistics() const { return state_->statistics(); }

void Pool::close() {
    if (const std::string leak = state_->live_text(); !leak.empty()) throw RuntimeError(Code::Check, leak);
    state_.reset();
}

}  // namespace heddle::runtime
