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
// The calls run once, in order, and write down what they stand for: an assignment to an element is a statement, a lambda is the
// body of its loop or condition. The result is the kernel that the same text would give. Every statement remembers its C++
// line; wrong types, unknown names and illegal uses throw heddle::Error with that line, at the call where this can be told,
// otherwise from build().
#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <source_location>
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

/// An element of an array, or a scalar: a value where it is read, a statement where it is assigned. Copying an Element copies
/// the reference; assigning one Element to another writes a statement.
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

/// One loop: range("i", 0, n) runs i from 0 to n - 1. The calls below give a changed copy.
struct Range {
    enum class Run : std::uint8_t { Sequential, Parallel, Vector, Unroll, Block, Lane };

    Name name;
    Expr low, high;  ///< high is excluded
    std::int64_t stride = 1;
    bool descending = false, separated = false;
    Run run = Run::Sequential;
    bool dynamic = false;
    std::int64_t chunk = 0, threshold = 0;
    int collapsed = 1, axis = 0;
    Loc loc;

    Range down() const;                          ///< from n - 1 down to 0
    Range step(std::int64_t distance) const;     ///< every so many from `low` on
    Range parallel() const;                      ///< threads share its iterations; refused by the checks where that is a race
    Range dynamic_chunks(std::int64_t n) const;  ///< parallel: each thread takes n iterations when it is free; 0: the default
    Range static_chunks(std::int64_t n) const;   ///< parallel: iterations are dealt in portions of n
    Range collapse(int loops) const;             ///< parallel: so many perfectly nested loops share the threads
    Range serial_below(std::int64_t iterations) const;  ///< parallel: one thread where there is little to do
    Range vector() const;
    Range unroll() const;
    Range block(int axis) const;  ///< on a device: blocks along an axis of the grid: 0, 1, 2 for x, y, z
    Range lane(int axis) const;   ///< on a device: lanes (threads) along an axis of a block
    Range separate() const;  ///< full tiles apart from partial ones in the emitted code
};
Range range(Name name, const Value& low, const Value& high, std::source_location at = std::source_location::current());

/// Loops perfectly nested, outermost first: one range, or {range("i", 0, n), range("j", 0, m)}.
struct Ranges {
    Ranges(Range one) : list{std::move(one)} {}
    Ranges(std::initializer_list<Range> several) : list(several) {}
    std::vector<Range> list;
};

/// The result of argmin and argmax: the value and, for each loop, where it was found first; -1 where there was nothing.
struct Selected {
    Value value;
    std::vector<Index> at;
};

/// A substitution rule: u(i, j) stands for its body.
class Rule {
public:
    explicit Rule(Name name) : name_(name) {}
    template <std::convertible_to<Value>... A>
    Value operator()(const A&... arguments) const {
        return Value(make(Op::Rule, DType::Untyped, {Value(arguments).expr()...}, name_));
    }

private:
    Name name_;
};

/// A function that the emitted code links to.
class External {
public:
    explicit External(Name name) : name_(name) {}
    template <std::convertible_to<Value>... A>
    Value operator()(const A&... arguments) const {
        return build::call(name_, {Value(arguments)...});
    }

private:
    Name name_;
};

/// An associative operator on tuples of `parts` values.
struct Operator {
    Name name;
    std::size_t parts = 1;
};

/// What an argument of another kernel is bound to: an index, a value, or a whole array.
struct Binding {
    Binding(Name formal, const Value& value) : name(formal), expr(value.expr()) {}
    Binding(Name formal, const Array& array) : name(formal), expr(read(array.name(), {})) {}

    Name name;
    Expr expr;
};

namespace detail {
template <class F, std::size_t... K>
constexpr bool takes(std::index_sequence<K...>) {
    return std::is_invocable_v<F, decltype((void(K), std::declval<Index>()))...>;
}
/// How many indices a body takes, up to eight.
template <class F, std::size_t N = 1>
constexpr std::size_t arity() {
    if constexpr (takes<F>(std::make_index_sequence<N>()))
        return N;
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

/// Builds one kernel. Handles that it gives stay usable as long as any of them lives.
class KernelBuilder {
    using At = std::source_location;

public:
    explicit KernelBuilder(Name name, At at = At::current());

    // The call interface, in the order of the calls.
    Index index(Name name, At at = At::current());  ///< a symbolic size
    template <class T>
    Element value(Name name, At at = At::current()) {  ///< a scalar passed by value
        return scalar(name, dtype_of<T>(), Role::In, at);
    }
    template <class T>
    Array in(Name name, const std::vector<Index>& shape, At at = At::current()) {
        return array(name, dtype_of<T>(), Role::In, shape, at);
    }
    template <class T>
    Array out(Name name, const std::vector<Index>& shape, At at = At::current()) {
        return array(name, dtype_of<T>(), Role::Out, shape, at);
    }
    template <class T>
    Element out(Name name, At at = At::current()) {  ///< one element
        return scalar(name, dtype_of<T>(), Role::Out, at);
    }
    template <class T>
    Array inout(Name name, const std::vector<Index>& shape, At at = At::current()) {
        return array(name, dtype_of<T>(), Role::InOut, shape, at);
    }
    /// The same with what is known at run time of C++ only.
    Array array(Name name, DType type, Role role, const std::vector<Index>& shape, At at = At::current());
    Element scalar(Name name, DType type, Role role, At at = At::current());

    /// What is known about the sizes: a call that breaks it is refused.
    void assume(const Condition& c, At at = At::current());
    void assert_injective(const Array& index_array, At at = At::current());
    void assert_nonaliasing(const std::vector<Array>& arrays, At at = At::current());

    // Storage of the block where the call stands: each iteration of the loops around it has its own. Names used before get a
    // number.
    template <class T>
    Array temp(Name name, const std::vector<Index>& shape, At at = At::current()) {
        return array(name, dtype_of<T>(), Role::Temp, shape, at);
    }
    template <class T>
    Element temp(Name name, At at = At::current()) {
        return scalar(name, dtype_of<T>(), Role::Temp, at);
    }
    /// A constant table, values row-major.
    template <class T>
    Array table(Name name, const std::vector<std::int64_t>& shape, const std::vector<T>& values, At at = At::current()) {
        std::vector<std::byte> bytes(values.size() * sizeof(T));
        for (std::size_t k = 0; k < values.size(); ++k) {
            const T value = values[k];
            std::memcpy(bytes.data() + k * sizeof(T), &value, sizeof(T));
        }
        return table(name, dtype_of<T>(), shape, std::move(bytes), at);
    }
    Array table(Name name, DType type, const std::vector<std::int64_t>& shape, std::vector<std::byte> bytes,
                At at = At::current());
    /// The memory of an array under another shape of equal size, for reading.
    Array view(Name name, const Array& of, const std::vector<Index>& shape, At at = At::current());

    /// Names a value at this point; later changes of what it read do not change it.
    Value let(Name name, const Value& value, At at = At::current());
    /// The same for an integer that may bound loops and stand in subscripts.
    Index let_index(Name name, const Value& value, At at = At::current());

    /// The label of the next statement, and what is allowed to be done with it.
    void label(Name name, At at = At::current());
    void reassociate();  ///< the next update may add in another order
    void atomic();       ///< the next update is to be performed atomically
    /// Several elements at once: all values are computed before the first is stored.
    void assign(const std::vector<Element>& places, const std::vector<Value>& values, At at = At::current());

    /// A loop over low <= i < high.
    template <class F>
    void loop(Name name, const Value& low, const Value& high, F&& body, At at = At::current()) {
        loop(range(name, low, high, at), body);
    }
    /// loop({range("i", 0, n).parallel(), range("j", 0, m)}, [&](Index i, Index j) { … })
    template <class F>
    void loop(const Ranges& ranges, F&& body) {
        nest(ranges, [&](const std::vector<Index>& i) { detail::spread(body, i); });
    }
    void nest(const Ranges& ranges, const std::function<void(const std::vector<Index>&)>& body);

    /// Runs `then` where the condition holds, `otherwise` elsewhere.
    void when(const Condition& c, const std::function<void()>& then, const std::function<void()>& otherwise = {},
              At at = At::current());
    /// A block of its own: its temporaries end with it.
    void block(const std::function<void()>& body);

    // Reductions: k.sum("p", 0, n, [&](Index p) { return A(i, p) * x(p); }), or k.largest({range(…), …}, f). Over nothing they
    // give 0, 1, the type's largest or smallest (infinities for floats), false, true.
    template <class F>
    Value sum(Name name, const Value& low, const Value& high, F&& f, At at = At::current()) {
        return sum(range(name, low, high, at), f, at);
    }
    template <class F>
    Value sum(const Ranges& ranges, F&& f, At at = At::current()) {
        return over(Update::Add, "sum", ranges, f, at).value;
    }
    template <class F>
    Value product(const Ranges& ranges, F&& f, At at = At::current()) {
        return over(Update::Mul, "product", ranges, f, at).value;
    }
    template <class F>
    Value smallest(const Ranges& ranges, F&& f, At at = At::current()) {
        return over(Update::Min, "min", ranges, f, at).value;
    }
    template <class F>
    Value largest(const Ranges& ranges, F&& f, At at = At::current()) {
        return over(Update::Max, "max", ranges, f, at).value;
    }
    template <class F>
    Condition any(const Ranges& ranges, F&& f, At at = At::current()) {
        return Condition(over(Update::Or, "any", ranges, f, at).value.expr());
    }
    template <class F>
    Condition all(const Ranges& ranges, F&& f, At at = At::current()) {
        return Condition(over(Update::And, "all", ranges, f, at).value.expr());
    }
    /// The smallest and the largest value and where it is found first, in loop order.
    template <class F>
    Selected argmin(const Ranges& ranges, F&& f, At at = At::current()) {
        return over(Update::ArgMin, "argmin", ranges, f, at);
    }
    template <class F>
    Selected argmax(const Ranges& ranges, F&& f, At at = At::current()) {
        return over(Update::ArgMax, "argmax", ranges, f, at);
    }
    /// A reduction by an operator of your own: `f` gives a value for each part.
    template <class F>
    std::vector<Value> reduce(const Operator& op, const Ranges& ranges, F&& f, At at = At::current()) {
        return reduction(
            op, ranges, [&](const std::vector<Index>& i) { return std::vector<Value>(detail::spread(f, i)); }, at);
    }

    /// An associative operator: `f` joins the parts of two tuples, `identity` changes nothing.
    using Join = std::function<std::vector<Value>(const std::vector<Value>&, const std::vector<Value>&)>;
    Operator operation(Name name, const Join& f, const std::vector<Value>& identity, bool commutative = false,
                       At at = At::current());
    /// A substitution rule with these parameters: k.rule("u", {"i", "j"}, [&](Index i, Index j) { return A(i, j) + A(i, j + 1);
    /// }).
    template <class F>
    Rule rule(Name name, std::initializer_list<Name> parameters, F&& f, At at = At::current()) {
        std::vector<Index> arguments;
        for (Name p : parameters) arguments.push_back(Index(variable(p)));
        return define_rule(name, parameters, Value(detail::spread(f, arguments)), at);
    }
    /// A function of the emitted code: k.external<double(int, double)>("bessel").
    template <class Signature>
    External external(Name name, At at = At::current()) {
        return external(name, signature(static_cast<Signature*>(nullptr)), at);
    }
    External external(Name name, const std::vector<DType>& result_and_arguments, At at = At::current());

    /// Runs another kernel.
    void call(const Kernel& callee, const std::vector<Binding>& bindings, At at = At::current());

    /// The kernel so far, its invariants checked.
    Kernel build() const;

private:
    template <class R, class... A>
    static std::vector<DType> signature(R (*)(A...)) {
        return {dtype_of<R>(), dtype_of<A>()...};
    }
    template <class F>
    Selected over(Update update, const char* word, const Ranges& ranges, F& f, At at) {
        return selection(
            update, word, ranges, [&](const std::vector<Index>& i) { return Value(detail::spread(f, i)); }, at);
    }
    Rule define_rule(Name name, const std::vector<Name>& parameters, const Value& body, At at);
    Selected selection(Update update, const char* word, const Ranges& ranges,
                       const std::function<Value(const std::vector<Index>&)>& f, At at);
    std::vector<Value> reduction(const Operator& op, const Ranges& ranges,
                                 const std::function<std::vector<Value>(const std::vector<Index>&)>& f, At at);

    StatePtr state_;
};

}  // namespace heddle::build

namespace heddle {
using build::KernelBuilder;
}
