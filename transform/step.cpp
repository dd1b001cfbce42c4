#include "transform/step.h"

#include <fmt/format.h>

#include <optional>

#include "transform/values.h"

namespace heddle {

namespace {

template <class S, class F>
void each_field(F f) {
    std::apply([&](const auto&... field) { (f(field), ...); }, S::row.fields);
}

/// Calls `f` with a default step of every kind until it returns true.
template <class F, std::size_t... K>
bool any_step(F f, std::index_sequence<K...>) {
    return (f(std::variant_alternative_t<K, Step>{}) || ...);
}
template <class F>
bool any_step(F f) {
    return any_step(f, std::make_index_sequence<std::variant_size_v<Step>>{});
}

template <class Field>
using ValueOf = typename Field::type;

std::string verbs() {
    std::string out;
    for (const StepInfo& s : step_table()) out += (out.empty() ? "" : ", ") + s.verb;
    return out;
}

template <class S>
class StepReader {
public:
    explicit StepReader(LineReader& line) : line_(line) {}

    S read() {
        std::size_t index = 0;
        each_field<S>([&](const auto& f) { positional(f, index++); });
        while (!line_.at_end()) {
            bool found = false;
            index = 0;
            each_field<S>([&](const auto& f) {
                found = found || named(f, index);
                ++index;
            });
            if (!found) throw unexpected();
        }
        index = 0;
        each_field<S>([&](const auto& f) { need(f, index++); });
        return std::move(step_);
    }

private:
    template <class F>
    void value(const F& f, std::size_t index) {
        Fence fence{f.close, {}};
        std::size_t k = 0;
        each_field<S>([&](const auto& other) {
            if (!seen_[k++] && other.keyword[0] != '\0') fence.stops.push_back(other.keyword);
        });
        step_.*(f.member) = Codec<ValueOf<F>>::read(line_, fence);
        seen_[index] = true;
        if (f.close[0] != '\0' && !line_.take(f.close))
            throw line_.error(fmt::format("expected '{}', found {}", f.close, line_.next_word()));
    }
    template <class F>
    void positional(const F& f, std::size_t index) {
        if (f.keyword[0] == '\0') value(f, index);
    }
    template <class F>
    bool named(const F& f, std::size_t index) {
        if (seen_[index] || f.keyword[0] == '\0' || !line_.take(f.keyword)) return false;
        value(f, index);
        return true;
    }
    template <class F>
    void need(const F& f, std::size_t index) {
        if (seen_[index] || f.need == Need::Optional) return;
        throw line_.error(fmt::format("'{}' needs '{} …': {}", S::row.verb, f.keyword, f.doc)).hint(S::row.example);
    }
    Error unexpected() const {
        std::string open;
        std::size_t index = 0;
        each_field<S>([&](const auto& f) {
            if (!seen_[index++]) open += fmt::format("{}'{}'", open.empty() ? "" : ", ", f.keyword);
        });
        const std::string wanted = open.empty() ? "the end of the line" : open;
        return line_.error(fmt::format("'{}' does not go on with {}; expected {}", S::row.verb, line_.next_word(), wanted))
            .hint(S::row.example);
    }

    LineReader& line_;
    S step_{};
    std::array<bool, std::tuple_size_v<detail::FieldsOf<S>>> seen_{};
};

template <class S>
std::string print_one(const S& step) {
    std::string out = S::row.verb;
    const S fallback{};
    each_field<S>([&](const auto& f) {
        using T = ValueOf<std::remove_cvref_t<decltype(f)>>;
        const T& value = step.*(f.member);
        if (f.need == Need::Optional && value == fallback.*(f.member)) return;
        const std::string text = Codec<T>::print(value), keyword = f.keyword;
        if (!keyword.empty()) out += " " + keyword;
        if (!text.empty() && out.back() != '(') out += " ";
        out += text + f.close;
    });
    return out;
}

template <class S>
Json json_one(const S& step) {
    Json out;
    out["step"] = S::row.verb;
    const S fallback{};
    each_field<S>([&](const auto& f) {
        using T = ValueOf<std::remove_cvref_t<decltype(f)>>;
        if (f.need == Need::Optional && step.*(f.member) == fallback.*(f.member)) return;
        out[f.name] = Codec<T>::to_json(step.*(f.member));
    });
    return out;
}

template <class S>
S from_json_one(const Json& json) {
    S step{};
    std::size_t used = 1;
    std::string known;
    each_field<S>([&](const auto& f) {
        using T = ValueOf<std::remove_cvref_t<decltype(f)>>;
        known += fmt::format("{}{}", known.empty() ? "" : ", ", f.name);
        const auto found = json.find(f.name);
        if (found != json.end()) {
            step.*(f.member) = Codec<T>::from_json(*found, f.name);
            ++used;
        } else if (f.need == Need::Required) {
            throw user_error("syntax", fmt::format("step '{}' needs member '{}': {}", S::row.verb, f.name, f.doc));
        }
    });
    if (used != json.size())
        throw user_error("syntax", fmt::format("step '{}' has a member that it does not know", S::row.verb))
            .hint("members: " + known);
    return step;
}

template <class S>
StepInfo info_of() {
    StepInfo out{S::row.verb, S::row.function, S::row.summary, S::row.example, S::row.before, S::row.after, {}};
    const S fallback{};
    each_field<S>([&](const auto& f) {
        using T = ValueOf<std::remove_cvref_t<decltype(f)>>;
        std::string type = Codec<T>::type;
        if (is_list<T>) type += ", …";
        std::string text = Codec<T>::print(fallback.*(f.member));
        if (text == "0" || text == "``") text.clear();
        out.fields.push_back({f.name, f.keyword, f.close, type, f.doc, f.need == Need::Required, text});
    });
    return out;
}

template <std::size_t... K>
std::vector<StepInfo> all_infos(std::index_sequence<K...>) {
    return {info_of<std::variant_alternative_t<K, Step>>()...};
}

}  // namespace

bool is_keyword(std::string_view text) {
    return any_step([&]<class S>(const S&) {
        bool found = false;
        each_field<S>([&](const auto& f) { found = found || f.keyword == text; });
        return found;
    });
}

Step read_step(const ScheduleText::Line& text) {
    LineReader line(text);
    std::optional<Step> out;
    any_step([&]<class S>(const S&) {
        if (!line.take(S::row.verb)) return false;
        out = StepReader<S>(line).read();
        return true;
    });
    if (!out) throw line.error(fmt::format("{} is no step", line.next_word())).hint("steps: " + verbs());
    return *out;
}

std::string print(const Step& step) {
    return std::visit([](const auto& s) { return print_one(s); }, step);
}

std::string to_json(const Step& step) {
    return std::visit([](const auto& s) { return json_one(s).dump(); }, step);
}

Step step_from_json(std::string_view text) {
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object() || !json.contains("step") || !json["step"].is_string())
        throw user_error("syntax", "a step in JSON is an object with a member \"step\" that holds its verb");
    const std::string verb = json["step"];
    std::optional<Step> out;
    any_step([&]<class S>(const S&) {
        if (verb != S::row.verb) return false;
        out = from_json_one<S>(json);
        return true;
    });
    if (!out) throw user_error("syntax", fmt::format("'{}' is no step", verb)).hint("steps: " + verbs());
    return *out;
}

const std::vector<StepInfo>& step_table() {
    static const std::vector<StepInfo> table = all_infos(std::make_index_sequence<std::variant_size_v<Step>>{});
    return table;
}

}  // namespace heddle
