#include "ir/parse/lexer.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "ir/error.h"
#include "ir/parse/utf8.h"

namespace heddle {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_part(char c) { return is_letter(c) || is_digit(c); }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v'; }

constexpr std::array<std::string_view, 14> long_symbols{"//", "->", "<=", ">=", "==", "!=", "&&",
                                                        "||", "<<", ">>", "+=", "-=", "*=", "/="};
constexpr std::string_view short_symbols = "()[]{},;:=<>+-*/%&|^~!?.";

// Sorted, for a binary search.
constexpr std::array<std::string_view, 43> reserved{
    "all",     "and",  "any",    "argmax", "argmin", "assert", "bool",  "c128", "c64",  "call",     "const",
    "def",     "else", "exists", "extern", "f32",    "f64",    "false", "for",  "i16",  "i32",      "i64",
    "i8",      "if",   "inf",    "let",    "max",    "min",    "mod",   "nan",  "not",  "operator", "or",
    "product", "sum",  "temp",   "true",   "u16",    "u32",    "u64",   "u8",   "view", "where"};

class Lexer {
public:
    explicit Lexer(std::string_view text) : text_(text) {}

    std::vector<Token> run() {
        std::vector<Token> out;
        out.reserve(text_.size() / 3 + 8);
        if (text_.substr(0, 3) == "\xEF\xBB\xBF") at_ = line_start_ = 3;
        while (true) {
            Token t = start_token();
            if (at_ >= text_.size()) {
                out.push_back(t);
                return out;
            }
            t.kind = scan(t.text);
            out.push_back(t);
        }
    }

private:
    Token start_token() {
        const std::size_t before = at_;
        const std::uint32_t line = line_;
        skip_blanks();
        Token t;
        t.new_line = line != line_ || first_;
        t.after_space = at_ != before || first_;
        first_ = false;
        t.line = line_;
        t.column = static_cast<std::uint32_t>(at_ - line_start_ + 1);
        t.offset = static_cast<std::uint32_t>(at_);
        return t;
    }

    void skip_blanks() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '#') {
                at_ = std::min(text_.find('\n', at_), text_.size());
                continue;
            }
            if (!is_blank(c)) return;
            ++at_;
            if (c == '\n') ++line_, line_start_ = at_;
        }
    }

    /// Reads one token at `at_`, which is not at the end; gives its text.
    TokenKind scan(std::string_view& text) {
        const char c = text_[at_];
        if (is_letter(c)) return take(text, name_length(at_), TokenKind::Word);
        if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return scan_number(text);
        if (c == '`') return scan_quoted(text);
        const auto pair = text_.substr(at_, 2);
        if (std::find(long_symbols.begin(), long_symbols.end(), pair) != long_symbols.end())
            return take(text, 2, TokenKind::Symbol);
        if (short_symbols.find(c) != std::string_view::npos) return take(text, 1, TokenKind::Symbol);
        return take(text, character_length(), TokenKind::Bad);
    }

    TokenKind take(std::string_view& text, std::size_t length, TokenKind kind) {
        text = text_.substr(at_, length);
        at_ += text.size();
        return kind;
    }

    char peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

    std::size_t name_length(std::size_t from) const {
        std::size_t end = from;
        while (end < text_.size() && is_name_part(text_[end])) ++end;
        return end - from;
    }

    /// Bytes of the UTF-8 character at `at_`, so that a message never cuts one.
    std::size_t character_length() const {
        std::size_t length = 1;
        while ((static_cast<unsigned char>(peek(length)) & 0xC0) == 0x80) ++length;
        return length;
    }

    TokenKind scan_quoted(std::string_view& text) {
        const std::size_t length = name_length(at_ + 1);
        const bool good = length > 0 && !is_digit(text_[at_ + 1]) && peek(length + 1) == '`';
        if (!good) return take(text, length + 1, TokenKind::Bad);
        text = text_.substr(at_ + 1, length);
        at_ += length + 2;
        return TokenKind::Quoted;
    }

    TokenKind scan_number(std::string_view& text) {
        const bool hex = text_[at_] == '0' && (peek(1) == 'x' || peek(1) == 'X');
        std::size_t length = hex ? 2 : 0;
        bool real = false;
        const auto is_exponent = [&](char c) { return hex ? c == 'p' || c == 'P' : c == 'e' || c == 'E'; };
        while (true) {
            const char c = peek(length);
            if (c == '.' && !real) {
                real = true;
            } else if (is_exponent(c)) {
                real = true;
                if (peek(length + 1) == '+' || peek(length + 1) == '-') ++length;
            } else if (!is_name_part(c)) {
                break;
            }
            ++length;
        }
        return take(text, length, real ? TokenKind::Float : TokenKind::Integer);
    }

    std::string_view text_;
    std::size_t at_ = 0, line_start_ = 0;
    std::uint32_t line_ = 1;
    bool first_ = true;
};

/// Refuses a text that is no UTF-8, at the line and column of its first bad byte.
void check_utf8(const std::shared_ptr<const Source>& source) {
    const std::string_view text = source->text;
    const std::size_t at = first_no_utf8(text);
    if (at == std::string_view::npos) return;
    const std::string_view before = text.substr(0, at);
    const auto lines = static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n'));
    const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
    throw user_error("syntax", fmt::format("a byte of value 0x{:02x}, which is no UTF-8", static_cast<unsigned char>(text[at])),
                     {source, lines + 1, static_cast<std::uint32_t>(at - start + 1)})
        .hint("kernel files are UTF-8 text: save it as such, or remove the byte");
}

std::string describe_bad(std::string_view text) {
    if (text.empty() || text[0] != '`') return fmt::format("'{}', which no word or symbol starts with", text);
    return fmt::format("'{}', which is no name in backticks", text);
}

}  // namespace

std::vector<Token> tokenize(const std::shared_ptr<const Source>& source) {
    if (source->text.size() >= UINT32_MAX)
        throw user_error("limit", fmt::format("the text of {} has 4 GiB or more", source->name), {source, 1, 1});
    check_utf8(source);
    return Lexer(source->text).run();
}

bool is_reserved(std::string_view word) { return std::binary_search(reserved.begin(), reserved.end(), word); }

std::string quoted(std::string_view name) { return is_reserved(name) ? fmt::format("`{}`", name) : std::string(name); }

std::string describe(const Token& token) {
    switch (token.kind) {
        case TokenKind::End:
            return "the end of the file";
        case TokenKind::Bad: {
            const auto first = static_cast<unsigned char>(token.text[0]);
            return first < 32 ? fmt::format("a character of code {}", first) : describe_bad(token.text);
        }
        case TokenKind::Quoted:
            return fmt::format("'`{}`'", token.text);
        default:
            return token.text.size() <= 60 ? fmt::format("'{}'", token.text) : fmt::format("'{}…'", token.text.substr(0, 57));
    }
}

}  // namespace heddle
