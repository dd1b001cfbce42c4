// Arguments and results of frozen functions as lists of arrays and numbers: aggregates, vectors, spans, arrays, tuples,
// optionals, nested in any way. What has to be alike for a replay becomes a list of words.
#pragma once

#include <array>
#include <cstring>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/freeze/sequence.h"

namespace heddle::runtime {

/// A value that does not change within a recording: another value is recorded anew. Numbers, enumerations, text.
template <class T>
struct Static {
    T value{};
    Static(T v = {}) : value(std::move(v)) {}
    operator const T&() const { return value; }
};

namespace structure {

enum class Tag : std::uint8_t { Array = 1, Device, Stride, Number, Count, Present, Fixed, Bytes };
constexpr std::uint64_t word(Tag tag, std::uint64_t payload) {
    return static_cast<std::uint64_t>(tag) << 56 | (payload & 0xffffffffffffffu);
}
constexpr Tag tag_of(std::uint64_t w) { return static_cast<Tag>(w >> 56); }
constexpr std::uint64_t payload_of(std::uint64_t w) { return w & 0xffffffffffffffu; }

struct Anything {
    template <class T>
    operator T() const;
};
template <class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
    return requires { T{(static_cast<void>(I), Anything{})...}; };
}
/// How many members an aggregate has, up to 12.
template <class T, std::size_t N = 12>
constexpr std::size_t members() {
    if constexpr (N == 0 || takes<T>(std::make_index_sequence<N>()))
        return N;
    else
        return members<T, N - 1>();
}

/// Calls with each member of an aggregate.
template <class T, class Work>
void each_member(T& v, Work work) {
    constexpr std::size_t n = members<std::remove_const_t<T>>();
    static_assert(n <= 12, "an aggregate of more than 12 members; nest some in another one");
    const auto all = [&](auto&... m) { (work(m), ...); };
    if constexpr (n == 1) {
        auto& [a] = v;
        all(a);
    } else if constexpr (n == 2) {
        auto& [a, b] = v;
        all(a, b);
    } else if constexpr (n == 3) {
        auto& [a, b, c] = v;
        all(a, b, c);
    } else if constexpr (n == 4) {
        auto& [a, b, c, d] = v;
        all(a, b, c, d);
    } else if constexpr (n == 5) {
        auto& [a, b, c, d, e] = v;
        all(a, b, c, d, e);
    } else if constexpr (n == 6) {
        auto& [a, b, c, d, e, f] = v;
        all(a, b, c, d, e, f);
    } else if constexpr (n == 7) {
        auto& [a, b, c, d, e, f, g] = v;
        all(a, b, c, d, e, f, g);
    } else if constexpr (n == 8) {
        auto& [a, b, c, d, e, f, g, h] = v;
        all(a, b, c, d, e, f, g, h);
    } else if constexpr (n == 9) {
        auto& [a, b, c, d, e, f, g, h, i] = v;
        all(a, b, c, d, e, f, g, h, i);
    } else if constexpr (n == 10) {
        auto& [a, b, c, d, e, f, g, h, i, j] = v;
        all(a, b, c, d, e, f, g, h, i, j);
    } else if constexpr (n == 11) {
        auto& [a, b, c, d, e, f, g, h, i, j, k] = v;
        all(a, b, c, d, e, f, g, h, i, j, k);
    } else if constexpr (n == 12) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l] = v;
        all(a, b, c, d, e, f, g, h, i, j, k, l);
    }
}

template <class T>
struct Is {
    static constexpr int number = 0, vector = 0, span = 0, optional = 0, fixed = 0, tuple = 0;
};
template <class T>
struct Is<Scalar<T>> : Is<void> {
    static constexpr int number = 1;
};
template <class T>
struct Is<Static<T>> : Is<void> {
    static constexpr int fixed = 1;
};
template <class T, class A>
struct Is<std::vector<T, A>> : Is<void> {
    static constexpr int vector = 1;
};
template <class T>
struct Is<std::span<T>> : Is<void> {
    static constexpr int span = 1;
};
template <class T>
struct Is<std::optional<T>> : Is<void> {
    static constexpr int optional = 1;
};
template <class T, std::size_t N>
struct Is<std::array<T, N>> : Is<void> {
    static constexpr int tuple = 1;
};
template <class... T>
struct Is<std::tuple<T...>> : Is<void> {
    static constexpr int tuple = 1;
};
template <class A, class B>
struct Is<std::pair<A, B>> : Is<void> {
    static constexpr int tuple = 1;
};

/// Visits the leaves of a value in order: `array`, `number`, `fixed`; before these `count` of a vector, `span`, `present`.
template <class T, class Visitor>
void walk(T& v, Visitor& visitor) {
    using Plain = std::remove_const_t<T>;
    if constexpr (std::is_same_v<Plain, Array>)
        visitor.array(v);
    else if constexpr (Is<Plain>::number)
        visitor.number(v);
    else if constexpr (Is<Plain>::fixed)
        visitor.fixed(v);
    else if constexpr (Is<Plain>::vector || Is<Plain>::span) {
        if constexpr (Is<Plain>::vector)
            visitor.count(v);
        else
            visitor.span(v);
        for (auto& element : v) walk(element, visitor);
    } else if constexpr (Is<Plain>::optional) {
        if (visitor.present(v)) walk(*v, visitor);
    } else if constexpr (Is<Plain>::tuple) {
        std::apply([&](auto&... element) { (walk(element, visitor), ...); }, v);
    } else {
        static_assert(
            !std::is_arithmetic_v<Plain> && !std::is_enum_v<Plain> && !std::is_pointer_v<Plain>,
            "a plain number or pointer cannot be followed: Scalar<T> makes it an input, Static<T> a constant of the recording");
        static_assert(std::is_aggregate_v<Plain>, "arguments and results are arrays, Scalar, Static, and structures of these");
        each_member(v, [&](auto& member) { walk(member, visitor); });
    }
}

/// A fixed value as bytes, in words.
template <class T, class Emit>
void fixed_words(const T& v, Emit emit) {
    std::string bytes;
    if constexpr (std::is_same_v<T, std::string>)
        bytes = v;
    else {
        static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>, "a Static is a number, an enumeration or a text");
        bytes.assign(reinterpret_cast<const char*>(&v), sizeof v);
    }
    emit(word(Tag::Fixed, bytes.size()));
    for (std::size_t at = 0; at < bytes.size(); at += 7) {
        std::uint64_t part = 0;
        std::memcpy(&part, bytes.data() + at, std::min<std::size_t>(7, bytes.size() - at));
        emit(word(Tag::Bytes, part));
    }
}

/// Words, arrays and numbers of arguments.
void flatten_array(const Array& a, Bound& bound);
struct Flatten {
    Bound& bound;
    void array(const Array& a) { flatten_array(a, bound); }
    template <class T>
    void number(const Scalar<T>& s) {
        bound.structure.push_back(word(Tag::Number, static_cast<std::uint64_t>(element_of<T>())));
        bound.numbers.push_back(s.operand().value);
    }
    template <class T>
    void fixed(const Static<T>& s) {
        fixed_words(s.value, [&](std::uint64_t w) { bound.structure.push_back(w); });
    }
    template <class V>
    void count(const V& v) {
        bound.structure.push_back(word(Tag::Count, v.size()));
    }
    template <class V>
    void span(const V& v) {
        count(v);
    }
    template <class T>
    bool present(const std::optional<T>& v) {
        bound.structure.push_back(word(Tag::Present, v.has_value()));
        return v.has_value();
    }
};

/// Gives copies of arguments their places in a recording. Spans get elements of their own.
Node bind_number(Recorder& recorder, Element type, Value value);
void bind_array(Recorder& recorder, Array& array);
struct Tagged {
    Recorder& recorder;
    std::deque<std::shared_ptr<void>> kept{};
    void array(Array& a) { bind_array(recorder, a); }
    template <class T>
    void number(Scalar<T>& s) {
        const auto value = s.operand().value;
        s = Scalar<T>(value.template as<T>(), bind_number(recorder, element_of<T>(), value));
    }
    template <class T>
    void fixed(Static<T>&) {}
    template <class V>
    void count(V&) {}
    template <class T>
    void span(std::span<T>& v) {
        auto own = std::make_shared<std::vector<std::remove_const_t<T>>>(v.begin(), v.end());
        kept.push_back(own);
        v = std::span<T>(own->data(), own->size());
        if constexpr (std::is_const_v<T>)
            for (auto& element : *own) walk(element, *this);
    }
    template <class T>
    bool present(std::optional<T>& v) {
        return v.has_value();
    }
    template <class T>
    void array(const T&) {}  // elements of a span of constants were given their places above
    template <class T>
    void number(const Scalar<T>&) {}
    template <class T>
    void fixed(const Static<T>&) {}
    template <class T>
    bool present(const std::optional<T>& v) {
        return v.has_value();
    }
};

/// Takes results into a recording, and their places from them.
void result_array(Recorder& recorder, Array& a);
void result_number(Recorder& recorder, const recording::Operand& n);
struct Collect {
    Recorder& recorder;
    std::vector<std::uint64_t> structure{};
    void array(Array& a) { result_array(recorder, a); }
    template <class T>
    void number(Scalar<T>& s) {
        result_number(recorder, s.operand());
        s = Scalar<T>(s.operand().value.template as<T>());
    }
    template <class T>
    void fixed(Static<T>& s) {
        fixed_words(s.value, [&](std::uint64_t w) { structure.push_back(w); });
    }
    template <class V>
    void count(V& v) {
        structure.push_back(word(Tag::Count, v.size()));
    }
    template <class T>
    bool present(std::optional<T>& v) {
        structure.push_back(word(Tag::Present, v.has_value()));
        return v.has_value();
    }
};

/// Puts what a replay gave into a result.
struct Build {
    Results& from;
    std::size_t next_array = 0, next_number = 0, next_word = 0;
    std::uint64_t take() { return payload_of(from.word(next_word++)); }
    void array(Array& a) { from.array(next_array++, a); }
    template <class T>
    void number(Scalar<T>& s) {
        s = Scalar<T>(from.number(next_number++).template as<T>());
    }
    template <class T>
    void fixed(Static<T>& s) {
        std::string bytes(take(), '\0');
        for (std::size_t at = 0; at < bytes.size(); at += 7) {
            const std::uint64_t part = take();
            std::memcpy(bytes.data() + at, &part, std::min<std::size_t>(7, bytes.size() - at));
        }
        if constexpr (std::is_same_v<T, std::string>)
            s.value = bytes;
        else
            std::memcpy(&s.value, bytes.data(), sizeof s.value);
    }
    template <class V>
    void count(V& v) {
        v.resize(take());
    }
    template <class T>
    bool present(std::optional<T>& v) {
        if (take() == 0) return v.reset(), false;
        return v.emplace(), true;
    }
};

}  // namespace structure

/// How arguments differ from those of a recording, given the first word that does: "the arguments have 3 elements in a vector,
/// at array 2; it was recorded with 2 elements in a vector".
std::string structure_difference(const std::vector<std::uint64_t>& recorded, const std::vector<std::uint64_t>& given,
                                 std::size_t at);

}  // namespace heddle::runtime
