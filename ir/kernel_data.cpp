#include "ir/kernel_data.h"

#include <algorithm>

namespace heddle {
namespace {

template <class T>
const T* find_named(const std::vector<T>& items, Name name) {
    const auto it = std::find_if(items.begin(), items.end(), [&](const T& x) { return x.name == name; });
    return it == items.end() ? nullptr : &*it;
}

}  // namespace

namespace {

/// The last of a run of arrays that has this name; null when none has.
const Array* find_behind(const std::vector<Array>& arrays, std::size_t first, Name name) {
    for (std::size_t k = arrays.size(); k > first; --k)
        if (arrays[k - 1].name == name) return &arrays[k - 1];
    return nullptr;
}

}  // namespace

/// The map is made anew only after an eighth has been added: a kernel that grows array by array costs a constant for each.
const Array* ArrayIndex::find(const std::vector<Array>& arrays, Name name) const {
    constexpr std::size_t few = 16;
    if (arrays.size() <= few) return find_named(arrays, name);
    std::shared_ptr<const Map> map = map_.load();
    if (!map || map->size() > arrays.size() || arrays.size() - map->size() > few + map->size() / 8) {
        auto fresh = std::make_shared<Map>();
        for (std::size_t k = 0; k < arrays.size(); ++k) fresh->emplace(arrays[k].name, k);
        map_.store(fresh);
        if (fresh->size() != arrays.size()) return find_named(arrays, name);  // a duplicate name, not yet refused
        map = fresh;
    }
    const auto it = map->find(name);
    if (it == map->end()) return find_behind(arrays, map->size(), name);
    return arrays[it->second].name == name ? &arrays[it->second] : find_named(arrays, name);
}

const RuleDef* KernelData::find_rule(Name n) const { return find_named(rules, n); }
const OperatorDef* KernelData::find_operator(Name n) const { return find_named(operators, n); }
const ExternDef* KernelData::find_extern(Name n) const { return find_named(externs, n); }
bool KernelData::is_parameter(Name n) const { return find_named(parameters, n) != nullptr; }

}  // namespace heddle
