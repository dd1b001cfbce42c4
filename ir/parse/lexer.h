// Kernel text -> tokens.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ir/source.h"

namespace heddle {

enum class TokenKind : std::uint8_t {
    End,      ///< after the last token
    Word,     ///< an identifier or a word of the language
    Quoted,   ///< a name in backticks; `text` is without them
    Integer,  ///< 12, 0x1f
    Float,    ///< 1.5, 2e-3, .5, 0x1.8p3
    Symbol,   ///< punctuation, longest match
    Bad,      ///< what no token starts with; schedules may hold such text, so it is refused where it is used
};

struct Token {
    TokenKind kind = TokenKind::End;
    bool new_line = false;     ///< the first token of its line
    bool after_space = false;  ///< white space or a comment stands before it
    std::uint32_t line = 1, column = 1;
    std::uint32_t offset = 0;  ///< of its first character in the text
    std::string_view text;     ///< into the source

    bool is(std::string_view symbol) const { return kind == TokenKind::Symbol && text == symbol; }
    bool is_word(std::string_view word) const { return kind == TokenKind::Word && text == word; }
    bool is_name() const { return kind == TokenKind::Word || kind == TokenKind::Quoted; }
};

/// The longest name that is read.
inline constexpr std::size_t longest_name = 1000;

/// All tokens of a text; the last one is End. Never throws on content: what is no token becomes Bad. A text of 4 GiB or more is
/// refused.
std::vector<Token> tokenize(const std::shared_ptr<const Source>& source);

/// Is this a word of the language, so that a name of that text needs backticks?
bool is_reserved(std::string_view word);
/// The name as it stands in kernel text: with backticks where it needs them.
std::string quoted(std::string_view name);

/// "'foo'", "the end of the file", "'1abc', which is no number": for "expected …, found …".
std::string describe(const Token& token);

}  // namespace heddle
