// The words of a schedule line, read from left to right.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/error.h"
#include "ir/kernel.h"
#include "ir/name.h"

namespace heddle {

/// Cuts a line into words: names (`name` in backquotes too), numbers, symbols. A `#` ends it.
class LineReader {
public:
    explicit LineReader(const ScheduleText::Line& line);

    bool at_end() const { return next_ == words_.size(); }
    /// Takes the words of `phrase` ("-> (") when they stand next.
    bool take(std::string_view phrase);
    bool sees(std::string_view phrase) const;
    Name name(std::string_view what);
    std::int64_t integer(std::string_view what);
    /// The text up to the end, or up to a comma, `close` or one of `stops` outside brackets.
    std::string text(std::string_view what, std::string_view close, const std::vector<std::string_view>& stops);
    /// An error at the next word: `message` says what was expected.
    Error error(const std::string& message) const;
    std::string next_word() const;

private:
    enum class Kind : std::uint8_t { Name, Quoted, Number, Symbol };
    struct Word {
        Kind kind;
        std::string text;
        std::size_t begin, end;
    };
    std::size_t scan(std::size_t at);
    std::size_t quoted(std::size_t at);
    Loc loc_at(std::size_t offset) const;
    static std::vector<std::string_view> split(std::string_view phrase);

    const ScheduleText::Line& line_;
    std::vector<Word> words_;
    std::size_t next_ = 0;
};

}  // namespace heddle
