#include "ir/bounds/facts.h"

#include <algorithm>
#include <cstring>

namespace heddle::depend {
namespace {

using Range = std::optional<std::pair<std::int64_t, std::int64_t>>;

template <class T>
Range entries(const TableData& data) {
    Range out;
    for (std::size_t k = 0; k + sizeof(T) <= data.bytes.size(); k += sizeof(T)) {
        T x;
        std::memcpy(&x, data.bytes.data() + k, sizeof(T));
        const auto value = static_cast<std::int64_t>(x);
        if (!out) out.emplace(value, value);
        out->first = std::min(out->first, value);
        out->second = std::max(out->second, value);
    }
    return out;
}

}  // namespace

Range range_of(DType type) {
    if (!is_integer(type) || size_of(type) > 4) return std::nullopt;
    const int bits = 8 * size_of(type) - (is_signed(type) ? 1 : 0);
    const std::int64_t high = (std::int64_t{1} << bits) - 1;
    return std::pair(is_signed(type) ? -high - 1 : 0, high);
}

Range range_of(const Array& table) {
    if (!table.table) return std::nullopt;
    switch (table.type) {
        case DType::I8:
            return entries<std::int8_t>(*table.table);
        case DType::U8:
            return entries<std::uint8_t>(*table.table);
        case DType::I16:
            return entries<std::int16_t>(*table.table);
        case DType::U16:
            return entries<std::uint16_t>(*table.table);
        case DType::I32:
            return entries<std::int32_t>(*table.table);
        case DType::U32:
            return entries<std::uint32_t>(*table.table);
        case DType::I64:
            return entries<std::int64_t>(*table.table);
        default:
            return std::nullopt;
    }
}

Facts::Facts(Model& model) : model_(model) {
    const KernelData& kernel = model.kernel();
    for (std::size_t s = 0; s < kernel.statements.size(); ++s)
        for (const Place& p : kernel.statements[s]->places)
            if (const Array* a = kernel.find_array(p.array); a && a->is_let) writers_[p.array].push_back(s);
}

Domain Facts::about(const std::vector<Name>& symbols, const StatementModel& s) {
    Domain out;
    std::vector<Name> known, todo = symbols;
    for (int rounds = 64; !todo.empty() && rounds > 0; --rounds) {
        const Name n = todo.back();
        todo.pop_back();
        if (std::find(known.begin(), known.end(), n) != known.end()) continue;
        known.push_back(n);
        const Domain d = about_symbol(n, s);
        if (d.is_everything() || out.pieces.size() * d.pieces.size() > 16) continue;
        d.symbols(todo);
        out = intersect(out, d);
    }
    return out;
}

Domain Facts::about_symbol(Name symbol, const StatementModel& s) {
    Domain out;
    if (const auto r = range(symbol)) {
        const Affine value = Affine::symbol(symbol);
        out = Domain{{{at_least(value, Affine(r->first)), at_least(Affine(r->second), value)}}};
    }
    if (writers_.count(symbol)) return intersect(out, definition(symbol, s));
    return intersect(out, division(symbol));
}

/// A remainder lies between 0 and its divisor, a quotient of what is not negative between 0 and that.
Domain Facts::division(Name symbol) const {
    const Expr* e = model_.expression_of(symbol);
    if (!e || (e->op() != Op::Mod && e->op() != Op::FloorDiv)) return {};
    const auto n = affine_of(e->arg(0)), d = affine_of(e->arg(1));
    const Affine value = Affine::symbol(symbol), one(1), zero(0);
    if (e->op() == Op::Mod && d)
        return Domain{{{at_least(*d, one), at_least(value, zero), less(value, *d)},
                       {at_least(zero, *d), at_least(zero, value), at_least(value, *d)}}};
    if (e->op() == Op::FloorDiv && n && d)
        return Domain{{{at_least(*d, one), at_least(*n, zero), at_least(value, zero), at_least(*n, value)},
                       {at_least(zero, *d)},
                       {at_least(*d, one), less(*n, zero)}}};
    return {};
}

Range Facts::range(Name symbol) const {
    const Expr* e = model_.expression_of(symbol);
    if (!e) {
        const Array* scalar = model_.kernel().find_array(symbol);
        return scalar ? range_of(scalar->type) : std::nullopt;
    }
    if (e->op() == Op::Read)
        if (const Array* a = model_.kernel().find_array(e->name())) {
            if (const auto r = range_of(*a)) return r;
            return range_of(a->type);
        }
    return range_of(e->type());
}

/// let = its value, when the let is written once, by a statement that stands directly in the let's scope and always runs.
Domain Facts::definition(Name let, const StatementModel& s) {
    const auto& writers = writers_.at(let);
    if (writers.size() != 1 || writers[0] == s.index) return {};
    const StatementModel& w = model_.statement(writers[0]);
    const Statement& st = *w.statement;
    const bool plain = st.update == Update::Assign && st.values.size() == 1 && st.predicates.empty() && !st.call;
    if (!plain || w.loops.size() != model_.scope_depth(let) || meeting(w, s).common < w.loops.size()) return {};
    const auto pieces = model_.value_forms(writers[0]);
    if (!pieces || pieces->size() > 8) return {};
    Domain out = Domain::nothing();
    for (const Piece& p : *pieces) {
        out.pieces.push_back(p.when);
        out.pieces.back().push_back(equal(Affine::symbol(let), p.value));
    }
    return out;
}

}  // namespace heddle::depend
