#include "ir/count/domain_table.h"

namespace heddle {

namespace {

std::size_t hash_of(const Affine& a) {
    std::size_t h = static_cast<std::size_t>(a.constant) * 0x9e3779b97f4a7c15u;
    for (const auto& [atom, c] : a.terms) {
        const std::size_t inner =
            atom.is_floor() ? hash_of(*atom.numerator) + static_cast<std::size_t>(atom.denominator) : atom.symbol.hash();
        h = (h ^ (inner * 31 + static_cast<std::size_t>(c))) * 0x100000001b3u;
    }
    return h;
}

std::size_t hash_of(const Domain& d, const std::vector<Name>& dims) {
    std::size_t h = d.pieces.size();
    for (const Conjunct& piece : d.pieces)
        for (const Constraint& c : piece) h = h * 31 + hash_of(c.form) + (c.equality ? 7 : 0);
    for (const Name dim : dims) h = h * 31 + dim.hash();
    return h;
}

}  // namespace

std::pair<std::size_t, bool> DomainTable::number_of(const Domain& d, const std::vector<Name>& dims) {
    std::vector<std::size_t>& same_hash = by_hash_[hash_of(d, dims)];
    for (const std::size_t number : same_hash)
        if (entries_[number].first == d && entries_[number].second == dims) return {number, false};
    same_hash.push_back(entries_.size());
    entries_.emplace_back(d, dims);
    return {entries_.size() - 1, true};
}

}  // namespace heddle
