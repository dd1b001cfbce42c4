// The cheap filter: which pairs of accesses have to be looked at.
#include <algorithm>

#include "ir/depend/pairs.h"

namespace heddle::depend {
namespace {

struct Item {
    std::size_t statement, access;
    const AccessModel* model;
};
using Items = std::vector<Item>;

/// The accesses of one array, or of arrays that may overlap.
class Bucket {
public:
    Bucket(const Model& model, const std::function<bool(const Candidate&)>& f) : model_(model), f_(f) {}

    void add(Item item) {
        uniform_ = uniform_ && (items_.empty() || items_[0].model->access.array == item.model->access.array);
        rank_ = std::max(rank_, item.model->constants.size());
        items_.push_back(item);
    }
    bool run() const { return split(items_, uniform_ ? 0 : rank_); }

private:
    static constexpr std::size_t few = 8;

    static bool has_write(const Items& items) {
        return std::any_of(items.begin(), items.end(), [](const Item& i) { return i.model->access.write; });
    }
    /// Parts the list by a constant in this dimension.
    bool split(const Items& items, std::size_t dimension) const {
        if (!has_write(items)) return false;
        if (dimension >= rank_ || items.size() <= few) return all(items);
        std::map<std::int64_t, Items> groups;
        Items others;
        for (const Item& i : items) {
            const auto& constants = i.model->constants;
            const bool known = dimension < constants.size() && constants[dimension];
            (known ? groups[*constants[dimension]] : others).push_back(i);
        }
        for (const auto& [value, group] : groups)
            if (split(group, dimension + 1)) return true;
        if (split(others, dimension + 1)) return true;
        if (others.empty()) return false;
        for (const auto& [value, group] : groups)
            if (cross(group, others)) return true;
        return false;
    }
    bool all(const Items& items) const {
        for (std::size_t x = 0; x < items.size(); ++x) {
            for (std::size_t y = x; y < items.size(); ++y)
                if (offer(items[x], items[y])) return true;
        }
        return false;
    }
    bool cross(const Items& some, const Items& others) const {
        for (const Item& x : some)
            for (const Item& y : others)
                if (offer(x, y)) return true;
        return false;
    }
    bool offer(const Item& x, const Item& y) const {
        if (!x.model->access.write && !y.model->access.write) return false;
        const bool swap = std::pair(y.statement, y.access) < std::pair(x.statement, x.access);
        const Item &first = swap ? y : x, &second = swap ? x : y;
        if (apart(*x.model, *y.model)) return false;
        return f_({first.statement, second.statement, first.access, second.access});
    }
    bool apart(const AccessModel& a, const AccessModel& b) const {
        if (a.access.array != b.access.array) return !model_.may_overlap(a.access.array, b.access.array);
        for (std::size_t k = 0; k < a.constants.size() && k < b.constants.size(); ++k)
            if (a.constants[k] && b.constants[k] && *a.constants[k] != *b.constants[k]) return true;
        return false;
    }

    const Model& model_;
    const std::function<bool(const Candidate&)>& f_;
    Items items_;
    std::size_t rank_ = 0;
    bool uniform_ = true;
};

}  // namespace

bool each_candidate(Model& model, const std::vector<const StatementModel*>& statements,
                    const std::function<bool(const Candidate&)>& f) {
    std::unordered_map<Name, std::size_t> numbers;
    std::vector<Bucket> buckets;
    for (std::size_t s = 0; s < statements.size(); ++s)
        for (std::size_t a = 0; a < statements[s]->accesses.size(); ++a) {
            const AccessModel& access = statements[s]->accesses[a];
            const auto [it, fresh] = numbers.emplace(model.bucket(access.access.array), buckets.size());
            if (fresh) buckets.emplace_back(model, f);
            buckets[it->second].add({s, a, &access});
        }
    return std::any_of(buckets.begin(), buckets.end(), [](const Bucket& b) { return b.run(); });
}

}  // namespace heddle::depend
