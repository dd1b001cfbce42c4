// Sizes of arrays as the host part computes them: in 64 bits, with every overflow noticed.
#include <algorithm>
#include <limits>
#include <utility>

#include "ir/error.h"
#include "target/host.h"
#include "target/place_storage.h"

namespace heddle {
namespace {

__extension__ typedef __int128 Wide;  // wider than 64 bits; GCC and Clang have it

constexpr Wide unknown = Wide(1) << 64;  // no 64-bit integer reaches it

/// The values that an integer expression may take, each end clamped to `unknown`.
struct Interval {
    Wide low, high;
    bool fits() const {
        return low >= std::numeric_limits<std::int64_t>::min() && high <= std::numeric_limits<std::int64_t>::max();
    }
};

Interval clamped(Wide low, Wide high) { return {std::max(low, -unknown), std::min(high, unknown)}; }

/// What the facts that name only this parameter say of it.
Interval parameter_interval(Name parameter, const Conjunct& facts) {
    Interval out{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
    for (const Constraint& c : facts) {
        if (c.form.terms.size() != 1 || c.form.terms[0].first.is_floor() || c.form.terms[0].first.symbol != parameter) continue;
        const Wide a = c.form.terms[0].second, b = c.form.constant;
        if (a == 1 || (c.equality && a == -1)) out.low = std::max(out.low, -b * a);
        if (a == -1 || (c.equality && a == 1)) out.high = std::min(out.high, b * -a);
    }
    return out;
}

Interval product(const Interval& a, const Interval& b) {
    const auto [low, high] = std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
    return clamped(low, high);
}

Interval quotient(const Interval& dividend, const Interval& divisor) {
    if (divisor.low <= 0) return {-unknown, unknown};
    return {std::min<Wide>(dividend.low, 0), std::max<Wide>(dividend.high, 0)};
}

Interval remainder(const Interval& divisor) {
    return divisor.low <= 0 ? Interval{-unknown, unknown} : Interval{0, divisor.high - 1};
}

Interval interval_of(const Expr& e, const Conjunct& facts, const std::vector<Interval>& args) {
    switch (e.op()) {
        case Op::Int:
            return {e.integer(), e.integer()};
        case Op::Var:
            return parameter_interval(e.name(), facts);
        case Op::Neg:
            return clamped(-args[0].high, -args[0].low);
        case Op::Add:
            return clamped(args[0].low + args[1].low, args[0].high + args[1].high);
        case Op::Sub:
            return clamped(args[0].low - args[1].high, args[0].high - args[1].low);
        case Op::Mul:
            return product(args[0], args[1]);
        case Op::FloorDiv:
            return quotient(args[0], args[1]);
        case Op::Mod:
            return remainder(args[1]);
        case Op::Min:
            return {std::min(args[0].low, args[1].low), std::min(args[0].high, args[1].high)};
        case Op::Max:
            return {std::max(args[0].low, args[1].low), std::max(args[0].high, args[1].high)};
        default:
            throw Error(ErrorKind::Internal, "internal", "a size is made of other operators than sizes are", e.loc());
    }
}

}  // namespace

/// Writes a size; operations that may leave 64 bits clear the function's `fits`.
class HostEmitter::SizeWriter {
public:
    SizeWriter(HostEmitter& host, const Expr& e) : host_(host) {
        visit(e, [&](const Expr& node) {
            std::vector<Interval> args;
            bool safe = true;
            for (const Expr& a : node.args()) args.push_back(ranges_.at(a.node())), safe = safe && safe_.count(a.node());
            const Interval range = interval_of(node, host.writer_.known.facts(), args);
            ranges_.emplace(node.node(), range);
            if (safe && range.fits()) safe_.insert(node.node());
        });
    }
    std::string text(const Expr& e) {
        if (safe_.count(e.node())) return host_.writer_.value(e, index_type);
        const auto call = [&](const std::string& helper, const std::string& more = {}) {
            return helper + "(" + text(e.arg(0)) + ", " + text(e.arg(1)) + more + ")";
        };
        switch (e.op()) {
            case Op::FloorDiv:
                return call(host_.helpers_.use("floordiv"));
            case Op::Mod:
                return call(host_.helpers_.use("mod"));
            case Op::Min:
                return call(host_.helpers_.use("min", index_type));
            case Op::Max:
                return call(host_.helpers_.use("max", index_type));
            default:
                return noticed(e, call);
        }
    }

private:
    template <class F>
    std::string noticed(const Expr& e, F call) {
        host_.may_not_fit_ = true;
        const std::string note = ", &" + host_.fits_;
        if (e.op() == Op::Neg) return host_.helpers_.use("difference") + "(0, " + text(e.arg(0)) + note + ")";
        return call(host_.helpers_.use(e.op() == Op::Add ? "sum" : e.op() == Op::Sub ? "difference" : "product"), note);
    }

    HostEmitter& host_;
    std::unordered_map<const ExprNode*, Interval> ranges_;
    std::unordered_set<const ExprNode*> safe_;
};

std::string HostEmitter::size_text(const Expr& e) {
    return sizes_fit_ ? writer_.value(e, index_type) : SizeWriter(*this, e).text(e);
}

/// "2, A_extents, A_strides": what the functions on strides take.
std::string HostEmitter::axes_text(const Array& a) const {
    const Locals& own = locals_.at(a.name);
    return std::to_string(a.shape.size()) + ", " + own.extents + ", " + own.strides;
}

/// Bytes of an array: a product that stops at INT64_MAX; negative extents count as 0.
std::string HostEmitter::bytes_text(const Array& a) {
    std::string out = std::to_string(size_of(a.type));
    if (!a.layout.strides.empty())
        return helpers_.use("times") + "(" + helpers_.use("span") + "(" + axes_text(a) + "), " + out + ")";
    for (const Expr& e : occupied_extents(a)) out = helpers_.use("times") + "(" + size_text(e) + ", " + out + ")";
    return out;
}

/// Extents and strides as arrays, for an array that has strides.
void HostEmitter::declare_strides(const Array& a, Lines& out) {
    if (a.layout.strides.empty()) return;
    const auto constants = [&](const std::string& name, const std::vector<Expr>& list) {
        std::string text;
        for (const Expr& e : list) text += (text.empty() ? "" : ", ") + size_text(e);
        out.line("const int64_t " + name + "[] = {" + text + "};");
    };
    constants(locals_.at(a.name).extents, a.shape);
    constants(locals_.at(a.name).strides, a.layout.strides);
}

/// The bytes of an argument as a constant, or extents and strides of a temporary; refused where they do not fit 64 bits. So
/// then do all its subscripts.
void HostEmitter::declare_size(const Array& a, Lines& out) {
    const bool before = std::exchange(may_not_fit_, false);
    declare_strides(a, out);
    std::string condition;
    if (a.is_argument()) {
        const std::string bytes = locals_.at(a.name).bytes;
        out.line("const int64_t " + bytes + " = " + bytes_text(a) + ";");
        if (!constant_bytes(a)) condition = bytes + " == INT64_MAX";
    }
    if (may_not_fit_) condition = "!" + fits_ + (condition.empty() ? "" : " || " + condition);
    if (!condition.empty())
        out.line("if (" + condition + ") " + refuse(1, "the size of '" + a.name.str() + "' does not fit 64 bits"));
    may_not_fit_ |= before;
}

}  // namespace heddle
