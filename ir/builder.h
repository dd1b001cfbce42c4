// Kernels written in C++.
//
//     using namespace heddle::build;
//     heddle::KernelBuilder k("gemm");
//     auto n = k.index("n"), m = k.index("m"), l = k.index("l");
//     auto alpha = k.value<double>("alpha");
//     auto A = k.in<double>("A", {n, l}), B = k.in<double>("B", {l, m}), C = k.inout<double>("C", {n, m});
//     k.loop("i", 0, n, [&](auto i) {
//         k.loop("j", 0, m, [&](auto j) {
//             k.loop("p", 0, l, [&](auto p) { C(i, j) += alpha * A(i, p) * B(p, j); });
//         });
//     });
//     heddle::Kernel gemm = k.build();
//
// The calls run once, in order, and write down what they stand for: an assignment to an element is a statement, a lambda is the body of its
// loop or condition. The result is the kernel that the same text would give. Every statement remembers its C++ line; wrong types, unknown
// names and illegal uses throw heddle::Error with that line, at the call where this can be told, otherwise from build().
#pragma once

#include <array>
#include <functional>
#include <initializer_list>
#include <memory>
#include <source_location>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "ir/builder_value.h"
#include "ir/kernel.h"

namespace heddle::build {

struct State;
using StatePtr = std::shared_ptr<State>;

/// A value and the C++ line that uses it.
struct Here {
    template <std::convertible_to<Value> T>
    Here(const T& x, std::source_location at = std::source_location::current()) : value(x), loc(loc_of(at)) {}

    Value value;
    Loc loc;
};

/// An element of an array, or a scalar: a value where it is read, a statement where it is assigned. Copying an Element copies the
/// reference; assigning one Element to another writes a statement.
class Element {
public:
    Element(StatePtr state, Name array, std::vector<Expr> subscripts, Loc loc)
        : state_(std::move(state)), array_(array), subscripts_(std::move(subscripts)), loc_(std::move(loc)) {}
    Element(const Element&) = default;

    operator Value() const { return Value(read(array_, subscripts_, DType::Untyped, loc_)); }
    operator Condition() const { return Condition(read(array_, subscripts_, DType::Untyped, loc_)); }
    Name array() const { return array_; }

    void operator=(const Here& x) const { write(Update::Assign, x.value, x.loc); }
    void operator=(const Element& x) const { write(Update::Assign, x, x.loc_ ? x.loc_ : loc_); }
    void operator+=(const Here& x) const { write(Update::Add, x.value, x.loc); }
    void operator-=(const Here& x) const { write(Update::Add, -x.value, x.loc); }
    void operator*=(const Here& x) const { write(Update::Mul, x.value, x.loc); }
    void min_with(const Here& x) const { write(Update::Min, x.value, x.loc); }  ///< keeps the smaller one
    void max_with(const Here& x) const { write(Update::Max, x.value, x.loc); }
    void and_with(const Here& x) const { write(Update::And, x.value, x.loc); }
    void or_with(const Here& x) const { write(Update::Or, x.value, x.loc); }

private:
    void write(Update update, const Value& value, const Loc& loc) const;

    StatePtr state_;
    Name array_;
    std::vector<Expr> subscripts_;
    Loc loc_;
};

/// An array: A(i, j) is one of its elements.
class Array {
public:
    Array(StatePtr state, Name name) : state_(std::move(state)), name_(name) {}

    Element operator()(Here a) const { return at({a}); }
    Element operator()(Here a, Here b) const { return at({a, b}); }
    Element operator()(Here a, Here b, Here c) const { return at({a, b, c}); }
    Element operator()(Here a, Here b, Here c, Here d) const { return at({a, b, c, d}); }
    Element operator()(Here a, Here b, Here c, Here d, Here e) const { return at({a, b, c, d, e}); }
    Element operator()(Here a, Here b, Here c, Here d, Here e, Here f) const { return at({a, b, c, d, e, f}); }
    /// Any number of subscripts.
    Element at(const std::vector<Here>& subscripts) const;
    Name name() const { return name_; }

    // How it lies in memory, and where. All give the array back.
    Array layout(std::vector<int> axes_from_slowest) const;
    Array pad(std::vector<std::int64_t> entries) const;
    Array strides(const std::vector<Index>& elements) const;
    Array separate(int axis) const;
    Array in(AddressSpace space) const;
    Array may_alias() const;

private:
    StatePtr state_;
    Name name_;
};

/// One loop: range("i", 0, n) runs i from 0 to n - 1.
struct Range {
    Name name;
    Expr low, high;  ///< high is excluded
    std::int64_t stride = 1;
    bool descending = false, separated = false;
    Update unused = Update::Assign;
    int kind = 0;  ///< a LoopTag::Kind
    bool dynamic = false;
    std::int64_t chunk = 0, threshold = 0;
    int shared = 1;
    Loc loc;

    Range down() const;                    ///< from n - 1 to 0
    Range step(std::int64_t stride) const;  ///< every stride-th from `low` on
    Range parallel() const;
    Range schedule_dynamic(std::int64_t chunk = 0) const;
    Range schedule_static(std::int64_t chunk) const;
    Range collapse(int loops) const;
    Range serial_below(std::int64_t iterations) const;
    Range vector() const;
    Range unroll() const;
    Range separate() const;
};
Range range(Name name, const Value& low, const Value& high, std::source_location at = std::source_location::current());

namespace detail {
template <class F, std::size_t... K>
constexpr bool takes(std::index_sequence<K...>) {
    return std::is_invocable_v<F, decltype((void(K), std::declval<Index>()))...>;
}
/// How many indices a body takes, up to eight.
template <class F, std::size_t N = 1>
constexpr std::size_t arity() {
    if constexpr (takes<F>(std::make_index_sequence<N>())) return N;
    else {
        static_assert(N < 8, "a loop's body takes an index for each loop");
        return arity<F, N + 1>();
    }
}
template <class F, std::size_t... K>
decltype(auto) spread(F& f, const std::vector<Index>& at, std::index_sequence<K...>) {
    return f(at[K]...);
}
template <class F>
decltype(auto) spread(F& f, const std::vector<Index>& at) {
    return spread(f, at, std::make_index_sequence<arity<F>()>());
}
}  // namespace detail

}  // namespace heddle::build
