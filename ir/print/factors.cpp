#include "ir/print/factors.h"

#include <algorithm>

namespace heddle {
namespace {

std::size_t mix(std::size_t seed, std::size_t value) { return (seed ^ value) * 0x9E3779B97F4A7C15ULL + (seed >> 9); }

std::size_t hash_of(const Affine& a) {
    std::size_t h = std::size_t(a.constant);
    for (const auto& [atom, k] : a.terms)
        h = mix(mix(h, std::size_t(k)),
                atom.is_floor() ? mix(hash_of(*atom.numerator), std::size_t(atom.denominator)) : atom.symbol.hash());
    return h;
}

std::size_t hash_of(const Domain& d) {
    std::size_t h = d.pieces.size();
    for (const auto& piece : d.pieces)
        for (const auto& c : piece) h = mix(h, hash_of(c.form) + std::size_t(c.equality));
    return h;
}

bool contains(const Conjunct& piece, const Constraint& c) { return std::find(piece.begin(), piece.end(), c) != piece.end(); }

/// The constraints that all pieces share leave them; false where a piece is left with none: then the rest says nothing.
bool take_shared(std::vector<Conjunct>& pieces, Conjunct& shared) {
    for (const auto& c : Conjunct(pieces[0])) {
        if (!std::all_of(pieces.begin(), pieces.end(), [&](const Conjunct& p) { return contains(p, c); })) continue;
        shared.push_back(c);
        for (auto& p : pieces) p.erase(std::find(p.begin(), p.end(), c));
    }
    return std::none_of(pieces.begin(), pieces.end(), [](const Conjunct& p) { return p.empty(); });
}

}  // namespace

std::vector<int> Factors::split(const Domain& d) {
    if (d.is_nothing()) return {number(d)};
    std::vector<Conjunct> pieces = d.pieces;
    Conjunct shared;
    bool rest = take_shared(pieces, shared);
    std::vector<int> out;
    auto add = [&](Domain factor) {
        int n = number(std::move(factor));
        if (std::find(out.begin(), out.end(), n) == out.end()) out.push_back(n);
    };
    for (const auto& c : shared) add(Domain{{{c}}});
    if (rest) add(Domain{pieces});
    return out;
}

int Factors::number(Domain factor) {
    std::size_t hash = hash_of(factor);
    auto [at, end] = by_hash_.equal_range(hash);
    for (; at != end; ++at)
        if (factors_[std::size_t(at->second)] == factor) return at->second;
    std::vector<Name> names;
    for (const auto& piece : factor.pieces)
        for (const auto& c : piece) c.form.symbols(names);
    int n = int(factors_.size());
    factors_.push_back(std::move(factor));
    symbols_.push_back(std::move(names));
    by_hash_.emplace(hash, n);
    return n;
}

std::vector<int> Factors::single(std::vector<int> factors) const {
    std::erase_if(factors, [&](int f) { return factors_[std::size_t(f)].pieces.size() > 1; });
    return factors;
}

Domain Factors::join(const std::vector<int>& factors) const {
    Domain out;
    for (int f : factors) {
        const Domain& d = factors_[std::size_t(f)];
        if (d.convex() && out.convex())
            out.pieces[0].insert(out.pieces[0].end(), d.pieces[0].begin(), d.pieces[0].end());
        else
            out = intersect(out, d);
    }
    return out;
}

std::vector<int> common_factors(const std::vector<std::vector<int>*>& lists) {
    std::vector<int> common = lists.empty() ? std::vector<int>() : *lists[0];
    for (const auto* list : lists) {
        if (common.empty()) break;
        std::erase_if(common, [&](int f) { return std::find(list->begin(), list->end(), f) == list->end(); });
    }
    return common;
}

void remove_factors(std::vector<int>& from, const std::vector<int>& gone) {
    std::erase_if(from, [&](int f) { return std::find(gone.begin(), gone.end(), f) != gone.end(); });
}

}  // namespace heddle
