// A place in the tokens of a kernel file, with the errors of reading. Internal to the reader.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ir/error.h"
#include "ir/name.h"
#include "ir/parse/lexer.h"

namespace heddle {

/// Parentheses, calls, subscripts and blocks may stand in each other this deep.
inline constexpr int deepest_nesting = 200;

class Cursor {
public:
    using Tokens = std::shared_ptr<const std::vector<Token>>;

    Cursor(std::shared_ptr<const Source> source, Tokens tokens) : source_(std::move(source)), tokens_(std::move(tokens)) {}
    /// Tokens of a text that stands at `start` in another one: places are those there.
    Cursor(Loc start, Tokens tokens)
        : source_(start.source), tokens_(std::move(tokens)), first_line_(start.line), first_column_(start.column) {}

    const Token& peek(std::size_t ahead = 0) const {
        return (*tokens_)[at_ + ahead < tokens_->size() ? at_ + ahead : tokens_->size() - 1];
    }
    const Token& next() { return at_ + 1 < tokens_->size() ? (*tokens_)[at_++] : tokens_->back(); }
    std::size_t position() const { return at_; }
    void move_to(std::size_t position) { at_ = position; }
    const std::vector<Token>& tokens() const { return *tokens_; }
    const std::shared_ptr<const Source>& source() const { return source_; }

    Loc loc(const Token& t) const {
        return {source_, t.line + first_line_ - 1, t.line == 1 ? t.column + first_column_ - 1 : t.column};
    }
    Loc here() const { return loc(peek()); }

    bool at(std::string_view symbol) const { return peek().is(symbol); }
    bool at_word(std::string_view word) const { return peek().is_word(word); }
    bool at_end() const { return peek().kind == TokenKind::End; }
    bool accept(std::string_view symbol);
    bool accept_word(std::string_view word);

    /// The next token must be this symbol or word; `where` completes "expected ':' …".
    const Token& expect(std::string_view symbol, std::string_view where);
    const Token& expect_word(std::string_view word, std::string_view where);
    /// A name that is no word of the language, or one in backticks; `what` completes "expected …".
    const Token& expect_name(std::string_view what);
    /// The closing partner of `open`, which is named in the message.
    void expect_close(std::string_view symbol, const Token& open);

    /// An error of syntax at the next token: "expected WHAT, found …".
    [[noreturn]] void fail(std::string_view what) const;
    Error unexpected(std::string_view what) const;

    /// Counts nesting while it lives; too deep is an error.
    class Nested {
    public:
        explicit Nested(Cursor& cursor);
        ~Nested() { --cursor_.depth_; }
        Nested(const Nested&) = delete;

    private:
        Cursor& cursor_;
    };

private:
    std::shared_ptr<const Source> source_;
    Tokens tokens_;
    std::size_t at_ = 0;
    std::uint32_t first_line_ = 1, first_column_ = 1;
    int depth_ = 0;
};

/// A literal's value: an integer of up to 64 bits unsigned, or a float. Errors ("syntax", "limit") name the literal.
std::uint64_t integer_value(const Cursor& cursor, const Token& token);
double float_value(const Cursor& cursor, const Token& token);

/// Up to three of the candidates that look like `word`, as "did you mean 'a', 'b' or 'c'?"; empty when none does.
std::string near_matches(std::string_view word, std::vector<std::string> candidates);

}  // namespace heddle
