// Values of constant tables.
#include <fmt/core.h>

#include <bit>
#include <complex>
#include <cstring>
#include <unordered_map>

#include "ir/parse/kernel.h"

namespace heddle {
namespace {

__extension__ typedef __int128 Wide;

Error not_constant(const Expr& e) { return user_error("type", "a table holds constants: numbers joined by + - * /", e.loc()); }

/// A constant of type T from an expression: literals, signs, and operators that `combine` knows. No recursion.
template <class T, class Leaf, class Combine>
T constant(const Expr& e, Leaf leaf, Combine combine) {
    if (e.args().empty()) return leaf(e);
    std::unordered_map<const ExprNode*, T> known;
    visit(e, [&](const Expr& node) {
        if (node.args().empty())
            known.emplace(node.node(), leaf(node));
        else if (node.op() == Op::Neg)
            known.emplace(node.node(), -known.at(node.arg(0).node()));
        else if (node.args().size() == 2)
            known.emplace(node.node(), combine(node, known.at(node.arg(0).node()), known.at(node.arg(1).node())));
        else
            throw not_constant(node);
    });
    return known.at(e.node());
}

double real_constant(const Expr& e) {
    const auto leaf = [](const Expr& x) {
        if (x.op() == Op::Float) return x.real();
        if (x.op() != Op::Int) throw not_constant(x);
        return x.type() == DType::U64 ? static_cast<double>(std::bit_cast<std::uint64_t>(x.integer()))
                                      : static_cast<double>(x.integer());
    };
    return constant<double>(e, leaf, [](const Expr& x, double a, double b) {
        switch (x.op()) {
            case Op::Add:
                return a + b;
            case Op::Sub:
                return a - b;
            case Op::Mul:
                return a * b;
            case Op::Div:
                return a / b;
            default:
                throw not_constant(x);
        }
    });
}

Wide integer_constant(const Expr& e) {
    constexpr Wide largest = Wide(1) << 64;
    const auto checked = [](const Expr& x, Wide value) {
        if (value >= largest || value <= -largest) throw user_error("limit", "this constant does not fit 64 bits", x.loc());
        return value;
    };
    const auto leaf = [](const Expr& x) -> Wide {
        if (x.op() == Op::Float)
            throw user_error("type", "a float in a table of integers", x.loc()).hint("write it without '.'");
        if (x.op() != Op::Int) throw not_constant(x);
        return x.type() == DType::U64 ? Wide(std::bit_cast<std::uint64_t>(x.integer())) : Wide(x.integer());
    };
    return constant<Wide>(e, leaf, [&](const Expr& x, Wide a, Wide b) {
        switch (x.op()) {
            case Op::Add:
                return checked(x, a + b);
            case Op::Sub:
                return checked(x, a - b);
            case Op::Mul:
                return checked(x, a * b);
            default:
                throw not_constant(x);
        }
    });
}

template <class T>
void put(std::vector<std::byte>& out, T value) {
    const std::size_t at = out.size();
    out.resize(at + sizeof value);
    std::memcpy(out.data() + at, &value, sizeof value);
}

template <class T>
void put_integer(std::vector<std::byte>& out, const Expr& e, DType type) {
    const Wide value = integer_constant(e);
    if (value < Wide(std::numeric_limits<T>::min()) || value > Wide(std::numeric_limits<T>::max()))
        throw user_error("type", fmt::format("this constant does not fit {}", name_of(type)), e.loc());
    put(out, static_cast<T>(value));
}

template <class T>
void put_complex(std::vector<std::byte>& out, const Expr& e) {
    const bool pair = e.op() == Op::Complex;
    put(out, static_cast<T>(real_constant(pair ? e.arg(0) : e)));
    put(out, static_cast<T>(pair ? real_constant(e.arg(1)) : 0.0));
}

void put_value(std::vector<std::byte>& out, const Expr& e, DType type) {
    switch (type) {
        case DType::Bool:
            if (e.op() != Op::Bool) throw user_error("type", "a table of bool holds true and false", e.loc());
            return put(out, static_cast<std::uint8_t>(e.integer()));
        case DType::I8:
            return put_integer<std::int8_t>(out, e, type);
        case DType::I16:
            return put_integer<std::int16_t>(out, e, type);
        case DType::I32:
            return put_integer<std::int32_t>(out, e, type);
        case DType::I64:
            return put_integer<std::int64_t>(out, e, type);
        case DType::U8:
            return put_integer<std::uint8_t>(out, e, type);
        case DType::U16:
            return put_integer<std::uint16_t>(out, e, type);
        case DType::U32:
            return put_integer<std::uint32_t>(out, e, type);
        case DType::U64:
            return put_integer<std::uint64_t>(out, e, type);
        case DType::F32:
            return put(out, static_cast<float>(real_constant(e)));
        case DType::F64:
            return put(out, real_constant(e));
        case DType::C64:
            return put_complex<float>(out, e);
        default:
            return put_complex<double>(out, e);
    }
}

class TableReader {
public:
    TableReader(Cursor& cursor, DType type, const std::vector<std::int64_t>& shape)
        : cursor_(cursor), type_(type), shape_(shape), names_(cursor.tokens(), 0, 0), exprs_(cursor, names_, nothing_) {}

    TableData run() {
        axis(0);
        return std::move(data_);
    }

private:
    void axis(std::size_t k) {
        if (k == shape_.size()) return put_value(data_.bytes, exprs_.value(), type_);
        const Cursor::Nested nested(cursor_);
        const Token& open = cursor_.expect("{", fmt::format("before the {} entries of axis {}", shape_[k], k));
        std::int64_t count = 0;
        while (!cursor_.at("}")) {
            if (count == shape_[k])
                throw cursor_.unexpected(fmt::format("'}}': axis {} has {} entries", k, shape_[k]))
                    .note("they begin here", cursor_.loc(open));
            axis(k + 1);
            ++count;
            if (!cursor_.accept(",")) break;
        }
        if (count < shape_[k] && cursor_.at("}"))
            throw cursor_.unexpected(fmt::format("{} entries on axis {}, not {}", shape_[k], k, count))
                .note("they begin here", cursor_.loc(open));
        cursor_.expect_close("}", open);
    }

    Cursor& cursor_;
    DType type_;
    const std::vector<std::int64_t>& shape_;
    Names names_;
    KernelData nothing_;
    ExprReader exprs_;
    TableData data_;
};

}  // namespace

TableData read_table(Cursor& cursor, DType type, const std::vector<std::int64_t>& shape) {
    return TableReader(cursor, type, shape).run();
}

}  // namespace heddle
