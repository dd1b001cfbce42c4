#include "target/workspace.h"

#include <algorithm>

#include "ir/interpret_machine.h"
#include "ir/tree.h"
#include "target/place_storage.h"

namespace heddle {
namespace {

/// Bytes for sizes of the kind that matter: all parameters 128.
double typical_bytes(const KernelData& kernel, const Array& a, bool for_each_thread) {
    Env sizes;
    for (const Parameter& p : kernel.parameters) sizes[p.name] = 128;
    const double count = static_cast<double>(interp::index_value(memory_elements(a), sizes).value_or(1 << 20));
    return count * static_cast<double>(size_of(a.type)) * (for_each_thread ? 8 : 1);
}

/// How many positions of its own a call takes: as many as its callee has, and those that it calls.
std::size_t span(const CallPlan& plan) {
    std::size_t out = 1;
    for (const Slot& s : plan.callee->memory) out = std::max(out, s.live.last + 1);
    return out;
}

}  // namespace

std::vector<Slot> plan_workspace(const KernelData& kernel, const std::map<Name, Storage>& storage,
                                 const std::map<std::size_t, CallPlan>& calls) {
    std::size_t scale = 1;
    for (const auto& [statement, plan] : calls) scale = std::max(scale, span(plan));
    std::vector<Tenant> tenants;
    const auto add = [&](Name name, LiveRange live) {
        const auto it = storage.find(name);
        if (it == storage.end() || it->second.kind != Storage::Kind::Allocated) return;
        const Array& a = *kernel.find_array(name);
        tenants.push_back({name, live, a.type, typical_bytes(kernel, a, it->second.for_each_thread)});
    };
    for (const auto& [name, live] : live_ranges(kernel)) add(name, {live.first * scale, live.last * scale + scale - 1});
    const std::vector<std::size_t> order = statements_under(kernel.root);
    for (std::size_t position = 0; position < order.size() && !calls.empty(); ++position) {
        const auto call = calls.find(order[position]);
        if (call == calls.end()) continue;
        for (const Slot& s : call->second.callee->memory)
            for (const auto& [theirs, ours] : call->second.borrowed)
                if (theirs == s.name) add(ours, {position * scale + s.live.first, position * scale + s.live.last});
    }
    return plan_memory(tenants);
}

}  // namespace heddle
