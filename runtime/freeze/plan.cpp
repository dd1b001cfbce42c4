// The memory of a replay: which temporaries lie above which, so that those needed at different times share bytes.
#include <algorithm>
#include <map>

#include "runtime/freeze/sequence.h"

namespace heddle::runtime {
namespace {

std::int64_t bytes_of_slot(const Sequence& s, const Slot& slot) {
    return std::max<std::int64_t>(s.formulas[slot.bytes].value.as<std::int64_t>(), 1);
}

bool together(const Slot& a, const Slot& b) { return a.place == b.place && a.first <= b.last && b.first <= a.last; }

struct Placed {
    std::uint32_t slot;
    std::int64_t begin, end;
};

/// First fit in the order of first use, by the sizes of the recording.
std::vector<Placed> first_fit(const Sequence& s, std::vector<std::uint32_t> slots) {
    std::stable_sort(slots.begin(), slots.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return s.slots[a].first < s.slots[b].first; });
    std::vector<Placed> out, live;
    for (const std::uint32_t k : slots) {
        const Slot& slot = s.slots[k];
        std::erase_if(live, [&](const Placed& p) { return s.slots[p.slot].last < slot.first; });
        std::int64_t at = 0;
        const std::int64_t bytes = bytes_of_slot(s, slot);
        for (const Placed& p : live)  // by begin
            if (s.slots[p.slot].place == slot.place && at + bytes > p.begin) at = std::max(at, p.end);
        out.push_back({k, at, at + bytes});
        live.push_back(out.back());
        std::sort(live.begin(), live.end(), [](const Placed& a, const Placed& b) { return a.begin < b.begin; });
    }
    std::stable_sort(out.begin(), out.end(), [](const Placed& a, const Placed& b) { return a.begin < b.begin; });
    return out;
}

/// Puts steps around those that use memory whose size depends on data.
void insert_allocations(Sequence& s, const std::vector<std::uint32_t>& slots) {
    std::map<int, std::vector<std::uint32_t>> before, after;
    for (const std::uint32_t k : slots) {
        before[s.slots[k].first].push_back(k);
        if (s.slots[k].kind == Slot::Kind::Temporary) after[s.slots[k].last].push_back(k);
    }
    std::vector<Step> out;
    for (int index = 0; index < static_cast<int>(s.steps.size()); ++index) {
        for (const std::uint32_t k : before[index]) out.emplace_back(AllocateStep{k});
        out.push_back(std::move(s.steps[static_cast<std::size_t>(index)]));
        for (const std::uint32_t k : after[index]) out.emplace_back(ReleaseStep{k});
    }
    for (const std::uint32_t k : before[-1]) out.emplace_back(AllocateStep{k});  // of results that no step uses
    s.steps = std::move(out);
}

void link_argument(const Sequence& s, StepArgument& a) {
    const auto zero = static_cast<std::uint32_t>(s.formulas.size());
    a.at = a.memory ? zero + 1 + a.slot : a.formula;
    a.plus = a.memory ? a.formula : zero;
}

void link_step(const Sequence& s, Step& step) {
    const auto all = [&](std::vector<StepArgument>& list) {
        for (StepArgument& a : list) link_argument(s, a);
    };
    if (auto* c = std::get_if<CallStep>(&step)) all(c->arguments);
    if (auto* l = std::get_if<LaunchStep>(&step)) all(l->arguments);
    if (auto* c = std::get_if<CopyStep>(&step)) link_argument(s, c->to), link_argument(s, c->from);
    if (auto* f = std::get_if<FetchStep>(&step)) link_argument(s, f->from);
}

}  // namespace

void link(Sequence& s) {
    for (std::uint32_t k = 0; k < s.formulas.size(); ++k) {
        s.values.push_back(s.formulas[k].value);
        if (s.formulas[k].op != Op::Constant && s.formulas[k].op != Op::Input) s.computed.push_back(k);
    }
    s.values.emplace_back();
    for (Step& step : s.steps) link_step(s, step);
    plan_memory(s);
    s.graphs = cuda_graphs(s);
}

void plan_memory(Sequence& s) {
    std::vector<std::uint32_t> fixed, late;
    for (std::uint32_t k = 0; k < s.slots.size(); ++k) {
        const Slot& slot = s.slots[k];
        const bool depends = s.formulas[slot.bytes].fetched;
        if (slot.kind == Slot::Kind::Temporary && slot.first >= 0) (depends ? late : fixed).push_back(k);
        if (slot.kind == Slot::Kind::Output) (depends ? late : s.outputs).push_back(k);
    }
    const auto placed = first_fit(s, fixed);
    for (std::size_t k = 0; k < placed.size(); ++k) {
        Planned p{placed[k].slot, {}};
        for (std::size_t j = 0; j < k; ++j)
            if (together(s.slots[placed[j].slot], s.slots[p.slot])) p.below.push_back(static_cast<std::uint32_t>(j));
        s.plan.push_back(std::move(p));
    }
    if (!late.empty()) insert_allocations(s, late);
}

}  // namespace heddle::runtime
