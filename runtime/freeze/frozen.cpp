#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "runtime/freeze.h"

namespace heddle::runtime {
namespace {

bool freezing_at_start() {
    const char* setting = std::getenv("HEDDLE_FREEZE");
    return setting == nullptr || std::string(setting) != "off";
}
std::atomic<bool>& freezing_flag() {
    static std::atomic<bool> on{freezing_at_start()};
    return on;
}

struct ThreadScratch {
    Bound bound;
    bool taken = false;
};
thread_local ThreadScratch scratch;

}  // namespace

void set_freezing(bool on) { freezing_flag() = on; }
bool freezing() { return freezing_flag().load(std::memory_order_relaxed); }

BoundScratch::BoundScratch() : bound_(scratch.taken ? &own_ : &scratch.bound) {
    scratch.taken = true;
    bound_->clear();
}
BoundScratch::~BoundScratch() {
    if (bound_ != &own_) scratch.taken = false;
}

std::shared_ptr<const FrozenCore::List> FrozenCore::list() const {
    const std::lock_guard lock(mutex_);
    return list_;
}

bool FrozenCore::replay(const Bound& bound, ResultSink& sink) {
    const auto all = list();
    Mismatch nearest;
    const Sequence* near = nullptr;
    for (const auto& sequence : *all) {
        const Mismatch why = runtime::replay(*sequence, bound, sink);
        if (why.kind == Mismatch::Kind::None) {
            if (all->size() > 1) sequence->used = ++clock_;
            return true;
        }
        if (near == nullptr || std::pair(why.kind, why.a) > std::pair(nearest.kind, nearest.a))
            nearest = why, near = sequence.get();
    }
    const std::lock_guard lock(mutex_);
    if (near != nullptr) statistics_.reason = mismatch_text(*near, bound, nearest);
    return false;
}

void FrozenCore::add(std::shared_ptr<const Sequence> sequence) {
    const std::lock_guard lock(mutex_);
    auto next = std::make_shared<List>(*list_);
    sequence->used = ++clock_;
    while (!next->empty() && next->size() >= std::max<std::size_t>(options_.limit, 1)) {
        const auto oldest =
            std::min_element(next->begin(), next->end(), [](const auto& a, const auto& b) { return a->used < b->used; });
        replays_ += (*oldest)->replays;
        next->erase(oldest);
        ++statistics_.evicted;
    }
    next->insert(next->begin(), std::move(sequence));
    ++statistics_.recordings;
    list_ = std::move(next);
}

void FrozenCore::clear() {
    const std::lock_guard lock(mutex_);
    for (const auto& s : *list_) replays_ += s->replays;
    list_ = std::make_shared<List>();
}

FreezeStatistics FrozenCore::statistics() const {
    const std::lock_guard lock(mutex_);
    FreezeStatistics out = statistics_;
    out.kept = list_->size();
    out.replays = replays_;
    for (const auto& s : *list_) out.replays += s->replays;
    return out;
}

std::string FrozenCore::inspect() const {
    std::string out;
    std::size_t number = 0;
    for (const auto& s : *list())
        out += fmt::format("recording {}, replayed {} times\n{}", ++number, s->replays.load(), describe(*s));
    return out;
}

}  // namespace heddle::runtime
