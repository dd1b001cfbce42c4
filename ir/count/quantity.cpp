#include "ir/count/quantity.h"

#include <algorithm>
#include <utility>

#include "ir/tree.h"

namespace heddle {

namespace {

std::string with_factor(Wide factor, const std::string& text) {
    return factor == 1 ? text : to_text(factor) + "*" + (text.find(' ') == std::string::npos ? text : "(" + text + ")");
}

}  // namespace

std::string text_of(const std::vector<Name>& names) {
    std::string out;
    for (const Name n : names) out += (out.empty() ? "" : ", ") + n.str();
    return out;
}

std::string DataPart::str() const {
    if (!reason.empty()) return with_factor(factor, "unknown (depends on " + text_of(data) + ")");
    if (loops.empty()) return with_factor(factor, each.str());
    return with_factor(factor, "sum over " + text_of(loops) + " of (" + each.str() + ")");
}

std::optional<Wide> Quantity::at(const Env& parameters) const {
    if (!data.empty()) return std::nullopt;
    const Rational known = formula.evaluate(parameters);
    Wide sum = known.numerator();
    for (const auto& [factor, count] : counted) {
        const auto number = count.at(parameters);
        if (!number) return std::nullopt;
        sum = checked_add(sum, checked_mul(factor, *number));
    }
    return sum;
}

std::string Quantity::str() const {
    const bool more = !counted.empty() || !data.empty();
    std::string out = more && formula.is_zero() ? "" : formula.str();
    if (more && formula.pieces.size() > 0 && !formula.unconditional()) out = "(" + out + ")";
    for (const auto& [factor, count] : counted) out += (out.empty() ? "" : " + ") + with_factor(factor, count.str());
    for (const DataPart& part : data) out += (out.empty() ? "" : " + ") + part.str();
    return (at_most ? "at most " : "") + out;
}

namespace {

/// Data-dependent parts that read alike become one.
std::vector<DataPart> grouped(const std::vector<DataPart>& parts) {
    std::map<std::string, std::size_t> known;
    std::vector<DataPart> out;
    for (DataPart part : parts) {
        const Wide factor = std::exchange(part.factor, 1);
        const auto [it, fresh] = known.emplace(part.str(), out.size());
        if (fresh) {
            part.factor = factor;
            out.push_back(std::move(part));
        } else {
            out[it->second].factor = checked_add(out[it->second].factor, factor);
        }
    }
    return out;
}

}  // namespace

Quantity sum_of(const std::vector<Quantity>& parts, const Domain& context) {
    Quantity out;
    for (const Quantity& part : parts) {
        out.formula.pieces.insert(out.formula.pieces.end(), part.formula.pieces.begin(), part.formula.pieces.end());
        out.counted.insert(out.counted.end(), part.counted.begin(), part.counted.end());
        out.data.insert(out.data.end(), part.data.begin(), part.data.end());
        out.at_most = out.at_most || part.at_most;
    }
    if (parts.size() > 1) out.formula = simplify(out.formula, context);
    out.data = grouped(out.data);
    return out;
}

Quantity operator*(Wide factor, const Quantity& q) {
    Quantity out = q;
    out.formula = Rational::of(factor) * q.formula;
    for (auto& [f, count] : out.counted) f = checked_mul(f, factor);
    for (DataPart& part : out.data) part.factor = checked_mul(part.factor, factor);
    return out;
}

namespace {

/// What a valid call fulfils: `where`, and extents of arguments that are not negative.
Domain valid_calls(const KernelData& kernel) {
    Domain out = kernel.assumptions;
    for (const Array& a : kernel.arrays) {
        if (!a.is_argument()) continue;
        for (const Expr& size : a.shape)
            if (const auto form = affine_of(size)) out = intersect(out, domain_of(at_least(*form, 0)));
    }
    return out;
}

}  // namespace

Counter::Counter(const KernelData& kernel) : kernel_(kernel), context_(valid_calls(kernel)), scopes_(scope_loops(kernel)) {}

bool Counter::is_data(Name symbol, const std::vector<Name>& loops) const {
    if (std::find(loops.begin(), loops.end(), symbol) != loops.end() || kernel_.is_parameter(symbol)) return false;
    const Array* array = kernel_.find_array(symbol);
    return !array || !array->by_value();
}

const std::vector<Name>& Counter::scope_of(Name scalar) const {
    static const std::vector<Name> none;
    const auto it = scopes_.find(scalar);
    return it == scopes_.end() ? none : it->second;
}

namespace {

/// The constraints that hold of the outer loops alone, as far as they can be read off.
Domain outer_part(const Domain& d, const std::vector<Name>& inner) {
    if (!d.convex()) return Domain::everything();
    Conjunct out;
    for (const Constraint& c : d.pieces[0])
        if (std::none_of(inner.begin(), inner.end(), [&](Name n) { return c.form.mentions(n); })) out.push_back(c);
    return Domain{{out}};
}

}  // namespace

DataPart Counter::data_part(const Domain& d, const std::vector<Name>& loops, std::vector<Name> data) const {
    DataPart part;
    std::size_t depth = 0;
    for (const Name n : data) {
        const std::vector<Name>& scope = scope_of(n);
        const bool around = scope.size() <= loops.size() && std::equal(scope.begin(), scope.end(), loops.begin());
        depth = around ? std::max(depth, scope.size()) : loops.size();
    }
    const auto middle = loops.begin() + static_cast<std::ptrdiff_t>(depth);
    part.loops.assign(loops.begin(), middle);
    part.data = std::move(data);
    std::vector<Name> inner(middle, loops.end()), changing = inner;
    changing.insert(changing.end(), part.data.begin(), part.data.end());
    const Count c = heddle::count(d, inner, intersect(outer_part(d, changing), context()));
    if (c.formula)
        part.each = *c.formula;
    else
        part.reason = c.reason;
    return part;
}

Quantity Counter::quantity_of(const Domain& d, const std::vector<Name>& loops) const {
    Quantity q;
    std::vector<Name> data;
    d.symbols(data);
    std::erase_if(data, [&](Name n) { return !is_data(n, loops); });
    if (!data.empty()) {
        q.data.push_back(data_part(d, loops, std::move(data)));
        return q;
    }
    Count c = heddle::count(d, loops, context());
    if (c.formula)
        q.formula = std::move(*c.formula);
    else
        q.counted.emplace_back(1, std::move(c));
    return q;
}

std::size_t Counter::count(const Domain& d, const std::vector<Name>& loops) {
    const auto [number, fresh] = table_.number_of(d, loops);
    if (fresh) quantities_.push_back(quantity_of(d, loops));
    return number;
}

void Tally::add(std::size_t number, Wide factor, bool at_most) {
    Wide& sum = factors_[number];
    sum = checked_add(sum, factor);
    at_most_ = at_most_ || at_most;
}

Quantity Tally::total(const Counter& counter) const {
    std::vector<Quantity> parts;
    for (const auto& [number, factor] : factors_) parts.push_back(factor * counter[number]);
    Quantity out = sum_of(parts, counter.context());
    out.at_most = out.at_most || at_most_;
    return out;
}

}  // namespace heddle
