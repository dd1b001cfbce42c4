// The kinds of value that fields hold: how each is read from a line, printed, and written as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "transform/line_reader.h"
#include "transform/row.h"

namespace heddle {

using Json = nlohmann::ordered_json;

/// What a value may not run into: the closing word of its field and the keywords of the others.
struct Fence {
    std::string_view close;
    std::vector<std::string_view> stops;
};

/// Is this a word that introduces a field of some step? (Names like it are printed in backquotes.)
bool is_keyword(std::string_view text);

/// One kind of value. `type` is the word that help texts use for it. from_json throws Error(User, "syntax").
template <class T>
struct Codec;
#define HEDDLE_CODEC(T, word)                                             \
    template <>                                                           \
    struct Codec<T> {                                                     \
        static constexpr const char* type = word;                         \
        static T read(LineReader& line, const Fence& fence);              \
        static std::string print(const T& value);                         \
        static Json to_json(const T& value);                              \
        static T from_json(const Json& value, const std::string& member); \
    };
HEDDLE_CODEC(LoopRef, "LOOP")
HEDDLE_CODEC(std::int64_t, "INTEGER")
HEDDLE_CODEC(Name, "NAME")
HEDDLE_CODEC(Expression, "EXPRESSION")
HEDDLE_CODEC(Formula, "FORMULA")
HEDDLE_CODEC(AddressSpace, "SPACE")
HEDDLE_CODEC(DeviceAxis, "AXIS")
HEDDLE_CODEC(bool, "")
#undef HEDDLE_CODEC

/// Several, separated by commas.
template <class T>
struct Codec<std::vector<T>> {
    static constexpr const char* type = Codec<T>::type;
    static std::vector<T> read(LineReader& line, const Fence& fence) {
        std::vector<T> out{Codec<T>::read(line, fence)};
        while (line.take(",")) out.push_back(Codec<T>::read(line, fence));
        return out;
    }
    static std::string print(const std::vector<T>& values) {
        std::string out;
        for (const T& v : values) out += (out.empty() ? "" : ", ") + Codec<T>::print(v);
        return out;
    }
    static Json to_json(const std::vector<T>& values) {
        Json out = Json::array();
        for (const T& v : values) out.push_back(Codec<T>::to_json(v));
        return out;
    }
    static std::vector<T> from_json(const Json& value, const std::string& member) {
        if (!value.is_array()) return {Codec<T>::from_json(value, member)};
        std::vector<T> out;
        for (const Json& v : value) out.push_back(Codec<T>::from_json(v, member));
        return out;
    }
};

template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;

}  // namespace heddle
