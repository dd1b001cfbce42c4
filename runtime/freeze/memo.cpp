#include "runtime/memo.h"

#include <algorithm>

namespace heddle::runtime {

std::size_t ModuleMemo::hash(const Identity& values) {
    std::size_t out = values.size();
    for (const auto& v : values) out = (out ^ (reinterpret_cast<std::size_t>(v.get()) >> 4)) * 0x9E3779B97F4A7C15u;
    return out;
}

/// An address may come back for another value: then the old one's owner is gone.
bool ModuleMemo::same(const Entry& entry, const Identity& values) {
    return std::equal(entry.values.begin(), entry.values.end(), values.begin(), values.end(),
                      [](const auto& a, const auto& b) { return !a.owner_before(b) && !b.owner_before(a) && !a.expired(); });
}

Module ModuleMemo::get(const Identity& values, const std::function<Module()>& make) {
    const std::size_t key = hash(values);
    const auto find = [&]() -> const Module* {
        const auto [first, last] = entries_.equal_range(key);
        for (auto at = first; at != last; ++at)
            if (same(at->second, values)) return &at->second.module;
        return nullptr;
    };
    {
        const std::lock_guard lock(mutex_);
        if (const Module* known = find()) return *known;
    }
    Module made = make();
    const std::lock_guard lock(mutex_);
    if (const Module* known = find()) return *known;
    if (entries_.size() >= sweep_at_) sweep();
    entries_.emplace(key, Entry{{values.begin(), values.end()}, made});
    return made;
}

void ModuleMemo::sweep() {
    const auto gone = [](const Entry& e) {
        return std::any_of(e.values.begin(), e.values.end(), [](const auto& v) { return v.expired(); });
    };
    std::erase_if(entries_, [&](const auto& item) { return gone(item.second); });
    sweep_at_ = std::max<std::size_t>(64, 2 * entries_.size());
}

std::size_t ModuleMemo::size() const {
    const std::lock_guard lock(mutex_);
    return entries_.size();
}

ModuleMemo& module_memo() {
    static ModuleMemo* memo = new ModuleMemo;  // modules are not unloaded while static variables go
    return *memo;
}

}  // namespace heddle::runtime
