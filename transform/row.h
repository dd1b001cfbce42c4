// What one row of the table of steps is made of: the kinds of value a field may hold, fields, and the row itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "ir/name.h"
#include "ir/types.h"

namespace heddle {

/// Names loops of a kernel: "i" is every loop of that name, "label.i" the one around that statement.
struct LoopRef {
    Name statement;  ///< empty: all
    Name loop;

    LoopRef() = default;
    LoopRef(std::string_view text);  ///< "i" or "label.i"
    LoopRef(const char* text) : LoopRef(std::string_view(text)) {}
    LoopRef(const std::string& text) : LoopRef(std::string_view(text)) {}
    LoopRef(Name label, Name name) : statement(label), loop(name) {}

    std::string str() const;
    bool operator==(const LoopRef&) const = default;
};

/// An expression of the kernel language, kept as text and read against the kernel that the step is applied to.
struct Expression {
    std::string text;

    Expression() = default;
    Expression(const char* t) : text(t) {}
    Expression(std::string t) : text(std::move(t)) {}
    Expression(std::int64_t value) : text(std::to_string(value)) {}
    Expression(int value) : text(std::to_string(value)) {}
    bool operator==(const Expression&) const = default;
};

/// A condition of the kernel language (`n mod 4 = 0 and m >= n`), kept as text like an Expression.
struct Formula {
    std::string text;

    Formula() = default;
    Formula(const char* t) : text(t) {}
    Formula(std::string t) : text(std::move(t)) {}
    bool operator==(const Formula&) const = default;
};

/// An axis of a device: of its grid of blocks, or of the lanes of a block.
struct DeviceAxis {
    bool lane = false;
    int number = 0;  ///< 0, 1, 2 for x, y, z

    DeviceAxis() = default;
    DeviceAxis(std::string_view text);  ///< "block.x" … "lane.z"; anything else is an Error (User, "argument")
    DeviceAxis(const char* text) : DeviceAxis(std::string_view(text)) {}
    std::string str() const;
    bool operator==(const DeviceAxis&) const = default;
};

/// Must a field be written?
enum class Need : std::uint8_t { Required, Optional };

/// One field of a step: the member, the words that introduce it in a script line ("" for none), those that close it, a line of
/// documentation. A bool is a flag: its keyword alone. Optional fields that hold their default are not printed.
template <class S, class T>
struct Field {
    using type = T;
    const char* name;
    const char* keyword;
    T S::*member;
    Need need;
    const char* doc;
    const char* close = "";
};

template <class S, class T>
constexpr Field<S, T> needed(const char* name, const char* keyword, T S::*member, const char* doc, const char* close = "") {
    return {name, keyword, member, Need::Required, doc, close};
}
template <class S, class T>
constexpr Field<S, T> maybe(const char* name, const char* keyword, T S::*member, const char* doc, const char* close = "") {
    return {name, keyword, member, Need::Optional, doc, close};
}

/// A row: what a step is called in scripts and in C++, what it does, a kernel before and after, its fields in the order of a
/// line.
template <class... F>
struct Row {
    const char* verb;
    const char* function;
    const char* summary;
    const char* example;  ///< the script line that turns `before` into `after`
    const char* before;
    const char* after;
    std::tuple<F...> fields;
};
/// The five texts of a row, so that the fields can follow them.
struct About {
    const char* verb;
    const char* function;
    const char* summary;
    const char* example;
    const char* before;
    const char* after;
};
template <class... F>
constexpr Row<F...> make_row(About a, F... fields) {
    return {a.verb, a.function, a.summary, a.example, a.before, a.after, std::tuple<F...>(fields...)};
}

namespace detail {

struct AnyValue {
    template <class T>
    operator T() const;
};
template <class S, std::size_t... K>
constexpr bool takes(std::index_sequence<K...>) {
    return requires { S{(static_cast<void>(K), AnyValue{})...}; };
}
/// The number of members of an aggregate: the most values its braces take.
template <class S, std::size_t N = 10>
constexpr std::size_t member_count() {
    if constexpr (N == 0 || takes<S>(std::make_index_sequence<N>{})) {
        return N;
    } else {
        return member_count<S, N - 1>();
    }
}
constexpr bool written(const char* text) { return text != nullptr && text[0] != '\0'; }

template <class S, class... F>
constexpr bool complete_row(const Row<F...>& row) {
    const bool texts = written(row.verb) && written(row.function) && written(row.summary) && written(row.example) &&
                       written(row.before) && written(row.after);
    const bool fields = std::apply([](const auto&... f) { return ((written(f.name) && written(f.doc)) && ...); }, row.fields);
    return texts && fields && sizeof...(F) == member_count<S>();
}

}  // namespace detail

class Kernel;

/// A step whose row names every member, documents each, and which has a body.
template <class S>
concept CompleteStep = std::is_aggregate_v<S> && detail::complete_row<S>(S::row) && requires(const Kernel& k, const S& s) {
    { run_step(k, s) } -> std::same_as<Kernel>;
    s == s;
};

namespace detail {

template <class S>
using FieldsOf = std::remove_const_t<decltype(S::row.fields)>;
template <class S, std::size_t K>
using FieldType = typename std::tuple_element_t<K, FieldsOf<S>>::type;

/// The C++ call of a step: its fields in the order of the row, from the first N on left to their defaults.
template <class S, class Indices>
struct CallWith;
template <class S, std::size_t... K>
struct CallWith<S, std::index_sequence<K...>> {
    S operator()(FieldType<S, K>... values) const {
        S step;
        ((step.*(std::get<K>(S::row.fields).member) = std::move(values)), ...);
        return step;
    }
};
template <class S, std::size_t N>
struct CallUpTo : CallUpTo<S, N - 1>, CallWith<S, std::make_index_sequence<N>> {
    using CallUpTo<S, N - 1>::operator();
    using CallWith<S, std::make_index_sequence<N>>::operator();
};
template <class S>
struct CallUpTo<S, 1> : CallWith<S, std::make_index_sequence<1>> {
    using CallWith<S, std::make_index_sequence<1>>::operator();
};

}  // namespace detail

/// What `heddle::split_loop` and its like are: callable with the first field, the first two, …
template <class S>
struct StepCall : detail::CallUpTo<S, std::tuple_size_v<detail::FieldsOf<S>>> {};

}  // namespace heddle
