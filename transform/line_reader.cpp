#include "transform/line_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace heddle {

namespace {

bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_pair(std::string_view two) {
    return two == "->" || two == "//" || two == "<=" || two == ">=" || two == "!=" || two == "==" || two == "&&" || two == "||";
}
int depth_change(std::string_view word) {
    if (word == "(" || word == "[" || word == "{") return 1;
    return word == ")" || word == "]" || word == "}" ? -1 : 0;
}

}  // namespace

LineReader::LineReader(const ScheduleText::Line& line) : line_(line) {
    std::size_t at = 0;
    while (at < line.text.size() && line.text[at] != '#') at = is_blank(line.text[at]) ? at + 1 : scan(at);
}

std::size_t LineReader::scan(std::size_t at) {
    const std::string& text = line_.text;
    if (text[at] == '`') return quoted(at);
    std::size_t end = at + 1;
    Kind kind = Kind::Symbol;
    if (starts_name(text[at])) {
        kind = Kind::Name;
        while (end < text.size() && (starts_name(text[end]) || is_digit(text[end]))) ++end;
    } else if (is_digit(text[at])) {
        kind = Kind::Number;
        while (end < text.size() && (starts_name(text[end]) || is_digit(text[end]))) ++end;
    } else if (is_pair(std::string_view(text).substr(at, 2))) {
        end = at + 2;
    }
    words_.push_back({kind, text.substr(at, end - at), at, end});
    return end;
}

std::size_t LineReader::quoted(std::size_t at) {
    const std::size_t close = line_.text.find('`', at + 1);
    if (close == std::string::npos || close == at + 1)
        throw user_error("syntax", "a name in backquotes needs a name and a second backquote", loc_at(at));
    words_.push_back({Kind::Quoted, line_.text.substr(at + 1, close - at - 1), at, close + 1});
    return close + 1;
}

Loc LineReader::loc_at(std::size_t offset) const {
    Loc loc = line_.loc;
    loc.column += static_cast<std::uint32_t>(offset);
    return loc;
}

std::vector<std::string_view> LineReader::split(std::string_view phrase) {
    std::vector<std::string_view> out;
    while (!phrase.empty()) {
        const std::size_t blank = std::min(phrase.find(' '), phrase.size());
        out.push_back(phrase.substr(0, blank));
        phrase.remove_prefix(std::min(blank + 1, phrase.size()));
    }
    return out;
}

bool LineReader::sees(std::string_view phrase) const {
    std::size_t at = next_;
    for (std::string_view word : split(phrase)) {
        if (at == words_.size() || words_[at].kind == Kind::Quoted || words_[at].text != word) return false;
        ++at;
    }
    return at > next_;
}

bool LineReader::take(std::string_view phrase) {
    if (!sees(phrase)) return false;
    next_ += split(phrase).size();
    return true;
}

std::string LineReader::next_word() const { return at_end() ? "the end of the line" : fmt::format("'{}'", words_[next_].text); }

Error LineReader::error(const std::string& message) const {
    return user_error("syntax", message, loc_at(at_end() ? line_.text.size() : words_[next_].begin));
}

Name LineReader::name(std::string_view what) {
    if (at_end() || (words_[next_].kind != Kind::Name && words_[next_].kind != Kind::Quoted))
        throw error(fmt::format("expected {}, found {}", what, next_word()));
    return Name(words_[next_++].text);
}

std::int64_t LineReader::integer(std::string_view what) {
    const bool negative = take("-");
    if (at_end() || words_[next_].kind != Kind::Number) throw error(fmt::format("expected {}, found {}", what, next_word()));
    const std::string digits = (negative ? "-" : "") + words_[next_].text;
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (code == std::errc::result_out_of_range) throw error(fmt::format("{} does not fit in 64 bits", digits));
    if (end != digits.data() + digits.size()) throw error(fmt::format("expected {}, found {}", what, next_word()));
    ++next_;
    return value;
}

std::string LineReader::text(std::string_view what, std::string_view close, const std::vector<std::string_view>& stops) {
    const std::size_t first = next_;
    const auto stops_here = [&] {
        return std::any_of(stops.begin(), stops.end(), [&](std::string_view s) { return sees(s); });
    };
    for (int depth = 0; !at_end(); ++next_) {
        const Word& word = words_[next_];
        const bool symbol = word.kind == Kind::Symbol;
        if (depth == 0 && symbol && (word.text == "," || (!close.empty() && word.text == close))) break;
        if (depth == 0 && stops_here()) break;
        if (symbol) depth += depth_change(word.text);
        if (depth < 0) throw error("a bracket closes here that was not opened");
    }
    if (first == next_) throw error(fmt::format("expected {}, found {}", what, next_word()));
    return line_.text.substr(words_[first].begin, words_[next_ - 1].end - words_[first].begin);
}

}  // namespace heddle
