// The one error type of the compiler side.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "ir/source.h"

namespace heddle {

/// Who has to act. The command line turns the kind into its exit status.
enum class ErrorKind {
    User,      ///< the input is wrong or what was asked is refused (exit 1)
    Usage,     ///< the call or command line is wrong (exit 2)
    Runtime,   ///< memory, compiler, device, file system (exit 3)
    Internal,  ///< a fault of ours (exit 4)
};

struct Note {
    std::string text;
    Loc loc;
};

/// An error: what was asked, what is in the way, what would work, and where. `code` is a short stable word for programs and
/// tests
/// ("syntax", "type", "bounds", "illegal-order", …).
class Error : public std::exception {
public:
    Error(ErrorKind kind, std::string code, std::string message, Loc loc = {});

    Error& note(std::string text, Loc loc = {}) &;
    Error& hint(std::string text) &;
    Error&& note(std::string text, Loc loc = {}) &&;
    Error&& hint(std::string text) &&;

    ErrorKind kind() const { return kind_; }
    const std::string& code() const { return code_; }
    const std::string& message() const { return message_; }
    const Loc& loc() const { return loc_; }
    const std::vector<Note>& notes() const { return notes_; }
    const std::string& hint_text() const { return hint_; }
    /// Gives the error a place when it has none yet.
    void locate(const Loc& loc);
    /// Puts text before the message: a step adds its number and name to what a check below it found.
    void prefix(std::string_view text);

    /// "file:3:7: error: message", the line with a caret, the notes, "hint: …".
    std::string render() const;
    const char* what() const noexcept override { return message_.c_str(); }

private:
    ErrorKind kind_;
    std::string code_, message_, hint_;
    Loc loc_;
    std::vector<Note> notes_;
};

/// Shorthand for an error of the user's.
Error user_error(std::string code, std::string message, Loc loc = {});
/// Throws an Internal error when `holds` is false: for our own mistakes only.
void require(bool holds, const char* what);

}  // namespace heddle
