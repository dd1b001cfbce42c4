#include "target/memory_plan.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace heddle {
namespace {

bool must_not_meet(const Tenant& a, const Tenant& b) { return a.live.overlaps(b.live) || a.type != b.type; }

/// Blocks with the places that first fit gave them.
struct Packing {
    std::vector<double> at;
    double height = 0;
};

/// Each block, in this order, at the lowest place where it meets none that was placed before and is needed at the same time.
Packing first_fit(const std::vector<Tenant>& tenants, const std::vector<std::size_t>& order) {
    Packing out{std::vector<double>(tenants.size()), 0};
    std::vector<std::size_t> placed;
    for (const std::size_t k : order) {
        std::vector<std::pair<double, double>> taken;
        for (const std::size_t m : placed)
            if (must_not_meet(tenants[m], tenants[k])) taken.emplace_back(out.at[m], out.at[m] + tenants[m].size);
        std::sort(taken.begin(), taken.end());
        double at = 0;
        for (const auto& [from, to] : taken) {
            if (at + tenants[k].size <= from) break;
            at = std::max(at, to);
        }
        out.at[k] = at;
        out.height = std::max(out.height, at + tenants[k].size);
        placed.push_back(k);
    }
    return out;
}

Packing best_packing(const std::vector<Tenant>& tenants) {
    std::vector<std::size_t> order(tenants.size());
    std::iota(order.begin(), order.end(), 0);
    const auto length = [](const Tenant& t) { return static_cast<double>(t.live.last - t.live.first + 1); };
    const std::vector<std::function<double(const Tenant&)>> keys = {[](const Tenant& t) { return t.size; }, length,
                                                                    [&](const Tenant& t) { return t.size * length(t); }};
    Packing best = first_fit(tenants, order);
    for (const auto& key : keys) {
        auto sorted = order;
        std::stable_sort(sorted.begin(), sorted.end(),
                         [&](std::size_t a, std::size_t b) { return key(tenants[a]) > key(tenants[b]); });
        Packing other = first_fit(tenants, sorted);
        if (other.height < best.height) best = std::move(other);
    }
    return best;
}

/// Removes what lies below another of the list anyway.
void keep_highest(const std::vector<Slot>& slots, std::vector<std::size_t>& above) {
    std::vector<char> reached(slots.size()), below(slots.size());
    for (const std::size_t k : above) reached[k] = 1;
    for (std::size_t k = slots.size(); k-- > 0;) {
        if (!reached[k]) continue;
        for (const std::size_t m : slots[k].above) reached[m] = below[m] = 1;
    }
    std::erase_if(above, [&](std::size_t m) { return below[m] != 0; });
}

}  // namespace

std::vector<Slot> plan_memory(const std::vector<Tenant>& given) {
    std::vector<Tenant> tenants = given;
    std::stable_sort(tenants.begin(), tenants.end(),
                     [](const Tenant& a, const Tenant& b) { return a.live.first < b.live.first; });
    for (Tenant& t : tenants) t.size = std::max(t.size, 1.0);
    const Packing packing = best_packing(tenants);
    std::vector<std::size_t> order(tenants.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return packing.at[a] < packing.at[b]; });
    std::vector<Slot> out;
    for (const std::size_t k : order) {
        Slot slot{tenants[k].name, tenants[k].live, false, {}};
        for (std::size_t m = 0; m < out.size(); ++m) {
            const bool apart = must_not_meet(tenants[k], tenants[order[m]]);
            if (apart) slot.above.push_back(m);
            slot.shares = slot.shares || !apart;
            out[m].shares = out[m].shares || !apart;
        }
        keep_highest(out, slot.above);
        out.push_back(std::move(slot));
    }
    return out;
}

std::optional<std::vector<std::pair<std::int64_t, std::int64_t>>> lay_out(const std::vector<Slot>& plan,
                                                                          const std::vector<std::int64_t>& sizes) {
    std::vector<std::pair<std::int64_t, std::int64_t>> out;
    for (std::size_t k = 0; k < plan.size(); ++k) {
        std::int64_t start = 0, end = 0;
        for (const std::size_t m : plan[k].above) start = std::max(start, out[m].second);
        if (__builtin_add_overflow(start, sizes[k], &end)) return std::nullopt;
        out.emplace_back(start, end);
    }
    return out;
}

}  // namespace heddle
