#include "runtime/cuda_emulated/block.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>

#include "runtime/cuda_emulated/engine.h"

namespace heddle::runtime {
namespace {

constexpr unsigned warp_lanes = 32;
constexpr unsigned most_idle_passes = 100'000;
constexpr unsigned char poison = 0xff;  // a NaN in floats, -1 in integers

unsigned volume(dim3 d) { return d.x * d.y * d.z; }

/// The next of a pseudo-random sequence (splitmix64, G. Steele, D. Lea, C. Flood).
std::uint64_t next_random(std::uint64_t& state) {
    std::uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/// What a thread of the block runs, block after block.
void run_threads(void* user) {
    auto& thread = *static_cast<CudaThread*>(user);
    for (;;) {
        thread.block->call_kernel();
        thread.waits = CudaThread::Waits::Ended;
        thread.fiber.suspend();
    }
}

std::string wait_text(const CudaThread& t) {
    static const char* const barriers[] = {"__syncthreads", "__syncthreads_count", "__syncthreads_and", "__syncthreads_or"};
    static const char* const warps[] = {"__syncwarp", "a shuffle", "a vote"};
    if (t.waits == CudaThread::Waits::Ended) return "have ended";
    if (t.waits == CudaThread::Waits::Barrier) return fmt::format("wait at {} in line {}", barriers[t.operation], t.line);
    return fmt::format("wait at {} of lanes {:#010x} in line {}", warps[t.operation], t.mask, t.line);
}

}  // namespace

CudaBlock::CudaBlock(const CudaLaunch& launch)
    : launch_(launch),
      count_(volume(launch.block)),
      stacks_(count_, launch.options.stack_bytes),
      threads_(std::make_unique<CudaThread[]>(count_)),
      order_(count_) {
    memory_ = find_shared_memory(launch);
    if (launch.checked) shadow_ = std::make_unique<Shadow>(memory_.begin, memory_.bytes, count_);
    for (unsigned i = 0; i < count_; i++) {
        CudaThread& t = threads_[i];
        t.block = this, t.number = i;
        t.self.thread_index = {i % launch.block.x, i / launch.block.x % launch.block.y, i / launch.block.x / launch.block.y};
        t.self.block_dim = launch.block, t.self.grid_dim = launch.grid;
        t.self.lane = i % warp_lanes;
        t.self.engine = &cuda_engine;
        t.self.shared_begin = memory_.begin, t.self.shared_bytes = launch.checked ? memory_.bytes : 0;
        t.fiber.prepare(stacks_.stack(i), stacks_.bytes(), run_threads, &t);
    }
    std::iota(order_.begin(), order_.end(), 0);
    if (launch.options.threads == CudaOrder::Descending) std::reverse(order_.begin(), order_.end());
}

void CudaBlock::call_kernel() { launch_.kernel->call(const_cast<void**>(launch_.arguments.data())); }

void CudaBlock::begin(uint3 index, std::uint64_t number) {
    random_ = launch_.options.seed * 0x2545f4914f6cdd1du + number;
    for (const auto& [begin, bytes] : memory_.poisoned) std::memset(begin, poison, bytes);
    if (shadow_) shadow_->begin_block();
    for (unsigned i = 0; i < count_; i++) {
        threads_[i].self.block_index = index;
        threads_[i].waits = CudaThread::Waits::Nothing;
    }
    live_ = count_, idle_passes_ = 0;
}

std::optional<CudaFailure> CudaBlock::run(uint3 index, std::uint64_t number) {
    begin(index, number);
    do pass();
    while (!failure_ && live_ > 0 && !stuck());
    if (!failure_) check_guards();
    return failure_;
}

void CudaBlock::reorder() {
    if (launch_.options.threads != CudaOrder::Random) return;
    for (unsigned i = count_; i > 1; i--) std::swap(order_[i - 1], order_[next_random(random_) % i]);
}

/// Every thread that waits for nothing runs until it does.
void CudaBlock::pass() {
    reorder();
    moved_ = false;
    for (const unsigned i : order_) {
        CudaThread& t = threads_[i];
        if (t.waits != CudaThread::Waits::Nothing) continue;
        *memory_.slot = reinterpret_cast<unsigned long>(&t.self);
        t.fiber.resume();
        if (failure_) return;
        if (t.waits == CudaThread::Waits::Nothing) continue;
        moved_ = true;
        live_ -= t.waits == CudaThread::Waits::Ended;
    }
}

/// Lets those go on who have met; true, with a failure, when nobody can.
bool CudaBlock::stuck() {
    const bool released = release_warps() | release_barrier();
    const auto ready = [](const CudaThread& t) { return t.waits == CudaThread::Waits::Nothing; };
    if (!released && std::none_of(threads_.get(), threads_.get() + count_, ready))
        set_failure({"divergent barrier: " + waiting_threads()});
    idle_passes_ = released || moved_ ? 0 : idle_passes_ + 1;
    if (idle_passes_ > most_idle_passes)
        set_failure(
            {"no progress: threads wait by atomics for what no other thread of the block brings; " + waiting_threads()});
    return failure_.has_value();
}

void CudaBlock::go_on(CudaThread& thread) { thread.waits = CudaThread::Waits::Nothing; }

bool CudaBlock::release_barrier() {
    unsigned positive = 0;
    for (unsigned i = 0; i < count_; i++) {
        const CudaThread& t = threads_[i];
        if (t.waits != CudaThread::Waits::Barrier || t.line != threads_[0].line || t.operation != threads_[0].operation)
            return false;
        positive += t.value != 0;
    }
    for (unsigned i = 0; i < count_; i++) {
        CudaThread& t = threads_[i];
        const unsigned long long answers[] = {0, positive, positive == count_, positive != 0};
        t.value = answers[t.operation];
        go_on(t);
    }
    if (shadow_) shadow_->barrier();
    return true;
}

/// Whether all lanes that the thread waits for are there; those that ended or never were are not waited for.
bool CudaBlock::complete(const CudaThread& thread, unsigned& lanes) const {
    const unsigned first = thread.number / warp_lanes * warp_lanes;
    lanes = 0;
    for (unsigned lane = 0; lane < warp_lanes && first + lane < count_; lane++) {
        const CudaThread& t = threads_[first + lane];
        if (!(thread.mask >> lane & 1) || t.waits == CudaThread::Waits::Ended) continue;
        const bool same = t.waits == CudaThread::Waits::Warp && t.operation == thread.operation && t.mask == thread.mask;
        if (!same || (t.operation != heddle_cuda_sync && t.line != thread.line)) return false;
        lanes |= 1u << lane;
    }
    return true;
}

bool CudaBlock::release_warps() {
    bool any = false;
    for (unsigned i = 0; i < count_ && !failure_; i++) {
        unsigned lanes = 0;
        if (threads_[i].waits != CudaThread::Waits::Warp || !complete(threads_[i], lanes)) continue;
        answer_warp(i / warp_lanes * warp_lanes, lanes);
        any = true;
    }
    return any;
}

void CudaBlock::answer_warp(unsigned first, unsigned lanes) {
    unsigned long long brought[warp_lanes] = {}, ballot = 0;
    for (unsigned lane = 0; lane < warp_lanes; lane++) {
        if (!(lanes >> lane & 1)) continue;
        brought[lane] = threads_[first + lane].value;
        if (brought[lane] != 0) ballot |= 1ull << lane;
    }
    for (unsigned lane = 0; lane < warp_lanes; lane++) {
        if (!(lanes >> lane & 1)) continue;
        CudaThread& t = threads_[first + lane];
        if (t.operation == heddle_cuda_shuffle && !(lanes >> t.source & 1))
            return set_failure({fmt::format(
                "thread {} reads lane {} by the shuffle in line {}, and that lane takes no part (lanes {:#010x} do)",
                cuda_index_text(t.self.thread_index), t.source, t.line, lanes)});
        t.value = t.operation == heddle_cuda_ballot ? ballot : brought[t.source];
        go_on(t);
    }
    if (shadow_ && threads_[first + static_cast<unsigned>(__builtin_ctz(lanes))].operation == heddle_cuda_sync)
        shadow_->sync_warp(first / warp_lanes, lanes);
}

unsigned long long CudaBlock::wait_barrier(CudaThread& t, heddle_cuda_vote vote, int value, int line) {
    t.waits = CudaThread::Waits::Barrier, t.operation = vote, t.value = value != 0, t.line = line;
    t.fiber.suspend();
    return t.value;
}

unsigned long long CudaBlock::wait_warp(CudaThread& t, heddle_cuda_warp what, unsigned mask, unsigned long long value,
                                        unsigned source, int line) {
    if (!(mask >> t.self.lane & 1))
        fail(t, {fmt::format("lane {} is not in the mask {:#010x} that it gives in line {}", t.self.lane, mask, line)});
    t.waits = CudaThread::Waits::Warp, t.operation = what, t.mask = mask, t.value = value, t.source = source, t.line = line;
    t.fiber.suspend();
    return t.value;
}

unsigned CudaBlock::active_lanes(const CudaThread& thread) const {
    const unsigned first = thread.number / warp_lanes * warp_lanes;
    unsigned lanes = 0;
    for (unsigned lane = 0; lane < warp_lanes && first + lane < count_; lane++)
        if (threads_[first + lane].waits != CudaThread::Waits::Ended) lanes |= 1u << lane;
    return lanes;
}

void CudaBlock::pause(CudaThread& thread) { thread.fiber.suspend(); }

void CudaBlock::check_access(CudaThread& thread, const SharedAccess& access) {
    if (auto failure = memory_failure(memory_, access)) return fail(thread, std::move(*failure));
    const auto conflict = shadow_->access(access);
    if (!conflict) return;
    const CudaThread& other = threads_[conflict->other];
    fail(thread, conflict_failure(access, *conflict, other.self.thread_index));
}

void CudaBlock::fail(CudaThread& thread, CudaFailure failure) {
    failure.text = "thread " + cuda_index_text(thread.self.thread_index) + ": " + failure.text;
    set_failure(std::move(failure));
    thread.fiber.suspend();
}

void CudaBlock::set_failure(CudaFailure failure) {
    if (!failure_) failure_ = std::move(failure);
}

void CudaBlock::check_guards() {
    for (const auto& [begin, bytes] : memory_.guards) {
        char* const end = begin + bytes;
        char* const hit = std::find_if(begin, end, [](char c) { return c != static_cast<char>(poison); });
        if (hit == end) continue;
        const auto at = static_cast<long long>(reinterpret_cast<std::uintptr_t>(hit)) - static_cast<long long>(memory_.dynamic);
        set_failure({fmt::format("dynamic shared memory of {} bytes was written at byte {}", launch_.shared_bytes, at)});
    }
}

std::string CudaBlock::waiting_threads() const {
    std::map<std::string, std::pair<unsigned, unsigned>> groups;  // what they do -> how many, the first
    for (unsigned i = 0; i < count_; i++)
        if (threads_[i].waits != CudaThread::Waits::Nothing)
            groups.try_emplace(wait_text(threads_[i]), 0u, i).first->second.first++;
    std::string out;
    for (const auto& [text, group] : groups)
        out += fmt::format("{}{} of {} threads, the first {}, {}", out.empty() ? "" : "; ", group.first, count_,
                           cuda_index_text(threads_[group.second].self.thread_index), text);
    return out;
}

}  // namespace heddle::runtime
