#include "ir/parse/cursor.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <utility>

namespace heddle {

bool Cursor::accept(std::string_view symbol) {
    if (!at(symbol)) return false;
    next();
    return true;
}

bool Cursor::accept_word(std::string_view word) {
    if (!at_word(word)) return false;
    next();
    return true;
}

Error Cursor::unexpected(std::string_view what) const {
    return user_error("syntax", fmt::format("expected {}, found {}", what, describe(peek())), here());
}

void Cursor::fail(std::string_view what) const { throw unexpected(what); }

const Token& Cursor::expect(std::string_view symbol, std::string_view where) {
    if (!at(symbol)) fail(fmt::format("'{}' {}", symbol, where));
    return next();
}

const Token& Cursor::expect_word(std::string_view word, std::string_view where) {
    if (!at_word(word)) fail(fmt::format("'{}' {}", word, where));
    return next();
}

const Token& Cursor::expect_name(std::string_view what) {
    const Token& t = peek();
    if (!t.is_name()) fail(what);
    if (t.kind == TokenKind::Word && is_reserved(t.text))
        throw user_error("syntax", fmt::format("expected {}, found '{}', which is a word of the language", what, t.text),
                         here())
            .hint(fmt::format("backticks make a name of it: `{}`", t.text));
    if (t.text.size() > longest_name)
        throw user_error("limit", fmt::format("a name of {} characters; {} are the most", t.text.size(), longest_name), here());
    return next();
}

void Cursor::expect_close(std::string_view symbol, const Token& open) {
    if (accept(symbol)) return;
    throw unexpected(fmt::format("'{}'", symbol)).note(fmt::format("to close this '{}'", open.text), loc(open));
}

Cursor::Nested::Nested(Cursor& cursor) : cursor_(cursor) {
    if (cursor_.depth_ >= deepest_nesting)
        throw user_error("limit", fmt::format("nested deeper than {} levels", deepest_nesting), cursor_.here())
            .hint("name a part of it with 'let' or 'def', or take blocks out of each other");
    ++cursor_.depth_;
}

namespace {

Error bad_number(const Cursor& cursor, const Token& token, std::string_view code, std::string_view why) {
    return user_error(std::string(code), fmt::format("{} {}", describe(token), why), cursor.loc(token));
}

bool is_hex(std::string_view text) { return text.size() > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'); }

}  // namespace

std::uint64_t integer_value(const Cursor& cursor, const Token& token) {
    const bool hex = is_hex(token.text);
    const std::string_view digits = hex ? token.text.substr(2) : token.text;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
    if (end != digits.data() + digits.size() || digits.empty()) throw bad_number(cursor, token, "syntax", "is no number");
    if (error == std::errc::result_out_of_range)
        throw bad_number(cursor, token, "limit", "does not fit 64 bits").hint("write a float: 1e20");
    return value;
}

double float_value(const Cursor& cursor, const Token& token) {
    const bool hex = is_hex(token.text);
    const std::string_view digits = hex ? token.text.substr(2) : token.text;
    double value = 0;
    const auto format = hex ? std::chars_format::hex : std::chars_format::general;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, format);
    if (end != digits.data() + digits.size()) throw bad_number(cursor, token, "syntax", "is no number");
    if (error == std::errc::result_out_of_range)
        throw bad_number(cursor, token, "limit", "is out of the range of f64").hint("write inf, or 0.0");
    return value;
}

namespace {

/// The number of letters to insert, remove, replace or swap with their neighbour.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before, row(b.size() + 1), next(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t(0));
    for (std::size_t i = 1; i <= a.size(); ++i) {
        next[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            next[j] = std::min({row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1), row[j] + 1, next[j - 1] + 1});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) next[j] = std::min(next[j], before[j - 2] + 1);
        }
        before = std::exchange(row, next);
    }
    return row.back();
}

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    return out;
}

}  // namespace

std::string near_matches(std::string_view word, std::vector<std::string> candidates) {
    constexpr std::size_t most = 3, longest = 64;
    if (word.size() > longest) return {};
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    std::vector<std::pair<std::size_t, std::string>> near;
    for (std::string& c : candidates) {
        if (c.size() > longest || c == word) continue;
        const std::size_t distance = edit_distance(lower(word), lower(c));
        if (distance <= (word.size() == 1 ? 0 : std::max<std::size_t>(1, word.size() / 3)))
            near.emplace_back(distance, std::move(c));
    }
    std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    if (near.empty()) return {};
    std::string out = "did you mean ";
    const std::size_t count = std::min(most, near.size());
    for (std::size_t k = 0; k < count; ++k)
        out += fmt::format("{}'{}'", k == 0 ? "" : k + 1 == count ? " or " : ", ", near[k].second);
    return out + "?";
}

}  // namespace heddle
