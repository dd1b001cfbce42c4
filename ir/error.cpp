#include "ir/error.h"

#include <utility>

namespace heddle {
namespace {

constexpr std::size_t widest_line = 160;

/// The part of a line around a column, so that a very long line does not bury its caret, and the caret's offset in it.
std::pair<std::string, std::size_t> excerpt(std::string_view line, std::size_t column) {
    const std::size_t at = column == 0 ? 0 : std::min(column - 1, line.size());
    if (line.size() <= widest_line) return {std::string(line), at};
    const std::size_t start = at > widest_line / 2 ? at - widest_line / 2 : 0;
    return {std::string(line.substr(start, widest_line)), at - start};
}

/// The source line of a place with a caret under its column; empty for a place without text.
std::string pointed(const Loc& loc) {
    if (!loc || loc.source->text.empty()) return {};
    auto [line, at] = excerpt(loc.source->line(loc.line), loc.column);
    std::string pad;
    for (std::size_t k = 0; k < at; ++k) pad += line[k] == '\t' ? '\t' : ' ';
    return "  " + line + "\n  " + pad + "^\n";
}

std::string headed(const Loc& loc, std::string_view word, const std::string& text) {
    std::string head = loc ? loc.str() + ": " : std::string();
    return head + std::string(word) + ": " + text + "\n" + pointed(loc);
}

}  // namespace

Error::Error(ErrorKind kind, std::string code, std::string message, Loc loc)
    : kind_(kind), code_(std::move(code)), message_(std::move(message)), loc_(std::move(loc)) {}

Error& Error::note(std::string text, Loc loc) & {
    notes_.push_back({std::move(text), std::move(loc)});
    return *this;
}

Error& Error::hint(std::string text) & {
    hint_ = std::move(text);
    return *this;
}

Error&& Error::note(std::string text, Loc loc) && { return std::move(note(std::move(text), std::move(loc))); }

Error&& Error::hint(std::string text) && { return std::move(hint(std::move(text))); }

void Error::locate(const Loc& loc) {
    if (!loc_) loc_ = loc;
}

void Error::prefix(std::string_view text) { message_.insert(0, text); }

std::string Error::render() const {
    std::string out = headed(loc_, kind_ == ErrorKind::Internal ? "internal error" : "error", message_);
    for (const Note& n : notes_) out += headed(n.loc, "note", n.text);
    if (!hint_.empty()) out += "hint: " + hint_ + "\n";
    return out;
}

Error user_error(std::string code, std::string message, Loc loc) {
    return Error(ErrorKind::User, std::move(code), std::move(message), std::move(loc));
}

void require(bool holds, const char* what) {
    if (!holds) throw Error(ErrorKind::Internal, "internal", std::string("assumption broken: ") + what);
}

}  // namespace heddle
